"""Knows the label of a speaker at the beginning of a line: "Bob: my name is Robert".

Implements specs/capture.md (K-168). A label is a name, a handle or a part in a conversation; what names a
subject ("Testing: vitest") is none. Pure.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_LABEL = lazy_pattern(
    r"""[ \t]*(?:[-*•]\s+)?(?:\*\*|
        __)?(?P<name>@?[^\W\d_][\w.'’-]*(?:[ ][^\W\d_][\w.'’-]*){0,2}(?:[ ]\d{1,2})?)(?:\*\*|__)?
        (?:\s?[(\[][^)\]\n]{1,30}[)\]])?(?:\*\*|__)?\s?[:>](?:\*\*|__)?\s+\S""",
    re.VERBOSE,
)
_DASHED = lazy_pattern(r"[ \t]*(?P<name>@?[^\W\d_][\w.'’]*)\s(?:[–—]|--?)\s\S")
_BRACKETED = lazy_pattern(
    r"[ \t]*(?P<label>[\[(<](?P<name>@?[^\W\d_][\w.'’-]+(?:[ ][^\W\d_][\w.'’-]*)?)[\])>])\s?:\s+\S"
)
"""A name in brackets, as transcripts have it; nobody speaks to an agent like that."""
_TOPIC = lazy_pattern(
    r"""(?:\w+(?:ing|tion|sion|ment|ity|ness|ism|age|ance|ence|ware|base|ends?|ops|ship|ology|ics)s?|
      note|notes|nb|ps|p\.s|fyi|btw|ok|okay|so|also|and|but|yes|no|nope|nah|well|hey|hi|hello|thanks|sorry|
      first|second|third|finally|last|next|then|now|today|again|
      actually|remember|reminder|rule|rules|decision|decided|fact|facts|tip|tips|hint|todo|question|answer|
      context|goal|goals|plan|task|update|edit|correction|
      wrong|warning|important|attention|caution|caveat|example|result|summary|tldr|tl;dr|idea|problem|issue|bug|
      fix|cause|reason|solution|conclusion|verdict|agreed|
      style|styles|code|tests?|branch|branches|commits?|ci|cd|cli|api|apis|ui|ux|db|sql|os|ide|editor|shell|
      terminal|language|languages|stack|frontend|backend|server|
      client|lint|linter|format|formatter|types?|docs?|logs?|errors?|names?|role|job|work|home|place|location|
      timezone|diet|food|drinks?|hobby|hobbies|pets?|family|
      kids?|age|health|allergies|preferences?|conventions?|defaults?|options?|ports?|hosts?|urls?|paths?|files?|
      folders?|keys?|values?|prod|production|staging|dev|
      local|test|deploy|deploys|release|releases|build|builds|indent|tabs|spaces|quotes|colou?rs?|theme|fonts?|
      size|budget|time|date|dates|deadline|schedule|
      always|never|from\ now\ on|going\ forward|in\ future|as\ a\ rule|please|correct|true|false|same|other|
      others|general|misc|setup|config|env|machine|laptop|project|
      repo|team|product|users|customers|mornings?|evenings?|weekends?|weekdays|monday|tuesday|wednesday|
      thursday|friday|saturday|sunday|regel|notiz|wichtig|frage|
      achtung|übrigens|règle|attention|nota|importante|regla|regra|lembrete|recordatorio|breakfast|lunch|dinner|
      coffee|tea|sports?|music|books?|films?|movies?|clothes|
      shoes|car|bike|phone|tone|length|answers?|replies|responses?|emails?|mails?|letters?|titles?|headings?|
      comments?|variables?|functions?|classes|imports?|tables?)""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTS = lazy_pattern(
    r"""@\S+ | (?:user|human|assistant|ai|bot|system|chatgpt|gpt(?:-\d\w*)?|claude|gemini|copilot|codex|cursor|
        customer|client|caller|agent|support|operator|host|guest|moderator|
      interviewer|interviewee|reviewer|speaker|candidate|participant|facilitator|narrator|student|teacher|
      doctor|patient|boss|manager|me|him|her|them|mom|mum|dad|
      q|a|u|kunde|kundin|nutzer|cliente|utilisateur)(?:\s?\d{1,2})?""",
    re.VERBOSE | re.IGNORECASE,
)
_AGENTS = frozenset(
    "claude codex cursor copilot gemini chatgpt gpt assistant agent ai bot muniment openclaw".split()
)
"""Whom a person may call by name: "Claude: answer in French"."""
_PART_OF_AGENT = frozenset("assistant agent ai bot".split())
"""An agent's part in a conversation, as transcripts label it; mostly nobody's way to call one."""
_NAMES = frozenset(
    """aaron adam adrian ahmed aisha akira alan albert alejandro alex alexander alexandra alfred ali alice
        alicia alina amanda amelia amir amy ana anders andre andrea
    andreas andrew andy angela anil anita anja ann anna anne anton antonio anya arjun arthur astrid ayse
    barbara beatriz ben benjamin bernd bert beth bill bjorn bob boris
    brandon brian bruno camila carl carla carlos carmen carol caroline catherine cem charles charlie charlotte
    chen chiara chloe chris christian christina christine claire
    clara claudia connor craig cristina daisuke dan dana daniel daniela dave david dawn deborah deepak dennis
    diana diego dieter dilek dina dirk dmitri dominic don donna
    dorothy doug dylan ed eddie eduardo elena eli elias elif elizabeth ella ellen emil emily emma eric erik
    erika esther ethan eva eve evelyn fatima felix fernando fiona
    florian frances francesca francis francois frank fred frida gabriel gary george gerd giorgio giulia giulio
    gloria grace graham greg gregor guido gustav hana hanna
    hannah hans harald harry hassan heather heidi heike helen helena helga henri henrik henry hiroshi howard
    hugo ian ibrahim igor ines ingrid irene iris isaac isabel
    isabella ivan jack jacob jaime jake jakob james jamie jan jane janet jason javier jean jeff jennifer jenny
    jens jeremy jerry jessica jesus jill jim jin joan joanna
    joao joe joel johan johanna john johnny jon jonas jonathan jordan jorge jose josef joseph josh joshua joyce
    juan judith judy jules julia julian julie julien jun
    jurgen justin kai karel karen karim karin karl kate katharina kathy katie katja keiko keith kelly ken kenji
    kenneth kevin kim kirsten klaus kofi kristin kumar kurt
    kyle lara larry lars laura lauren laurent layla lea lee lena leo leon leonardo leticia liam lili lily lin
    linda lisa liz lorenzo louis louise luc luca lucas lucia
    lucy luigi luis luisa luke luna magda maja manuel mara marc marcel marco marcus margaret maria mariam marie
    marina mario marion mark marko markus marta martha martin
    martina mary mateo mathias matt matteo matthew matthias maurice max maya megan mehmet mei melanie mia
    michael michal michel michelle miguel mika mike mikhail milan
    milena min mira miriam mohamed mohammed monica monika nadia nancy naomi natalia natalie natasha nathan neil
    nela nick nicolas nicole niels nikhil nikolai nils nina noah
    nora noriko olga oliver olivia omar oscar otto pablo paolo pat patricia patrick paul paula paulo pavel
    pedro peggy peter petra phil philip philipp pia pierre piotr
    priya rachel rafael rahul raj ralf ralph ramon raquel ravi ray raymond rebecca renata rene ricardo richard
    rita rob robert roberto robin rodrigo roger roland roman
    ron rosa rosie ruben ruth ryan sabine sally salma sam samantha samir samuel sandra sanjay sara sarah sasha
    scott sean sebastian selma sergei sergio sharon shirley silvia
    simon simone sofia sofie sonia sophia sophie stefan stefanie stella stephan stephanie stephen steve steven
    sue sunita susan susanne suzanne sven svetlana sylvia
    takeshi tamara tanja tara tatiana ted teresa terry thea theo theresa thomas tim tina tobias todd tom tomas
    tomasz tommy tony tracy trevor ulrich ulrike ursula uwe
    valentina valeria vanessa vera veronica victor victoria viktor vincent vivian vlad vladimir walter wanda
    wei wendy werner william wolfgang xavier yan yara yasmin yuki
    yuri yusuf yvonne zara zeynep zoe""".split()
)  # fmt: skip
"""Common given names, of many countries: nobody else's list of words tells a speaker from a subject."""


