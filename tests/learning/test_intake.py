"""What becomes of a proposal beside what stands: K-62…K-71."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from documents.proposal import Action, Basis
from learning.intake import DAY, Taking
from learning.limits import HOUR
from ledger import location
from ledger.errors import StateError
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import AGENT, CAPTURE, said, taking, texts


@pytest.mark.parametrize(
    ("basis", "confidence", "outcome"),
    [
        ("stated", None, "created"),
        ("asked", None, "created"),
        ("fixed", None, "candidate"),
        ("observed", None, "candidate"),
        ("hedged", None, "candidate"),
        ("hedged", 0.4, "discarded"),
        ("stated", 0.55, "candidate"),
        ("stated", 0.3, "discarded"),
    ],
)
def test_confidence_decides_what_is_new(
    memory: MemoryLedger, basis: Basis, confidence: float | None, outcome: str
) -> None:
    """Under the policy that asks first (K-60, K-61)."""
    [taken] = taking(memory).take([said("Use tabs", basis=basis, confidence=confidence)])
    assert taken.outcome == outcome
    assert [e.status for e in memory.load_all()] == {
        "created": ["active"], "candidate": ["candidate"], "discarded": []
    }[outcome]  # fmt: skip


def test_a_correction_twice_takes_the_place_of_what_it_corrects(memory: MemoryLedger) -> None:
    """Once it is a candidate that names what it is against; again it stands, and says why."""
    taking(memory).take([said("Use npm", conversation="c-0")])
    [once] = taking(memory).take([said("Use pnpm, not npm", confidence=0.6, message="m-2")])
    assert once.outcome == "candidate"
    assert "Use npm" in memory.entry(once.id).reason
    assert texts(memory) == ["Use npm"]
    [again] = taking(memory).take([said("Use pnpm, not npm", confidence=0.8, message="m-5")])
    assert again.outcome == "promoted"
    assert texts(memory) == ["Use pnpm, not npm"]
    assert texts(memory, "candidate") == []
    assert memory.entry(again.id).memory.confidence == 0.8


def test_a_person_who_repeats_a_candidate_promotes_it(memory: MemoryLedger) -> None:
    """In another message; the same message read twice does nothing."""
    one = said("Use pnpm, not npm", confidence=0.6, message="m-2")
    taking(memory).take([one])
    assert [t.outcome for t in taking(memory).take([one])] == ["known"]
    later = said("Use pnpm, not npm", confidence=0.6, message="m-9", conversation="c-7")
    assert [t.outcome for t in taking(memory).take([later])] == ["promoted"]
    assert texts(memory) == ["Use pnpm, not npm"]


def test_what_is_said_again_is_confirmed_once_a_day(memory: MemoryLedger) -> None:
    """Never within the conversation that it was learned in (K-62)."""
    now = memory.workspace.clock()
    memory.workspace.clock = lambda: now
    first = said("Answer in French")
    [learned] = taking(memory).take([first])
    again = said("Answer in French", conversation="c-2", message="m-8")
    assert [t.outcome for t in taking(memory).take([again])] == ["known"]
    memory.workspace.clock = lambda: now + DAY + HOUR
    same_talk = said("Answer in French", message="m-77")
    assert [t.outcome for t in taking(memory).take([same_talk])] == ["known"]
    [confirmed] = taking(memory).take([again])
    assert (confirmed.outcome, confirmed.id) == ("confirmed", learned.id)


def test_a_contradiction_supersedes_with_a_reason(memory: MemoryLedger) -> None:
    [one] = taking(memory).take([said("Postgres listens on port 5433")])
    [two] = taking(memory).take([said("Postgres listens on port 5432", message="m-2")])
    assert (two.outcome, two.targets) == ("superseded", (one.id,))
    assert "5433" in memory.entry(two.id).reason
    assert texts(memory) == ["Postgres listens on port 5432"]


@pytest.mark.parametrize(
    ("basis", "confidence", "outcome"),
    [("stated", 0.9, "superseded"), ("stated", 0.75, "candidate"), ("fixed", 0.7, "candidate")],
)
def test_what_a_person_wrote_gives_way_only_to_their_plain_words(
    memory: MemoryLedger, basis: Basis, confidence: float, outcome: str
) -> None:
    """K-63: else a candidate names it, and it stands."""
    memory.store(Memory("Always use tabs"))
    [taken] = taking(memory).take([said("Never use tabs", basis=basis, confidence=confidence)])
    assert taken.outcome == outcome
    assert texts(memory) == (["Never use tabs"] if outcome == "superseded" else ["Always use tabs"])


@pytest.mark.parametrize(
    ("by_hand", "new"),
    [
        ("Answer in short bullet points", "Answer in French"),
        ("Ask before deleting files", "Ask before installing packages"),
        ("Explain things step by step", "Explain things in Spanish"),
        ("Answer in formal tone", "Answer in two sentences"),
        ("Write tests before code", "Write docs before code"),
        ("Use two spaces in YAML files", "Use two spaces in JSON files"),
        ("Use four spaces in Python", "Use eight spaces in Go"),
        ("Use tabs in Makefiles", "Use eight spaces in Go"),
        ("Keep functions under 40 lines", "Keep classes under 200 lines"),
        ("Document public functions", "Document private functions too"),
        ("Send reports on Monday", "Send invoices on Tuesday"),
        ("Run Postgres backups on Sunday", "Run MySQL backups on Sunday"),
        ("Python files use spaces", "Go files use tabs"),
        ("Worker 1 runs nightly", "Worker 2 runs nightly"),
    ],
)
def test_what_a_person_wrote_stands_beside_what_is_about_something_else(
    memory: MemoryLedger, by_hand: str, new: str
) -> None:
    """K-63: also where the detector takes it for a change."""
    memory.store(Memory(by_hand))
    taking(memory).take([said(new, action="supersede")])
    assert by_hand in texts(memory)


@pytest.mark.parametrize(
    ("by_hand", "new"),
    [
        ("Answer in French", "Answer in German"),
        ("Use npm", "Use pnpm"),
        ("The API listens on port 8000", "The API listens on port 9000"),
        ("Commit to main", "Never commit to main"),
        ("Use four spaces in Python", "Use two spaces in Python"),
        ("The CI runs on Python 3.11", "The CI runs on Python 3.12"),
        ("Keep functions under 40 lines", "Keep functions under 60 lines"),
        ("Use Postgres for the billing service", "Use MySQL for the billing service"),
        ("Deploy on Fridays", "Deploy on Mondays"),
        ("Keep answers short", "Keep answers long"),
    ],
)
def test_what_a_person_wrote_gives_way_to_another_value_of_the_same(
    memory: MemoryLedger, by_hand: str, new: str
) -> None:
    """K-63, K-284."""
    memory.store(Memory(by_hand))
    (done,) = taking(memory).take([said(new, action="supersede")])
    assert (done.outcome, done.replaced, texts(memory)) == ("superseded", (by_hand,), [new])


def test_what_a_person_asks_to_be_remembered_stands_beside_what_it_may_be_against(
    memory: MemoryLedger,
) -> None:
    """K-60, K-63: where it is not surely about the same thing, both stand."""
    memory.store(Memory("Ask before deleting files"))
    [done] = taking(memory).take([said("Ask before installing packages", basis="asked", action="supersede")])
    assert done.outcome == "created"
    assert texts(memory) == ["Ask before deleting files", "Ask before installing packages"]


def test_two_prohibitions_are_not_what_they_forbid(memory: MemoryLedger) -> None:
    """L-5, K-62: two negations never cancel, so a prohibition is not taken for known."""
    memory.store(Memory("Commit to main and push tags"))
    taking(memory).take([said("Do not commit to main and do not push tags", action="supersede")])
    assert "Do not commit to main and do not push tags" in texts(memory)


def test_an_agent_never_takes_a_persons_words_away(memory: MemoryLedger) -> None:
    """However sure it is."""
    memory.store(Memory("Always use tabs"))
    [taken] = taking(memory, AGENT).take([said("Never use tabs", basis="asked")])
    assert taken.outcome == "candidate"
    assert texts(memory) == ["Always use tabs"]


def test_who_takes_something_back_replaces_its_rival(memory: MemoryLedger) -> None:
    """ "Actually, I prefer Python now": likeness alone would keep both."""
    memory.store(Memory("The user prefers Rust", type="preference"))
    memory.store(Memory("The user prefers dark mode in every editor", type="preference"))
    [taken] = taking(memory).take([said("The user prefers Python", action="supersede")])
    assert taken.outcome == "superseded"
    assert texts(memory) == ["The user prefers dark mode in every editor", "The user prefers Python"]


@pytest.mark.parametrize(
    ("stands", "again"),
    [
        ("The package manager is pnpm", "We use pnpm for dependencies"),
        ("Our primary database is PostgreSQL", "We use Postgres as the main database"),
    ],
)
def test_what_is_said_again_in_other_words_is_no_other_memory(
    memory: MemoryLedger, stands: str, again: str
) -> None:
    """Where it says nothing beside it."""
    now = memory.workspace.clock()
    taking(memory).take([said(stands, conversation="c-0")])
    memory.workspace.clock = lambda: now + DAY + HOUR
    assert [t.outcome for t in taking(memory).take([said(again)])] == ["confirmed"]


@pytest.mark.parametrize(
    ("stands", "other"),
    [
        ("Deploy prod before staging on Mondays", "Deploy staging before prod"),
        ("Use pytest for unit tests", "Use pytest for integration tests"),
        ("Pull requests are squash merged", "Pull requests are never squash merged"),
        ("The queue holds 500 jobs of one tenant", "The queue holds 50 jobs"),
        ("Tests run on every push to main", "Tests"),
    ],
)
def test_what_says_something_else_is_never_swallowed(memory: MemoryLedger, stands: str, other: str) -> None:
    """In another order, of another thing, the opposite, another number, or next to nothing."""
    now = memory.workspace.clock()
    taking(memory).take([said(stands, conversation="c-0")])
    memory.workspace.clock = lambda: now + DAY + HOUR
    [taken] = taking(memory).take([said(other)])
    assert taken.outcome in ("created", "superseded")


@pytest.mark.parametrize(
    ("stands", "said_now", "about"),
    [
        ("CI runs on CircleCI", "Everything runs in Buildkite", "CircleCI"),
        ("Deploy with fly deploy", "Deployments go through the release workflow", "fly"),
        ("Lives in Rotterdam", "The user lives in Porto", "Rotterdam"),
        ("Indent with tabs in this project", "Indent with four spaces", ""),
    ],
)
def test_what_a_person_left_is_replaced(memory: MemoryLedger, stands: str, said_now: str, about: str) -> None:
    """By the words that name it, or by what stands in the same place; what only mentions it stays."""
    memory.store(Memory(stands))
    memory.store(
        Memory(f"The invoices of last year for {about or 'travel'} were paid twice by the old accountant")
    )
    [taken] = taking(memory).take([said(said_now, action="supersede", about=about)])
    assert taken.outcome == "superseded"
    assert stands not in texts(memory)
    assert len(texts(memory)) == 2


def test_two_preferences_stand_beside_each_other(memory: MemoryLedger) -> None:
    """Where nothing says that one replaces the other."""
    taking(memory).take([said("The user prefers Python"), said("The user prefers dark mode")])
    assert len(texts(memory)) == 2


@pytest.mark.parametrize("text", ["Mail reports to jo@kontor-nord.de", "My number is +49 30 9018 2044"])
def test_what_reaches_a_person_is_kept_only_where_that_was_asked_for(memory: MemoryLedger, text: str) -> None:
    """K-67."""
    [refused] = taking(memory).take([said(text)])
    assert refused.outcome == "refused"
    assert "ask for it to be remembered" in refused.why
    assert text.rpartition(" ")[2] not in refused.why
    [asked] = taking(memory).take([said(text, basis="asked")])
    assert asked.outcome == "created"


def test_what_comes_from_nowhere_is_refused(memory: MemoryLedger) -> None:
    """K-66."""
    [taken] = taking(memory).take([said("Use tabs", message="")])
    assert taken.outcome == "refused"
    assert not memory.load_all()


def test_a_text_that_no_record_can_hold_is_refused_before_it_is_read(memory: MemoryLedger) -> None:
    """M-4: not even a wish that it be remembered would keep it."""
    [taken] = taking(memory).take([said("Mail reports to jo@kontor-nord.de. " * 40)])
    assert (taken.outcome, "1 to 1000 are allowed" in taken.why) == ("refused", True)
    assert not memory.load_all()


def test_a_secret_is_refused_and_kept_nowhere(memory: MemoryLedger) -> None:
    """Neither in the log nor in the outbox."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    [taken] = taking(memory).take([said(f"Deploy with {token}", basis="asked")])
    assert taken.outcome == "refused"
    assert token not in taken.why
    assert not memory.load_all()


