"""Sorts what is worth remembering: its type, section, scope, category and importance.

Implements specs/capture.md (K-28…K-31). By the signals of the sentence and the words of the line that is to be stored. Pure.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from language.pieces import mark_cues, mark_runs, marks
from language.signals import cue_marks, words
from learning.detection import replacing, rewriting
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import CORRECTIONS

Signals = frozenset[str]


class Sorted(NamedTuple):
    """Where a memory belongs. `section` is "" where the type's own section applies (specs/memory.md M-6)."""

    type: str
    section: str
    scope: str
    category: str
    importance: str


_FIRST_PERSON_ELSEWHERE = lazy_pattern(
    r"\b(?:ich|mir|mich|meine?[rnsm]?|je|j'ai|j'\w+|mon|ma|mes|moi|yo|soy|tengo|mi|mis|me|vivo|prefiero|trabajo|eu|meu|minha|sou|"
    r"tenho|prefiro|moro)\b",
)
_FIRST_PERSON = lazy_pattern(r"\b(?:I|i|I'm|i'm|my|My|me|mine|myself|im|ive)\b")
_LOCAL = lazy_pattern(
    r"""\b(?:
        (?:this|my|our)\ (?:own\ )?(?:\w+\ )?(?:machine|laptop|mac(?:book)?|box|computer|pc|workstation|desktop|
          checkout|clone|wsl|vm|container|rig|shell|
          terminal|dev\ box|home\ directory|gpu|keyboard|pi|raspberry|node|host|ssh\ config|homelab|checkouts)\b
      | on\ (?:here|windows\ here|this\ \w+)\b | local(?:ly|host)\b
      | local\ (?:db|database|postgres|redis|port|install|setup|build|machine|copy|docker)\b
      | auf\ (?:diesem|meinem)\ (?:rechner|laptop)\b | sur\ (?:cette|ma)\ machine\b | sur\ (?:ce|mon)\ (?:portable|poste|pc)\b
      | en\ (?:esta|mi)\ m[áa]quina\b | en\ (?:este|mi)\ (?:port[áa]til|equipo|ordenador|laptop)\b
      | n(?:esta|a\ minha)\ máquina\b | n(?:este|o\ meu)\ (?:computador|notebook)\b
      | (?:brew|homebrew|apt|pacman|direnv|asdf|pyenv|nvm|mise|sdkman)\b.*\bhere\b
      | (?:wsl2?|zsh|m[1-4]\ (?:mac|pro|max)|mac\ m[1-4]|windows\ 1[01]|git\ worktree)\b
      | \d+\s?(?:gb|tb)\ (?:of\ )?(?:ram|memory|vram|card|disk)\b
      | (?:no|have)\ (?:sudo|root|admin)\b | sudo\ here\b )""",
    re.VERBOSE,
)
_LOCAL_PATH = lazy_pattern(
    r"(?:^|\s)(?:/home/|/users/|~/|[a-z]:\\\\)|\$home\b|(?<![\w.])/(?:dev|opt|mnt|usr/local|scratch|data)/"
)
"""Both are looked for in the sentence in lower case, which is several times as fast as to ignore case; so are those that say so."""
_SHAPES = lazy_pattern(
    r"`|\w_\w|[a-z][A-Z]|\w\.(?:py|js|ts|tsx|md|json|ya?ml|toml|go|rs|c|h|sh|sql|csv|io|internal)\b|\w/\w|--\w|(?:^|\s)\.?/\w"
)
"""How names of software look: code, a path, an option, a name in one of its spellings."""
_TECHNICAL = mark_cues(
    """repository repo monorepo codebase code git github gitlab branches branch commit commits pr prs merged merges
    merge ci cd deploys deployed deployment deployments deploy prod staging endpoint endpoints api apis
    backend frontend database databases db sql schema schemas migration migrations module modules package
    packages library libraries config configs linter lints lint function functions component components css
    html json yaml dockerfile docker makefile build builds fixture fixtures env token tokens import imports
    changelog tabs firmware dataset server servers cluster localhost ssh sudo cli python java javascript
    typescript rust golang kotlin swift ruby php node react django mysql redis sqlite kafka linux ubuntu
    compiler debugger regex async mock mocks stack cache rebase squash semver postgres postgresql indent
    indentation"""
)
"""Words of the trade."""
_PROGRAMS = frozenset(
    """npm npx pnpm yarn bun deno pip uv poetry pipenv conda cargo gradle maven mvn cmake jest vitest mocha pytest unittest
    junit rspec playwright eslint prettier biome ruff flake8 pylint mypy pyright webpack vite esbuild svelte angular django
    fastapi laravel sqlalchemy prisma terraform kubernetes k8s helm kubectl podman graphql grpc""".split()
)
"""Tools of programmers: with "here" a correction that names one speaks of the project."""
_AMBIGUOUS = frozenset(
    """test tests type types classes class table tables column columns service services feature features model
    models user users client clients customer customers app apps file files folder folders comment comments
    doc docs error errors log logs logging version versions release releases header headers review reviews
    reviewer reviewers ticket tickets variable variables flag flags handler handlers script scripts spaces
    license licence page pages button buttons screen screens device devices board boards queue queues job
    jobs worker workers secret secrets""".split()
)
"""Words of the trade that others use as well."""
_IS_AMBIGUOUS = mark_cues(_AMBIGUOUS)
_WORK = mark_cues(
    """customer customers client clients invoice invoices team office department company contract contracts budget
    staff supplier suppliers manager meeting meetings quarter sprint product products project spreadsheet
    excel policy template templates newsletter brand hardware sensor sensors device devices website ticket
    tickets release releases"""
)
"""Words of any work."""
_HOME = mark_cues(
    """kid kids children daughter daughters son sons twins toddler toddlers kindergarten nursery niece nieces nephew nephews cousin
    cousins partner girlfriend boyfriend wife husband mum mom dad mother father sister sisters brother brothers aunt aunts uncle uncles
    grandma grandpa baby babies cat cats dog dogs garden kitchen cooks cooked cooking cook baked bakes bake baking recipe recipes
    dinner lunch breakfast supper meal meals holiday holidays vacation wedding birthday birthdays school church choir gym
    yoga trains training train bike car house flat apartment rent neighbor neighbors neighbour neighbours
    doctor dentist pill pills medication knitting novel poem poems guitar piano football hiking shopping
    groceries"""
)
"""Words of a life outside work."""
_TO_AGENT = lazy_pattern(
    r"""\b(?:answers|repl(?:y|ies)|responses|respond|apologi[sz]e|compliments?|verbose|(?:ask|tell|show|give|call|
      warn|remind|ping|teach|correct|
        stop|wake|quiz|send)\ me|talk\ to\ me|let\ me|wait\ for\ (?:me|my)|(?:confirm|check)\ with\ me|
        ask\ (?:first|before)|without\ asking\ me|
        step\ by\ step|one\ (?:step|thing)\ at\ a\ time|jargon|small\ talk|antwort\w*|réponds|réponses|respuestas|
        respostas|your|you)\b
      | ^(?:\w+,?\ )?(?:answer|explain|respond|summari[sz]e|responde|responda|antworte)\b""",
    re.VERBOSE,
)
_YOU = lazy_pattern(r"\b(?:your|you)\b")
_REVIEWER = lazy_pattern(r"\bthe user (?:reviews|reads|likes|prefers|hates|wants)\b|\btheir phone\b")
_COMMAND = lazy_pattern(
    r"`[^`]*`|(?:^|\s)(?:\./|\w+\s--?\w)|\b(?:make|npm|pnpm|yarn|bun|uv|poetry|pip|cargo|go|docker|"
    r"kubectl|git|gradle|mvn|just|task|tox|nox|pytest|"
    r"npx|dotnet|terraform|helm|bundle|rake|mix|composer)\b"
)
_RUNS = lazy_pattern(
    r"\b(?:run|runs|deploy|deploys|build|builds|test|tests|start|starts|install|lint|format|release|"
    r"publish|use|with|via|through|command|port|tool)\b",
)
_INSTRUCTS = lazy_pattern(
    r"^(?:always|never|don't|do not|use|avoid|prefer|keep|no|only|stop|ask|tell|show|answer|reply|respond|"
    r"write|run|put|call|make|give|"
    r"explain|when|whenever|if|before|after|leave|treat|deploy|build|test|stick|follow|be|please|add|"
    r"commit|name|format|check|wait|"
    r"antworte|benutze|verwende|nutze|réponds|utilise|évite|usa|utiliza|responde|evita|use|responda|evite|"
    r"keine?|nie|immer)\b",
)
_PRESCRIBES = lazy_pattern(
    r"^(?:always|never|don't|do not|use|avoid|prefer|keep|no|only|stop|stick|leave|treat|follow|put|write|name|call|format|please|"
    r"add|return|throw|log)\b"
)
"""How a rule for this code begins."""
_CRITICAL = lazy_pattern(
    r"\b(?:never|nie|niemals|jamais|nunca|must not|under no circumstances|do not ever|don't ever|"
    r"forbidden|off limits|off-limits|banned|allerg\w+|"
    r"irreversible|data loss|legal|gdpr|secret|secrets|patient)\b",
)


