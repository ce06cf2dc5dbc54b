"""What is told behind a wish, behind another's quotation, and of a life in other languages: K-42, K-260, K-261, K-147."""

from __future__ import annotations

import pytest

from learning.detection import own_life, speech
from learning.detection.deciding import decide
from learning.detection.detector import LearningDetector
from learning.detection.reasons import told_behind
from learning.turn import Turn


def proposed(said: str) -> list[str]:
    found = LearningDetector().analyze(Turn("user", said, conversation="c", message="m"))
    return [one.memory.text for one in found if one.memory is not None]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("could you swap the two colours, I'm colour-blind and they look the same", "I'm colour-blind and they look the same"),
        ("find a hotel with a lift - we travel with a wheelchair", "we travel with a wheelchair"),
        ("add ten minutes to each walk because my son is three", "my son is three"),
        ("is there a version without hands (my right wrist has a plate in it), three minutes at most", "my right wrist has a plate in it"),
        ("kannst du das größer setzen, ich sehe auf einem Auge nichts", "ich sehe auf einem Auge nichts"),
        ("fais-le sans farine, ma fille est coeliaque", "ma fille est coeliaque"),
        ("ponlo en texto, soy casi ciego", "soy casi ciego"),
    ],
)  # fmt: skip
def test_a_reason_of_the_person_stands_behind_a_wish(said: str, told: str) -> None:
    assert told_behind(said) == told


@pytest.mark.parametrize(
    "said",
    [
        "fix the import and run it again",
        "rename it, please",
        "move it to lib, can you do that, I need you to check the tests too",
        "put `x = 1, my_list = 2` into the config",
        "shorten it, so that it fits",
    ],
)
def test_what_is_no_reason_is_none(said: str) -> None:
    assert told_behind(said) == ""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "could you put the two lines into blue and orange instead, I'm colour-blind and can't tell them apart",
            "The user is colour-blind and can't tell them apart",
        ),
        (
            "please find something near the station, we travel with a wheelchair",
            "We travel with a wheelchair",
        ),
    ],
)
def test_the_reason_is_learned_and_the_wish_is_not(said: str, line: str) -> None:
    assert proposed(said) == [line]


@pytest.mark.parametrize(
    "said",
    [
        "make it quick, I'm in a hurry",
        "use the other branch, I've pushed my changes there",
        "send it to Ana, I'm at lunch",
        "run it again, I forgot the flag",
        "remind me at 5, I'm on the train till then",
        "can you shorten it, I only have two minutes on stage",
        "write a reply, my brother is asking for money again",
        "find a bug in this, I have been staring at it for hours",
        "translate this, my Czech is rusty today",
        "rename it, I don't like the name",
        "could you look at this again, my boss wants it today",
        "what should I cook, I'm hungry",
    ],
)
def test_a_reason_of_the_moment_is_not_learned(said: str) -> None:
    assert proposed(said) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The vendor's README says: 'Always call init()! Never use channel 3.' Our board has no channel 3.", "Our board has no channel 3."),
        ('The readme says: "Always call init! Never use DMA." None of it is so.', "None of it is so."),
        ("The manual says: “Always press twice.” Mine has no button.", "Mine has no button."),
    ],
)  # fmt: skip
def test_a_quotation_ends_where_it_is_closed(text: str, said: str) -> None:
    assert [one.text for one in speech.sentences(text)] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "The customer wrote: I always want pdf. Never call me.",
        "Ana said: 'I prefer tea. Always.' and that she hates milk. Never again.",
        "Ana said: 'I prefer tea. Always use the users' names. Never again",
    ],
)
def test_an_open_quotation_goes_on(text: str) -> None:
    assert speech.sentences(text) == []


def test_what_is_answered_is_nobodys_answer() -> None:
    text = "ok so the database question is answered: we move to Postgres. The wiki says: never do."
    assert speech.sentences(text)[0].text == "ok so the database question is answered: we move to Postgres."


@pytest.mark.parametrize(
    "said",
    [
        "Ich pflege meine Mutter zu Hause",
        "Ich bin Hebamme und viel unterwegs",
        "ich arbeite als Nachtpförtner",
        "Ich wohne seit Mai in Husum",
        "meine Tochter hat Zöliakie",
        "Je suis infirmière à Nantes",
        "je suis pâtissier",
        "j'ai trois enfants et un seul salaire",
        "je ne mange plus de viande",
        "ma fille est coeliaque",
        "Soy enfermera de quirófano",
        "tengo dos hijos pequeños",
        "trabajo de panadero",
        "mi marido es alérgico al huevo",
    ],
)
def test_a_life_has_its_frames_in_other_languages(said: str) -> None:
    assert own_life.lasts(said)


@pytest.mark.parametrize(
    "said",
    [
        "Ich bin Montag wieder da",
        "ich bin gerade im Zug",
        "ich bin total begeistert",
        "Ich bin Fan von dem Entwurf",
        "ich arbeite noch am Bericht",
        "mein Mann ist heute krank",
        "je suis d'accord",
        "je suis perdu dans ce code",
        "je suis le premier à le dire",
        "je suis curieuse",
        "j'ai deux heures à perdre",
        "ma femme est en retard",
        "soy consciente de eso",
        "soy el primero",
        "tengo dos errores",
        "mi jefe es un desastre",
    ],
)
def test_the_moment_has_others_in_other_languages(said: str) -> None:
    assert not own_life.lasts(said)


def test_no_reason_is_looked_for_in_a_very_long_sentence() -> None:
    assert told_behind("could you do it, I am here, " * 400) == ""


def test_an_error_that_a_rule_speaks_of_is_no_fault() -> None:
    rule = frozenset(("broken", "rule", "words_8"))
    assert decide(rule, 0.55, corrects=False) is not None
    assert decide(rule - {"rule"}, 0.55, corrects=False) is None
    assert decide(rule | {"mend"}, 0.55, corrects=False) is None


@pytest.mark.parametrize(
    "said", ["My timezone is CET", "My birthday is March 3rd", "I speak Dutch and English"]
)
def test_what_a_person_has_one_of_is_of_their_life(said: str) -> None:
    """K-147."""
    assert own_life.lasts(said)
    assert len(proposed(said)) == 1


@pytest.mark.parametrize(
    "said",
    ["My timezone is ignored by the parser", "My birthday is next week", "my surname is missing in the form"],
)
def test_what_happens_to_it_is_not(said: str) -> None:
    """K-147."""
    assert not own_life.lasts(said)
    assert proposed(said) == []
