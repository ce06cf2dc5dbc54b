"""Finds in a sentence what it says is no longer so: "we moved off CircleCI, everything runs in Buildkite now".

Implements specs/capture.md (K-45, K-49, K-247). Names the old thing in the person's words; which memory that is, is
for others to find. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from operator import or_

from language.pieces import mark_runs, marks
from ledger.lazy_pattern import lazy_pattern

_THING = (
    r"(?P<old>(?:`[^`]+`|\"[^\"]+\"|[\w@/+#'.-]*[\w@/+#`])(?:\s(?!and\b|so\b|but\b|because\b|since\b|for\b|in\b|"
    r"last\b|this\b|to\b|now\b|is\b|are\b|at\b|on\b|when\b|as\b|altogether\b|entirely\b|completely\b|with\b|by\b|any\b|"
    r"anymore\b|it\b|we\b|I\b|it's\b|from\b|after\b|yesterday\b|today\b|months?\b|weeks?\b|years?\b|back\b|ago\b|"
    r"instead\b|nicht\b|mehr\b|plus\b|à\b|auf\b|zu\b|nach\b|au\b|pour\b|chez\b|vers\b|zugunsten\b|para\b|btw\b|over\b)[\w@/+#'.-]*[\w@/+#`]){0,2})"
)
_THE = (
    r"(?:(?:the|our|my|a|an|any|using|with|all|old|der|die|das|den|dem|unser\w*|mein\w*|alte[nmrs]?|le|la|les|notre|nos|ancien(?:ne)?s?|el|los|las|nuestr[oa]s?|"
    r"viej[oa]s?|antigu[oa]s?|o|os|as)\s+)*"
)
_WE = (
    r"(?:we|i|they|the\s+team|everyone|the\s+company)(?:\s+have|\s+has|'ve|'re|'m|\s+are|\s+am)?\s+(?:\w+ly\s+|"
    r"just\s+|now\s+|finally\s+|all\s+)?"
)
_GIVEN_UP = tuple(
    (mark_runs(words), lazy_pattern(pattern, re.IGNORECASE))
    for words, pattern in (
        ("gone", rf"\b{_THE}{_THING}\s+(?:is|are)\s+gone\s+from\b"),
        ("from off",
         rf"\b(?:mov(?:ed?|ing)|switch(?:ed|ing)?|migrat(?:ed?|ing)|go(?:ne|ing)?|chang(?:ed?|ing)|went|got)\s+(?:over\s+)?(?:away\s+from|off(?:\s+of)?|from)\s+{_THE}{_THING}"),
        ("rid",
         rf"\b(?:got|get|getting)\s+rid\s+of\s+{_THE}{_THING}"),
        ("exist exists removed deleted gone left vanished disappeared",
         rf"\b{_THE}{_THING}\s+(?:(?:doesn't|don't|does\s+not|do\s+not|no\s+longer)\s+exists?|(?:has|have)\s+(?:been\s+)?(?:removed|deleted|gone|left|vanished|disappeared))\b"),
        ("replace replaces replaced supersede supersedes superseded over",
         rf"\b(?:(?:has|have|had)\s+)?(?:replaces?|replaced|supersedes?|superseded|took\s+over\s+from|takes\s+over\s+from)\s+{_THE}{_THING}"),
        ("sold traded gave cancelled canceled returned scrapped",
         rf"(?:^|\b(?:we|i|they)(?:'ve|\s+have)?\s+)(?:just\s+|finally\s+)?(?:sold|traded\s+in|gave\s+away|cancelled|canceled|returned|scrapped)\s+{_THE}{_THING}"),
        ("up",
         r"\b(?:gave|given|giving|give)\s+(?:the\s+|my\s+|our\s+)?(?P<old>[\w'#+.-]+(?:\s[\w'#+.-]+)?)\s+up\b"),
        ("""left dropped dropping ditched ditching abandoned abandoning retired retiring killed scrapped quit gave given stopped outgrew
         replaced replacing sunset decommissioned removed done through""",
         rf"\b{_WE}(?:left|dropped|dropping|ditched|ditching|abandoned|abandoning|retired|retiring|killed|scrapped|quit|gave\s+up|given\s+up(?:\s+on)?|stopped|outgrew|replaced|replacing|sunset|decommissioned|removed|done\s+with|through\s+with)\s+(?:on\s+|supporting\s+)?{_THE}{_THING}"),
        ("longer more anymore anylonger",
         rf"\b(?:no\s+longer|not\s+any\s?more|(?:don't|do\s+not|doesn't|isn't|aren't|won't)(?=[^.;]*\bany\s?(?:more|longer)\b))\s+(?:\w+(?:ing|e)?\s+)?(?:at|in|on|with|for|a|an|via|through|support|supported)\s+{_THE}{_THING}"),
        ("longer more anymore anylonger",
         rf"\b(?:no\s+longer|(?:don't|do\s+not|doesn't|won't)(?=[^.;]*\bany\s?(?:more|longer)\b))\s+(?:use|uses|using|support|like|eat|drink|run|work|live|need|want|deploy|have|prefer)\s+{_THE}{_THING}"),
        ("out gone dead history retired deprecated decommissioned replaced too more longer anymore shut switched dropped obsolete",
         rf"\b{_THE}{_THING}\s+(?:is|are|was|were|got|has\s+been|have\s+been|'s)\s+(?:now\s+|finally\s+|all\s+|long\s+)?(?:out|gone|dead|history|retired|deprecated|decommissioned|replaced|too\s+\w+|no\s+more|no\s+longer|not\s+\w+\s+any\s?more|shut\s+down|switched\s+off|dropped|obsolete)\b"),
        ("mehr weg raus abgeschafft abgeschaltet tot existe",
         rf"\b{_THE}{_THING}\s+(?:gibt\s+es\s+nicht\s+mehr|gibt's\s+nicht\s+mehr|ist\s+(?:weg|raus|abgeschafft|abgeschaltet|tot)|n'existe\s+plus|ya\s+no\s+existe|não\s+existe\s+mais)\b"),
        ("mehr",
         rf"\b(?:nicht\s+mehr|kein(?:e|en)?)\s+(?:mit\s+|bei\s+|in\s+|auf\s+)?{_THE}{_THING}\s+mehr\b"),
        ("mehr plus ya mais",
         rf"\b(?:nicht\s+mehr|ne\s+\w+\s+plus|plus\s+de|ya\s+no\s+\w+|não\s+\w+\s+mais)\s+(?:mit\s+|bei\s+|in\s+|auf\s+|en\s+|con\s+|avec\s+|chez\s+|dans\s+|em\s+|com\s+)?{_THE}{_THING}"),
        ("used",
         rf"\bused\s+to\s+(?:be|use|run|live\s+in|work\s+(?:at|for|in)|have|eat|prefer|like)\s+(?:on\s+|in\s+)?{_THE}{_THING}"),
        ("instead rather statt anstatt lieu vez",
         rf"\b(?:instead\s+of|rather\s+than|statt|anstatt|au\s+lieu\s+de|en\s+vez\s+de|em\s+vez\s+de)\s+{_THE}{_THING}"),
        ("leave leaving drop ditch abandon retire scrap stop replace sunset give",
         rf"(?:^|[,;:]\s+|\b(?:that|so|and|is)\s+)(?:we|we're|i)\s+(?:\w+ly\s+|now\s+)?(?:(?:leave|leaving)(?=.*\b(?:and\s+(?:move|go|switch|take|use|keep)|behind|in\s+favou?r|for)\b)|drop|ditch|abandon|retire|scrap|stop\s+using|replace|sunset|give\s+up(?:\s+on)?)\s+(?:on\s+)?{_THE}{_THING}"),
        ("retired closed folded expired resigned quit finished over done through history bust away under out went shut",
         rf"\b{_THE}{_THING}\s+(?:(?:has|have|'s)\s+)?(?:just\s+|finally\s+)?(?:(?:is|are)\s+(?:over|finished|done|through|history)\b(?:\s+for\s+(?:me|us)|(?=[,.;!]|$))|(?:retired|closed\s+down|folded|expired|resigned|went\s+(?:bust|away|under|out\s+of)|shut\s+down|quit)\b)"),
        ("round around off enough fed tired sick",
         rf"\b(?:i|we)(?:'ve|\s+have|'m|\s+am|'re|\s+are)?\s+(?:finally\s+|really\s+|rather\s+|kind\s+of\s+)?(?:(?:come|came|gone|went)\s+(?:a?round|off)(?:\s+on)?|(?:had\s+)?enough\s+of|fed\s+up\s+with|(?:tired|sick)\s+of)\s+{_THE}{_THING}"),
        ("more longer anymore",
         rf"\b(?:no|don't\s+(?:bother\s+with|need|use|do|want)|(?:not|never)\s+use)\s+{_THE}{_THING}(?:\s+\w+){{0,4}}?\s+(?:any\s?more|any\s+longer)\b"),
        ("drop skip stop ditch lose spare leave",
         rf"\b(?:you\s+can|please|from\s+(?:now|here)\s+on)\s+(?:drop|skip|ditch|lose|stop\s+with|leave\s+(?:out|off)|spare\s+me)\s+{_THE}{_THING}\b.*\b(?:from\s+(?:now|here)\s+on|any\s?more|instead|enough|plenty)\b"),
        ("gekündigt abgeschafft abgelöst eingestellt verlassen abgestellt ersetzt aufgegeben verkauft abgeschaltet",
         rf"\b{_THE}{_THING}\s+(?:haben\s+wir|habe\s+ich|wurde\w?|ist|sind|wird)\s+(?:\w+\s+)?(?:gekündigt|abgeschafft|abgelöst|eingestellt|verlassen|abgestellt|ersetzt|aufgegeben|verkauft|abgeschaltet)\b"),
        ("gekündigt abgeschafft abgelöst eingestellt verlassen abgestellt ersetzt aufgegeben verkauft",
         rf"\b(?:wir\s+haben|ich\s+habe)\s+{_THE}{_THING}\s+(?:\w+\s+)?(?:gekündigt|abgeschafft|abgelöst|eingestellt|verlassen|abgestellt|ersetzt|aufgegeben|verkauft)\b"),
        ("being",
         rf"\b{_THE}{_THING}\s+(?:is|are)\s+being\s+(?:replaced|phased\s+out|retired|switched\s+off|turned\s+off|shut\s+down|dropped|sunset|decommissioned|discontinued|abandoned)\b"),
        ("ended expired ran run",
         rf"\b{_THE}{_THING}(?:'s\s+(?:\w+\s+)?(?:contract|licen[cs]e|subscription|plan|lease|trial|support))?\s+(?:has\s+|have\s+)?(?:ended|expired|ran\s+out|run\s+out)\b"),
        ("umgestiegen gewechselt umgezogen migriert umgestellt",
         rf"\bvon\s+{_THE}{_THING}\s+(?:auf|zu|nach|in)\s+(?:\S+\s+){{1,3}}(?:umgestiegen|gewechselt|umgezogen|migriert|umgestellt)\b"),
        ("passé passés passe passons migré",
         rf"\b(?:on|nous)\s+(?:(?:est|sommes|a|avons)\s+(?:passés?|migré)|passe|passons)\s+de\s+{_THE}{_THING}\s+(?:à|vers|sur)\s"),
        ("vorbei ende geschichte fini terminé acabó terminó acabou",
         rf"\b{_THE}{_THING},?\s+(?:ist\s+(?:vorbei|zu\s+ende|geschichte)|(?:c'est|est)\s+(?:fini|terminé)|se\s+(?:acabó|terminó)|acabou)\b"),
        ("abandonne abandonnons quitte quittons arrête arrêtons lâche abandonné quitté arrêté lâché remplace remplacé",
         rf"\b(?:(?:on|nous|je)\s+|j')(?:a\s+|ai\s+|avons\s+)?(?:abandonne|abandonnons|quitte|quittons|arrête|arrêtons|lâche|remplace|abandonné|quitté|arrêté|lâché|remplacé)\s+{_THE}{_THING}"),
        ("dejamos dejado abandonamos abandonado reemplazamos quitamos largámos deixamos abandonámos",
         rf"\b(?:dejamos|(?:hemos|he)\s+(?:dejado|abandonado)|abandonamos|reemplazamos|quitamos|largámos|deixamos|abandonámos)\s+(?:de\s+usar\s+)?{_THE}{_THING}"),
    )
)  # fmt: skip
"""Each pattern with the words of which a sentence has one that it finds something in."""
_ENDS = reduce(or_, (mark for mark, _ in _GIVEN_UP))
_THING_FIRST = rf"\b{_THE}{_THING}"
_BEHIND = tuple(
    lazy_pattern(pattern.pattern.removeprefix(_THING_FIRST), re.IGNORECASE)
    if pattern.pattern.startswith(_THING_FIRST)
    else None
    for _, pattern in _GIVEN_UP
)
"""What stands behind the thing where a pattern begins with that: looked for first, it is found much sooner than a thing."""
_CHANGE = lazy_pattern(
    r"\b(?:moved?|moving|left|switch(?:ed|ing)?|migrat(?:ed|ing)|dropp(?:ed|ing)|ditch(?:ed|ing)|renamed|chang(?:ed|ing)|replac(?:ed|ing)|"
    r"no\s+longer|any\s?more|any\s+longer|come\s+(?:a)?round\s+to|came\s+(?:a)?round\s+to|these\s+days|nowadays|as\s+of|from\s+this\s+\w+|starting\s+(?:with|from)|since\s+(?:last|this)|"
    r"runs?\s+(?:\w+\s+)?(?:in|on)\s+\S+\s+now|retired|gave\s+up|quit|got\s+rid|is\s+out|now\s+called|heißt\s+(?:jetzt|seit|nun)|seit\s+heute|nicht\s+mehr|umgezogen|gewechselt|umgestiegen|"
    r"(?:we|i)\s+(?:now\s+)?(?:leave|move\s+(?:over\s+)?to|switch\s+(?:over\s+)?to|go\s+(?:over\s+|back\s+)?to|change\s+(?:over\s+)?to|migrate\s+to|drop|ditch|abandon)|"
    r"gone\s+off|come\s+(?:a)?round\s+on|went\s+off|wir\s+(?:steigen|wechseln|ziehen)|abgeschaltet|gekündigt|"
    r"(?:on|nous)\s+(?:passe|passons|abandonne|abandonnons|quitte|quittons|part|partons)|(?:est|sont)\s+passée?s?|nos\s+pasamos|pasamos\s+a|dejamos|mudamos|passamos|"
    r"désormais|ne\s+\w+\s+plus|déménagé|ya\s+no|mudé|mudado|agora\s+se\s+chama|não\s+\w+\s+mais|maintenant|ahora\s+se\s+llama)\b",
)
_CHANGES_MIND = lazy_pattern(
    r"\bI(?:'ve|\s+have)?\s+(?:finally\s+|rather\s+|really\s+)?(?:come|came|gone|went)\s+(?:a?round\s+(?:on|to)|off)\s|\bI(?:'m|\s+am|'ve\s+had)\s+"
    r"(?:\w+\s+)?(?:enough\s+of|fed\s+up\s+with|(?:tired|sick)\s+of)\b",
    re.IGNORECASE,
)
_MIND = mark_runs("come came gone went enough fed tired sick")
_TIMES = lazy_pattern(
    r"\s+(?:btw|by\s+the\s+way|fyi|anyway|please|last|this|next|in|since|over|during|yesterday|today|already|too|also|now|then|for\s+good|altogether)\b.*$",
    re.IGNORECASE,
)
_CONTRACT = lazy_pattern(
    r"'s\s+(?:\w+\s+)?(?:contract|licen[cs]e|subscription|plan|lease|trial|support)$", re.IGNORECASE
)
_NO_THING = frozenset(
    """it that this them there here so what which one you me us everything anything nothing i we he she they is are was not the a an
    scratch left right now then sure there's that's it's he's she's""".split()
)

