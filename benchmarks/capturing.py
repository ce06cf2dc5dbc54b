"""Learning from conversations: the detector, a long transcript, dedupe, and writes while others write."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import random
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import muniment
from benchmarks.ledgers import fill, found, sentence
from benchmarks.measure import Row, median_time
from documents.proposal import Proposal
from learning.conversations import Conversations
from learning.detection.detector import LearningDetector
from learning.intake import Taking
from learning.proposal_relation import compared
from learning.transcripts.transcript_reader import read
from learning.turn import Turn
from ledger.event import By
from ledger.memory import Memory, Provenance

BY = By("capture", "system", "library")
_SAID = (
    "the build of {a} fails with a {b} error since this morning, can you look at what changed in the {c} code and fix it",
    "please write a function that reads {a} from the {b} and returns the {c}, and add tests for the edge cases that matter",
    "we always run the {a} checks before a merge here, the {b} team reviews what touches the {c}, so plan for a day more",
    "why does the {a} take so long when the {b} is empty? I would expect the {c} to be skipped in that case, explain it",
    "ok that works, thanks. now rename the {a} to {b}, update the docs of the {c} and run everything once more to be sure",
    "my laptop has only 8 GB, so keep the {a} small and never load the whole {b} into memory when the {c} is being tested",
)
_WORDS = re.findall(r"[a-z]+", " ".join(sentence(number) for number in range(200)))


def _messages(count: int) -> list[str]:
    """Return as many messages of about 150 characters, each of its own words."""
    made = []
    for number in range(count):
        rng = random.Random(number)
        filled = rng.choice(_SAID).format(a=rng.choice(_WORDS), b=rng.choice(_WORDS), c=rng.choice(_WORDS))
        padding = f", see also ticket {number} about the {rng.choice(_WORDS)} and the {rng.choice(_WORDS)}"
        made.append(filled + padding[: max(0, 150 - len(filled))])
    return made


_WRITTEN = Path(__file__).parents[1] / "training" / "data"
_LEAST, _MOST = 125, 200


def _written(count: int) -> list[str]:
    """Return as many messages of some 150 characters, written one by one, none twice; every fifth says something durable.

    Short ones of a kind are joined.
    """
    rows = [
        json.loads(line)
        for path in sorted(_WRITTEN.glob("written-*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]
    random.Random(0).shuffle(rows)
    passing, durable = (
        _joined([row["text"] for row in rows if (row["label"] == "yes") == kind]) for kind in (False, True)
    )
    return [text for fifth in zip(*[iter(passing)] * 4, durable, strict=False) for text in fifth][:count]


def _joined(texts: list[str]) -> list[str]:
    """Return the texts of at most `_MOST` characters, the short ones joined until they have `_LEAST`."""
    made, now = [], ""
    for text in texts:
        if len(text) > _MOST:
            continue
        if now and len(now) + len(text) >= _MOST:
            made.append(now)
            now = ""
        now = f"{now} {text}".strip()
        if len(now) >= _LEAST:
            made.append(now)
            now = ""
    return made


def capturing(folder: Path, scale: float) -> list[Row]:
    """The four figures of capture."""
    return [
        *_detector(scale),
        *_transcript(folder / "transcript", scale),
        _dedupe(folder / "dedupe", scale),
        _under_load(folder / "load", scale),
    ]


def _detector(scale: float) -> list[Row]:
    """Messages written one by one, and sentences of few forms: of those, most words have been heard before."""
    return [
        _heard("detector, a user's message", _written(max(200, int(20_000 * scale)))),
        _heard("detector, a message of few forms", _messages(max(200, int(20_000 * scale)))),
    ]


def _heard(name: str, texts: list[str]) -> Row:
    mean = sum(map(len, texts)) / len(texts)
    pieces = [piece for text in texts for piece in text.split()]
    turns = [Turn("user", text, conversation=f"c{n // 20}", message=f"m{n}") for n, text in enumerate(texts)]

    taken = []
    for _ in range(3):
        detector = LearningDetector()
        begun = time.process_time()  # "a core": what others do meanwhile does not count
        for turn in turns:
            detector.analyze(turn)
        taken.append(time.process_time() - begun)
    once = statistics.median(taken)
    return Row(
        name, once / len(turns) * 1e6, 150, "us", 1.0,
        f"{mean:.0f} characters each, {1 - len(set(pieces)) / len(pieces):.0%} of the words said before, "
        f"{taken[0] / len(turns) * 1e6:.0f} us the first time",
    )  # fmt: skip


def _transcript(folder: Path, scale: float) -> list[Row]:
    folder.mkdir()
    path, size = folder / "session.jsonl", int(10_000_000 * scale)
    _write_transcript(path, size)
    memory = found(folder)
    detector = LearningDetector()
    heard = Conversations(Taking({"": memory.scope}, BY), detector, memory.workspace.local)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    done = heard.file(path)
    whole = time.perf_counter() - begun
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )

    def parse() -> None:
        with path.open("rb") as stream:
            for line in stream:
                json.loads(line)

    floor = median_time(parse, 3)

    def turns_alone() -> None:
        with path.open("rb") as stream:
            for _ in read(stream):
                pass

    reading = median_time(turns_alone, 1)
    again = median_time(lambda: heard.file(path), 3)
    memory.close()
    return [
        Row(f"capture of a transcript of {size / 1e6:.0f} MB", whole, floor, "s", 20.0,
            f"floor: json.loads of its lines; {done.turns:,} turns, reading them is {reading:.2f} s; no figure is asked for, 20 is ours"),
        Row("the same again, nothing new", again * 1e3, floor * 1e3, "ms", 0.1, "floor: json.loads of its lines"),
        Row("its memory", grown, 64, "MiB", 1.0, "how much the peak of the process grew; 64 is ours, whatever the length"),
    ]  # fmt: skip


def _write_transcript(path: Path, size: int) -> None:
    numbers = itertools.count()
    said = itertools.cycle(_messages(500))
    with path.open("w") as stream:
        while stream.tell() < size:
            number = next(numbers)
            output = " ".join(sentence(number + n) for n in range(20))
            rows = (
                ("user", next(said)),
                ("assistant", [{"type": "text", "text": sentence(number) * 10},
                               {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls -l"}}]),
                ("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": False}]),
            )  # fmt: skip
            for part, (role, content) in enumerate(rows):
                row = {
                    "type": role, "uuid": f"u{number}-{part}", "sessionId": "bench", "cwd": "/x", "isSidechain": False,
                    "timestamp": "2026-11-20T15:11:00Z", "message": {"role": role, "content": content},
                }  # fmt: skip
                stream.write(json.dumps(row) + "\n")


def _dedupe(folder: Path, scale: float) -> Row:
    folder.mkdir()
    many = max(1000, int(100_000 * scale))
    memory = found(folder)
    fill(memory, many)
    memory.search("anything")  # the full text is brought up
    index = memory.workspace.index
    proposals = [_proposal(sentence(10**9 + n)) for n in range(50)]
    taken = []
    for proposal in proposals:
        begun = time.perf_counter()
        compared(index, proposal)
        taken.append(time.perf_counter() - begun)
    memory.close()
    return Row(
        f"dedupe of a proposal against {many:,} memories", statistics.median(taken) * 1e3, 10, "ms", 1.0,
        f"the slowest of {len(taken)}: {max(taken) * 1e3:.1f} ms; all words are common ones, which is the slow case",
    )  # fmt: skip


def _proposal(text: str, message: str = "m") -> Proposal:
    origin = Provenance(conversation=f"c-{message}", message=message)
    return Proposal(
        "create", Memory(text, confidence=0.9, source="auto", provenance=origin), scope="user", basis="stated"
    )


def _under_load(folder: Path, scale: float) -> Row:
    folder.mkdir()
    memory = found(folder)
    memory.workspace.place.directory.joinpath("config.toml").write_text("[limits]\nper_hour = 1000000\n")
    fill(memory, max(200, int(5_000 * scale)))
    memory.workspace.index  # noqa: B018 - brings it up
    memory.close()
    times = max(10, int(60 * scale))
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    writers = [
        context.Process(target=_write, args=(str(memory.workspace.place.directory), number, times, answers))
        for number in range(4)
    ]
    for writer in writers:
        writer.start()
    taken = sorted(second for _ in writers for second in answers.get(timeout=600))
    for writer in writers:
        writer.join()
    late = taken[int(len(taken) * 0.95)]
    return Row(
        "a message until its memory is written, 4 at once, p95", late * 1e3, 500, "ms", 1.0,
        f"median {statistics.median(taken) * 1e3:.0f} ms; {len(taken)} writes of 4 processes into one ledger, documents included",
    )  # fmt: skip


def _write(directory: str, number: int, times: int, answers: multiprocessing.Queue[list[float]]) -> None:
    """Hear messages that say something, as a process of its own; give the seconds of each."""
    memory = muniment.open(Path(directory))
    hear: Callable[[Turn], object] = memory.process_turn
    taken = []
    for n in range(times):
        text = f"Remember that {sentence(10**6 * (number + 2) + n)}"
        begun = time.perf_counter()
        hear(Turn("user", text, conversation=f"c-{number}-{n}", message=f"m-{n}"))
        taken.append(time.perf_counter() - begun)
    memory.close()
    answers.put(taken)
