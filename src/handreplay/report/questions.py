"""Which findings say that something was wrong, and which ask a person."""

from collections.abc import Mapping
from typing import Any


def is_question(finding: Mapping[str, Any]) -> bool:
    return finding.get("status") == "review" or str(finding.get("code", "")).startswith("FT")