_TAKES_BACK = lazy_pattern(
    r"\b(?:actually|now(?<!from now)|no longer|any\s?more|instead|these days|has changed|have changed|changed my mind|"
    r"we switched|we(?:'ve| have)? moved|i(?:'ve| have)? moved|changed jobs|come round to|came round to|as of (?:today|now)|"
    r"from this \w+ on|seit heute|desde hoy|"
    r"scratch that|i was wrong|correction|nowadays|jetzt(?<!ab jetzt)|nicht mehr|maintenant|"
    r"ahora(?<!de ahora)|ya no|agora(?<!de agora)|não mais)\b"
)
"""Looked for in the sentence in lower case, which is several times as fast as to ignore case, and so is `_CHANGE`."""
_BECAME = lazy_pattern(
    r"\b(?:(?:got|gets|was|were|been|is|are|be)\s+(?:re)?(?:named|placed|shifted|moved|scheduled|assigned|promoted|rewritten|ported|bumped|raised|lowered|pushed\s+(?:back|forward))|"
    r"(?:went|gone)\s+(?:up|down|over)\s+to\s+\w+|(?:bumped|raised|cut)\s+(?:up\s+|down\s+|over\s+)?to\s+\w+|(?:has|have|had)\s+become|became|turned\s+into|"
    r"(?:bumped|raised|lowered|increased|reduced|extended|shortened|upped|updated)\s+(?:\S+\s+){1,5}?(?:to|from)\s+\w+|from\s+(?!then\b)\w+\s+on|"
    r"upgraded|downgraded|reinstalled|bought|sold|swapped|traded|voted|overhauled|standardi[sz]ed|converted|started|joined|began|"
    r"has\s+replaced|have\s+replaced|takes?\s+over|took\s+over|"
    r"since\s+(?:the|my|our|last|this|spring|summer|autumn|winter|fall|christmas|easter|version|v?\d|q\d|january|february|march|april|may|june|july|august|september|october|november|december|\w+day)\b|"
    r"again|by\s+now|lately|meanwhile|from\s+here\s+on|from\s+now\s+on|going\s+forward|was\s+before|"
    r"seit\s+(?:dem|der|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|gestern|letzte\w*)|depuis\s+(?:le|la|janvier|février|mars|avril|mai|"
    r"juin|juillet|août|septembre|octobre|novembre|décembre)|desde\s+(?:el|la|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|"
    r"inzwischen|mittlerweile|neuerdings|ab\s+jetzt|ab\s+sofort|künftig|umgestellt|dorénavant|à\s+partir\s+de|a\s+partir\s+de|desde\s+ahora|daqui\s+em\s+diante)\b",
    re.IGNORECASE,
)
_BEGAN = mark_runs(
    """named renamed placed replaced shifted reshifted moved removed scheduled rescheduled assigned reassigned promoted repromoted rewritten
    rerewritten ported reported bumped rebumped raised reraised lowered relowered pushed repushed become became turned upgraded downgraded
    reinstalled bought sold swapped traded voted overhauled standardised standardized converted started joined began since again
    lately meanwhile forward inzwischen mittlerweile neuerdings ab künftig umgestellt seit depuis dorénavant partir desde
    daqui"""
)
"""The words of which a sentence has one that says how things came to be otherwise, or one of each of these pairs:"""
_BEGAN_TOGETHER = tuple(
    (mark_runs(one), mark_runs(other))
    for one, other in (
        ("went gone bumped raised cut lowered increased reduced extended shortened upped updated", "to"),
        ("raised lowered bumped increased reduced extended shortened upped updated", "from"),
        ("take takes took", "over"),
        ("from", "on"),
        ("was", "before"),
        ("by", "now"),
    )
)
_CHANGES = mark_runs(
    """move moved moving left switch switched switching migrated migrating dropped dropping ditched ditching renamed changed changing
    replaced replacing longer anymore more round around days nowadays as from starting since now retired gave quit rid out
    leave move switch go change migrate drop ditch abandon gone over off steigen wechseln ziehen abgeschaltet gekündigt passe passons
    abandonne abandonnons quitte quittons part partons passé passée passés passées fini pasamos dejamos mudamos passamos
    heißt seit nicht umgezogen gewechselt umgestiegen désormais plus déménagé ya mudé mudado agora não maintenant ahora"""
)
"""The words of which a sentence has one that `_CHANGE` finds something in."""
_BACK = mark_runs(
    """actually now longer anymore more instead days changed switched moved come came today from seit desde scratch wrong correction
    nowadays jetzt nicht maintenant ahora ya agora não"""
)
"""The same of `_TAKES_BACK`."""
_FOR_NOW = lazy_pattern(
    r"\b(?:for\s+(?:now|today|the\s+(?:moment|demo|time\s+being|test|weekend|next\s+\w+))|just\s+(?:this\s+once|for|to|once)|this\s+(?:once|time)|"
    r"for\s+once|once\s+only|until|til|till|temporar\w+|right\s+now|at\s+the\s+moment|in\s+the\s+meantime|in\s+this\s+(?:shell|session|chat|branch|file|"
    r"yaml|test|pr|example|case|run)|only\s+to|while\s+\w+\s+is|erstmal|vorerst|diesmal|pour\s+l'instant|por\s+ahora|por\s+enquanto)\b",
    re.IGNORECASE,
)
_THOUGHT_OF = lazy_pattern(
    r"\b(?:(?:i|we|they|you|he|she)\s+(?:should|could|might|ought)|want(?:s|ed)?\s+(?:me\s+|us\s+|you\s+)?to|thinking\s+(?:of|about)|considering|plan(?:s|ning)?\s+to|"
    r"hop(?:e|es|ing)\s+to|suggest\w*|recommend\w*)\b",
    re.IGNORECASE,
)
"""A change that somebody only thinks of is none yet."""
_THESE_DAYS = lazy_pattern(
    r"\b(?:today|tonight|this\s+(?:week|weekend|morning|afternoon|evening)|heute|hoy|hoje|aujourd'hui)\b",
    re.IGNORECASE,
)
"""What is said with one of these holds that long, unless it says that something became otherwise then."""
_OUTAGE = lazy_pattern(
    r"\b50\d\b|\btimeouts?\b|\btiming\s+out\b|\bunreachable\b|\bnot\s+responding\b|\b(?:gone|down|out|weg|tot)\s+again\b|\bwieder\s+(?:weg|tot|down)\b|"
    r"\bseit\s+heute\s+(?:morgen|früh|mittag)\b|\bsince\s+(?:this\s+morning|an\s+hour|noon|\d+\s?(?:am|pm|:))|\bdepuis\s+ce\s+matin\b|\bdesde\s+esta\s+mañana\b",
    re.IGNORECASE,
)
"""What is gone in such a sentence comes back."""
A_NAME = "prefers a name"
"""The place that "I prefer Python" fills."""
_PREFERS = lazy_pattern(r"The user prefers ([\w.+#`/-]+)$")
_ANSWERS_IN = lazy_pattern(
    r"((?:answer|reply|respond|write|speak|talk)(?: to the user)?) in \w+$", re.IGNORECASE
)


