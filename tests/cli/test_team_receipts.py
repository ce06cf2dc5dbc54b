"""Tests `muniment team status --erase` against specs/cli.md (X-346) and specs/team.md (TM-64)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from proofs.erasing.erasures import alone
from tests.cli.computers import Computer, value_of, with_two


class Three(NamedTuple):
    """Three computers of one team, and the erase on the first one of what all of them knew."""

    laptop: Computer
    desk: Computer
    phone: Computer
    erase: str

    @property
    def notes(self) -> Path:
        """The folder of the receipts at the transport."""
        (team,) = (self.laptop.home.parent / "share").iterdir()
        return team / "notes" / "receipt"


@pytest.fixture
def three(tmp_path: Path) -> Three:
    (laptop, desk), phone = with_two(tmp_path), Computer(tmp_path, "phone")
    phone.run("team", "join", laptop.invite("phone"), "--name", "phone").ok()
    laptop.run("team", "members", "accept", "phone").ok()
    phone.run("team", "sync").ok()
    id_ = laptop.run("add", "The plan is called bluebird").ok().id
    for each in (laptop, desk, phone):
        each.run("team", "sync").ok()
    erase = laptop.run("erase", id_, "--yes", "--json").ok().json["id"]
    laptop.run("team", "sync").ok()
    return Three(laptop, desk, phone, erase)


def states(computer: Computer, erase: str) -> dict[str, str]:
    found = value_of(computer, "team", "status", "--erase", erase)
    assert found["erase"] == erase
    return {each["name"]: each["state"] for each in found["machines"]}


def test_each_machine_says_when_it_is_gone_there(three: Three) -> None:
    """The phone is away at first; what is no erase is refused."""
    (id_,) = three.laptop.memories()
    done = three.laptop.run("team", "status", "--erase", id_)
    assert (done.code, done.out, len(done.err.splitlines())) == (3, "", 1)
    assert states(three.laptop, three.erase) == {"laptop": "gone", "desk": "not yet", "phone": "not yet"}
    three.desk.run("team", "sync").ok()
    assert states(three.laptop, three.erase) == {"laptop": "gone", "desk": "gone", "phone": "not yet"}
    assert "bluebird" not in (three.desk.directory / "MEMORY.md").read_text()
    three.phone.run("team", "sync").ok()
    shown = three.desk.run("team", "status", "--erase", three.erase[:12]).ok().out
    assert [line.split()[1:] for line in shown.splitlines()] == [["gone"]] * 3


def test_a_receipt_that_its_holder_did_not_sign_is_ignored(three: Three) -> None:
    """Neither what another member signed, under the holder's name, nor one whose erase was changed."""
    three.desk.run("team", "sync").ok()
    ids = {each["name"]: each["id"] for each in value_of(three.laptop, "team", "status")["chains"]}
    (true,) = three.notes.glob(f"{ids['desk']}.*")
    said = true.read_text()
    for number, forged in enumerate((said.replace(ids["desk"], ids["phone"]), "nonsense")):
        (three.notes / f"{ids['phone']}.{number:012}").write_text(forged)
    assert states(three.laptop, three.erase) == {"laptop": "gone", "desk": "gone", "phone": "not yet"}
    true.write_text(said.replace(three.erase, f"{three.erase}\nerase {'ab' * 32}"))
    assert states(three.laptop, three.erase)["desk"] == "not yet"


def test_who_was_removed_is_out_of_reach_and_what_was_lost_is_sent_again(three: Three) -> None:
    """So is one of a machine whose key was rotated."""
    three.laptop.run("team", "members", "remove", "phone").ok()
    three.phone.run("team", "sync")
    assert states(three.laptop, three.erase)["phone"] == "out of reach"
    three.desk.run("team", "sync").ok()
    for path in three.notes.iterdir():
        path.unlink()
    three.desk.run("team", "sync").ok()
    assert states(three.laptop, three.erase)["desk"] == "gone"
    sent = sorted(three.notes.iterdir())
    three.desk.run("team", "sync").ok()
    assert sorted(three.notes.iterdir()) == sent
    three.desk.run("key", "rotate").ok()
    three.desk.run("team", "sync").ok()
    three.laptop.run("team", "sync").ok()
    assert states(three.laptop, three.erase)["desk"] == "gone"


def test_a_machine_whose_pages_are_not_clean_yet_says_nothing(three: Three) -> None:
    """Here because another process erases something there just now; what a share may still hold is said."""
    with alone(three.desk.directory):
        three.desk.run("team", "sync").ok()
        assert states(three.laptop, three.erase)["desk"] == "not yet"
    three.desk.run("team", "sync").ok()
    assert states(three.laptop, three.erase)["desk"] == "gone"
    (three.laptop.home.parent / "share" / ".stversions").mkdir()
    erase = three.laptop.run("erase", next(iter(three.laptop.memories())), "--yes", "--json").ok().json["id"]
    assert ".stversions" in three.laptop.run("team", "sync").err
    three.desk.run("team", "sync")
    assert ".stversions" in three.desk.run("team", "status", "--erase", erase).ok().out