_DECIDES = lazy_pattern(
    r"""(?:\w+\s+){0,8}?(?:we|i|the\ user|the\ team|they)(?:'re|\ are|\ is|'ve|\ have|\ has|'ll|
      \ will)?\s(?:probably\ |finally\ |now\ |all\ |both\ )?
        (?:going\ (?:to\ go\ )?with|go\ with|went\ with|dropp(?:ed|ing)|ditch(?:ed|ing)|settl(?:ed|ing)\ on|chose|picked|decided|agreed|
        ended\ up\ (?:on|with)|bit\ the\ bullet|signed\ off|won't\ support|no\ longer\ support|stopped\ supporting|adopt(?:ed|ing)|
          standardi[sz](?:ed|ing)\ on|sticking\ with|opted\ for)\b | (?:chose|picked|settled\ on|went\ with|decided\ on)\b""",
    re.VERBOSE,
)
_IS_DECIDED = lazy_pattern(
    r"""\b(?:
        (?:end\ up\ settling\ on|is\ settled|settled$|it's\ decided|made\ (?:up\ )?(?:my|our|their|the\ user's)\ minds?|won't\ support)\b
      | we\ won't\ \w+\b.*\b(?:any\s?more|any\ longer)\b
      | the\ (?:verdict|outcome|decision|vote|pick)\b(?:\ \w+){0,4}?\ (?:is|was|went)\b | our\ pick\ is\b | off\ the\ table\b
      | (?:the\ team|we)\ (?:was|were|are)\ (?:unanimous|agreed|both\ sure)\b | that's\ how\ we\ want\ it\b | what\ we(?:'ll|
        \ will)\ ship\ with\b
      | (?:settled|decided)$ | final$ | wins(?=,) | i'm\ going\ for\b | i've\ signed\ up\b | had\ the\ call\ with\b
      | (?:haben\ uns\ (?:für|entschieden)|nous\ avons\ (?:choisi|décidé)|on\ a\ (?:choisi|décidé)|
        hemos\ (?:elegido|decidido)|nos\ quedamos\ con|decidimos|escolhemos)\b )""",
    re.VERBOSE,
)
_LIKES = lazy_pattern(
    r"""\b(?:the\ user|they|i)\ (?:\w+\ ){0,2}?(?:likes?|prefers?|wants?|hates?|loves?|dislikes?|enjoys?|favou?rs?|
      would\ rather|would\ like|can't\ stand|
      thinks\ they\ (?:might\ )?prefer)\b | \b(?:(?:haben|hätte[nt]?)\ )?(?:will|mag|möchte|bevorzuge)\b(?=.*\b(?:ich|nie|immer|haben)\b)? |
      \b(?:je\ préf[éè]r\w+|j'aime|prefiero|me\ gusta\w*|prefiro|gosto\ de)\b | \bperson\b(?=,|$|\ usually)""",
    re.VERBOSE,
)
_OF_LIKING = mark_runs(
    """like likes prefer prefers want wants hate hates love loves dislike dislikes enjoy enjoys favor favors favour favours rather stand
    will mag möchte bevorzuge je aime prefiero me prefiro gosto person"""
)
_OF_DECIDING = mark_runs(
    """settling settled decided mind minds won verdict outcome decision vote pick table unanimous agreed sure how ship final wins going
    signed call für entschieden choisi décidé elegido decidido quedamos decidimos escolhemos"""
)
_TOOLS = mark_runs(
    """make npm pnpm yarn bun uv poetry pip cargo go docker kubectl git gradle mvn just task tox nox pytest npx dotnet terraform helm bundle
    rake mix composer"""
)
"""The words of which a line has one that `_LIKES`, `_IS_DECIDED` or, without a sign, `_COMMAND` finds something in."""
_DONE_FOR_ME = lazy_pattern(
    r"\b(?:please|bitte|for the user|to the user|with the user|show the user|helps the user)\b|\b(?:small|short|long|"
    r"plain|simple)\s\w+\s(?:only|please)\b",
)
_PROFESSION = (
    r"\w*(?:engineer|developer|designer|nurse|doctor|teacher|lawyer|architect|accountant|scientist|student|manager|analyst|writer|author|"
    r"researcher|professor|programmer|consultant|founder|freelancer|artist|musician|journalist|chef|cook|baker|carpenter|plumber|"
    r"electrician|"
    r"mechanic|pharmacist|dentist|vet|translator|editor|photographer|pilot|driver|farmer|librarian|biologist|chemist|physicist|"
    r"mathematician|"
    r"statistician|economist|admin|administrator|sysadmin|maintainer|contractor|hobbyist|entwickler(?:in)?|lehrer(?:in)?|ärztin|"
    r"arzt|ingenieur(?:in|e)?|"
    r"développeu(?:r|se)|professeure?|infirmi[èe]re?|médecin|desarrollador[a]?|profesor[a]?|ingenier[oa]|enfermer[oa]|médic[oa]|"
    r"desenvolvedor[a]?|"
    r"professor[a]?|engenheir[oa]|owner|ist|keeper|therapist|surgeon|paramedic|barista|beginner)s?"
)
_IS_IDENTITY = lazy_pattern(
    rf"""^(?:the\ user's\ (?:full\ |first\ |last\ |nick)?(?:name|pronouns|native\ language|mother\ tongue|
      first\ language|job|profession|role)\b
      | the\ user\ is\ (?:called|named|from|originally|a\ native)\b | the\ user\ (?:comes|is\ originally)\ from\b(?!\ \w+\ years)
      | the\ user\ (?:works|teaches|studies|practi[sc]es|freelances|runs|owns|leads|manages)\b
      | (?:as|being|since\ the\ user\ is)\ an?\ (?:[\w-]+\ ){{0,3}}?(?:{_PROFESSION}|midwife|paramedic|carer|parent)\b
      | the\ user\ (?:is|has\ been|was)\ (?:\w+\ )?(?:an?\ |the\ )(?:[\w-]+\ ){{0,3}}?{_PROFESSION}\b | the\ user\ (?:speaks|was\ born)\b
      | the\ user\ is\ [a-z][\w-]+\b | .*\bfor\ a\ living\b | .*\bby\ (?:trade|profession)\b
      | (?:ich\ (?:bin|heiße|heisse|arbeite|komme\ aus)|je\ suis|je\ m'appelle|je\ travaille|(?:yo\ )?soy|me\ llamo|
        trabajo|(?:eu\ )?sou|me\ chamo|trabalho)\ (?!.*\b(?:veg|allerg|alérg|diabet)))""",
    re.VERBOSE,
)


