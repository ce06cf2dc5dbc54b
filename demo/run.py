"""The demo: the main job on real documents, in a temporary home, with every command and its real output.

    make demo
    make demo ARGS=path/to/your/memory-files        or MUNIMENT_DEMO_DOCS=path/to/your/memory-files

Each step says what it does and checks that it did; the first that does not ends the demo with exit code 1.
Nothing outside of the temporary folder is written, and your own ledger is not looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

SAMPLE = Path(__file__).resolve().parent / "sample"
SHOWN_LINES = 24
UNREADABLE = 5
"""The exit code of an import that names a document which it could not read; the others are imported."""

_AGENTS = (
    "MUNIMENT",
    "XDG_",
    "CLAUDE",
    "CODEX",
    "COPILOT",
    "OPENCLAW",
    "GEMINI",
    "CURSOR",
    "AGENT",
    "AI_AGENT",
)


class Demo:
    """One run in a temporary folder: tells, runs, shows and checks."""

    def __init__(self, base: Path, documents: Path, by: str = "you") -> None:
        self.base, self.around = base, documents.parent
        self.names: dict[str, str] = {}  # what is too long to be read, by what is shown for it
        self.home = base / "home"
        self.ledger = self.home / ".muniment"
        self.work = base / "work"
        for folder in (self.home, self.work):
            folder.mkdir(parents=True)
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith(_AGENTS)}
        self._environment |= {"HOME": str(self.home), "NO_COLOR": "1", "MUNIMENT_BY": by}
        installed = find_spec("muniment")
        package = installed is not None and installed.submodule_search_locations is not None
        self._module = "muniment.cli" if package else "cli"

    def tell(self, text: str) -> None:
        """Say what comes next."""
        bold = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else ("", "")
        print(f"\n{bold[0]}# {text}{bold[1]}", flush=True)

    def run(self, *args: str, code: int | tuple[int, ...] = 0, quiet: bool = False) -> str:
        """Run a command, show it with what it printed, and return its stdout; it must exit with `code`."""
        codes = (code,) if isinstance(code, int) else code
        done = subprocess.run(
            [sys.executable, "-m", self._module, *args],
            capture_output=True,
            text=True,
            env=self._environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
        )
        if not quiet:
            print(f"$ {self._shown(shlex.join(('muniment', *args)))}")
            self._show(done.stdout)
            self._show(done.stderr)
        if done.returncode not in codes:
            fail(f"that exited with {done.returncode}, not {code}\n{done.stderr}")
        return done.stdout

    def json(self, *args: str, code: int = 0) -> Any:
        """Run a command for its JSON, unseen."""
        out = self.run(*args, "--json", code=code, quiet=True)
        try:
            return json.loads(out)
        except ValueError:
            fail(f"muniment {args[0]} --json printed no JSON: {out[:60]!r}")

    def json_lines(self, *args: str) -> list[Any]:
        """Run a command for its lines of JSON, unseen."""
        return [json.loads(line) for line in self.run(*args, "--json", quiet=True).splitlines()]

    def session(self, name: str, messages: Sequence[tuple[str, str]]) -> str:
        """Write the messages of a session, (role, text) each, and return the file's path."""
        path = self.work / name
        lines = [json.dumps({"role": role, "content": text}) for role, text in messages]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return str(path)

    def chain_text(self) -> str:
        """Return the whole log as text."""
        return (self.ledger / "chain.jsonl").read_text("utf-8")

    def learn(self, *args: str) -> str:
        """Run a command that prints an id, and return the id."""
        words = self.run(*args).split()
        return words[0] if words else fail(f"muniment {args[0]} printed no id")

    def _shown(self, text: str) -> str:
        """Return text as it is shown: the temporary home is ~, the folders around are left out."""
        for path, short in (
            (str(self.home), "~"),
            (f"{self.work}{os.sep}", ""),
            (f"{self.base}{os.sep}", ""),
            (f"{self.around}{os.sep}", ""),
        ):
            text = text.replace(path, short)
        for name, long in self.names.items():
            text = text.replace(long, name)
        return text

    def _show(self, text: str) -> None:
        lines = self._shown(text).splitlines()
        for line in lines[:SHOWN_LINES]:
            print(f"  {line}" if line else "")
        if len(lines) > SHOWN_LINES:
            print(f"  … and {len(lines) - SHOWN_LINES} more lines")
        sys.stdout.flush()

    def documents(self) -> dict[str, str]:
        """Return the SHA-256 of every document by its path."""
        files = sorted(path for path in self.ledger.rglob("*.md") if path.is_file())
        return {str(path.relative_to(self.ledger)): digest(path.read_bytes()) for path in files}


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def fail(why: str) -> NoReturn:
    """End the demo: something did not do what it says."""
    sys.exit(f"\nthe demo found a fault: {why}")


