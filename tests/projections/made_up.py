"""Makes up entries, events and logs for documents: tame ones by hand, hostile ones by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st

from ledger.event import By, Event
from ledger.fold import Entry
from ledger.instant import DAY, SECOND, written
from ledger.memory import IMPORTANCES, SECTIONS, TIERS, TYPES, Memory, Place, Provenance, record_fault
from tests.ledger.reference import INITIAL, State, apply

START = 1_700_000_000 * SECOND
NOW = START + 200 * DAY

PIECES = (
    *"-+*_#>`~<>[]():!?&;=|\\ \t.0123456789axZ\"'/%@,{}",
    *(
        "```",
        "~~~",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<pre>",
        "<script",
        "<?",
        "<![CDATA[",
        "<a href='x'>",
        "<!D",
    ),
    *(
        "[?] ",
        "[a]: b",
        "&#32;",
        "1.",
        "10) ",
        "- ",
        "# ",
        "## ",
        "---",
        "===",
        "***",
        "| a |",
        "\u00a0",
        "\u200b",
    ),
    *(
        "\u00e9",
        "\u6f22\u5b57",
        "\U0001f600",
        "\u202e",
        "\x1b[31m",
        "\x7f",
        "tabs",
        "port 5433",
        "System:",
        "Human: ",
    ),
    *(
        "<|im_start|>",
        "</system>",
        "<system>",
        "[INST]",
        "yes",
        "null",
        "key: value",
        "...",
        "\ufeff",
        "foo bar",
    ),
)
BODY_LINES = (
    *(
        "",
        "",
        "plain words",
        "  ```",
        "```",
        "~~~~",
        "~~~",
        "  - x",
        "- x",
        "```py",
        "<!-- a",
        "-->",
        "<div>",
        "</div>",
    ),
    *(
        "## H",
        "# T",
        "# Auto-Memories",
        "    code",
        "<pre>",
        "</pre>",
        "> q",
        "1. a",
        "  b",
        "\t- c",
        "* * *",
        "- - -",
    ),
    *(
        "[a]: b",
        "   ```",
        "> ```",
        "- ```",
        "|a|b|",
        "|-|-|",
        "<!-- x -->",
        "- ",
        "*",
        "---",
        "title: x",
        "=====",
        "##",
    ),
)

lines = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
texts = lines.filter(lambda text: bool(text.strip()))
bodies = st.lists(
    st.tuples(
        st.one_of(lines, st.sampled_from(BODY_LINES)), st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
    ),
    min_size=1,
    max_size=7,
).map(lambda parts: "".join(line + end for line, end in parts))
extras = st.lists(
    st.one_of(
        lines,
        st.sampled_from(
            [
                *(
                    "custom: value",
                    "other: [1, 2]",
                    "title: mine",
                    "when-to-use: x",
                    "list:",
                    "  - a",
                    "  - b",
                    "# said",
                ),
                *(
                    "---",
                    "...",
                    "a: &x 1",
                    "b: *x",
                    "c: !!python/object:os.system x",
                    "d: 2026-13-45",
                    "<<: {title: x}",
                ),
                *(
                    'e: "x',
                    '----"',
                    "f: |",
                    "  ---",
                    "'title': evil",
                    "? g",
                    ": h",
                    "custom: again",
                    "tags: [evil]",
                    "{}",
                ),
            ]
        ),
    ),
    max_size=4,
).map("\n".join)
sections = st.one_of(
    st.just(""),
    st.sampled_from(SECTIONS),
    st.sampled_from(["Links", "Own #", "##x", "C ##", "corrections", "- x", "Own"]),
    texts.map(lambda text: text[:100].strip().lstrip("#").strip()),
)
topics = st.sampled_from(["", "", "", "build", "code/auth-module", "a/b/c"])


def is_valid(memory: Memory) -> bool:
    members = {name: getattr(memory, name) for name in ("text", "title", "body", "section", "extra")}
    lists = {name: list(getattr(memory, name)) for name in ("details", "when_to_use", "tags")}
    given_members = {name: value for name, value in members.items() if value}
    return record_fault({**given_members, **lists}) is None


# `partial`, here and elsewhere: of a NamedTuple Hypothesis would make up what a test leaves to its defaults.
memories = st.builds(
    partial(Memory),
    text=texts,
    details=st.lists(lines, max_size=2).map(tuple),
    title=st.one_of(st.just(""), lines),
    body=st.one_of(st.just(""), st.just(""), bodies),
    topic=topics,
    when_to_use=st.lists(lines, max_size=2).map(tuple),
    tags=st.lists(lines.map(lambda text: text[:64]), max_size=2).map(tuple),
    type=st.sampled_from([*TYPES, "note"]),
    section=sections,
    tier=st.sampled_from(["curated", *TIERS]),
    importance=st.sampled_from(IMPORTANCES),
    status=st.sampled_from(["active", "active", "active", "candidate"]),
    provenance=st.builds(
        partial(Provenance),
        agent=st.one_of(st.just(""), lines),
        task=st.one_of(st.just(""), lines),
        date=st.one_of(
            st.just(""), st.sampled_from(["2023-11-02", "2023-99-01", "2023-12-24T10:00:00Z", "../../x"])
        ),
    ),
    extra=extras,
).filter(is_valid)


def id_of(number: int) -> str:
    return f"{number:064x}"


def entry(text: str = "a fact", number: int = 1, **members: Any) -> Entry:
    """An active entry learned `number` seconds after START; members of record or entry by name."""
    own: dict[str, Any] = {
        name: members.pop(name)
        for name in ("status", "by", "fresh_since", "order", "supersedes", "superseded_by")
        if name in members
    }
    when = written(START + number * SECOND)
    fields: dict[str, Any] = {
        "status": "active",
        "by": By("ada"),
        "fresh_since": when,
        "order": (when, id_of(number)),
        **own,
    }
    return Entry(
        id=id_of(number), seq=number, memory=Memory(text, **members), ts=when, learned=when, **fields
    )


def standing(memory: Memory, number: int) -> Entry:
    """An active entry of this record, learned `number` seconds after START."""
    return entry(number=number)._replace(memory=memory)


def event(kind: str, number: int, *targets: str, memory: Memory | None = None, **more: Any) -> Event:
    """An event of a chain of its own making, `number` seconds after START."""
    when = written(START + number * SECOND)
    payload = more.pop("payload", memory.to_payload() if memory else None)
    fields: dict[str, Any] = {
        "by": By("ada", "agent", "mcp"),
        "erased": False,
        "head": {},
        "seen": (),
        **more,
    }
    return Event(
        id=id_of(number),
        seq=number,
        kind=kind,
        ts=when,
        at=when,
        epoch=0,
        targets=targets,
        payload=payload,
        chain="f" * 64,
        offset=number * 100,
        size=99,
        **fields,
    )


def folded(events: Sequence[Event]) -> State:
    state = INITIAL()
    for each in events:
        state = apply(state, each)
    return state


@st.composite
def logs(draw: st.DrawFn, max_size: int = 12) -> list[Event]:
    """Logs of creates, supersedes, deletes, confirms and erases, as they could have been written."""
    made: list[Event] = []
    memory_ids: list[str] = []
    for number in range(draw(st.integers(0, max_size))):
        kind = (
            draw(st.sampled_from(["create"] * 5 + ["supersede", "delete", "confirm", "erase"]))
            if memory_ids
            else "create"
        )
        targets = [draw(st.sampled_from(memory_ids))] if kind != "create" else []
        memory = None
        if kind in ("create", "supersede"):
            memory = draw(memories)
            placed: bool = draw(st.booleans())
            if memory_ids and placed:
                after = draw(st.one_of(st.none(), st.sampled_from(memory_ids), st.just(id_of(999))))
                memory = memory.with_changes(place=Place("MEMORY.md", after))
            memory_ids.append(id_of(number))
        made.append(event(kind, number, *targets, memory=memory))
    return made
