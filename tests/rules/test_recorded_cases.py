"""Every recorded case is replayed exactly: findings, variances, verdicts, settlement rows, exit code."""

from pathlib import Path

import pytest

from handreplay.config import load_profile
from handreplay.core.roundlog import read_rounds
from handreplay.games import log_limits
from handreplay.report.findings_json import findings_document
from handreplay.rules import audit_rounds, exit_code
from tests.rules.cases import differences, recorded


@pytest.mark.parametrize("name", list(recorded()))
def test_a_recorded_case_is_replayed_exactly(name: str, tmp_path: Path) -> None:
    case = recorded()[name]
    (tmp_path / "table.toml").write_text(case["table"])
    (tmp_path / "rounds.jsonl").write_text(case["log"])
    table = load_profile(tmp_path / "table.toml").rules()
    audit = audit_rounds(read_rounds(tmp_path / "rounds.jsonl", log_limits(table)), table)
    document = findings_document(audit, table)
    assert differences(document, exit_code(audit), case["expected"]) == []


def test_every_code_that_logs_can_show_has_a_recorded_case() -> None:
    seen = {finding["code"] for case in recorded().values() for finding in case["expected"]["findings"]}
    families = {"MD": 13, "EX": 3, "PY": 7, "WG": 6, "DR": 3}
    wanted = {f"{family}{number:02d}" for family, count in families.items() for number in range(1, count + 1)}
    assert wanted | {"FT01", "FT03", "FT04"} == seen


def test_findings_name_section_remedy_and_the_numbers() -> None:
    import json

    from tests.rules.story import audit_lines

    for case in recorded().values():
        for finding in audit_lines(case).findings:
            assert finding.citation and finding.basis and finding.remedy
            assert finding.message.endswith(".") and "\n" not in finding.message
            if finding.code.startswith("PY0") and finding.code not in ("PY05", "PY07"):
                assert "$" in finding.message, json.dumps(finding.message)