def sort(said: str, line: str, signals: Signals, *, message: str = "", corrected: bool = False) -> Sorted:
    """Return where a memory belongs, by what was said and the line that is to be stored."""
    low, of_user = line.lower(), line.startswith("The user")
    scope = _scope(said, low, signals, message or said, of_user=of_user)
    of_work = _of_work(message) or (
        not {"here"}.isdisjoint(words(low)) and not _PROGRAMS.isdisjoint(words(low))
    )
    if corrected and scope == "project" and signals.isdisjoint({"project", "team"}) and not of_work:
        scope = "user"
    kind = _type(low, signals, scope, of_user=of_user, corrected=corrected)
    section, category = _heading(line, low, scope, kind, of_user=of_user)
    if corrected:
        section, category = CORRECTIONS, "repeated-correction"
    return Sorted(kind, section, scope, category, _importance(low, signals, kind))


def _scope(said: str, line: str, signals: Signals, message: str, *, of_user: bool) -> str:
    low = said.lower()
    if replacing.changes_mind(said):
        return "user"
    if "machine" in signals or _is_local(low):
        return "local"
    if signals & {"name", "family", "health", "lives"} and "project" not in signals:
        return "user"
    if (
        rewriting.is_foreign(said)
        and "project" not in signals
        and _FIRST_PERSON_ELSEWHERE.search(low) is not None
    ):
        return "user"
    if signals & {"project", "team"}:
        at_home = "project" not in signals and bool(cue_marks(message) & _HOME) and not _of_work(message)
        return "user" if at_home else "project"
    if of_user or _is_to_agent(said, low) or _REVIEWER.search(line) is not None:
        return "user"
    if is_technical(said):
        return "project"
    if signals & {"answers", "prefer", "dislike", "wants"} or _FIRST_PERSON.search(said) is not None:
        return "user"
    mine = len(_FIRST_PERSON.findall(message)) > 1 or bool(cue_marks(message) & _HOME)
    return "user" if mine and not _of_work(message) else "project"


