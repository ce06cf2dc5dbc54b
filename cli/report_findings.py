"""What verify, doctor and the check for instructions find, for machines.

Implements specs/report.md (H-17, H-18); the forms are those of `report.findings`.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from cli import ledger_checks
from cli.commands.doctor import CHECKS, diagnosed
from cli.examined_ledger import FAULT, OK, Diagnosis, Patient
from cli.progress import ProgressBar
from ledger.errors import LedgerError
from muniment import MemoryLedger
from report.findings import ERROR, WARNING, MachineFinding, as_json, as_sarif, of_suspicions, of_verify

FORMS = {"json": as_json, "sarif": as_sarif}
"""How findings are written, by the name of the form."""


def findings(memory: MemoryLedger) -> list[MachineFinding]:
    """Return the findings of a ledger, the most serious first.

    Raises:
        NoLedgerError: there is no ledger.
    """
    with ProgressBar("verifying") as progress:
        report = memory.upkeep.verify(progress=progress)
    chain = memory.workspace.chain
    found = [each for _, verdict in report.verdicts for each in of_verify(verdict.findings, chain)]
    patient = Patient(memory)
    patient.report = report.chain
    checks = [check for check in CHECKS if check is not ledger_checks.check_chain]  # verify said it
    for each in diagnosed(patient, checks):
        found += _of_doctor(each, patient)
    try:
        found += of_suspicions(memory)
    except LedgerError as error:
        message = f"memories cannot be looked at for instructions: {error}"
        found.append(MachineFinding("injection/unchecked", message, ERROR, message, chain))
    return sorted(found, key=lambda each: each.level != ERROR)


def _of_doctor(each: Diagnosis, patient: Patient) -> Iterator[MachineFinding]:
    """Return a diagnosis as a finding, unless all is well; it has no line, and names the fix."""
    if each.level != OK:
        rule, about = f"doctor/{each.check.replace(' ', '-')}", f"muniment doctor: {each.check}"
        message = f"{each.message}; {each.mend}" if each.mend else each.message
        level = ERROR if each.level == FAULT else WARNING
        yield MachineFinding(rule, about, level, message, patient.memory.workspace.chain)


def written_findings(memory: MemoryLedger, found: list[MachineFinding], form: str) -> bytes:
    """Return findings in one of FORMS."""
    place = memory.workspace.place
    value = FORMS[form](found, place.root or place.directory)
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
