"""Breaks the code on purpose, one place at a time, and says which of these mutants the tests let live.

Run `make mutants`: each mutant is one small change of the product in a copy of the checkout, and the tests named beside it must
fail on it. It ends with 1 where more than two of the forty live. `tests/test_mutants.py` holds that each change still
applies to exactly one place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MAY_LIVE = 2
"""As many of the mutants may live before the check fails."""
PATIENCE = 600
"""Seconds for the tests of one mutant; a mutant that makes them hang is dead."""


class Mutant(NamedTuple):
    """One change: in `path`, `before` becomes `after`; `tests` are the tests that must notice."""

    path: str
    before: str
    after: str
    tests: str


MUTANTS = (
    # --- ledger: what is acknowledged is on the disk ---
    Mutant(
        "ledger/chain.py",
        "            try:\n                durable.sync_data(fd)\n            except OSError:",
        "            try:\n                pass\n            except OSError:",
        "tests/ledger/test_chain_disk.py tests/ledger/test_chain.py",
    ),
    Mutant(
        "ledger/chain.py",
        "    if os.write(fd, data) != len(data):",
        "    if os.write(fd, data) < 0:",
        "tests/ledger/test_chain_disk.py",
    ),
    Mutant(
        "ledger/chain.py",
        "if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):",
        "if here.st_dev == there.st_dev:",
        "tests/ledger/test_chain_lock.py tests/ledger/test_chain.py",
    ),
    Mutant(
        "ledger/chain.py",
        "    if event_id(parts.head) != id_:",
        "    if event_id(parts.head) == '':",
        "tests/ledger/test_chain.py tests/ledger/test_chain_disk.py",
    ),
    Mutant(
        "ledger/tail.py",
        "(line.offset >= mark.end if mark else last)",
        "(line.offset > mark.end if mark else last)",
        "tests/ledger/test_tail.py tests/ledger/test_chain.py",
    ),
    Mutant(
        "ledger/tail.py",
        "    lost = mark.end - 1 - file.size\n    if lost > 0:",
        "    lost = mark.end - 1 - file.size\n    if lost > 400:",
        "tests/ledger/test_tail.py tests/ledger/test_chain.py",
    ),
    Mutant(
        "ledger/mark.py",
        "os.pwrite(fd, slot, (count % 2) * _SLOT)",
        "os.pwrite(fd, slot, 0)",
        "tests/ledger/test_mark.py",
    ),
    Mutant(
        "ledger/durable.py",
        '        step("written")\n        os.fsync(fd)',
        '        step("written")',
        "tests/ledger/test_durable.py",
    ),
    Mutant(
        "ledger/exchange.py",
        "    if came == there:",
        "    if came is not None:",
        "tests/ledger/test_exchange.py",
    ),
    # --- ledger: what events mean ---
    Mutant(
        "ledger/event.py",
        'return payload.startswith(b"null") and not payload[4:].strip(b" ")',
        'return payload.startswith(b"null")',
        "tests/ledger/test_event.py tests/ledger/test_payload_states.py",
    ),
    Mutant(
        "ledger/fold.py",
        "any(since <= seq < rotate for since, rotate in ranges)",
        "any(since < seq < rotate for since, rotate in ranges)",
        "tests/ledger/test_fold.py tests/projections/test_index.py",
    ),
    Mutant(
        "ledger/payload_states.py",
        "None if blank else _incomplete(place)",
        "None",
        "tests/ledger/test_payload_states.py",
    ),
    Mutant(
        "ledger/restoring.py",
        "if source is None or os.path.lexists(target):",
        "if source is None:",
        "tests/cli/test_restore.py",
    ),
    Mutant(
        "ledger/ledger.py",
        "        if ts <= link.ts or clock <= floor:",
        "        if ts < link.ts or clock <= floor:",
        "tests/ledger/test_ledger.py tests/ledger/test_verify.py",
    ),
    Mutant(
        "ledger/ledger.py",
        "        self._finish_erasures(held, view)\n        batch",
        "        batch",
        "tests/ledger/test_ledger_mends.py tests/ledger/test_ledger.py",
    ),
    Mutant(
        "ledger/ledger.py",
        "        if not redact:\n            raise redaction.refusal(found)",
        "        if redact:\n            raise redaction.refusal(found)",
        "tests/ledger/test_ledger_refusals.py tests/ledger/test_ledger.py",
    ),
    Mutant(
        "ledger/ledger.py",
        "self.gone.update((id_, status) for id_ in command.targets)",
        "self.gone.update((id_, status) for id_ in command.targets[1:])",
        "tests/ledger/test_ledger.py tests/ledger/test_ledger_refusals.py",
    ),
    Mutant(
        "ledger/redaction.py",
        "    joined = _FENCE.join(texts)",
        "    joined = _FENCE.join(texts[:1])",
        "tests/ledger/test_redaction.py",
    ),
    Mutant(
        "ledger/verify.py",
        "        if self._size < mark.end - 1:",
        "        if self._size < mark.start:",
        "tests/ledger/test_verify.py",
    ),
    # --- proofs ---
    Mutant(
        "proofs/merkle.py",
        '    return sha256(b"\\x00" + data).digest()',
        '    return sha256(b"\\x01" + data).digest()',
        "tests/proofs/test_merkle.py tests/proofs/test_by_hand.py",
    ),
    Mutant(
        "proofs/merkle.py",
        "    if not 0 <= index < size or any(",
        "    if not 0 <= index <= size or any(",
        "tests/proofs/test_merkle.py",
    ),
    Mutant(
        "ledger/note.py",
        "        if candidates and not held:",
        "        if candidates and not held and len(found) > 9:",
        "tests/ledger/test_note.py",
    ),
    Mutant(
        "proofs/completeness.py",
        "        elif not each.origin or each.origin.epoch >= epoch_at(chain, len(chain) - 1):",
        "        elif not each.origin or each.origin.epoch > epoch_at(chain, len(chain) - 1):",
        "tests/proofs/test_signed_checkpoints.py tests/cli/test_anchor.py",
    ),
    Mutant(
        "proofs/erasing/residue.py",
        "                    if len(run) >= PIECE and run not in self._said():",
        "                    if len(run) > 2 * PIECE and run not in self._said():",
        "tests/proofs/erasing",
    ),
    Mutant(
        "proofs/erasing/cleaning.py",
        '        return "" if residue.look(value.encode("utf-8", "surrogatepass")) else value',
        "        return value",
        "tests/proofs/erasing",
    ),
    # --- projections ---
    Mutant(
        "projections/index_fold.py",
        "            self._blank(target)\n        self._point(event, own)",
        "        self._point(event, own)",
        "tests/projections/test_index.py tests/projections/test_index_view.py",
    ),
    Mutant(
        "projections/index_fold.py",
        "        for target in targets:\n            self._refresh(target)\n",
        "",
        "tests/projections/test_index.py tests/projections/test_index_machine.py",
    ),
    Mutant(
        "projections/gc.py",
        "        if age <= max_age_days or",
        "        if age < max_age_days or",
        "tests/projections/test_gc.py",
    ),
    Mutant(
        "projections/prompt_fill.py",
        "            if is_bare(found.entry, with_tables=heading != FOR_TASK):",
        "            if is_bare(found.entry, with_tables=heading == FOR_TASK):",
        "tests/cli/test_inject.py",
    ),
    Mutant(
        "projections/search.py",
        "                each.every = tier == 0",
        "                each.every = tier >= 0",
        "tests/projections/test_search.py",
    ),
    Mutant(
        "projections/render_lock.py",
        "                    self._sweep_leftovers(Path(os.fsdecode(died)))",
        "                    Path(os.fsdecode(died))",
        "tests/projections/test_render_lock.py tests/projections/test_crash.py",
    ),
    # --- documents ---
    Mutant(
        "documents/scope.py",
        "            self.documents.take_in(commands)\n",
        "",
        "tests/documents/adopting/test_adoption.py tests/documents/writing/test_files.py",
    ),
    Mutant(
        "documents/adopting/uncommitted_edit.py",
        "    if is_person(memory) and (asked or not held):",
        "    if is_person(memory):",
        "tests/documents/adopting/test_agents.py",
    ),
    Mutant(
        "documents/adopting/examining.py",
        "    if hand.agent and not accept:",
        "    if hand.agent and accept:",
        "tests/documents/adopting/test_agents.py",
    ),
    Mutant(
        "documents/adopting/edit_author.py",
        "        return next((hand for hand in hands if not hand.trusted), HERE if HERE in hands else hands[0])",
        "        return HERE if HERE in hands else hands[0]",
        "tests/documents/adopting/test_strangers.py tests/documents/adopting/test_git.py",
    ),
    # --- learning, doors ---
    Mutant(
        "learning/limits.py",
        "for memory in scopes) + len(waiting)\n    if count < most:",
        "for memory in scopes) + len(waiting)\n    if count <= most:",
        "tests/learning/test_limits.py",
    ),
    Mutant(
        "learning/intake.py",
        '        if self.by.role == "agent" and proposal.memory and ledger.workspace.index.proposed(proposal.memory):\n',
        "        if False:\n",
        "tests/learning/test_intake.py tests/learning/test_authorship.py tests/attacks",
    ),
    Mutant(
        "projections/requests.py",
        "    if len(standing) >= MOST:",
        "    if len(standing) > MOST:",
        "tests/agents/mcp/test_elicitation.py",
    ),
    Mutant(
        "projections/configuration.py",
        '    return by.role == "agent"',
        "    return False",
        "tests/cli/test_person_only.py",
    ),
    Mutant(
        "projections/configuration.py",
        "        return not load_to_read(home.path / CONFIG_NAME)[0].scripts",
        "        return False",
        "tests/cli/test_person_only.py",
    ),
)


def applied(mutant: Mutant, source: str) -> str:
    """Return the source with the mutant's change.

    Raises:
        ValueError: the change fits no place, or more than one.
    """
    count = source.count(mutant.before)
    if count != 1:
        raise ValueError(f"{mutant.path}: {mutant.before!r} stands there {count} times")
    return source.replace(mutant.before, mutant.after)


def lives(mutant: Mutant, checkout: Path) -> bool:
    """Say whether the mutant's tests pass in `checkout`, which is as it was afterwards."""
    path = checkout / mutant.path
    source = path.read_text()
    path.write_text(applied(mutant, source))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    try:
        done = subprocess.run(command, cwd=checkout, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return False
    finally:
        path.write_text(source)
    if done.returncode not in (0, 1, 2):  # 2: the mutant cannot even be imported
        raise RuntimeError(
            f"{mutant.path}: pytest ended with {done.returncode}: {done.stdout.decode()[-500:]}"
        )
    return done.returncode == 0


def main(wanted: Sequence[str]) -> int:
    """Try the mutants, or those whose path begins with one of `wanted`; print those that live."""
    chosen = [each for each in MUTANTS if not wanted or each.path.startswith(tuple(wanted))]
    alive = []
    with tempfile.TemporaryDirectory(prefix="muniment-mutants-") as folder:
        checkout = Path(folder) / "checkout"
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, tracked.decode().split("\0")):
            if (ROOT / name).is_file():
                (checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, checkout / name)
        for number, mutant in enumerate(chosen, 1):
            is_alive = lives(mutant, checkout)
            alive += [mutant] if is_alive else []
            change = f"{mutant.before.strip()!r} -> {mutant.after.strip()!r}"
            print(f"{number:>3} {'LIVES' if is_alive else 'dead '} {mutant.path}: {change}", flush=True)
    print(f"{len(chosen) - len(alive)} of {len(chosen)} mutants died")
    return 1 if len(alive) > MAY_LIVE else 0


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.exit(main(sys.argv[1:]))