_TELLS_OF_AN_END = lazy_pattern(
    r"\b(?:off|from|rid|left|drop|ditch|aband|retir|kill|scrap|quit|g[ai]ve|giv|stop|outgr|replac|sunset|decomm|remov|done|through|longer|any\s?more|"
    r"out|gone|dead|history|deprec|too|no more|shut|switched|obsolete|nicht|gibt|ist|plus|ya no|não|kein|used to|"
    r"instead|rather|statt|anstatt|exist|delet|vanish|disappear|supersede|over from|sold|traded|away|cancel|returned|"
    r"au lieu|vez de|mehr|existe|leav|leas|aband|quitt|arrêt|lâch|rempl|round|enough|fed up|tired|sick|skip|lose|spare|"
    r"stop|over|finish|fold|expir|resign|clos|"
    r"being|ended|umge|gewechs|migri|pass|migr|ran |run |expir|gekünd|abges|abgel|einges|verlass|ersetz|aufgeg|verkauf|"
    r"vorbei|zu ende|fini|termin|acab|dej|reempl|quitam|larg|deix|done)"
)
_LIVES = lazy_pattern(
    r"^(?i:we|i)(?i:'ve|\s+have)?\s+(?i:just\s+|recently\s+)?(?i:moved|relocated)\s+(?i:house\s+|back\s+)?(?i:from\s+\S+\s+)?to\s+"
    r"(?P<place>[A-Z][\w'-]+(?:,?\s(?:de\s|la\s|am\s)?[A-Z][\w'-]+){0,3})(?=$|\W|\s[a-z])"
)
_OF_LIVING = lazy_pattern(
    r"\b(?:tax(?:es)?|rent|flat|apartment|house|city|town|village|school|kids|family|neighbou?rhood|climate|weather|visa|restaurants?|time\s?zone|"
    r"commute|furniture|landlord|insurance|doctor|dentist|language course|residence|gym|garden|trains?|flights?|bank|"
    r"registration|country)\b",
    re.IGNORECASE,
)