def must(condition: bool, what: str) -> None:
    """Say that something holds, or end the demo."""
    if not condition:
        fail(f"it does not hold that {what}")
    print(f"  => {what}", flush=True)


# --- the acts -----------------------------------------------------------------------------------------------


def learn(demo: Demo, documents: Path) -> None:
    """Import documents."""
    demo.tell("A ledger of your own: a key pair, and a chain with one signed event.")
    demo.ledger.mkdir(mode=0o700, exist_ok=True)
    (demo.ledger / "config.toml").write_text(
        "scripts = true\n", "utf-8"
    )  # nobody sits here (specs/cli.md X-292)
    demo.run("init")
    demo.tell(f"Documents that exist already become signed events, with their origin ({documents.name}/).")
    how, codes = ((), (0,)) if documents == SAMPLE else (("--redact",), (0, UNREADABLE))
    demo.run("import", str(documents), *how, code=codes)
    before = demo.json("stats")
    demo.tell("The same once more is known already: nothing is stored twice.")
    demo.run("import", str(documents), *how, code=codes)
    must(demo.json("stats")["events"] == before["events"], "importing twice is the same as once")


def change(demo: Demo) -> None:
    """Learn, correct, confirm and forget."""
    demo.tell("Learn something, and let an agent propose something.")
    port = demo.learn("add", "The search index listens on 9200", "--section", "Tool Usage")
    demo.run("add", "Releases happen on Mondays", "--section", "Workflow")
    guess = demo.learn("add", "Reviews are assigned by Ines", "--candidate", "--source", "auto")
    demo.tell("It was wrong. The correction supersedes it; the old text stays in its history.")
    demo.run("supersede", port, "The search index listens on 9201 since 4.2")
    demo.run("show", "--history", port)
    demo.tell("Confirm the proposal, and forget something, with a reason.")
    demo.run("confirm", guess)
    old = demo.learn("add", "The coffee machine is on the third floor")
    demo.run("delete", old, "-m", "not about the project")


def edit(demo: Demo) -> None:
    """Edit MEMORY.md by hand: what was typed becomes signed events, and stays where it was typed."""
    demo.tell("Edit MEMORY.md by hand: change a bullet, take one out, write a paragraph and a table.")
    document = demo.ledger / "MEMORY.md"
    text = document.read_text("utf-8")
    typed = "\nWhat I want to remember myself:\n\n| when | what |\n|---|---|\n| Monday | release |\n"
    text = text.replace("since 4.2", "since 4.3").replace("- Reviews are assigned by Ines\n", "")
    text = text.replace("- Releases happen on Mondays\n", f"- Releases happen on Mondays\n{typed}")
    document.write_text(text, "utf-8")
    demo.run("adopt")
    must(document.read_text("utf-8") == text, "the document is as it was typed")
    demo.tell("Each change is a signed event, by a person, through the door `edit`.")
    shown = [line for line in demo.run("log", quiet=True).splitlines() if "edit)" in line]
    print("\n".join(f"  {line}" for line in shown))
    must(len(shown) == 3, "one bullet replaced, one taken out, one block learned")


def listen(demo: Demo) -> None:
    """Learn from what a person says to an agent, and only what is worth it."""
    demo.tell("Listen to a session: what a person says to their agent, one JSON line a message.")
    token = "ghp_" + "".join(chr(ord("a") + n % 26) + str(n % 10) for n in range(18))  # nobody's
    monday = (
        ("user", "hi! can you look at why the login test is flaky?"),
        ("assistant", "I ran jest twice. From now on I always retry it."),
        ("user", "No, use vitest, not jest"),
        ("user", "From now on answer in French. And what does this error mean?"),
        ("user", "We deploy with `./scripts/deploy.sh staging`, it takes ten minutes"),
        ("user", f"Remember that the deploy token is {token}"),
        ("user", "I like it, thanks!"),
    )
    session = demo.session("monday.jsonl", monday)
    demo.run("capture", "--dry-run", "--explain", session)
    demo.run("capture", session)
    known = {row["text"]: row["status"] for row in demo.json_lines("list")}
    must(known.get("Use vitest, not jest") == "candidate", "a correction that was said once is a candidate")
    must(known.get("Answer in French") == "active", "what was said plainly stands")
    must(token not in demo.chain_text(), "the secret was refused, and is nowhere in the log")
    demo.tell(
        "The next day: the correction is confirmed, said again, and there is another wish. What is read already is not read twice."
    )
    tuesday = (("user", "No, use vitest, not jest!"), ("user", "Actually, from now on answer in German"))
    demo.run(
        "confirm", next(row["id"] for row in demo.json_lines("list") if row["text"] == "Use vitest, not jest")
    )
    demo.run("capture", session, demo.session("tuesday.jsonl", tuesday))
    known = {row["text"]: row["id"] for row in demo.json_lines("list") if row["status"] == "active"}
    must("Use vitest, not jest" in known, "what was confirmed stands")
    must(
        "Answer in German" in known and "Answer in French" not in known,
        "the later wish replaced the earlier one",
    )
    demo.run("show", "--history", known["Answer in German"])