def _is_to_agent(said: str, low: str) -> bool:
    """Say whether a sentence tells how to work for the person; "you" alone says that of no code."""
    if _TO_AGENT.search(low) is None:
        return False
    only_you = _YOU.search(low) is not None and _TO_AGENT.search(_YOU.sub("", low)) is None
    return not only_you or not is_technical(said) or _FIRST_PERSON.search(said) is not None


def _is_local(said: str) -> bool:
    if _LOCAL.search(said) is not None:
        return True
    has_path = "/" in said or "\\" in said or "$" in said
    return has_path and _LOCAL_PATH.search(said) is not None


def _of_work(message: str) -> bool:
    return bool(cue_marks(message) & _WORK) or is_technical(message)


def is_technical(text: str) -> bool:
    """Say whether a text speaks of software: by one plain word of the trade, or by two that others have as well."""
    has = cue_marks(text)
    if has & _TECHNICAL or _SHAPES.search(text) is not None:
        return True
    return bool(has & _IS_AMBIGUOUS) and len(_AMBIGUOUS.intersection(words(text))) > 1


def _type(line: str, signals: Signals, scope: str, *, of_user: bool, corrected: bool) -> str:
    if corrected:
        return "preference"
    if ("decided" in signals and "prefer" not in signals) or _decides(line):
        return "decision"
    if "committed" in signals and of_user:
        return "commitment"
    liked = bool(signals & {"prefer", "dislike", "wants", "likes"}) or _likes(line)
    if scope == "user":
        if liked and not signals & {"name", "family", "health"}:
            return "preference"
        if "family" not in signals and _IS_IDENTITY.search(line) is not None:
            return "identity"
        if (
            _INSTRUCTS.match(line)
            or ("answers" in signals and not of_user)
            or _DONE_FOR_ME.search(line) is not None
        ):
            return "preference"
        return "fact"
    if scope == "project" and "project" not in signals and liked:
        return "preference"
    if scope == "project" and _PRESCRIBES.match(line) is not None and not _is_command(line):
        return "preference"
    return "fact"


