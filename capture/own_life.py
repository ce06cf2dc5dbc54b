"""Recognises what people say of their own lives in passing and that stays so: what they are, cannot do, live with and own.

Implements specs/capture.md (K-147). Frames of grammar with small classes of words; the model has a say as well (p), since
"I have two branches" has the frame of "I have two daughters". Pure.
"""

from __future__ import annotations

import re

from capture.pieces import mark_words, marks

_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|mum|mom|dad|mother|father|son|daughter|brother|sister|grandma|grandpa|"
    r"grandmother|grandfather|kids?|children|child|baby|"
    r"twins|toddlers?|teenagers?|eldest|youngest|cats?|dogs?|puppy|kittens?|rabbits?|hens?|horses?|pony|tortoise|parrot|hamsters?)"
)
_HOME = (
    r"(?:flat|house|apartment|garden|balcony|allotment|cottage|farm|studio|flatshare|terrace|bungalow|caravan|boat|houseboat|"
    r"kitchen|bathroom|basement|attic)"
)
_AILMENT = (
    r"(?:allerg\w+|intoleran\w+|asthma|migraines?|hay\s+fever|diabetes|arthritis|parkinson's|dementia|alzheimer's|adhd|autis\w+|"
    r"dyslexi\w+|epilep\w+|tinnitus|vertigo|"
    r"insomnia|anxiety|depression|eczema|psoriasis|coeliac|celiac|kidney\s+\w+|heart\s+\w+|bad\s+(?:back|knees?|hips?|hearing|"
    r"eyesight)|high\s+blood\s+pressure)"
)
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|some|several|\d+)"
_LASTING = re.compile(
    rf"""^(?:(?:well|also|and|but|so|btw|by\ the\ way|oh|hey|ok|hm+)[\s,]+)*(?:
        (?:as|being)\ (?:an?\ |the\ (?:only|sole)\ )(?!result|rule|matter|start|first|last|quick|test|bit|workaround|side|bonus|
          reminder|note|user\ of)[\w-]+(?:\ [\w-]+){{0,3}}?,?\ (?:i|my|we)\b
      | as\ someone\ (?:with|who)\b
      | (?:since\ |because\ |as\ )?i(?:'m|\ am)\ (?:quite\ |very\ |a\ bit\ |totally\ |also\ )?(?:left.?handed|colou?r.?blind|
        dyslexic|deaf|blind|hard\ of\ hearing|diabetic|coeliac|celiac|
          autistic|pregnant|retired|vegan|vegetarian|lactose|allergic|a\ (?:single|widow|wheelchair|native|night|shift|morning|slow|
            visual|beginner|complete\ beginner|total\ beginner))
      | i(?:'ve|\ have)\ been\ (?:an?|the)\ [\w-]+(?:\ [\w-]+){{0,2}}\ (?:for|since)\b
      | i(?:'ve|\ have)\ (?:been\ )?(?:\w+ing)\ [\w\ ]{{2,30}}\ for\ (?:\w+\ )?(?:years|decades)\b
      | i\ (?:can't|cannot|don't|never|no\ longer)\ (?:drive|swim|fly|drink|smoke|cook|eat|own|have\ a\ (?:car|tv|microwave|freezer|
        garden|balcony|printer|smartphone))\b
      | i\ (?:get|suffer\ from|have|live\ with)\ (?:\w+\ ){{0,2}}?{_AILMENT}\b
      | (?:my|our)\ (?:\w+\ )?{_KIN}(?:\ [A-Z][\w-]+)?\ (?:is|are|has|have|was\ diagnosed|goes|lives?|turns?|needs|can't|doesn't|
        won't\ eat)\ (?!being|asking|telling|calling|waiting|late|sick\ today|right|wrong|driving|coming|on\ (?:the|her|his)\ way)
      | (?:my|our)\ {_HOME}\ (?:is|has|faces|gets|sits|lies)\b
      | (?:we|i)(?:'ve|\ have)?\ (?:only\ )?(?:live|keep|own|rent|have|got|share)\ (?:in\ |on\ |with\ )?(?:{_NUMBER}|the|our|
        my)\ (?:[\w-]+\ ){{0,3}}?(?:{_KIN}|{_HOME}|floor|lift|oven|hob|slow\ cooker|kettle|car)\b
      | i\ rent\b
      | i\ (?:usually|normally|mostly|mainly|generally)\ (?:work|code|read|cook|run|swim|cycle|sleep|eat|write|travel|commute|train|shop)\b
      | i\ (?:play|sing|teach|study|coach|run|manage|look\ after|care\ for|volunteer|breed|grow|collect)\ (?!it|this|that|these|
        the\ (?:test|tests|script|command|build|app|server|code|migration)|into|a\ (?:test|script|command|query|
          container))(?:\w+\ ){{0,4}}?\w+
      | i\ work\ (?:\w+\ )?(?:days|hours|nights|shifts|weekends|part.?time|from\ home|as|for|at|in)\b
      | i\ (?:grew\ up|was\ born|come\ from|was\ raised)\b
      | my\ (?:native\ language|mother\ tongue|first\ language|english|german|french|spanish|dutch|italian|portuguese|
        japanese)\ (?:is|isn't|stops|ends|goes)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_PASSES = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right\s+now|at\s+the\s+moment|currently|this\s+(?:morning|week|weekend|evening|"
    r"afternoon|time)|minutes?|in\s+an?\s+hour|until|story|"
    r"character|novel|game|scene|pretend|imagine|line\s+\d+|branch(?:es)?|error|errors|test|tests|commit|build|query)\b",
    re.IGNORECASE,
)
_OWN = mark_words("i i'm i've im ive my our we we've")
LEAST = 0.1
"""Below this p the model finds it passing beyond doubt."""


def lasts(said: str) -> bool:
    """Say whether a sentence tells something of the person's own life that stays so."""
    if not marks(said) & _OWN:
        return False
    plain = said.replace("’", "'")
    return _LASTING.match(plain) is not None and _PASSES.search(plain) is None
