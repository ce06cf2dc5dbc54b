"""muniment maintain makes the anchor that config.toml names, when it is due.

Tests specs/anchors.md (W-10, W-70…W-72) and specs/doors.md (G-32).
"""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from projections.weekly_jobs import MAINTAIN
from tests.cli.driver import run
from tests.loopback import serving
from tests.proofs.fake_witness import VKEY, Witness
from tests.proofs.outside import Authority, Calendar


def configure(ledger: Path, **settings: object) -> None:
    lines = [
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in settings.items()
    ]
    (ledger / "config.toml").write_text("[anchor]\n" + "".join(f"{line}\n" for line in lines))


def anchors(ledger: Path) -> list[str]:
    return sorted(path.name for path in (ledger / "anchors").iterdir())


def test_a_checkpoint_and_not_again_before_it_is_due(ledger: Path) -> None:
    """Without a word in config.toml; nothing learned is nothing due, and a week is a week."""
    assert run("upkeep", "run", "--json").ok().json["anchor"]["due"] is True
    assert anchors(ledger) == ["0-3.checkpoint"]
    assert "every 7 days is one" in run("upkeep", "run", "--json").ok().json["anchor"]["why"]
    configure(ledger, every_days=0)
    assert "nothing was learned" in run("upkeep", "run", "--json").ok().json["anchor"]["why"]
    run("add", "three").ok()
    assert run("upkeep", "run", "--json").ok().json["anchor"]["due"] is True
    assert anchors(ledger) == ["0-3.checkpoint", "0-4.checkpoint"]


def test_a_last_time_that_is_still_to_come_counts_as_none(ledger: Path) -> None:
    with muniment.open(scope="user") as memory:
        memory.workspace.local.note("anchored_at", "2999-01-01T00:00:00.000000Z")
    assert run("upkeep", "run", "--json").ok().json["anchor"]["due"] is True


def test_a_transaction_for_the_wallet(ledger: Path) -> None:
    configure(ledger, method="evm")
    said = run("upkeep", "run").ok().out.splitlines()[-1]
    assert (
        said
        == f"anchor        of 3 events: {ledger / 'anchors/0-3.evm.json'}; nothing was sent: your wallet signs it"
    )


def test_a_witness_by_its_key(ledger: Path, witness: tuple[Witness, str]) -> None:
    (ledger / "anchors/0-3.checkpoint").unlink()
    run("add", "three").ok()
    configure(ledger, method="witness", url=witness[1], witness=VKEY.vkey)
    value = run("upkeep", "run", "--json").ok().json["anchor"]
    assert (value["due"], value["method"]) == (True, "witness")
    assert [each["state"] for each in value["evidence"]] == ["held"]
    assert witness[0].size == 4


def test_an_authority_and_its_root(ledger: Path, tsa: Authority) -> None:
    with serving(tsa.reply) as address:
        configure(ledger, method="rfc3161", url=address, roots=str(tsa.root))
        value = run("upkeep", "run", "--json").ok().json["anchor"]
    assert [each["state"] for each in value["evidence"]] == ["held"]
    assert run("verify", "--json").ok().json["time"]["state"] == "sound"


def test_a_calendar_is_asked_for_what_it_owes_first(ledger: Path, one_calendar: Calendar) -> None:
    configure(ledger, method="ots", url=one_calendar.uri, every_days=0)
    run("upkeep", "run").ok()
    one_calendar.mine()
    run("add", "three").ok()
    run("upkeep", "run").ok()
    assert [request.method for request in one_calendar.asked] == ["POST", "GET", "POST"]
    assert anchors(ledger) == ["0-3.checkpoint", "0-3.ots", "0-5.checkpoint", "0-5.ots"]


@pytest.mark.parametrize(
    ("settings", "code", "why"),
    [
        ({"method": "rfc3161"}, 2, "anchor.url"),
        ({"method": "witness", "url": "http://127.0.0.1:1/"}, 2, "--vkey"),
        ({"method": "ots", "url": "http://127.0.0.1:1/"}, 14, "could not be reached"),
    ],
)
def test_a_failure_is_told_and_is_the_code(
    ledger: Path, settings: dict[str, str], code: int, why: str
) -> None:
    """The week's other work is done all the same, and the next time it is due again."""
    configure(ledger, **settings)
    for _ in range(2):
        done = run("upkeep", "run", "--json")
        assert done.code == code
        assert done.json["verify"]["sound"]
        assert done.json["anchor"]["due"] is True
        assert why in done.json["anchor"]["why"]


def test_a_key_that_lies_elsewhere_costs_only_the_checkpoint(ledger: Path, tmp_path: Path) -> None:
    key = next((ledger / "keys").glob("*.key"))
    key.rename(tmp_path / "away")
    done = run("upkeep", "run").ok()
    assert done.out.splitlines()[-1].startswith("anchor        not made: ")


def test_an_unsound_ledger_is_not_anchored(ledger: Path) -> None:
    chain = ledger / "chain.jsonl"
    chain.write_bytes(chain.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    done = run("upkeep", "run", "--json")
    assert (done.code, done.json["anchor"]["due"]) == (1, False)
    assert not (ledger / "anchors").exists()


@pytest.mark.parametrize(
    "text", ['method = "base"', "every_days = -1", "url = 3", 'nothing = "x"', 'roots = ["a"]']
)
def test_a_setting_that_is_none_is_refused(ledger: Path, text: str) -> None:
    (ledger / "config.toml").write_text(f"[anchor]\n{text}\n")
    done = run("upkeep", "run")
    assert (done.code, "anchor." in done.err) == (2, True)


def test_a_project_cannot_say_whom_to_ask_or_trust(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-10: its config.toml came by git."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "project").ok()
    for line in ('url = "http://127.0.0.1:1/"', 'method = "evm"', 'roots = "r.pem"', "every_days = 1"):
        (tmp_path / ".muniment/config.toml").write_text(f"[anchor]\n{line}\n")
        done = run("upkeep", "run")
        assert (done.code, "allowed only in your own config.toml" in done.err) == (2, True)


def test_trust_is_never_taken_from_another_ledgers_folder(
    ledger: Path, tsa: Authority, tmp_path: Path
) -> None:
    """W-62: who brings a ledger brings its config.toml too."""
    other = tmp_path / "other"
    run("init", "--ledger", other).ok()
    with serving(tsa.reply) as address:
        run("anchor", "rfc3161", address, "--ledger", other).ok()
    (other / "config.toml").write_text(f'[anchor]\nroots = "{tsa.root}"\n')
    for words in (("--ledger", other), (other,)):
        assert run("verify", *words, "--json").ok().json["time"]["state"] == "not checked"
    configure(ledger, roots=str(tsa.root))
    assert run("verify", other, "--json").ok().json["time"]["state"] == "sound"


def test_python_does_the_weekly_work_as_the_command_does(ledger: Path) -> None:
    """The anchor is made once, and the work is not due again this week (G-31, W-70)."""
    with muniment.open(ledger) as memory:
        assert MAINTAIN.due(memory.workspace).now
        first, again = memory.upkeep.maintain(), memory.upkeep.maintain()
        assert (first.report.sound, first.anchor.due, again.anchor.due) == (True, True, False)
        assert not MAINTAIN.due(memory.workspace).now
    assert anchors(ledger) == ["0-3.checkpoint"]
