"""The word lists of likeness: words that negate a clause, words without content, synonyms, words that exclude each other.

Implements specs/likeness.md (L-3, L-5…L-8). Tables, and the stem of a word; nothing here reads a sentence. `canonical`
maps inflections to one form, so that one entry covers all of them.
"""

from __future__ import annotations

from functools import cache, lru_cache

from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

NEGATORS = frozenset(
    """not no never none nobody nothing neither nor avoid refuse hate dislike discourage disable deactivate
    forbid forbidden ban prohibit disallow deny lack dropped""".split()
)
"""Each negates its clause (L-5). The verbs among them say nothing else: `disable x` is `do not enable x`."""

DENIALS = frozenset("not no never neither nor".split())
"""Negators that begin a clause of their own after a negated one (L-5)."""

NEGATED = {
    "exclude": "include",
    "omit": "include",
    "unsupported": "supported",
    "deprecated": "supported",
    "unlikely": "likely",
    "disagree": "agree",
    "unhappy": "happy",
    "unwelcome": "welcome",
    "unavailable": "available",
}
"""Words that mean the negation of another word (L-5)."""

OTHERWISE = frozenset("without except excluding sans minus".split())
"""Words that open a part with the opposite sign of its clause (L-5)."""

CONDITIONS = frozenset(
    "when whenever if while once because since during unless until before after whether though although".split()
)
"""Words that open a part that is not asserted (L-6)."""

RELATIONS = frozenset(
    "into depend than replace override extend block precede inherit wrap trigger supersede outrank".split()
)
"""The texts to the left and right of one of these cannot change places (L-7)."""

PERMISSION = frozenset("can may could might allow allowed permit permitted okay ok fine".split())
"""Words of permission, which is not an obligation (L-10)."""

LIMITS = frozenset(
    """only some most many few more less fewer both half exclusively except atleast atmost morethan lessthan
    sometimes often usually rarely mostly optional temporarily experimental unless until interval""".split()
)
"""Words that narrow or widen a statement; they must be equal (L-10)."""

FRAME = frozenset(
    """handle know set say tell come comes a an the this that these those it its they them their there here he she his her
    we our us you your i me user users project codebase is are was were be been being am do does did done has have
    had having will would shall should must ought need require required requirement mandatory want like prefer
    preferred love use used enable activate make sure ensure keep let lets get go happen always please also still
    currently now generally possible where in on at of for to with by from as via inside within against up out and
    or any all each every just too very really ever anymore manage live locate work works run ran execute perform
    doing using rather instead about per which who what how so put sit reside contain hold store kept retain
    retained can may could might allow allowed permit permitted okay ok fine add over then than through built write
    into longer way goes written listen serve adopt favor favour turn switch remember simply directly straight
    actually""".split()
)
"""Words without content of their own: articles, pronouns, auxiliaries, prepositions, and verbs of order, possession and
place, which the other words imply (L-3)."""

KINDS = frozenset("file directory link port code name version".split())
"""Words that only name the kind of the fact beside them; they weigh little."""

GRAMMAR = FRAME | LIMITS | NEGATORS | CONDITIONS | OTHERWISE | frozenset("and or but off then".split())
"""Grammar words; alone in a code span each of them is a name instead."""

SOFT = KINDS | frozenset("first current actual maximum again simply build".split())
"""Words that weigh little: one more of them does not make a text different (L-10)."""

ITEMS = frozenset(
    """task subtask todo item step phase wave round sprint iteration milestone checkpoint gate layer issue bug story
    epic pr lesson rule ac chapter section part appendix figure case scenario example slice session adr rfc""".split()
)
"""A number right after one of these is a name of one of many, not a value (L-8)."""

EVENTS = frozenset("released shipped published tagged merged".split())
"""A number after one of these names one of many, too."""

DEEDS = {
    **dict.fromkeys(
        "run runs running ran execute executes executed execution perform performed".split(), "run"
    ),
    **dict.fromkeys("add adds added adding".split(), "add"),
    **dict.fromkeys("keep keeps kept retain retains retained".split(), "keep"),
    **dict.fromkeys("write writes writing wrote written".split(), "write"),
    **dict.fromkeys("make makes".split(), "make"),
    **dict.fromkeys("work works working".split(), "work"),
    **dict.fromkeys("say says tell tells".split(), "say"),
    **dict.fromkeys("know knows remember".split(), "know"),
    **dict.fromkeys("set sets".split(), "set"),
    **dict.fromkeys("store stores stored put live lives located reside resides hold holds".split(), "place"),
}
"""Verbs of the frame that still name an action: texts with different ones are not the same (L-10)."""

VALUE_LEADS = frozenset("in on at to by".split())
"""The prepositions that can open a value after a verb of PLACED."""

SCOPES = frozenset("for in on at to by during from of inside within against".split())
"""The words after one of these say where or for what a text holds (L-8), unless a verb of PLACED precedes."""

PLACED = frozenset(
    """live store keep locate write written build built save hold reside reply answer host deploy report send publish
    upload manage track hash compress encode bundle template own go""".split()
)
"""With a preposition each of these opens a single value: `stored in X`, `written in X`, `reported to X`."""

