"""The page in real browsers: it judges what it shows, shows hostile texts as text, and works by keyboard (specs/report.md)."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from report.contents import ReportContents, contents
from report.page_file import page
from tests.cli.driver import run
from tests.report.asking import candidate
from tests.report.browsers import Browser, browser
from tests.report.verifier import BROWSER

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">\u202e\u0007\U000e0041 \x1b[31m"
"""What ends an element, runs where it is parsed as HTML, turns text round, or hides."""
SETTLED = "/sound|verified|finding|key/.test(document.querySelector('.state')?.textContent) && !!document.querySelector('main article')"
SCREENS = (
    "overview",
    "timeline",
    "search",
    "documents",
    "compare",
    "keys",
    "seen",
    "suspicious",
    "source",
    "proof",
)


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def window(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser, started once."""
    with browser(request.param) as started:
        yield started


@pytest.fixture
def memory(isolated: Path) -> MemoryLedger:
    """A ledger whose one memory has a hostile text in every field, and one that was replaced."""
    made = muniment.init()
    made.store(Memory("Use npm"))
    made.supersede(["@1"], Memory("Use pnpm, not npm", provenance=Provenance(conversation="c-1")))
    origin = Provenance(conversation=HOSTILE, file=HOSTILE, author=HOSTILE, tool=HOSTILE)
    made.store(
        Memory(
            HOSTILE,
            title=HOSTILE,
            details=(HOSTILE,),
            body=HOSTILE,
            tags=(HOSTILE[:60],),
            topic="a/b",
            provenance=origin,
        ),
        reason=HOSTILE,
    )
    return made


def opened(window: Browser, file: Path, screen: str = "overview") -> None:
    """Open a report at a screen, and wait until it is drawn and judged."""
    window.do("open", url="about:blank")
    window.do("open", url=f"{file.as_uri()}#/{screen}")
    window.do("wait", expression=SETTLED)


def said(window: Browser, selector: str) -> str:
    """Return the text of an element."""
    return str(window.evaluate("each => document.querySelector(each)?.innerText ?? ''", selector))


@pytest.fixture
def report(memory: MemoryLedger, tmp_path: Path) -> Path:
    """A report of the ledger."""
    file = tmp_path / "report.html"
    file.write_bytes(page(contents(memory)))
    return file