def test_limits_are_counted_from_the_log(memory: MemoryLedger) -> None:
    """A new process counts on; another conversation begins anew, the hour does not (K-68)."""
    done = [
        taking(memory).take([said(f"Rule number {n} is about {w}", message=f"m-{n}")])[0].outcome
        for n, w in enumerate("apples birds clouds doors eggs fans gates hats inks jars keys lamps".split())
    ]
    assert done == ["created"] * 10 + ["refused"] * 2
    words = "maps nets oars pans quilts rings salts tents urns vans wells yards zips axes beds cars".split()
    more = [
        taking(memory).take(
            [said(f"Another thing is about {w}", conversation="c-2" if n < 9 else "c-3", message=w)]
        )[0]
        for n, w in enumerate(words)
    ]
    assert [taken.outcome for taken in more] == ["created"] * 15 + ["refused"]
    assert "per_hour" in more[-1].why
    later = memory.workspace.clock() + HOUR + 1
    memory.workspace.clock = lambda: later
    [taken] = taking(memory).take([said("Later things are about boats", conversation="c-4")])
    assert taken.outcome == "created"


def test_a_persons_own_writes_count_for_nothing(memory: MemoryLedger) -> None:
    for n in range(30):
        memory.store(Memory(f"I typed thing {n}"))
    [taken] = taking(memory).take([said("Use tabs")])
    assert taken.outcome == "created"