OUTCOMES = frozenset("passed failed skipped waiting pending completed".split())
"""A number right before one of these, or before its noun, counts the results of a run (L-8)."""

PRESCRIBED = frozenset("used required needed preferred mandatory minimum maximum default".split())
"""The subject of one of these is required, as after `use`: `Python 3.12 is used` (L-8)."""

NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}

UNITS = {
    **dict.fromkeys("ms millisecond milliseconds msec".split(), (1, "ms")),
    **dict.fromkeys("s sec secs second seconds".split(), (1000, "ms")),
    **dict.fromkeys("min mins minute minutes".split(), (60_000, "ms")),
    **dict.fromkeys("h hr hrs hour hours".split(), (3_600_000, "ms")),
    **dict.fromkeys("d day days".split(), (86_400_000, "ms")),
    **dict.fromkeys("week weeks".split(), (604_800_000, "ms")),
    **{name: (1000**power, "byte") for power, name in enumerate("kb mb gb tb".split(), 1)},
    **{name: (1024**power, "byte") for power, name in enumerate("kib mib gib tib".split(), 1)},
    "px": (1, "px"),
    **dict.fromkeys(("%", "percent"), (1, "%")),
    "k": (1000, ""),
}
"""Units of numbers, each with its factor and base unit (L-4); all other units are words."""

SYNONYMS = """
repository repo | config configuration configure settings conf | directory folder dir | database db
postgres postgresql pg | kubernetes k8s | javascript js | typescript ts | python py | node nodejs node.js
golang go-lang | pull-request pr mr merge-request pullrequest mergerequest | documentation docs doc document
environment env | variable var | dependency dep package library lib | application app | authentication auth
authorization authz | admin administrator | argument arg | parameter param | function func fn | character char column
maximum max upper-limit | minimum min | message msg | request req call | response reply answer respond | error exception
expire ttl expiry expiration last | timeout time-out timeouts | delete remove erase
show display present | begin start launch boot | end finish stop | create make-new generate | edit modify change touch
update refresh bump | fix repair | big large huge | small little tiny | short concise brief terse succinct
long verbose lengthy wordy detailed | fast quick rapid | ask confirm-with check-with | install add-dependency
emoji emojis | comment remark | explain explanation describe | summary summarize summarise recap
apologize apologise apology sorry | lint linter linting | format formatter formatting style | ci pipeline
e2e end-to-end endtoend | test testing | indent indentation | uppercase upper-case uppercased capital
lowercase lower-case | timezone time-zone tz | id identifier ids | url address link | docker-image image
approval approve approver | review reviewer | require demand | fail break crash | flaky intermittent intermittently unstable
ticket issue | daily everyday | beginner novice newbie | senior experienced | dev development | prod production
mac macos osx | windows win | forbid ban | machine box host | hash hashing
memory ram | storage disk | limit cap | percent % | log logging logs | report send
step-by-step stepwise | diff diffs | secret credential | command cmd | upload uploads
asynchronous async | synchronous sync | reason reasoning rationale | preference pref | example sample
automatic automatically auto | branch branches | language lang | vcs version-control
temporary temp tmp | override overridden | information info | reference ref | statistics stats | specification specs
"""
"""Groups of synonyms, as stems; the first names the group."""

RIVALS = """
npm pnpm yarn bun deno | pip uv poetry pipenv conda pdm | tab space | dark light | main master trunk develop
pytest unittest nose | jest vitest mocha jasmine | eslint biome tslint | black yapf autopep8 | mypy pyright
postgres mysql sqlite mongodb mariadb | rest graphql grpc soap | merge rebase squash | single double
camel-case snake-case pascal-case kebab-case | asynchronous synchronous | concise verbose | short long |
public private | http https ssh | ascending descending asc desc | first last | atleast atmost | before after
include exclude | start end | keep delete | large small
fast slow | relative absolute | local remote | internal external | uppercase lowercase | newest oldest | latest oldest
fifo lifo | functional class | composition inheritance | mutable immutable | eager lazy | static dynamic
monday tuesday wednesday thursday friday saturday sunday | morning afternoon evening | vim neovim emacs vscode
bash zsh fish | english german french spanish italian japanese portuguese chinese | british american | linux mac windows
react vue svelte angular | redux zustand mobx | go rust java kotlin | github gitlab bitbucket | minimum maximum
debug info warning | high low | left right | top bottom | open close | accept reject | manual automatic

utc gmt cet cest pst pdt est edt mst ist jst bst aest
more less fewer | above below | hourly daily nightly weekly monthly yearly | hard soft | toml yaml json ini
encode decode | encrypt decrypt | upgrade downgrade | increase decrease | stateless stateful
opt-in opt-out | client-side server-side | left-handed right-handed | early late | serial parallel
eur usd gbp chf jpy cad aud inr | show hide | grant revoke | attach detach | push pull | allow block | add delete | expand collapse
faster slower | bigger smaller | larger smaller | older newer | older younger | longer shorter | higher lower
better worse | cheaper pricier | cheaper dearer | earlier later | heavier lighter | stronger weaker | safer riskier
easier harder | simpler trickier | closer farther | wider narrower | deeper shallower | thicker thinner
sender receiver | producer consumer | publisher subscriber | encoder decoder
debian ubuntu alpine fedora centos rhel arch
"""
"""Groups of words that exclude each other in the same place; `un-`, `de-` and similar prefixes follow a rule."""

