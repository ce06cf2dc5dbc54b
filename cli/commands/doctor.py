"""muniment doctor: explains every fault and names a command that fixes it.

Implements specs/cli.md (X-54, X-132).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import click

from cli import ledger_checks, machine_checks
from cli.app import App, common_options
from cli.examined_ledger import ADVICE, FAULT, Diagnosis, LedgerCheck, Patient
from cli.options import Verb, option
from cli.show_entry import count_of, one_line
from language.printable import plain, who
from ledger.errors import LedgerError
from report.suspicions import signs_json, suspicious

CHECKS: tuple[LedgerCheck, ...] = (
    machine_checks.check_locks,
    machine_checks.check_permissions,
    ledger_checks.check_ledger,
    ledger_checks.check_pin,
    ledger_checks.check_chain,
    ledger_checks.check_keys,
    ledger_checks.check_copies,
    ledger_checks.check_ignored,
    ledger_checks.check_index,
    ledger_checks.check_erasures,
    ledger_checks.check_vectors,
    ledger_checks.check_documents,
    machine_checks.check_configuration,
    machine_checks.check_project,
    machine_checks.check_hooks,
    machine_checks.check_left_overs,
)
"""All checks, in the order in which they are told."""

_COLORS = {FAULT: "red", ADVICE: "yellow", "ok": "green"}


@click.command("doctor", cls=Verb)
@option(
    "--injection", is_flag=True, help="List instead the memories that read like instructions to the model."
)
@common_options
def command(app: App, *, injection: bool) -> int:
    """Diagnose problems and suggest fixes.

    Checks the machine, the ledger and everything derived from it. Exits with 1 if it finds a fault, 0 if there
    is only advice. Repairs nothing. A chain of more than 64 MiB is verified only from the high-water mark on,
    and the report says so; muniment verify checks everything.

    With --injection, lists memories that read like instructions to the model ("ignore previous…", "do not tell
    the user", curl into a shell) with their authors, and exits with 1 if there are any. They are found by
    words: read them, and delete those that nobody meant.

    \b
    Examples:
      muniment doctor
      muniment doctor --injection
      muniment doctor --scope project
      muniment doctor --json | jq '.[] | select(.ok | not)'
    """
    if injection:
        return _injection(app)
    patient = Patient(app.memory())
    found = diagnosed(patient)
    if app.json:
        app.emit([diagnosis.to_json() for diagnosis in found])
    else:
        app.lines(_lines(app, found))
    return 1 if any(diagnosis.level == FAULT for diagnosis in found) else 0


def _injection(app: App) -> int:
    """List the memories that read like instructions to the model (P-132), archived ones too."""
    found = suspicious(app.memory())
    if app.json:
        app.emit(
            [
                {
                    "id": entry.id,
                    "text": entry.memory.text,
                    "status": entry.status,
                    "by": entry.by._asdict(),
                    "learned": entry.learned,
                    "conversation": entry.memory.provenance.conversation,
                    "file": entry.memory.provenance.file,
                    "signs": signs_json(signs),
                }
                for entry, signs in found
            ]
        )
    else:
        for entry, signs in found:
            app.line(one_line(app, entry))
            app.line(f"    by {who(*entry.by)}")
            app.lines(plain(f"    {one.name}, in {one.member}: {one.words}") for one in signs)
        mend = "; muniment show ID says more, muniment delete ID forgets one" if found else ""
        app.line(f"memories that read like instructions to the model: {len(found)}{mend}")
    return 1 if found else 0


def diagnosed(patient: Patient, checks: Sequence[LedgerCheck] = CHECKS) -> list[Diagnosis]:
    """Return what the checks find, in their order."""
    return [diagnosis for check in checks for diagnosis in _found(check, patient)]


def _found(check: LedgerCheck, patient: Patient) -> Iterator[Diagnosis]:
    """Give what a check finds; one that meets what it cannot look at ends with that as its fault."""
    try:
        yield from check(patient)
    except (LedgerError, OSError, sqlite3.Error) as error:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        message = f"{name} cannot be looked at: {error}"
        yield Diagnosis(name, FAULT, message, "fix that, and run muniment doctor again")


def _lines(app: App, found: list[Diagnosis]) -> Iterator[str]:
    width = max(len(diagnosis.check) for diagnosis in found)
    for diagnosis in found:
        level = app.style(f"{diagnosis.level:<6}", fg=_COLORS[diagnosis.level])
        yield f"{level}  {diagnosis.check:<{width}}  {plain(diagnosis.message)}"
        if diagnosis.mend:
            yield f"{'':<6}  {'':<{width}}  {app.style(f'-> {plain(diagnosis.mend)}', bold=True)}"
    faults = sum(diagnosis.level == FAULT for diagnosis in found)
    advice = sum(diagnosis.level == ADVICE for diagnosis in found)
    yield ""
    pieces = count_of(advice, "piece") + " of advice"
    yield f"{count_of(faults, 'fault')}, {pieces}" if faults or advice else "all is well"
