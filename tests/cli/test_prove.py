"""muniment prove writes a file that muniment verify judges where no ledger is.

Tests specs/cli.md (X-264, X-265).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import muniment
from ledger.note import COSIGNATURE, NoteKey
from ledger.signing import SigningKey
from tests.cli.driver import Result, run, run_process, user_ledger
from tests.ledger.world import flipped, lines_of, overwrite


@pytest.fixture
def home() -> Path:
    return user_ledger("Use pnpm, not npm", "Postgres listens on 5433")


def prove(tmp_path: Path, *args: object) -> Path:
    path = tmp_path / "memory.proof"
    path.unlink(missing_ok=True)
    run("prove", *args, "-o", path).ok()
    return path


def elsewhere(tmp_path: Path, *args: object) -> Result:
    """Run a command where there is no home, no state and no ledger."""
    nowhere = tmp_path / "nowhere"
    env = {name: str(nowhere) for name in ("HOME", "MUNIMENT_HOME", "MUNIMENT_STATE", "XDG_STATE_HOME")}
    result = run_process(*args, cwd=tmp_path, env=env)
    assert not nowhere.exists()
    return result


def states(result: Result) -> dict[str, str]:
    return {item["name"]: item["state"] for item in result.json["items"]}


def vkey() -> str:
    value: str = run("anchor", "checkpoint", "--json").ok().json["vkey"]
    return value


def test_a_stranger_can_check_it(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    key = vkey()
    result = elsewhere(tmp_path, "verify", path, "--key", key).ok()
    assert "Use pnpm, not npm" in result.out
    assert " (script), as they say" in result.out
    assert "Postgres" not in path.read_text()
    assert "wrong" not in result.out
    assert "never" in result.out
    value = elsewhere(tmp_path, "verify", path, "--key", key, "--json").ok()
    assert value.json["sound"] is True
    assert value.json["payload"]["text"] == "Use pnpm, not npm"
    assert value.json["vkey"] == key
    assert states(value) == {
        "event": "shown",
        "text": "shown",
        "keys": "shown",
        "checkpoint": "shown",
        "witnesses": "not checked",
        "time": "not checked",
    }


def test_it_goes_to_stdout_where_no_file_is_named(home: Path, tmp_path: Path) -> None:
    out = run("prove", "@1").ok().out
    assert out.startswith("c2sp.org/tlog-proof@v1\n")
    (tmp_path / "p").write_text(out)
    assert elsewhere(tmp_path, "verify", "p", "--key", vkey()).code == 0
    value = run("prove", "@1", "--json").ok().json
    assert (value["proof"], value["seq"], value["text"]) == (out, 1, True)


def test_a_changed_file_is_exit_1_or_5(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    data = path.read_bytes()
    key = vkey()
    for at in range(0, len(data), 97):
        path.write_bytes(flipped(data, at))
        assert run("verify", path, "--key", key).code in (1, 5) or at < 22  # then it is no proof file at all
    path.write_bytes(data.replace(b"index 1", b"index 2"))
    result = run("verify", path)
    assert result.code == 1
    assert "Use pnpm" not in result.out  # what was not shown is not told


def test_another_key_is_exit_1_and_no_key_at_all_is_exit_5(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    other = user_ledger_elsewhere(tmp_path)
    assert run("verify", path, "--key", other).code == 1
    assert run("verify", path, "--key", "nonsense").code == 5
    assert run("verify", path, "--policy", tmp_path / "missing").code == 2


def user_ledger_elsewhere(tmp_path: Path) -> str:
    directory = tmp_path / "other"
    run("init", "--ledger", directory).ok()
    value: str = run("anchor", "checkpoint", "--ledger", directory, "--json").ok().json["vkey"]
    return value


def test_a_policy_names_whom_to_trust(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    policy = tmp_path / "policy"
    policy.write_text(f"log {vkey()}\nquorum none\n")
    assert run("verify", path, "--policy", policy).code == 0
    policy.write_text(f"log {user_ledger_elsewhere(tmp_path)}\nquorum none\n")
    assert run("verify", path, "--policy", policy).code == 1
    policy.write_text("quorum maybe\n")
    assert run("verify", path, "--policy", policy).code == 5


def test_the_text_can_be_left_out(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1", "--without-text")
    assert "pnpm" not in path.read_text()
    assert states(run("verify", path, "--key", vkey(), "--json").ok())["text"] == "not checked"


def test_an_erased_memory_can_still_be_shown_to_have_been_there(home: Path, tmp_path: Path) -> None:
    run("erase", "@1", "--yes", "-m", "ours").ok()
    path = prove(tmp_path, "@1")
    assert states(run("verify", path, "--key", vkey(), "--json").ok())["text"] == "not checked"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("supersede", "@1", "Use bun, not npm"), "superseded by "),
        (("delete", "@1", "-m", "ours"), "deleted"),
        (("erase", "@1", "--yes", "-m", "ours"), "erased"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else each.split()[0],
)
def test_of_a_memory_that_does_not_stand_the_prover_is_told(
    home: Path, tmp_path: Path, words: tuple[str, ...], status: str
) -> None:
    """X-264: on stderr; and whoever verifies the file reads that it shows no such thing."""
    assert "no longer current" not in run("prove", "@1").ok().err
    run(*words).ok()
    done = run("prove", "@1").ok()
    (line,) = [each for each in done.err.splitlines() if "no longer current" in each]
    assert f"no longer current, {status}" in line
    assert line.endswith("the file proves that it was said, not that it is current")
    assert "no longer current" not in done.out
    assert run("prove", "@1", "--json").ok().json["status"] == status.split(maxsplit=1)[0]
    shown = run("verify", prove(tmp_path, "@1"), "--key", vkey()).ok().out
    assert "that it still counts (later events may have replaced, deleted or erased it)" in shown
    assert run("prove", "@0", "--json").ok().json["status"] is None


def test_a_checkpoint_is_signed_only_where_none_reaches(home: Path, tmp_path: Path) -> None:
    run("anchor", "checkpoint").ok()
    run("add", "later").ok()
    prove(tmp_path, "@2")
    assert [path.name for path in (home / "anchors").iterdir()] == ["0-3.checkpoint"]
    prove(tmp_path, "@3")
    assert {path.name for path in (home / "anchors").iterdir()} == {"0-3.checkpoint", "0-4.checkpoint"}
    older = home / "anchors" / "0-3.checkpoint"
    assert run("prove", "@3", "--checkpoint", older).code == 3
    assert run("prove", "@1", "--checkpoint", older, "--json").ok().json["checkpoint"]["size"] == 3


def test_of_a_disowned_event_the_proof_says_so(home: Path, tmp_path: Path) -> None:
    """T-44, T-50: though a checkpoint from before the owner knew of the theft reaches the event."""
    run("anchor", "checkpoint").ok()
    early = home / "anchors" / "0-3.checkpoint"
    run("key", "rotate", "--stolen", "--first", "@2").ok()
    done = run("prove", "@2", "-o", tmp_path / "memory.proof").ok()
    assert "by a compromised key" in done.err
    result = elsewhere(tmp_path, "verify", tmp_path / "memory.proof", "--json")
    assert result.code == 1
    assert states(result)["signer"] == "wrong"
    refused = run("prove", "@2", "--checkpoint", early)
    assert (refused.code, "@3 disowns" in refused.err) == (2, True)
    assert run("prove", "@1", "--checkpoint", early, "--json").ok().json["disowned"] is None


def test_after_a_recover_what_it_gave_up_is_in_nobodys_way(home: Path, tmp_path: Path) -> None:
    """T-44, X-263: the checkpoint of three events says what the chain no longer holds."""
    run("anchor", "checkpoint").ok()
    given_up = tmp_path / "given up"
    shutil.copy(home / "anchors" / "0-3.checkpoint", given_up)
    overwrite(home / "chain.jsonl", b"".join(lines_of(home / "chain.jsonl")[:2]))
    run("recover", "-m", "the disk died", "--yes").ok()
    for seq, size in ((1, 3), (3, 4)):
        run("prove", f"@{seq}", "-o", tmp_path / f"{seq}.proof").ok()
        value = run("verify", tmp_path / f"{seq}.proof", "--key", vkey(), "--json").ok().json
        assert (value["checkpoint"]["origin"][-2:], value["checkpoint"]["size"]) == ("/1", size)
        assert run("prove", "@1", "--checkpoint", given_up).code == 7
        run("add", f"after {seq}").ok()
    listed = [(each["size"], each["given_up"]) for each in run("anchor", "list", "--json").ok().json_lines]
    assert sorted(listed) == [(3, False), (3, True), (4, False)]


def test_a_checkpoint_of_more_events_than_the_chain_has_is_exit_7(home: Path, tmp_path: Path) -> None:
    """X-264: it is the chain that is short, not the cache that is cut off."""
    for number in range(3):
        run("add", f"more {number}").ok()
    run("anchor", "checkpoint").ok()
    given_up = home / "anchors" / "0-6.checkpoint"
    overwrite(home / "chain.jsonl", b"".join(lines_of(home / "chain.jsonl")[:2]))
    run("recover", "-m", "the disk died", "--yes").ok()
    refused = run("prove", "@1", "--checkpoint", given_up)
    assert (refused.code, "6 events, and the chain ends at @2" in refused.err) == (7, True)


def test_what_others_gave_goes_in(home: Path, tmp_path: Path) -> None:
    """T-42, T-44: the newest checkpoint with a receipt comes before the newest."""
    run("anchor", "checkpoint").ok()
    (home / "anchors" / "0-3.tsr").write_bytes(b"a receipt")
    run("add", "later").ok()
    run("anchor", "checkpoint").ok()
    value = run("prove", "@1", "--json").ok().json
    assert (value["checkpoint"]["size"], value["receipts"]) == (3, ["tsr"])


def test_a_file_that_stands_is_not_replaced(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    before = path.read_bytes()
    assert run("prove", "@2", "-o", path).code == 2
    assert path.read_bytes() == before
    assert run("prove", "@99").code == 3
    assert run("prove", "@1", "-o", tmp_path / "no" / "such" / "folder").code == 9


def test_options_of_a_ledger_and_of_a_proof_are_not_mixed(home: Path, tmp_path: Path) -> None:
    path = prove(tmp_path, "@1")
    assert run("verify", path, "--since-mark").code == 2
    assert run("verify", path, "--checkpoint", path).code == 2
    assert run("verify", "--key", vkey()).code == 2


# --- muniment verify --checkpoint -----------------------------------------------------------------------


@pytest.fixture
def monday(home: Path, tmp_path: Path) -> Path:
    path = tmp_path / "monday.checkpoint"
    path.write_text(run("anchor", "checkpoint").ok().out)
    return path


def test_a_ledger_goes_on_from_a_checkpoint(home: Path, monday: Path, tmp_path: Path) -> None:
    run("add", "later").ok()
    result = run("verify", "--checkpoint", monday).ok()
    assert "the checkpoint of 3 events" in result.out
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes((home / "chain.jsonl").read_bytes())
    assert "checkpoint of 3 events" in elsewhere(tmp_path, "verify", copy, "--checkpoint", monday).ok().out


def test_a_cut_chain_shows_by_its_own_stored_checkpoint(home: Path, monday: Path, tmp_path: Path) -> None:
    """V-30: also where mark and state are gone with the cut."""
    chain = home / "chain.jsonl"
    data = chain.read_bytes()
    overwrite(chain, b"".join(lines_of(chain)[:2]))
    for name in ("marks", "signed"):
        shutil.rmtree(muniment.home().state / name)
    value = run("verify", "--json")
    assert value.code == 1
    assert [each["code"] for each in value.json["completeness"]["findings"]] == ["checkpoint"]
    overwrite(chain, data)
    run("verify").ok()


def test_a_rewritten_chain_shows_by_a_checkpoint_elsewhere(home: Path, monday: Path, tmp_path: Path) -> None:
    """V-31: the owner of the key rewrote all of it, and every file here that remembered."""
    chain = home / "chain.jsonl"
    first = lines_of(chain)[0]
    overwrite(chain, first)
    shutil.rmtree(home / "anchors")
    state = muniment.home().state
    shutil.rmtree(state / "marks")
    shutil.rmtree(state / "signed")
    for text in ("Use npm, not pnpm", "Postgres listens on 5432", "more"):
        run("add", text).ok()
    assert run("verify").code == 0  # by what is left here it is a good ledger
    result = run("verify", "--checkpoint", monday, "--json")
    assert result.code == 1
    assert [each["code"] for each in result.json["completeness"]["findings"]] == ["checkpoint"]


def test_a_checkpoint_alone_can_make_completeness_sound(home: Path, monday: Path, tmp_path: Path) -> None:
    shutil.rmtree(muniment.home().state / "marks")
    value = run("verify", "--json").ok().json
    assert value["completeness"]["state"] == "sound"
    assert "there is no high-water mark" in value["completeness"]["sentence"]


def test_a_file_that_is_no_checkpoint_is_exit_5(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("hello\n")
    assert run("verify", "--checkpoint", path).code == 5
    assert run("verify", "--checkpoint", tmp_path / "missing").code == 2


def test_verify_writes_nothing_though_it_compares(home: Path, monday: Path) -> None:
    """V-31."""
    before = sorted(path.name for path in (home / "anchors").iterdir())
    run("verify", "--checkpoint", monday).ok()
    assert sorted(path.name for path in (home / "anchors").iterdir()) == before


def test_a_checkpoint_that_is_given_as_a_chain_names_the_option(home: Path, monday: Path) -> None:
    """X-81."""
    result = run("verify", monday)
    assert (result.code, result.out) == (2, "")
    assert f"muniment verify --checkpoint {monday}" in result.err


def test_what_is_no_key_or_no_policy_is_named(home: Path, tmp_path: Path) -> None:
    """X-81: with the file and the line of a policy."""
    run("prove", "@1", "-o", tmp_path / "memory.proof").ok()
    policy = tmp_path / "policy"
    policy.write_text("quorum nobody\n")
    for options, words in (
        (("--key", "foo+bar"), "'foo+bar' is not a key: it is not written name+hex+base64"),
        (("--policy", policy), f"{policy}: line 1 of the policy"),
    ):
        result = run("verify", tmp_path / "memory.proof", *options)
        assert result.code == 5
        assert words in result.err
        assert "malformed signed note" not in result.err


def test_without_a_key_the_signer_is_unknown_and_the_exit_code_3(home: Path, tmp_path: Path) -> None:
    """T-49, X-265: a stranger's forgery shows as much; the first line is the result, and no line calls it good."""
    path = prove(tmp_path, "@1")
    witness = NoteKey("witness.example/w", SigningKey(bytes(32)).public, COSIGNATURE).vkey
    policy = tmp_path / "policy"
    policy.write_text(f"witness w {witness}\nquorum none\n")
    for more in ((), ("--policy", policy)):
        found = elsewhere(tmp_path, "verify", path, *more)
        assert found.code == 3
        assert found.out.splitlines()[0].split()[:3] == ["proof", "unknown", "signer"]
        assert "wrong" not in found.out + found.err
        value = elsewhere(tmp_path, "verify", path, *more, "--json")
        assert (value.code, value.json["result"], value.json["sound"]) == (3, "unknown signer", False)
    sound = elsewhere(tmp_path, "verify", path, "--key", vkey()).ok()
    assert sound.out.splitlines()[0].split()[:2] == ["proof", "sound"]
    path.write_bytes(path.read_bytes().replace(b"index 1", b"index 2"))
    wrong = elsewhere(tmp_path, "verify", path)
    assert wrong.code == 1
    assert wrong.out.splitlines()[0].split()[:2] == ["proof", "findings"]