def speaker(line: str) -> str:
    """Return the label with which a line names its speaker, "" where it has none."""
    dashed = _DASHED.match(line)
    if dashed is not None and is_known(dashed["name"]) and not addresses_agent(dashed["name"]):
        return dashed["name"]
    bracketed = _BRACKETED.match(line)
    if bracketed is not None and is_known(bracketed["name"]):
        return bracketed["label"]
    if ":" not in line and "> " not in line:
        return ""
    found = _LABEL.match(line)
    if found is None:
        return ""
    name = found["name"].strip()
    words = name.split()
    if (
        _TOPIC.fullmatch(name)
        or (_TOPIC.fullmatch(words[0]) and not is_known(name))
        or _TOPIC.fullmatch(words[-1])
    ):
        return ""
    if (
        len(words) > 1
        and not all(word[0].isupper() or word.isdigit() for word in words)
        and not is_known(name)
    ):
        return ""
    return (
        name
        if is_known(name) or not (name.isupper() or name.endswith("s") or (name.islower() and " " in name))
        else ""
    )


def is_known(label: str) -> bool:
    """Say whether a label is a handle, a part in a conversation or a common name."""
    label = label.strip(" *_[]()<>")
    first = re.split(r"[\s.:\[(—-]", label, maxsplit=1)[0].casefold()
    return _PARTS.fullmatch(label) is not None or first.strip("<>@") in _NAMES


def addresses_agent(label: str) -> bool:
    """Say whether a label may be an agent that the person speaks to."""
    return label.lstrip("@").casefold() in _AGENTS


def is_part(label: str) -> bool:
    """Say whether a label names an agent's part ("Assistant: …"), as a transcript does, rather than an agent."""
    return label.lstrip("@").casefold() in _PART_OF_AGENT