def lives(said: str, message: str) -> str:
    """Return where a sentence says that the person lives since, "" where what moved may be the work: "we moved to GitLab"."""
    found = _LIVES.match(said)
    if found is None or not found["place"][0].isupper():
        return ""
    return found["place"] if "," in found["place"] or _OF_LIVING.search(message) is not None else ""


def given_up(said: str) -> str:
    """Return what a sentence says is gone or left behind, "" where it names nothing of the sort."""
    return next(iter(all_given_up(said)), "")


@lru_cache(maxsize=256)
def all_given_up(said: str) -> tuple[str, ...]:
    """Return each thing that a sentence may say is gone or left behind, the surest first."""
    has = marks(said)
    if not has & _ENDS or _TELLS_OF_AN_END.search(said.lower()) is None:
        return ()
    plain = said.replace("’", "'")
    if _OUTAGE.search(plain) is not None:
        return ()
    things: dict[str, None] = {}
    for (needed, pattern), behind in zip(_GIVEN_UP, _BEHIND, strict=True):
        if not has & needed or (behind is not None and behind.search(plain) is None):
            continue
        for found in pattern.finditer(plain):
            old = _CONTRACT.sub("", _TIMES.sub("", found["old"])).strip(" .,;:'\"`")
            if old and old.casefold().partition(" ")[0] not in _NO_THING:
                things[old] = None
    return tuple(things)