def _is_command(line: str) -> bool:
    return _names_command(line) and _RUNS.search(line) is not None


def _decides(line: str) -> bool:
    return _DECIDES.match(line) is not None or _is_decided(line)


def _heading(line: str, low: str, scope: str, kind: str, *, of_user: bool) -> tuple[str, str]:
    """Return section and category of a line, each "" where the type says enough."""
    if kind == "fact" and scope == "user":
        return "People & Roles" if of_user else "User Preferences", ""
    if scope == "user":
        return "", "user-preference" if kind == "preference" else ""
    if kind == "decision":
        return "", ""
    section, category = "Project Conventions", "project-pattern" if scope == "project" else ""
    if _names_command(line) and _RUNS.search(low) is not None:
        section, category = "Tool Usage", "tool-usage"
    return section, "" if kind == "commitment" else category


def _importance(line: str, signals: Signals, kind: str) -> str:
    if _CRITICAL.search(line) is not None or "remember" in signals:
        return "high"
    return "high" if kind in ("decision", "identity") else "medium"


def _likes(line: str) -> bool:
    return marks(line) & _OF_LIKING != 0 and _LIKES.search(line) is not None


def _is_decided(line: str) -> bool:
    return marks(line) & _OF_DECIDING != 0 and _IS_DECIDED.search(line) is not None


def _names_command(line: str) -> bool:
    may_be = "`" in line or "-" in line or "/" in line or marks(line) & _TOOLS != 0
    return may_be and _COMMAND.search(line) is not None
