"""The rules: one function a code, grouped by family, and the replay that they ask."""

from handreplay.core.findings import Audit, exit_code
from handreplay.rules.audit import RULES, audit_rounds
from handreplay.rules.weighing import weighed

__all__ = ["RULES", "Audit", "audit_rounds", "exit_code", "weighed"]
