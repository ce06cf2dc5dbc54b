"""Configuration: config.toml of the user and of a project, checked and merged.

Implements specs/files.md (F-9…F-11). The user's own wins over a project's committed one. Committed
configuration may set only the numbers and switches of this list, never paths, addresses, commands or trusted keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from ledger import location
from ledger.errors import UsageError
from ledger.named_tuple import NamedTuple
from ledger.toml_file import parsed, read_text
from projections.settings import RenderSettings

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

    from ledger.event import By

CONFIG_NAME = location.CONFIG_NAME

POLICIES: Mapping[str, tuple[float, float]] = MappingProxyType({"ask-first": (0.7, 0.5), "wundr": (0.6, 0.3)})
"""For each `policy` the defaults of `min_confidence` and `ask_confidence` (specs/capture.md K-61)."""


class Configuration(NamedTuple):
    """All settings; names as in config.toml with dots as underscores."""

    enabled: bool = True
    policy: str = "ask-first"
    scopes_user: bool = True
    scopes_project: bool = True
    scopes_local: bool = True
    min_confidence: float = 0.7
    ask_confidence: float = 0.5
    max_lines_per_file: int = 200
    max_bytes_per_file: int = 25_000
    injection_token_budget: int = 2000
    injection_questions: bool = True
    detector_max_per_turn: int = 3
    decay_enabled: bool = True
    decay_days: int = 90
    overflow_enabled: bool = True
    gc_threshold: float = 0.2
    gc_max_age_days: int = 30
    limits_per_conversation: int = 10
    limits_per_hour: int = 25
    episodes_user_messages: int = 8
    episodes_exchanges: int = 15
    daily_archive_days: int = 30
    vectors_enabled: bool = True
    vectors_address: str = ""
    vectors_model: str = ""
    anchor_method: str = "checkpoint"
    anchor_url: str = ""
    anchor_every_days: int = 7
    anchor_witness: str = ""
    anchor_policy: str = ""
    anchor_roots: str = ""
    anchor_headers: str = ""
    team_interval: int = 300
    trust_git: tuple[str, ...] = ()
    scripts: bool = False
    edits: str = "adopt"
    seen: bool | str = True
    model: str = ""
    render: Mapping[str, Any] = {}

    def switched_off(self, scopes: Iterable[str]) -> tuple[str, ...]:
        """Return the settings that keep these scopes out of the prompt, as config.toml names them."""
        if not self.enabled:
            return ("enabled",)
        on = {"user": self.scopes_user, "project": self.scopes_project, "local": self.scopes_local}
        return tuple(f"scopes.{name}" for name in scopes if not on[name])

    def render_settings(self) -> RenderSettings:
        """Return the settings that documents depend on."""
        return RenderSettings(
            max_lines=self.max_lines_per_file,
            max_bytes=self.max_bytes_per_file,
            overflow=self.overflow_enabled,
            decay=self.decay_enabled,
            decay_days=self.decay_days,
            archive_days=self.daily_archive_days,
            token_budget=self.injection_token_budget,
        )


_TABLES = frozenset(
    {
        "scopes",
        "detector",
        "decay",
        "overflow",
        "gc",
        "limits",
        "episodes",
        "daily",
        "vectors",
        "anchor",
        "team",
    }
)


def _keys_of(name: str) -> tuple[str, ...]:
    """Return the keys that lead to a setting in config.toml: `gc_max_age_days` stands in the table `gc`."""
    table, _, rest = name.partition("_")
    return (table, rest) if table in _TABLES else (name,)


_DEFAULTS = Configuration()
_KNOWN = {_keys_of(name): name for name in Configuration._fields}
_ALL = ", ".join(".".join(keys) for keys in _KNOWN)
ANCHORS = ("checkpoint", "witness", "ots", "rfc3161", "evm")
"""The values of `anchor.method`: what `maintain` does (specs/anchors.md W-70)."""
EDITS = ("adopt", "review")
"""The values of `edits`: whether all of a person's commands import edits, or only `adopt` (specs/editing.md D-81)."""

ANCHORED = "anchored"
"""The third value of `seen`, beside true and false (specs/report.md H-46)."""

_OWN_ONLY = frozenset(
    {"trust_git", "scripts", "edits", "seen", "model", "render", "vectors_address", "vectors_model"}
) | {name for name in _KNOWN.values() if name.startswith("anchor_")}
MOST = 1_000_000_000
"""No count, size or number of days may be larger."""


def load(own: Path, committed: Path | None = None) -> Configuration:
    """Return the configuration of a user's file and a project's committed one; a missing file sets nothing.

    Raises:
        UsageError: a file is not TOML, or sets something unknown, of a wrong type or out of its range; the
            message names file and key.
    """
    found, faults = load_to_read(own, committed)
    if faults:
        raise UsageError(faults[0])
    return found


def is_no_person(by: By, home: location.Home) -> bool:
    """Return whether no person writes: an agent does, or a script that the user's own file does not allow (X-292).

    An unreadable file allows none (F-21).
    """
    if by.role == "system":
        return not load_to_read(home.path / CONFIG_NAME)[0].scripts
    return by.role == "agent"


def load_to_read(own: Path, committed: Path | None = None) -> tuple[Configuration, tuple[str, ...]]:
    """Return the configuration, and the faults of the files that cannot be read; such a file sets nothing (F-21)."""
    values: dict[str, Any] = {}
    faults: list[str] = []
    for path in (committed, own):
        if path is None or (path is committed and path == own):
            continue
        try:
            values.update(_read(path, committed_file=path is committed))
        except UsageError as error:
            faults.append(str(error))
    sure, ask = POLICIES[values.get("policy", _DEFAULTS.policy)]
    return Configuration(**{"min_confidence": sure, "ask_confidence": ask, **values}), tuple(faults)