@lru_cache(maxsize=256)
def is_change(said: str) -> bool:
    """Say whether a sentence tells that something has become otherwise, for good."""
    return marks(said) & _CHANGES != 0 and _CHANGE.search(said.lower()) is not None


def is_lasting_change(said: str, message: str) -> bool:
    """Say whether a sentence tells of a change for good and names what is over, or where the person lives since."""
    return is_change(said) and bool(given_up(said) or lives(said, message)) and not _is_only_thought_of(said)


@lru_cache(maxsize=256)
def takes_back(said: str) -> bool:
    """Say whether a sentence has a word by which people change what they said before."""
    return marks(said) & _BACK != 0 and _TAKES_BACK.search(said.lower()) is not None


def _is_only_thought_of(said: str) -> bool:
    return _THOUGHT_OF.search(said) is not None


def changes_mind(said: str) -> bool:
    """Say whether a person says that they have come to think otherwise of something: "I've gone off bullet points"."""
    return bool(marks(said) & _MIND) and _CHANGES_MIND.search(said.replace("’", "'")) is not None


def holds_for_now(said: str) -> bool:
    """Say whether a sentence says that it holds for a while only."""
    return _FOR_NOW.search(said) is not None


@lru_cache(maxsize=256)
def may_change(said: str) -> bool:
    """Say whether a sentence may tell of a change for good, in whatever words (K-141)."""
    became = _began(said) or is_change(said) or bool(given_up(said))
    if not became and (not takes_back(said) or _THESE_DAYS.search(said) is not None):
        return False
    return not (holds_for_now(said) or _is_only_thought_of(said))


def _began(said: str) -> bool:
    has = marks(said)
    if not has & _BEGAN and not any(has & one and has & other for one, other in _BEGAN_TOGETHER):
        return False
    return _BECAME.search(said) is not None


def frame(line: str) -> str | None:
    """Return the place that a statement fills of which a conversation has one at a time, or None (K-45)."""
    if (found := _PREFERS.match(line)) is not None:
        return A_NAME if found[1][:1].isupper() else "prefers"
    found = _ANSWERS_IN.match(line)
    return found[1].casefold() if found is not None else None
