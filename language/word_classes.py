"""Which words carry over from one subject to another: function words, and classes of those that name a subject.

Implements specs/capture.md (K-50). The lists are English; a word of another language is known by its characters alone.
"""

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    """
    i im i'm ive i've i'd i'll id ill me my mine myself u ur you your yours you're youre you've you'll we we're we've
    we'll we'd us our ours ourselves he he's him his she she's her hers they they're theyre them their it it's its itself
    one this that these those that's thats there there's here here's who who's whom whose which what what's whats when
    where why how how's hows a an the some any no none each every all both either neither another other others such same
    own more most less least few many much lot lots enough several am is are was were be been being isn't isnt aren't
    arent wasn't wasnt weren't ain't do does did done doing don't dont doesn't doesnt didn't didnt have has had having
    haven't hasn't hadn't can could can't cant cannot couldn't will would won't wont wouldn't shall should shouldn't may
    might must mustn't gonna wanna gotta ought need needs not never nor always usually often sometimes ever already yet
    still again anymore just only even also too very really quite rather pretty so then than as if unless until till
    while because cause cos since though although but and or of in on at by with without from to into onto for about over
    under after before between through during against within via per off out up down away back behind across instead
    except like now today tonight tomorrow yesterday currently later soon once first last next week month year morning
    day time times ago nowadays anyway please pls plz thanks thank thx ok okay yes yeah yep nope sure right well oh ah hey
    hi hello sorry btw fyi actually maybe perhaps probably let let's lets use uses used using prefer prefers want wants
    wanted make keep keeps remember note forget mean means know think guess hope wish try get gets got go goes going come
    comes live lives sit sits run runs belong belongs stay stays work works everything everyone everybody anything anyone
    something someone nothing nobody everywhere anywhere nowhere whatever whichever whenever wherever whoever mr mrs ms
    dr called named aka default
    """.split()
)
"""Words that say how a sentence is meant, not what it is about."""

_ORDERS = """
    add fix write make change rename move remove delete drop create build run rerun check look show tell give explain list
    find search grep print put set update upgrade bump revert undo redo refactor rewrite split merge rebase commit push
    pull deploy test debug profile sort convert translate summarise summarize draft compare review read open close start
    stop restart kill try use generate implement extract replace swap turn clean tidy shorten cut trim format reformat
    lint wire hook port migrate install uninstall download upload send post call mock stub cover document describe suggest
    recommend propose plan sketch design draw plot render calculate compute estimate count measure bench benchmark
    optimise optimize speed increase decrease raise lower limit cap wrap unwrap inline mark tag label comment uncomment
    log trace dump export import parse validate verify confirm double-check help pick choose leave ignore skip keep hold
    wait go continue proceed carry finish stick rephrase reword proofread edit correct mend repair patch squash
    cherry-pick bisect retry reset scrap throw apply inject pass return catch handle cache store save load fetch get let
    bring take copy paste reuse fold flatten expand shrink hide allow block enable disable toggle switch bind map filter
    group join order pad align center centre style colour color size scale crop rotate book schedule remind invite cook
    bake answer reply respond ask quiz teach guess name title spell tighten loosen soften simplify clarify polish
    """

_CLASSES = {
    "ORDER": _ORDERS,
    "KIN": """wife husband partner son daughter kid kids child children baby mum mom dad mother father sister brother aunt
        uncle gran nan grandma grandad grandmother grandfather boyfriend girlfriend fiance fiancé niece nephew cousin cat
        dog horse pet pets twins parents family in-laws stepson stepdaughter""",
    "DAY": "today tonight tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday afternoon evening weekend",
    "DAYS": """mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends mornings evenings nights
        daily weekly monthly yearly nightly""",
    "HEALTH": """allergic allergy coeliac celiac diabetic diabetes asthma asthmatic vegan vegetarian dyslexic dyslexia adhd
        autistic deaf blind colourblind colorblind pregnant migraine migraines intolerant lactose epilepsy arthritis
        gluten halal kosher insulin""",
    "STATE": """broken red green failing fails failed down flaky stuck slow wrong missing empty gone dead crashed crashes
        hangs hanging works working fine weird odd ugly perfect great lovely nice good bad better worse""",
}

CLASS_OF: dict[str, str] = {}
"""The class of a word. A word that would be of two is of the one that stands first above."""
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        CLASS_OF.setdefault(_word, _name)

_ENDINGS = tuple("n't ing ed ly tion ments ment ers er est ness able ful ous ive al ies es 's s y".split())


def class_of(word: str) -> str:
    """Return what stands for a lower-case word that is no function word: its class, its ending (`*ing`) or `*`."""
    found = CLASS_OF.get(word) or CLASS_OF.get(word.removesuffix("'s"))
    if found:
        return found
    for ending in _ENDINGS:
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return "*" + ending
    return "*"