def check(demo: Demo) -> None:
    """Verify: no verdict has findings."""
    demo.tell(
        "Nothing was altered, nothing was cut off, everything derived is as it should be; of time nothing was anchored yet."
    )
    demo.run("verify")
    report = demo.json("verify")
    must(report["sound"] and report["complete"], "every event is what was signed, and none is missing")


def throw_away(demo: Demo) -> None:
    """Delete every projection and bring it back."""
    documents, index = (
        demo.documents(),
        digest(demo.run("list", "--status", "all", "--json", quiet=True).encode()),
    )
    demo.tell("Throw everything away that is derived: the index, MEMORY.md, topic files, daily notes.")
    print("$ rm -r ~/.muniment/memory.db* ~/.muniment/MEMORY.md ~/.muniment/memory ~/.muniment/memories")
    for path in [*demo.ledger.glob("memory.db*"), demo.ledger / "MEMORY.md"]:
        path.unlink()
    for name in ("memory", "memories"):
        shutil.rmtree(demo.ledger / name, ignore_errors=True)
    must(demo.documents() == {}, "not one document is left")
    demo.tell("Replay: the log alone brings it back.")
    demo.run("replay")
    after = demo.documents()
    print("  before        after         document")
    for document in list(documents)[:SHOWN_LINES]:
        print(f"  {documents[document][:12]}  {after.get(document, 'missing')[:12]:<12}  {document}")
    must(after == documents, f"all {len(documents)} documents are the same, byte for byte")
    again = digest(demo.run("list", "--status", "all", "--json", quiet=True).encode())
    must(again == index, "and so is every answer of the index")


def look_back(demo: Demo) -> None:
    """Show the timeline and the past."""
    demo.tell("What was learned, when, by whom and through which door.")
    lines = demo.run("log", quiet=True).splitlines()
    print("$ muniment log | tail -n 8")
    for line in lines[-8:]:
        print(f"  {line}")
    demo.tell("And what was known before all of that: any moment of the past can be rendered.")
    demo.run("replay", "--as-of", "@1", "--out", str(demo.work / "then"))
    must((demo.work / "then" / "MEMORY.md").exists(), "the documents as of then lie in a folder of their own")


def attack(demo: Demo) -> None:
    """Tamper with copies and be caught."""
    chain = (demo.ledger / "chain.jsonl").read_bytes()
    lines = chain.splitlines(keepends=True)
    line = len(lines) // 2
    at = sum(map(len, lines[:line])) + len(lines[line]) // 2
    demo.tell(f"Somebody changes one bit of a copy (line {line + 1} of {len(lines)}).")
    tampered = demo.work / "tampered.jsonl"
    tampered.write_bytes(chain[:at] + bytes([chain[at] ^ 1]) + chain[at + 1 :])
    demo.run("verify", str(tampered), code=1)
    found = demo.json("verify", str(tampered), code=1)["integrity"]["findings"]
    must({finding["line"] for finding in found} == {line + 1}, f"it is caught, in line {line + 1}")
    demo.tell("Somebody cuts off the newest events. What is left is a perfect chain, and still is caught:")
    cut = demo.work / "cut.jsonl"
    cut.write_bytes(b"".join(lines[:-2]))
    demo.run("verify", str(cut), code=1)
    report = demo.json("verify", str(cut), code=1)
    must(report["integrity"]["state"] == "sound", "no line of it is wrong")
    must(report["completeness"]["state"] == "findings", "but the mark of this machine knows of more")


