"""Recognises what people say of their own lives in passing and that stays so: what they are, cannot do, live with and own.

Implements specs/capture.md (K-147). Frames of grammar with small classes of words; the model has a say as well (p), since
"I have two branches" has the frame of "I have two daughters". Pure.
"""

from __future__ import annotations

import re

from language.pieces import mark_words, marks
from ledger.lazy_pattern import lazy_pattern

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
_LASTING = lazy_pattern(
    rf"""^(?:(?:well|also|and|but|so|btw|by\ the\ way|oh|hey|ok|hm+)[\s,]+)*(?:
        (?:as|being)\ (?:an?\ |the\ (?:only|sole)\ )(?!result|rule|matter|start|first|last|quick|test|bit|workaround|side|bonus|
          reminder|note|user\ of)[\w-]+(?:\ [\w-]+){{0,3}}?,?\ (?:i|my|we)\b
      | as\ someone\ (?:with|who)\b
      | (?:since\ |because\ |as\ )?i(?:'m|\ am)\ (?:quite\ |very\ |a\ bit\ |totally\ |also\ |partially\ |legally\ |
        severely\ |nearly\ |red.green\ )?(?:left.?handed|colou?r.?blind|
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
      | my\ (?:time\ ?zone|birthday|pronouns|blood\ (?:type|group)|(?:shoe|dress|ring)\ size|surname|last\ name|home\ ?town|
        job\ title|profession|occupation)\ (?:is|are)\ (?!\w+ed\b|wrong|broken|missing|not\b|in\ the\b|soon|next|on\ (?:mon|tues|
        wednes|thurs|fri|satur|sun)day)
      | i\ speak\ (?:only\ |fluent\ |some\ |basic\ )?(?:english|german|french|spanish|dutch|italian|portuguese|polish|
        turkish|russian|ukrainian|arabic|japanese|chinese|mandarin|hindi|swedish|danish|norwegian|finnish|czech|greek)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_ABROAD = lazy_pattern(
    r"""(?:(?:und|aber|also|weil|et|mais|donc|alors|car|y|pero|pues|porque)[\s,]+)*(?:
        (?i:ich)\ bin\ (?:(?:eine?|die|der)\ )?(?:\w+(?:e|er|en)\ )?(?!(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|
          Mittwoch|Anfang|Mitte|Ende|Opfer|Fan|Feuer)[A-ZÄÖÜ]\w{3,}
      | (?i:ich)\ (?:pflege|betreue|unterrichte|leite|studiere|führe)\ (?!gerade|jetzt|noch|nur|heute|das|es)
          (?:\w+\ ){0,4}?[A-ZÄÖÜ]\w+
      | (?i:ich)\ arbeite\ (?:seit\ \w+\ \w+\ )?(?:als|bei|nachts|in\ Teilzeit|im\ Schichtdienst)\b
      | (?i:ich)\ (?:wohne|lebe)\ (?:seit\ \w+\ )?in\ [A-ZÄÖÜ] | (?i:ich)\ (?:esse|trinke|vertrage)\ kein
      | (?i:meine?)\ (?:Frau|Mann|Tochter|Sohn|Mutter|Vater|Kinder|Partner(?:in)?)\ (?:hat\ (?:[A-Z]\w+|
          eine\ \w+allergie)|ist\ (?:\w+\ )?(?:allerg|blind|taub|Diabet|gehörlos|dement|Veg|Autist))
      | (?i:je)\ suis\ (?:(?:un|une|le|la)\ (?:seule?\ )?)?(?:
          (?!premi|derni|enti|\w*(?:i|heur|peur|nerv)eu[sx])\w{2,}(?:i[eè]re?|euse|rice|logue|ienne|iste)|
          \w{3,}(?:gien|cien|sseur|teur)|sage-femme|médecin|prof(?:esseure?)?|avocate?|étudiante?|retraitée?|
          (?:[\wé]+ment\ )?(?:allergique|diabétique|végétari\w+|vég\w+|c(?:œ|oe)liaque|sourde?|aveugle|gauch\w+|
          daltonien\w*))\b
      | (?i:je)\ (?:travaille|enseigne)\ (?:comme|à|en|chez|dans|la|le|les|l'|de\ nuit)\b
      | (?i:j'habite|je\ vis)\ (?:à|en|au|dans|seule?|avec)\b
      | (?i:j'ai)\ (?:une?|deux|trois|quatre|\d)\ (?:enfants?|filles?|fils|garçons?|chiens?|chats?)\b
      | (?i:je)\ ne\ (?:mange|bois|conduis)\ (?:pas|plus|jamais)\b
      | (?i:mon|ma)\ (?:mari|femme|fils|fille|mère|père)\ est\ (?:\w+\ )?(?:allergique|diabétique|
          c(?:œ|oe)liaque|sourde?|aveugle|autiste|végé\w+)
      | (?i:soy)\ (?:(?:un|una|el|la)\ )?(?:(?!primer|tercer)\w{3,}(?:ador|adora|fesor|fesora|iero|iera|mera|
          mero|nero|nera|ista|ólogo|óloga|cante)|médic[oa]|maestr[oa]|abogad[oa]|estudiante|(?:\w+mente\ )?
          (?:alérgic|celíac|diabétic|vegetarian|vegan|zurd|sord|cieg|daltónic)[oa])\b
      | (?i:tengo)\ (?:una?|dos|tres|cuatro|\d)\ (?:hij[oa]s?|perr[oa]s?|gat[oa]s?|niet[oa]s?)\b
      | (?i:trabajo)\ (?:de|como|por\ las?\ noches?)\b | (?i:vivo)\ (?:en|sol[oa]|con)\b
      | (?i:mi)\ (?:hij[oa]|marido|mujer|espos[oa]|madre|padre)\ (?:es\ (?:\w+\ )?(?:alérgic|celíac|diabétic|
          vegetarian|sord|cieg|autist)|tiene\ (?:alergia|celiaquía|diabetes))
    )""",
    re.VERBOSE,
)
"""The same in German, French and Spanish, the classes of words of which are smaller."""
_PASSES_ABROAD = lazy_pattern(
    r"\b(?:heute|gerade|jetzt|morgen|gestern|bis|noch|schon|gleich|krank|aujourd'hui|ce\s+soir|demain|hier|"
    r"maintenant|en\s+ce\s+moment|jusqu\w+|encore|hoy|ahora|mañana|ayer|esta\s+(?:noche|tarde|semana)|todavía|hasta|Geschichte|Figur|histoire|personnage|personaje|cuento)\b"
)
_PASSES = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|right\s+now|at\s+the\s+moment|currently|this\s+(?:morning|week|weekend|evening|"
    r"afternoon|time)|minutes?|in\s+an?\s+hour|until|story|"
    r"character|novel|game|scene|pretend|imagine|line\s+\d+|branch(?:es)?|error|errors|test|tests|commit|build|query)\b",
    re.IGNORECASE,
)
_OWN = mark_words("i i'm i've im ive my our we we've")
_OWN_ABROAD = mark_words("ich meine mein je j'habite j'ai mon ma soy tengo trabajo vivo mi")
LEAST = 0.1
"""Below this p the model finds it passing beyond doubt."""


def lasts(said: str) -> bool:
    """Say whether a sentence tells something of the person's own life that stays so."""
    has = marks(said)
    if not has & _OWN:
        if not has & _OWN_ABROAD:
            return False
        plain = said.replace("’", "'")
        return _ABROAD.match(plain) is not None and _PASSES_ABROAD.search(plain) is None
    plain = said.replace("’", "'")
    return _LASTING.match(plain) is not None and _PASSES.search(plain) is None