def test_an_agent_cannot_confirm_what_an_agent_proposed(memory: MemoryLedger) -> None:
    """S-10: the ledger refuses it; a person can."""
    [taken] = taking(memory, AGENT).take([said("Use tabs", basis="observed")])
    assert taken.outcome == "candidate"
    with pytest.raises(StateError, match="an agent filed"):
        memory.confirm([taken.id], by=AGENT)
    assert [t.outcome for t in taking(memory, AGENT).take([said("Use tabs", message="m-4")])] == ["known"]
    memory.confirm([taken.id])
    assert texts(memory) == ["Use tabs"]


def test_scopes_keep_to_themselves(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a bound project, what belongs to one waits in the user's ledger (K-70)."""
    user = muniment.init()
    [alone] = Taking({"user": user.scope}, CAPTURE).take([said("Tests run with pytest -q", scope="project")])
    assert alone.outcome == "candidate"
    assert "muniment init --scope project" in alone.why
    root = tmp_path / "repo"
    root.mkdir()
    project = muniment.init(scope="project", start=root)
    [taken] = Taking({"user": user.scope, "project": project.scope}, CAPTURE).take(
        [said("Lint with ruff", scope="project", message="m-3")]
    )
    assert (taken.outcome, taken.scope) == ("created", "project")
    assert texts(project) == ["Lint with ruff"]
    assert texts(user) == []


def test_what_belongs_to_an_unbound_project_is_not_promoted_by_being_said_again(isolated: Path) -> None:
    """K-70: it would speak in all projects; a person's review may."""
    user = muniment.init()
    by = Taking({"user": user.scope}, CAPTURE)
    by.take([said("Use pnpm in this project", scope="project")])
    by.take([said("Use pnpm in this project", scope="project", message="m-2")])
    [taken] = by.take([said("Use pnpm in this project", scope="project", conversation="c-2")])
    assert (taken.outcome, texts(user, "candidate")) == ("known", ["Use pnpm in this project"])
    assert texts(user) == []
    assert "muniment init --scope project" in taken.why
    user.confirm([taken.id])
    assert texts(user) == ["Use pnpm in this project"]


def _local_beside(project: MemoryLedger) -> Path:
    place = project.workspace.place
    assert place.root is not None
    return location.in_project(project.workspace.home, place.root, place.project, "local").directory


def test_what_is_of_this_machine_makes_the_local_ledger(isolated: Path, tmp_path: Path) -> None:
    """K-70: it is never among what a project shares; what nobody is sure of makes none."""
    user = muniment.init()
    root = tmp_path / "repo"
    root.mkdir()
    project = muniment.init(scope="project", start=root)
    dry = Taking({"user": user.scope, "project": project.scope}, CAPTURE, dry=True)
    dry.take([said("Postgres listens on 5433 here", scope="local")])
    assert not _local_beside(project).exists()
    by = Taking({"user": user.scope, "project": project.scope}, CAPTURE)
    by.take([said("Redis may listen on 6380 here", basis="observed", scope="local", message="m-0")])
    assert not _local_beside(project).exists()
    [taken] = by.take([said("Postgres listens on 5433 here", scope="local")])
    assert (taken.outcome, taken.scope) == ("created", "local")
    assert (texts(project), texts(user)) == ([], [])
    with muniment.open(scope="local", start=root) as local:
        assert texts(local) == ["Postgres listens on 5433 here"]
    [again] = Taking({"user": user.scope, "project": project.scope}, CAPTURE).take(
        [said("The proxy is on 3128 here", scope="local", message="m-3")]
    )
    assert (again.outcome, again.scope) == ("created", "local")


def test_where_no_local_ledger_can_be_made_it_waits(isolated: Path, tmp_path: Path) -> None:
    """K-70."""
    user = muniment.init()
    root = tmp_path / "repo"
    root.mkdir()
    project = muniment.init(scope="project", start=root)
    _local_beside(project).write_text("a file where a folder must be")
    [taken] = Taking({"user": user.scope, "project": project.scope}, CAPTURE).take(
        [said("Postgres listens on 5433 here", scope="local")]
    )
    assert "muniment init --scope local" in taken.why
    assert texts(user, "candidate") == ["Postgres listens on 5433 here"]


@pytest.mark.parametrize("scope", ["project", "local"])
def test_what_a_person_asked_for_stands_outside_of_a_project(isolated: Path, scope: str) -> None:
    """K-70: at once; what an agent says they asked waits."""
    user = muniment.init()
    [agents] = Taking({"user": user.scope}, AGENT).take([said("Use npm here", basis="asked", scope=scope)])
    assert agents.outcome == "candidate"
    [taken] = Taking({"user": user.scope}, CAPTURE).take(
        [said("Tests run with pytest -q", basis="asked", scope=scope, message="m-2")]
    )
    assert (taken.outcome, taken.scope, texts(user)) == ("created", "user", ["Tests run with pytest -q"])


def test_forgetting_waits_for_a_yes(memory: MemoryLedger) -> None:
    """K-71: what would go is named; nothing else goes."""
    one = memory.store(Memory("The staging server is called bluebird")).id
    memory.store(Memory("The production server is called falcon"))
    [taken] = taking(memory).take([said("", action="delete", about="the staging server")])
    assert (taken.outcome, taken.targets) == ("asked", (one,))
    assert len(texts(memory)) == 2
    assert taking(memory).forget(taken).targets == (one,)
    assert texts(memory) == ["The production server is called falcon"]
    [nothing] = taking(memory).take([said("", action="delete", about="my budgerigar")])
    assert nothing.outcome == "discarded"


def test_a_dry_run_decides_and_writes_nothing(memory: MemoryLedger) -> None:
    before = memory.workspace.chain.read_bytes()
    outcomes = [
        t.outcome
        for t in taking(memory, dry=True).take([said("Use tabs"), said("x", basis="hedged", confidence=0.4)])
    ]
    assert outcomes == ["created", "discarded"]
    assert memory.workspace.chain.read_bytes() == before


def test_derived_memories_say_so(memory: MemoryLedger) -> None:
    """K-60."""
    [taken] = taking(memory).take([said("Start the database before the tests", basis="fixed")])
    assert memory.entry(taken.id).memory.inferred


def test_a_scope_without_a_ledger_is_named(isolated: Path, tmp_path: Path) -> None:
    """K-195: the command that is advised makes the one that lacks, not another one."""
    root = tmp_path / "root"
    root.mkdir()
    project = muniment.init(scope="project", start=root)
    [taken] = Taking({"project": project.scope}, CAPTURE).take([said("My cat is called Luna")])
    assert (taken.outcome, taken.why) == (
        "refused",
        "there is no ledger for it: run muniment init --scope user to create one",
    )
    user = muniment.init(scope="user")
    [taken] = Taking({"project": project.scope, "user": user.scope}, CAPTURE).take(
        [said("My cat is called Luna")]
    )
    assert (taken.outcome, taken.scope) == ("created", "user")


@pytest.mark.parametrize("action", ["create", "supersede"])
@pytest.mark.parametrize(("one", "other"), [("pnpm", "React"), ("React", "pnpm")])
def test_a_tool_of_another_kind_takes_no_place(
    memory: MemoryLedger, one: str, other: str, action: Action
) -> None:
    """K-64, L-53: also where a person takes something back; one of the same kind does, in both orders."""
    by = taking(memory)
    by.take([said(f"Use {one} for the web shop", message="a")])
    assert (
        by.take([said(f"Use {other} for the web shop", message="b", action=action)])[0].outcome == "created"
    )
    yarn = said("Use yarn for the web shop", message="c", action=action)
    assert by.take([yarn])[0].outcome == "superseded"
    assert sorted(texts(memory)) == ["Use React for the web shop", "Use yarn for the web shop"]


def test_a_change_of_another_kind_takes_no_place(memory: MemoryLedger) -> None:
    """K-137, L-53."""
    taking(memory).take([said("The web client is built with pnpm", message="a")])
    later = said("The web client is built with React", message="b", action="supersede")
    assert taking(memory).take([later])[0].outcome == "created"


def test_an_agent_promotes_nothing_by_saying_it_again(memory: MemoryLedger) -> None:
    """S-13: not after its candidate was deleted either; a person's program does."""
    agent = AGENT
    [guess] = Taking({"user": memory.scope}, agent).take(
        [said("Postgres listens on 5433", basis="observed", message="a")]
    )
    assert guess.outcome == "candidate"
    memory.delete([guess.id], "", agent)
    [again] = Taking({"user": memory.scope}, agent).take([said("Postgres listens on 5433", message="b")])
    assert again.outcome == "candidate"
    memory.delete([again.id], "", agent)
    [heard] = taking(memory).take([said("Postgres listens on 5433", message="c")])
    assert heard.outcome == "created"