def prove(demo: Demo) -> None:
    """Give away what somebody else can check, and be held to it."""
    stranger = Demo(demo.base / "elsewhere", SAMPLE)
    vkey = demo.json("key", "show")["vkey"]
    demo.names = stranger.names = {"VKEY": vkey, "ORIGIN": vkey.partition("+")[0]}
    demo.tell("Give somebody a checkpoint: how much there is, and one hash over it. No memory is in it.")
    print("  (ORIGIN and VKEY stand for what is too long to be read.)")
    checkpoint = stranger.work / "monday.checkpoint"
    checkpoint.write_text(demo.run("anchor", "checkpoint"), "utf-8")
    demo.tell("Prove one memory to them: one file, and no other memory is in it.")
    texts = {row["text"]: row["id"] for row in demo.json_lines("list")}
    said = "Answer in German"
    demo.run("prove", texts[said][:12], "-o", str(stranger.work / "memory.proof"))
    extra = (stranger.work / "memory.proof").read_bytes().splitlines()[1].partition(b" ")[2]
    held = [text for text in texts if text in base64.b64decode(extra).decode()]
    must(held == [said], "of all memories one is in the file")
    demo.tell("On their machine, where no ledger is, by the key that you told them:")
    shown = stranger.run("verify", "memory.proof", "--key", vkey)
    must(f"  {said}\n" in shown and not stranger.ledger.exists(), "the file alone shows what was said")
    demo.tell(
        "Months later they get a copy of the log. Its end was cut off, and nothing there knows of it ..."
    )
    lines = (demo.ledger / "chain.jsonl").read_bytes().splitlines(keepends=True)
    (stranger.work / "copy.jsonl").write_bytes(b"".join(lines[:-2]))
    stranger.run("verify", "copy.jsonl", "--key", vkey)
    demo.tell("... but the checkpoint:")
    report = stranger.run("verify", "copy.jsonl", "--checkpoint", "monday.checkpoint", code=1)
    caught = f"a checkpoint of {len(lines)} events was signed, but the chain ends at @{len(lines) - 3}"
    must(caught in report, "anyone with a checkpoint knows that it was cut")


def share(demo: Demo) -> None:
    """Let a second machine, and a teammate, write the same memory, through a bare git repository."""
    bare = demo.base / "memory.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True, capture_output=True)
    demo.tell(
        "A second machine is to know all of this, and to write it, too. A bare git repository is enough."
    )
    demo.run("team", "init", str(bare), "--name", "laptop")
    desk = joined(demo, "desk", "you", "--role", "admin")
    must(
        {row["id"] for row in desk.json_lines("list")} == {row["id"] for row in demo.json_lines("list")},
        "the second machine knows every memory",
    )
    demo.tell("What it learns comes back with the next sync, signed by its own key.")
    desk.learn("add", "The second screen needs the left port")
    desk.run("team", "sync")
    demo.run("team", "sync")
    must(desk.documents() == demo.documents(), "the documents of both are the same, byte for byte")
    demo.tell("A teammate joins by a line of their own. They may write, but not say who belongs to the team.")
    ben = joined(demo, "ben", "ben")
    written = ben.learn("add", "Releases go out on Tuesdays")
    ben.run("team", "sync")
    demo.run("team", "sync")
    must("by ben" in demo.run("show", written), "it came under the same id, and says who wrote it")
    demo.run("team", "members")
    demo.run("verify")


def joined(demo: Demo, name: str, by: str, *options: str) -> Demo:
    """Let another machine join the team, and return it."""
    machine = Demo(demo.base / name, SAMPLE, by)
    machine.ledger.mkdir(mode=0o700)
    (machine.ledger / "config.toml").write_text("scripts = true\n", "utf-8")
    line = demo.run("team", "invite", name, *options, quiet=True).splitlines()[0]
    demo.names = machine.names = {"LINE": line}
    print(f"$ {shlex.join(('muniment', 'team', 'invite', name, *options))}\n  LINE")
    demo.tell("There, the line is all that it takes: the same memories, under the same ids.")
    machine.run("team", "join", line)
    demo.run("team", "members", "accept", name)
    return machine


def main() -> None:
    """Run the demo."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MUNIMENT_DEMO_DOCS")
    documents = Path(given).expanduser().resolve() if given else SAMPLE
    if not documents.exists():
        sys.exit(f"there are no documents at {documents}")
    with tempfile.TemporaryDirectory(prefix="muniment-demo-") as base:
        demo = Demo(Path(os.path.realpath(base)), documents)
        learn(demo, documents)
        change(demo)
        edit(demo)
        listen(demo)
        check(demo)
        throw_away(demo)
        look_back(demo)
        attack(demo)
        prove(demo)
        share(demo)
        demo.tell("The ledger itself was not touched by any of this.")
        demo.run("verify")
    print("\nEverything did what it says. Begin your own: muniment init")


if __name__ == "__main__":
    main()
