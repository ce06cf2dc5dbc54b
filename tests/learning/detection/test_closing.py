"""What of an agent's closing report is worth a topic: K-107, K-108."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.admitting import unfit
from learning.detection.closing import ClosingReport, extract
from ledger.memory import Memory

GOOD = """## Summary
I fixed the flaky test and all 214 tests pass.

## Root cause
The session cookie was set twice because `SessionMiddleware` runs before `CsrfMiddleware` in `app/server.py`.
Tried mocking the clock, but the refresh timer still fired.

## Notes
- Auth tokens live in `src/auth/tokens.ts`, not in the session store.
- `make test` only works if redis listens on port 6380.

```python
# the cache must never be shared because `x` in `y.py`
```

Let me know if you want me to add more tests!
"""


def found(
    output: str, result: str = "success", error: str = "", task: str = "Fix the flaky login test"
) -> list[Memory]:
    """Return the memories that a report of a coder gives."""
    report = ClosingReport("coder", task, output, result, error)  # type: ignore[arg-type]
    return [each.memory for each in extract(report, unfit) if each.memory]


def test_structure_constraints_and_failures_are_filed_by_topic() -> None:
    """Each with what it is found by; what was merely done is left out (K-107, K-108)."""
    made = {memory.topic: memory for memory in found(GOOD)}
    assert set(made) == {"constraints/make-test", "failures/session-middleware", "codebase-structure/tokens"}
    failure = made["failures/session-middleware"]
    assert failure.text.startswith("The session cookie was set twice because")
    assert "app/server.py" in failure.when_to_use
    assert "fix flaky login" in failure.when_to_use
    assert failure.tags == ("failures", "coder")
    for memory in made.values():
        assert (memory.status, memory.source, memory.provenance.agent) == ("candidate", "auto", "coder")
        assert memory.provenance.task == "Fix the flaky login test"
        assert memory.title
        memory.to_payload()


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Done! I added the button and updated the tests. Everything works.",
        "All tests pass. Let me know if you need anything else.",
        "I updated `src/app.ts` and `src/main.ts`, and added 3 tests in `tests/app.test.ts`.",
        "Fixed `a.py` so that it reads from `b.toml`, because `loader` must run first.",
        "It might be that `cache.py` is loaded twice because of the reloader, but I am not sure.",
        "Should `config.toml` live in the root?",
        "```\nThe server must be started before `make e2e` because it binds port 8080.\n```",
        "> The server must be started before `make e2e` because it binds port 8080.",
        "| file | why |\n|---|---|\n| `a.py` | must be first because of imports |",
        "This works now. That was easy. It is fine.",
        "Everything is green now.",
        "Everything works, all 30 tests pass in Step 2.",
        "Ready for review.",
    ],
)
def test_reports_of_what_was_done_are_worth_nothing(output: str) -> None:
    """Silence is the usual answer (K-107)."""
    assert found(output) == []


def test_a_failure_is_told() -> None:
    """The first line of the error that says something; a bare word is no lesson (K-107)."""
    [memory] = found(
        "I tried to restart the service without success.",
        "failure",
        "Traceback (most recent call last):\n  at x\nError: connect ECONNREFUSED 10.0.0.3:5432 while running migrations",
        "Deploy to staging",
    )
    assert memory.text == (
        "“Deploy to staging” failed: Error: connect ECONNREFUSED 10.0.0.3:5432 while running migrations"
    )
    assert memory.topic == "failures/econnrefused"
    assert found("", "failure", "timeout", "Deploy") == []
    assert found("", "partial", "Error: connect ECONNREFUSED 10.0.0.3:5432", "") == []


def test_at_most_three_and_none_of_them_says_what_another_says() -> None:
    """The most telling ones (K-108)."""
    lines = [
        f"The `{name}` service must be started before `{name}ctl` because it owns `/var/{name}`."
        for name in "abcdefg"
    ]
    assert len(found("\n".join(f"- {line}" for line in lines))) <= 3
    twice = "The worker must be started before `make e2e` because it binds port 8080.\n\n"
    assert len(found(twice * 2)) == 1


def test_the_full_stop_of_a_sentence_is_no_part_of_a_path() -> None:
    (memory,) = found("The fixtures live in tests/e2e/fixtures.")
    assert memory.title == "Where things are: tests/e2e/fixtures"
    assert memory.when_to_use[0] == "tests/e2e/fixtures"


@pytest.mark.parametrize(
    ("output", "topic", "text"),
    [
        (
            "Tried upgrading to React 19, but the drag and drop library does not support it. Reverted.",
            "failures",
            "Tried upgrading to React 19, but the drag and drop library does not support it.",
        ),
        (
            "Everything under packages/core is generated by buf, so edit the proto files.",
            "codebase-structure",
            "Everything under packages/core is generated by buf, so edit the proto files.",
        ),
    ],
)
def test_an_attempt_and_a_place_need_no_code_spans(output: str, topic: str, text: str) -> None:
    (memory,) = found(output, task="Make the suite pass")
    assert (memory.topic.partition("/")[0], memory.text) == (topic, text)


def test_what_is_unfit_is_left_out() -> None:
    """Addresses and whatever the caller says (K-109)."""
    text = "Deploys only work if bob@company.io approves them in `deploy.yml`, because of the gate."
    assert found(text) == []
    report = ClosingReport("coder", "x", GOOD)
    assert extract(report, bool) == []


@given(st.text(max_size=400), st.text(max_size=80), st.sampled_from(("success", "failure", "partial")))
def test_any_report_gives_storable_candidates_or_nothing(output: str, error: str, result: str) -> None:
    """At most three, the same each time (K-107, K-108)."""
    made = found(f"## Root cause\n- `x.py` must run first because {output}", result, error)
    assert made == found(f"## Root cause\n- `x.py` must run first because {output}", result, error)
    assert len(made) <= 3
    for memory in made:
        memory.to_payload()


def test_what_is_said_of_one_thing_is_one_entry() -> None:
    """K-108: the first sentence is its text, the others its body."""
    [memory] = found("`cache.py` must run first because of imports. `cache.py` cannot be imported twice.")
    assert memory.text.startswith("`cache.py` must run first")
    assert memory.body == "- `cache.py` cannot be imported twice.\n"
