"""What the trees of a team's refs hold: segments in folders of 1,000 seqs, and notes in a folder for each kind.

Implements specs/team.md (TM-74, TM-75). A tree is named by its content, so the lines that a folder of segments covers are
remembered by its name and never read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transports.git_repository import CacheRepository
from transports.places import Spans, first_of, line_count, merged, segment_name
from transports.protocol import MOST_BYTES, MOST_LINES

_MOST_TREE_BYTES = 4 << 20
_SEQS = 1_000


def segment_path(first: int) -> str:
    """Return the path of a segment in its tree."""
    return f"{first // _SEQS:07d}/{segment_name(first)}"


def segments_from(repository: CacheRepository, commits: Iterable[str], seq: int) -> list[tuple[int, str]]:
    """Return the first seqs, ordered, and the objects of all segments in the commits' trees that can hold line `seq` or a later one."""
    lowest = seq - MOST_LINES + 1
    folders = [
        tree
        for folders in _folders(repository, commits).values()
        for number, tree in folders.items()
        if number >= lowest // _SEQS
    ]
    inside = _segments(repository, folders).values()
    return sorted({(first, name) for each in inside for first, name in each if first >= lowest})


def notes_in(repository: CacheRepository, commits: Iterable[str], kind: str) -> list[tuple[str, str]]:
    """Return the names, ordered, and the objects of the notes of a kind in the commits' trees."""
    found = repository.objects([f"{commit}:{kind}" for commit in commits], _MOST_TREE_BYTES)
    return sorted({entry for tree in found for entry in repository.tree(tree).items()})


def spans(
    repository: CacheRepository, commits: Iterable[str], known: dict[str, Spans]
) -> Mapping[str, Spans]:
    """Return for each commit the lines that its tree covers.

    Args:
        repository: holds the commits.
        commits: of chains.
        known: the lines that folders cover, by the names of their trees; it is brought up to date.
    """
    inside = {commit: list(folders.values()) for commit, folders in _folders(repository, commits).items()}
    used = list(dict.fromkeys(folder for folders in inside.values() for folder in folders))
    new = _segments(repository, [folder for folder in used if folder not in known])
    counts = _line_counts(repository, {name for segments in new.values() for _, name in segments})
    known.update(
        {
            folder: merged((first, first + counts[name]) for first, name in segments if counts[name])
            for folder, segments in new.items()
        }
    )
    for folder in known.keys() - set(used):
        del known[folder]
    return {
        commit: [span for folder in folders for span in known[folder]] for commit, folders in inside.items()
    }


def _folders(repository: CacheRepository, commits: Iterable[str]) -> dict[str, dict[int, str]]:
    """Return the folders of segments in each commit: their numbers and trees."""
    commits = list(commits)
    roots = repository.objects([f"{commit}^{{tree}}" for commit in commits], _MOST_TREE_BYTES)
    return {
        commit: {
            int(name): tree
            for name, tree in repository.tree(root).items()
            if len(name) == 7 and name.isascii() and name.isdecimal()
        }
        for commit, root in zip(commits, roots, strict=True)
    }


def _segments(repository: CacheRepository, folders: list[str]) -> dict[str, list[tuple[int, str]]]:
    """Return what each folder's tree holds: the first seqs and the objects of its segments."""
    trees = repository.objects(folders, _MOST_TREE_BYTES)
    return {
        folder: [
            (first, object_)
            for name, object_ in repository.tree(tree).items()
            if (first := first_of(name)) is not None
        ]
        for folder, tree in zip(folders, trees, strict=True)
    }


def _line_counts(repository: CacheRepository, blobs: Iterable[str]) -> dict[str, int]:
    names = list(blobs)
    found = repository.objects(names, MOST_BYTES)
    return {name: line_count(each.data) if each else 0 for name, each in zip(names, found, strict=True)}
