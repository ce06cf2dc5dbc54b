"""Sorts what is worth remembering: its type, section, scope, category and importance.

Implements specs/capture.md (K-28…K-31). By the signals of the sentence and the words of the line that is to be stored. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ledger.memory import CORRECTIONS

Signals = frozenset[str]

PERSONAL = frozenset(("name", "family", "health", "place"))
"""Signals of facts that belong to the person, wherever they work."""


class Sorted(NamedTuple):
    """Where a memory belongs. `section` is "" where the type's own section applies (specs/memory.md M-6)."""

    type: str
    section: str
    scope: str
    category: str
    importance: str


_FIRST_PERSON = re.compile(r"\b(?:I|i|I'm|i'm|my|My|me|mine|myself|im|ive)\b")
_LOCAL = re.compile(
    r"""\b(?:this|my|our)\ (?:own\ )?(?:\w+\ )?(?:machine|laptop|mac(?:book)?|box|computer|pc|workstation|desktop|
      checkout|clone|wsl|vm|container|rig|shell|
        terminal|dev\ box|home\ directory|gpu|keyboard|pi|raspberry|node|host|ssh\ config|homelab|checkouts)\b
      | \bon\ (?:here|windows\ here|this\ \w+)\b | \blocal(?:ly|host)\b | \blocal\ (?:db|database|postgres|redis|
      port|install|setup|build|machine|copy|docker)\b
      | \b(?:auf\ (?:diesem|meinem)\ (?:rechner|laptop)|sur\ (?:cette|ma)\ machine|en\ (?:esta|mi)\ m[áa]quina|
      n(?:esta|a\ minha)\ máquina)\b
      | (?:^|\s)(?:/home/|/Users/|~/|[A-Z]:\\\\) | \b(?:brew|homebrew|apt|pacman|direnv|asdf|pyenv|nvm|mise|
      sdkman)\b.*\bhere\b | \$HOME\b
      | \b\d+\s?(?:gb|tb)\ (?:of\ )?(?:ram|memory|vram|card|disk)\b | \b(?:no|have)\ (?:sudo|root|admin)\b |
      \bsudo\ here\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OF_PROJECT = re.compile(
    r"""\b(?:we|we're|we've|our|ours|us|the\ team|repo(?:sitory)?|monorepo|project|codebase|code\ base|
      branch(?:es)?|commits?|prs?|pull\ requests?|merge[ds]?|
        review(?:s|ers?)?|ci|cd|pipeline|deploy(?:s|ed|ment|ments)?|prod(?:uction)?|staging|stage|server|servers|
        cluster|customers?|clients?|users?|tests?|
        endpoints?|api|apis|backend|frontend|service|services|database|db|schema|migrations?|tables?|columns?|
        module|package|modules|packages|library|
        config|lint(?:er)?|types?|class(?:es)?|functions?|components?|css|sql|json|yaml|docker(?:file)?|makefile|
        release[sd]?|version|versions|build[s]?|
        lives?\ (?:in|under|next)|handlers?|fixtures?|variables?|env|secrets?|tokens?|logs?|logging|errors?|
        files?|folder|directory|imports?|flags?|app|apps|
        changelog|license|licence|docs?|comments?|indent\w*|tabs|spaces|line\ length|columns|headers?|firmware|
        board|dataset|model|features?)\b
      | [\w-]+/[\w./-]+ | \b\w+_\w+\b | `""",
    re.VERBOSE | re.IGNORECASE,
)
_TO_AGENT = re.compile(
    r"""\b(?:answers?|repl(?:y|ies)|respon[ds]e?s?|respond|explanations?|explain|emojis?|apologi[sz]e|
      compliments?|concise|brief|terse|verbose|tone|
        ask\ me|tell\ me|show\ me|give\ me|call\ me|talk\ to\ me|warn\ me|remind\ me|ping\ me|let\ me|
        wait\ for\ (?:me|my)|confirm\ with\ me|check\ with\ me|ask\ (?:first|before)|
        without\ asking|step\ by\ step|one\ (?:step|thing)\ at\ a\ time|summar(?:y|ies|i[sz]e)|bullet|bullets|
        jargon|small\ talk|small\ words|
        antwort\w*|réponds|réponses|responde\w*|respuestas|respostas|in\ (?:english|german|french|spanish|dutch|
        italian|portuguese|polish)|
        auf\ deutsch|en\ français|en\ español|em\ português|you|your)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_COMMAND = re.compile(
    r"`[^`]*`|(?:^|\s)(?:\./|\w+\s--?\w)|\b(?:make|npm|pnpm|yarn|bun|uv|poetry|pip|cargo|go|docker|"
    r"kubectl|git|gradle|mvn|just|task|tox|nox|pytest|"
    r"npx|dotnet|terraform|helm|bundle|rake|mix|composer)\b"
)
_RUNS = re.compile(
    r"\b(?:run|runs|deploy|deploys|build|builds|test|tests|start|starts|install|lint|format|release|"
    r"publish|use|with|via|through|command|port|tool)\b",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"^(?:always|never|don't|do not|use|avoid|prefer|keep|no|only|stop|ask|tell|show|answer|reply|respond|"
    r"write|run|put|call|make|give|"
    r"explain|when|whenever|if|before|after|leave|treat|deploy|build|test|stick|follow|be|please|add|"
    r"commit|name|format|check|wait|"
    r"antworte|benutze|verwende|nutze|réponds|utilise|évite|usa|utiliza|responde|evita|use|responda|evite|"
    r"keine?|nie|immer)\b",
    re.IGNORECASE,
)
_CRITICAL = re.compile(
    r"\b(?:never|nie|niemals|jamais|nunca|must not|under no circumstances|do not ever|don't ever|"
    r"forbidden|off limits|off-limits|banned|allerg\w+|"
    r"irreversible|data loss|legal|gdpr|secret|secrets|patient)\b",
    re.IGNORECASE,
)


def sort(said: str, line: str, signals: Signals, *, corrected: bool = False) -> Sorted:
    """Return where a memory belongs, by what was said and the line that is to be stored."""
    scope = _scope(said, line, signals)
    kind = _type(line, signals, scope)
    return Sorted(
        kind,
        _section(line, scope, kind, corrected=corrected),
        scope,
        _category(line, scope, kind, corrected=corrected),
        _importance(line, signals, kind),
    )


def _scope(said: str, line: str, signals: Signals) -> str:
    mine = _FIRST_PERSON.search(said) is not None
    if "machine" in signals or _LOCAL.search(said) is not None:
        return "local"
    if "name" in signals or "family" in signals or "health" in signals:
        return "user"
    if "project" in signals or "team" in signals:
        return "project"
    if mine or _TO_AGENT.search(said) is not None:
        return "user"
    if signals & {"answers", "prefer", "dislike", "wants", "role", "place"}:
        return "user"
    return "project" if _OF_PROJECT.search(said) or not line.startswith("The user") else "user"


def _type(line: str, signals: Signals, scope: str) -> str:
    about_user = line.startswith(("The user", "the user"))
    if "decided" in signals and "prefer" not in signals:
        return "decision"
    if "committed" in signals and about_user:
        return "commitment"
    if scope == "user":
        if signals & {"prefer", "dislike", "wants"} and not signals & {"name", "family", "health"}:
            return "preference"
        if signals & {"name", "role", "place", "health"} and about_user:
            return "identity"
        if _INSTRUCTS.match(line) or "answers" in signals:
            return "preference"
        return "fact"
    if scope == "project" and "project" not in signals and signals & {"prefer", "dislike"}:
        return "preference"
    return "fact"


def _section(line: str, scope: str, kind: str, *, corrected: bool) -> str:
    if corrected:
        return CORRECTIONS
    if kind in ("decision", "commitment", "identity", "preference") and scope == "user":
        return ""
    if kind == "fact" and scope == "user":
        return "People & Roles" if line.startswith("The user") else "User Preferences"
    if kind == "decision":
        return ""
    if _COMMAND.search(line) and _RUNS.search(line):
        return "Tool Usage"
    return "Project Conventions"


def _category(line: str, scope: str, kind: str, *, corrected: bool) -> str:
    if corrected:
        return "repeated-correction"
    if scope == "user":
        return "user-preference" if kind == "preference" else ""
    if kind in ("decision", "commitment"):
        return ""
    if _COMMAND.search(line) and _RUNS.search(line):
        return "tool-usage"
    return "project-pattern" if scope == "project" else ""


def _importance(line: str, signals: Signals, kind: str) -> str:
    if _CRITICAL.search(line) is not None or "remember" in signals:
        return "high"
    return "high" if kind in ("decision", "identity") else "medium"