def test_it_is_sound_and_its_signer_known_by_the_owners_key_alone(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """H-11: what the file says of itself makes nobody known."""
    opened(window, report)
    assert said(window, ".state") == "✓ sound, signer unknown"
    code = """key => {
        document.querySelector('[name=vkey]').value = key;
        document.querySelector('form.vkey button').click();
    }"""
    window.evaluate(code, run("key", "show", "--json").ok().json["vkey"])
    window.do(
        "wait", expression="/verified against your key/.test(document.querySelector('.state').textContent)"
    )


def test_a_checkpoint_that_the_reader_has_is_compared(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """H-11: with the tree of the chain, by its key; it makes nobody known."""
    note = run("anchor", "checkpoint").ok().out
    memory.store(Memory("Said later"))
    report.write_bytes(page(contents(memory)))
    opened(window, report)
    code = """note => {
        document.querySelector('[name=vkey]').value = note;
        document.querySelector('form.vkey button').click();
    }"""
    size = note.splitlines()[1]
    for given, wanted in (
        (note, f"✓ The checkpoint that you gave is of this history: its {size} events"),
        (
            note.replace(f"\n{size}\n", f"\n{int(size) + 1}\n"),
            "✗ The checkpoint that you gave is not of this history",
        ),
    ):
        window.evaluate(code, given)
        window.do("wait", expression=f"document.querySelector('.verdicts').innerText.includes({wanted!r})")
    assert said(window, ".state") == "✓ sound, signer unknown"


PASTE = """text => {
    document.querySelector('[name=vkey]').value = text;
    document.querySelector('form.vkey button').click();
}"""


def state_with_key(window: Browser, given: ReportContents, file: Path) -> str:
    """Open a report, give the owner's key, and return what the page says at the top once it was judged again."""
    file.write_bytes(page(given))
    opened(window, file)
    window.evaluate(PASTE, run("key", "show", "--json").ok().json["vkey"])
    window.do(
        "wait", expression="/against your key/.test(document.querySelector('.verdicts h2')?.textContent)"
    )
    return said(window, ".state")


def test_only_what_was_checked_is_green(window: Browser, memory: MemoryLedger, report: Path) -> None:
    """H-15: not where the end, the texts, or another writer's chain are not."""
    found = contents(memory)
    own = found.chains[0]
    [stranger] = contents(muniment.init(report.parent / "forged")).chains
    about = {
        **found.about,
        "chains": [*found.about["chains"], {"name": "desk", "bytes": len(stranger.data), **stranger.known}],
    }
    joined = found._replace(about=about, chains=(own, stranger))
    endless = {**found.about, "chains": [{**found.about["chains"][0], "mark": None}]}
    assert state_with_key(window, found, report) == "✓ verified against your key"
    assert state_with_key(window, joined, report) == "✓ sound, other writers unknown"
    assert state_with_key(window, found._replace(about=endless), report) == "✓ sound, end not checked"
    assert state_with_key(window, contents(memory, texts=False), report) == "✓ sound, texts not checked"


def test_what_a_files_maker_adds_changes_no_memory(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """H-4, H-12: neither a line without an end, nor what is said of proposals where there is one chain."""
    found = contents(memory)
    own, old = found.chains[0], memory.entry("@1").id
    forged = own.data.splitlines(keepends=True)[1].replace(b"Use npm", b"Forged!").rstrip(b"\n")
    newest = memory.entry("@2").id
    rest = {**found.rest, "proposals": [newest], "uncounted": [[old, newest]]}
    about = {**found.about, "chains": [{**found.about["chains"][0], "until": 1}]}
    report.write_bytes(
        page(found._replace(about=about, rest=rest, chains=(own._replace(data=own.data + forged),)))
    )
    opened(window, report, "search")
    shown = said(window, "main")
    assert "Use pnpm, not npm" in shown
    assert "Forged!" not in shown
    assert "candidate" not in shown.split("Use pnpm, not npm")[1].split("\n")[0]
    opened(window, report, "search?status=superseded")
    assert said(window, "a.memory-row").startswith("Use npm")


def test_a_key_that_cannot_be_used_is_refused_and_another_one_can_be_given(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """V-22: nothing in this part of the history shows it."""
    since = memory.entry("@3").ts
    run("key", "rotate").ok()
    memory.store(Memory("After the rotation"))
    report.write_bytes(page(contents(memory, since=since)))
    opened(window, report)
    muniment.init(report.parent / "other").close()
    vkey = run("--ledger", report.parent / "other", "key", "show", "--json").ok().json["vkey"]
    window.evaluate(PASTE, vkey)
    window.do("wait", expression="/cannot be used|finding/.test(document.querySelector('main').innerText)")
    window.do("wait", expression="!/verifying/.test(document.querySelector('.state').innerText)")
    assert window.evaluate("() => document.querySelectorAll('form.vkey').length") == 1


def test_a_body_in_parts_is_one_memory_that_was_learned(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    memory.store(Memory("A long one", body="a line\n" * 20_000))
    report.write_bytes(page(contents(memory)))
    opened(window, report)
    figures = said(window, ".figures")
    assert "learned in 7 days" in figures
    assert figures.split("learned in 7 days")[0].split()[-1] == "3"


def test_a_byte_that_was_changed_is_named_with_its_line(
    window: Browser, memory: MemoryLedger, tmp_path: Path
) -> None:
    """And no event after it shows a mark of soundness that it has not (H-10)."""
    found = contents(memory)
    own = found.chains[0]
    forged = own._replace(data=own.data.replace(b"Use npm", b"Use npx"))
    file = tmp_path / "forged.html"
    file.write_bytes(page(found._replace(chains=(forged,))))
    opened(window, file)
    assert said(window, ".state") == "✗ 1 finding"
    assert "payload-altered line 2" in said(window, ".findings")


def test_the_newest_memory_is_there_too(window: Browser, memory: MemoryLedger, report: Path) -> None:
    """No line after it names its id."""
    newest = memory.store(Memory("The newest of all")).id
    report.write_bytes(page(contents(memory)))
    opened(window, report, f"memory/{newest}")
    assert said(window, "h1") == "The newest of all"


def test_hostile_texts_are_shown_as_text_on_every_screen(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """Nothing runs, no element is made of them, no screen fails, and what hides or turns text is spelled out."""
    id_ = memory.entry("@3").id
    for screen in (*SCREENS, f"memory/{id_}", f"event/{id_}"):
        opened(window, report, screen)
        assert "broken" not in window.evaluate("() => document.title")
        assert window.evaluate("() => document.querySelectorAll('main img, main script').length") == 0
        assert window.do("said") == []
    shown = said(window, "main")
    assert "⟨U+202E⟩" in shown
    assert "\u202e" not in shown
    assert "document.title='broken'" in shown


@pytest.mark.parametrize(
    "address", ["memory/%", "constructor", "__proto__", "event/", "search?status=none", "source/%00"]
)
def test_an_address_may_hold_anything(window: Browser, report: Path, address: str) -> None:
    opened(window, report, "keys")
    window.evaluate("address => { location.hash = `#/${address}`; }", address)
    window.do("wait", expression="!/Keys and anchors/.test(document.querySelector('main').innerText)")
    assert said(window, "main") != ""
    assert window.do("said") == []


@pytest.mark.parametrize("cut", [(100, 200), (0, -1000)])
def test_a_file_whose_data_is_damaged_says_so(window: Browser, report: Path, cut: tuple[int, int]) -> None:
    """Never is it left at "verifying"."""
    before, mark, data = report.read_text().partition('data-of="chain-0">')
    stop = data.index("</script>")
    start, end = cut
    report.write_text(before + mark + data[:start] + data[:stop][end:] + data[stop:])
    window.open(report)
    window.do("wait", expression="document.querySelector('.state')?.innerText === '✗ damaged'")
    assert "Ask for the file again" in said(window, "main")


def test_search_has_the_filters_of_the_command(window: Browser, memory: MemoryLedger, report: Path) -> None:
    """H-33, P-103: of filters alone the command finds the same memories."""
    origin = Provenance(conversation="c-7", session="s-7")
    memory.store(
        Memory(
            "Ship on Tuesdays", type="decision", tags=("Ops", "late"), importance="high", provenance=origin
        )
    )
    memory.store(Memory("Run the probes", section="Tool Usage", topic="ops/probes", when_to_use=("probes",)))
    memory.delete(["@3"])
    candidate(memory, "Ask before a release")
    report.write_bytes(page(contents(memory)))
    opened(window, report, "search")
    for query in (
        "type:decision", 'section:"tool usage"', "tag:ops tag:late", "topic:ops/probes", "importance:high", "source:manual",
        "tier:curated", "author:claude-code", "conversation:c-7", "session:s-7", "since:2020-01-01", "until:2020-01-01",
        "since:7d", "status:all", "status:deleted status:superseded", "type:decision tag:nothing",
    ):  # fmt: skip
        found = run("search", query, "--json", "-n", "100").json_lines
        code = """query => {
            const field = document.querySelector('input.words');
            field.value = query;
            field.dispatchEvent(new Event('input', { bubbles: true }));
        }"""
        window.evaluate(code, query)
        wanted = sorted(row["id"] for row in found)
        shown = (
            "[...document.querySelectorAll('a.memory-row')].map((each) => each.hash.slice(9)).sort().join()"
        )
        window.do("wait", expression=f"{shown} === {','.join(wanted)!r}", seconds=5)


def test_it_works_by_keyboard(window: Browser, report: Path) -> None:
    """/ searches, j goes to the next row, Enter opens it (H-30)."""
    opened(window, report)
    window.do("press", keys=["/"])
    window.do("wait", expression="document.activeElement?.matches('input.words')")
    window.do("press", keys=["p", "n", "p", "m"])
    window.do("wait", expression="document.querySelectorAll('a.row').length === 1")
    window.do("press", keys=["Tab"])
    window.evaluate("() => document.activeElement.blur()")
    window.do("press", keys=["j", "Enter"])
    window.do("wait", expression="document.querySelector('.versions')?.children.length === 2")
    assert "pnpm" in said(window, "h1")


def test_a_proof_that_is_dropped_is_judged(window: Browser, memory: MemoryLedger, report: Path) -> None:
    """Anywhere on the page, by the same rules as `prove --check` (H-31)."""
    proof = report.with_name("one.proof")
    run("prove", "@2", "-o", proof).ok()
    opened(window, report)
    code = """text => {
        const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
        const given = new DataTransfer();
        given.items.add(new File([bytes], 'one.proof'));
        dispatchEvent(new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }));
    }"""
    window.evaluate(code, base64.b64encode(proof.read_bytes()).decode())
    window.do("wait", expression="/one.proof/.test(document.querySelector('main h2')?.textContent)")
    assert "agrees with itself" in said(window, "main h2")
    assert "Use pnpm, not npm" in said(window, "main")


def test_a_memory_leads_to_everything_from_its_source(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """H-54: with the command that undoes it."""
    built = memory.store(Memory("Run pnpm audit", unknown={"from": [memory.entry("@2").id]})).id
    report.write_bytes(page(contents(memory)))
    opened(window, report, f"memory/{memory.entry('@2').id}")
    window.evaluate("() => document.querySelector('main dd a').click()")
    window.do("wait", expression="document.querySelectorAll('main a.row').length === 2")
    assert "muniment revert --from 'conversation:c-1'" in said(window, "main")
    came, later = window.evaluate(
        "() => [...document.querySelectorAll('main a.row')].map((each) => each.hash)"
    )
    assert (came, later) == (f"#/event/{memory.entry('@2').id}", f"#/event/{built}")


@pytest.mark.parametrize(
    "change",
    [
        ("", "", 2, ""),
        ("Use pnpm, not npm", "Use yarn, not npm", 2, "commitment"),
        ('"sig":"', '"sig":"AAAA', 1, "signature"),
        ('"seq":1,', '"seq":2,', 2, "link"),
    ],
)
def test_an_event_shows_what_its_five_checks_came_to(
    window: Browser, memory: MemoryLedger, tmp_path: Path, change: tuple[str, str, int, str]
) -> None:
    """H-10: by a sign and a word each, with what is wrong."""
    old, new, seq, bad = change
    found = contents(memory)
    lines = found.chains[0].data.decode().splitlines(keepends=True)
    at = 1 if bad == "link" else seq
    cut = lines[at].index(old) + len(old)
    lines[at] = lines[at][:cut].replace(old, new) + lines[at][cut + 4 * (bad == "signature") :]
    file = tmp_path / "report.html"
    file.write_bytes(page(found._replace(chains=(found.chains[0]._replace(data="".join(lines).encode()),))))
    opened(window, file, f"event/@{seq}")
    rows = window.evaluate(
        "() => [...document.querySelectorAll('.checks dt')].map((each) => [...each.childNodes].map((part) => part.textContent))"
    )
    assert [name for _, name in rows] == ["hash", "link", "signature", "commitment", "schema"]
    assert {name for mark, name in rows if mark == "✗"} == {bad} - {""}
    assert bool(said(window, ".checks .findings")) == bool(bad)


def test_a_proof_that_is_downloaded_is_the_one_that_prove_writes(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    """H-32: byte for byte, under the checkpoint that is stored; where there is none, the page names the command."""
    opened(window, report, "memory/@2")
    window.do("wait", expression="/muniment prove/.test(document.querySelector('main').textContent)")
    run("key", "rotate").ok()
    memory.store(Memory("After the rotation"))
    run("anchor", "checkpoint").ok()
    memory.store(Memory("After the checkpoint"))
    for name in ("@2", "@5"):
        proof = report.with_name(f"{name}.proof")
        run("prove", name, "-o", proof).ok()
        report.write_bytes(page(contents(memory)))
        opened(window, report, f"memory/{name}")
        window.do("wait", expression="/Download its/.test(document.querySelector('main').textContent)")
        code = """() => {
            const made = [];
            URL.createObjectURL = (blob) => (made.push(blob), '#');
            [...document.querySelectorAll('main button')].find((each) => /proof/.test(each.textContent)).click();
            return made[0].text();
        }"""
        assert window.evaluate(code) == proof.read_text()


def test_a_checkpoint_is_compared_with_the_tree_of_the_chain(
    window: Browser, memory: MemoryLedger, tmp_path: Path
) -> None:
    """H-14: one of events that are not in the file, or are others, is none of this history."""
    run("anchor", "checkpoint").ok()
    found = contents(memory)
    data = found.chains[0].data
    cut = data[: data[:-1].rindex(b"\n") + 1]
    last = data[len(cut) :]
    other = cut + last.replace(b'"via":"library"', b'"via":"imports"')
    for given, wanted in (
        (data, "of just these events"),
        (cut, "it has 4 events, and this file 3"),
        (other, "root"),
    ):
        file = tmp_path / "report.html"
        file.write_bytes(page(found._replace(chains=(found.chains[0]._replace(data=given),))))
        opened(window, file, "keys")
        window.do("wait", expression="/[✓✗]/.test(document.querySelector('.checkpoint').textContent)")
        assert wanted in said(window, ".checkpoint")


def test_a_memory_names_what_contradicts_it(window: Browser, memory: MemoryLedger, report: Path) -> None:
    """H-12: what waits and would replace it, as review says; and the other way round."""
    stands = memory.store(Memory("The staging database listens on port 5433")).id
    waits = candidate(memory, "The staging database listens on port 5434")
    assert [entry.id for entry in memory.review.contradicted(memory.entry(waits))] == [stands]
    report.write_bytes(page(contents(memory)))
    for id_, other in ((stands, waits), (waits, stands)):
        opened(window, report, f"memory/{id_}")
        assert (
            window.evaluate("() => document.querySelector('main a.memory-row').hash") == f"#/memory/{other}"
        )


def test_the_timeline_is_coloured_by_author_as_well(
    window: Browser, memory: MemoryLedger, report: Path
) -> None:
    candidate(memory, "Deploy on Tuesdays")
    report.write_bytes(page(contents(memory)))
    opened(window, report, "timeline?by=author")
    assert "claude-code" in said(window, ".legend")
    opened(window, report, "timeline")
    assert "create" in said(window, ".legend")


def test_nothing_serious_stands_in_the_way_of_a_screen_reader(window: Browser, report: Path) -> None:
    """By axe-core, on every screen."""
    axe = BROWSER / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.exists():
        pytest.skip("axe-core is not installed: run npm install in report/browser")
    program = axe.read_text("utf-8")
    for screen in SCREENS:
        opened(window, report, screen)
        window.evaluate(f"() => {{ {program} }}")
        found = window.evaluate(
            "async () => (await axe.run()).violations.map((each) => [each.impact, each.id, each.nodes[0].html])"
        )
        assert [each for each in found if each[0] in {"serious", "critical"}] == [], screen