_OPPOSED = ("un", "non", "in", "im", "il", "ir", "dis", "de", "non-")
_NOT_OPPOSED = frozenset(
    """import input install inform indent invoice increase improve implement impress discover display distribute discuss
    default detail design deport decide demand depart depress depend detest united until""".split()
)
"""Words that begin like a negation but do not negate the rest of the word."""

_VOWEL = lazy_pattern(r"[aeiouy]")
_KEPT = frozenset(
    """https css aws dns tls ios macos redis postgres kubernetes always this was has does its windows canvas alias
    status news prometheus jenkins axios nothing string need speed feed seed embed thing morning evening during
    rails pandas keras spring friday likely early nightly hourly yes process class address access release database
    succeed""".split()
)
_ENDS = ("ations", "ation", "ments", "ment", "ings", "ing", "ed", "ies", "es", "s", "ly")


@lru_cache(maxsize=8192)
def canonical(word: str) -> str:
    """Return the stem of a word, or the representative of its group of synonyms."""
    known = _synonyms()
    if group := known.get(word):
        return group
    rest = stem(word)
    return known.get(rest, rest)


def stem(word: str) -> str:
    """Return an English word without its inflection; technical words stay unchanged."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha() or word in _KEPT:
        return word
    if not word.endswith(_ENDS):
        return _base(word)
    for end in _ENDS:
        if not word.endswith(end):
            continue
        rest = word[: -len(end)]
        if end == "s" and rest[-1] in "sui":
            continue
        if end == "es" and not rest.endswith(("s", "x", "z", "ch", "sh")):
            continue
        if end == "ies":
            return rest + "y"
        if len(rest) < (4 if "m" in end or "a" in end else 3) or not _VOWEL.search(rest):
            continue
        return stem(rest) if end in ("s", "es") and rest.endswith(("ing", "ment", "ation")) else _base(rest)
    return _base(word)


def _base(rest: str) -> str:
    """Undo the effect of an ending on a stem: a doubled consonant, a silent e, an i for a y."""
    if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "aeiouls":
        return rest[:-1]
    if len(rest) > 3 and rest[-1] == "e":
        return rest[:-1]
    return rest[:-1] + "y" if len(rest) > 3 and rest[-1] == "i" else rest


def _groups(table: str) -> list[list[str]]:
    return [group.split() for line in table.strip().split("\n") for group in line.split("|")]


@cache
def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in _groups(SYNONYMS):
        for word in group:
            found[word] = found[f"{word}s"] = group[0]
            if len(rest := stem(word)) > 3:
                found[rest] = group[0]
    return found | {"set": "set"} | dict.fromkeys(("called", "name", "named", "names", "naming"), "name")


@cache
def _rivals() -> dict[str, frozenset[int]]:
    """Return the groups of rivals of each word."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_groups(RIVALS)):
        for word in group:
            found.setdefault(canonical(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def are_rivals(one: str, other: str) -> bool:
    """Return whether one word excludes the other in the same place (L-8)."""
    rivals = _rivals()
    one, other = one.rstrip("="), other.rstrip("=")
    if not rivals.get(one, frozenset()).isdisjoint(rivals.get(other, frozenset())):
        return True
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    return (
        long.endswith(short)
        and len(short) > 2
        and long[: -len(short)] in _OPPOSED
        and long not in _not_opposed()
    )


@cache
def _not_opposed() -> frozenset[str]:
    return frozenset(map(canonical, _NOT_OPPOSED))


class Tables(NamedTuple):
    """The tables for single words."""

    negators: frozenset[str]
    frame: frozenset[str]
    relations: frozenset[str]
    placed: frozenset[str]
    kinds: frozenset[str]
    soft: frozenset[str]
    items: frozenset[str]


def is_known(word: str) -> bool:
    """Return whether a table has this exact word, with hyphens and dots."""
    return word in _synonyms() or word in _rivals()


def is_name(word: str) -> bool:
    """Return whether a word that ends in s is a name instead of a plural: `windows`, `rails`."""
    return word in _KEPT


@cache
def tables() -> Tables:
    """Return the tables with each word and its canonical form; built at the first comparison."""
    return Tables(
        negators=_with_canonical(NEGATORS) - {"drop", "not"},
        frame=_with_canonical(FRAME),
        relations=_with_canonical(RELATIONS),
        placed=_with_canonical(PLACED),
        kinds=_with_canonical(KINDS),
        soft=_with_canonical(SOFT),
        items=_with_canonical(ITEMS) | EVENTS,
    )


def _with_canonical(words: frozenset[str]) -> frozenset[str]:
    return words | {canonical(word) for word in words if not word.endswith(("ly", "done"))}