def _read(path: Path, *, committed_file: bool) -> dict[str, Any]:
    try:
        text = read_text(path)
        if all(line.lstrip(" \t")[:1] in ("", "#", "\n") for line in text.splitlines()):
            return {}  # as `init` writes it; hooks wait for every import
        table = parsed(text)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {reason}") from None
    values = {}
    for keys, value in _flat(table):
        shown, name = ".".join(keys), _KNOWN.get(keys)
        if name is None:
            raise UsageError(f"{path}: {shown} is not a setting; {_meant(shown)}")
        if committed_file and name in _OWN_ONLY:
            raise UsageError(f"{path}: {shown} is allowed only in your own config.toml, not in a project's")
        good, kind = _judged(getattr(_DEFAULTS, name), value)
        if name == "anchor_method":
            good, kind = value in ANCHORS, f"one of {', '.join(ANCHORS)}"
        if name == "edits":
            good, kind = value in EDITS, f"one of {', '.join(EDITS)}"
        if name == "seen":
            good, kind = isinstance(value, bool) or value == ANCHORED, f'true, false or "{ANCHORED}"'
        if not good:
            raise UsageError(f"{path}: {shown} is {value!r}; it must be {kind}")
        values[name] = _as_default(getattr(_DEFAULTS, name), value)
    return values


def _meant(shown: str) -> str:
    """Return the settings with a similar name; all of them if there is none."""
    from difflib import get_close_matches

    spelled = {
        ".".join(keys): " ".join([*(f"[{table}]" for table in keys[:-1]), keys[-1]]) for keys in _KNOWN
    }
    near = get_close_matches(shown, spelled, n=2, cutoff=0.7)
    return f"did you mean {' or '.join(spelled[name] for name in near)}?" if near else f"these are: {_ALL}"


def _flat(table: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each setting of a file with the keys that lead to it."""
    for name, value in table.items():
        if isinstance(value, dict) and (name,) not in _KNOWN:
            yield from (((name, inner), item) for inner, item in value.items())
        else:
            yield (name,), value


def _judged(default: Any, value: Any) -> tuple[bool, str]:
    """Return whether a value has its default's type and is in its range, and the sentence that describes a valid one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, bool):
        return isinstance(value, bool), "true or false"
    if default == "":
        named = isinstance(value, str) and value.strip() != "" and value.isprintable()
        return named, "a text of one line"
    if isinstance(default, str):
        return isinstance(value, str) and value in POLICIES, f"one of {', '.join(POLICIES)}"
    if isinstance(default, float):
        return is_number and 0 <= value <= 1, "a number from 0 to 1"
    if isinstance(default, int):
        whole = is_number and 0 <= value <= MOST and value == int(value)
        return whole, f"a whole number from 0 to {MOST}"
    if isinstance(default, tuple):
        texts = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
        return texts, "a list of texts"
    return _names_a_folder(value), "memory = a folder (/… or ~/…), or openclaw = true"


def _names_a_folder(value: Any) -> bool:
    """Return whether a table names at most one folder for the documents (G-25)."""
    if not isinstance(value, dict) or not {"memory", "openclaw"}.issuperset(value):
        return False
    folder, switch = value.get("memory", ""), value.get("openclaw", False)
    absolute = isinstance(folder, str) and (folder.startswith(("/", "~/")) or folder == "")
    printable = absolute and folder.isprintable()
    return printable and isinstance(switch, bool) and not (folder and switch)


def _as_default(default: Any, value: Any) -> Any:
    """Return a valid value in its default's type: TOML has lists, and 200.0 for 200."""
    return value if isinstance(default, bool | dict) else type(default)(value)


TEMPLATE = """\
# muniment settings; what is commented out shows the default. An unknown setting is an error that names what may be meant.
# max_lines_per_file = 200
# max_bytes_per_file = 25000
# injection_token_budget = 2000
# injection_questions = true

# What is learned from conversations: sure things at once, others are asked for ("wundr" takes more).
# policy = "ask-first"
# min_confidence = 0.7
# ask_confidence = 0.5

# [decay]
# enabled = true
# days = 90

# [gc]
# threshold = 0.2
# max_age_days = 30

# [detector]
# max_per_turn = 3

# [limits]
# per_conversation = 10
# per_hour = 25

# [episodes]
# user_messages = 8
# exchanges = 15

# [daily]
# archive_days = 30

# Search by meaning, with the model of muniment[vectors] or, with an address, an OpenAI-compatible embedding endpoint:
# every memory and every query is then sent to that address. Only in your own file.
# [vectors]
# enabled = true
# address = "http://127.0.0.1:11434/v1"
# model = "nomic-embed-text"

# What maintain does with the ledger's checkpoint: keep it (checkpoint), write a transaction for your wallet (evm), or
# ask the address in url (witness, ots, rfc3161); whom verify trusts. Only in your own file.
# [anchor]
# method = "checkpoint"
# url = "https://witness.example/"
# every_days = 7
# witness = "witness.example+1a2b3c4d+…"
# policy = "~/witnesses.policy"
# roots = "~/tsa-roots.pem"
# headers = "~/bitcoin-headers"

# Let your own scripts, which have no terminal, erase, replace and confirm without asking you. Only in your own file.
# scripts = false

# Let what was typed into documents wait until you run adopt. Only in your own file.
# edits = "review"

# What agents were shown is recorded on this machine: ids, no texts ("anchored" also signs a digest of each day).
# Only in your own file.
# seen = true

# Where your own documents lie, if not in this folder: OpenClaw's workspace, or another folder that is yours.
# [render]
# openclaw = true
# memory = "~/notes"
"""
