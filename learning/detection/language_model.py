"""Asks a language model one question, and accepts only a JSON answer, in time and of bounded length.

Implements specs/capture.md (K-110, K-111). Uses any model of the `llm` library (muniment[llm]), which is imported at its
first use, because that takes a quarter of a second. Does not know the subject of the question.
"""

from __future__ import annotations

import copy
import json
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.errors import LedgerError, UsageError
from ledger.extras import how_to_install

SECONDS = 30.0
"""How long an answer may take in all."""
MOST_TOKENS = 2048
MOST_CHARACTERS = 1 << 16
"""Reading stops after so many characters; 2,048 tokens are far fewer."""
_LONGEST_FAULT = 200
_LIMITS = ("max_tokens", "max_output_tokens", "max_completion_tokens", "num_predict")
"""The providers' names for the option that limits the length of an answer."""


class ModelError(LedgerError):
    """A model gave no usable answer: a timeout, an error, no JSON, or JSON of another form."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a model: `system` is the instruction, `data` its input, `schema` the form of the answer."""

    system: str
    data: str
    schema: Mapping[str, Any]


AskModel = Callable[[Question], Any]
"""Asks a question, and returns the JSON value of the answer. Raises ModelError."""


class LanguageModel:
    """A model of the `llm` library.

    Args:
        name: its name or alias there; "" means the default that the person set for `llm`.
        seconds: how long an answer may take.

    Raises:
        UsageError: the library, the model or its key is missing.
    """

    def __init__(self, name: str = "", *, seconds: float = SECONDS) -> None:
        self._model = _loaded(name)
        self._seconds = seconds
        self.name: str = str(self._model.model_id)

    def __call__(self, question: Question) -> Any:
        """Return the JSON value of the model's answer.

        Raises:
            ModelError: the model gave no usable answer.
        """
        given: queue.SimpleQueue[str | ModelError] = queue.SimpleQueue()
        stop = threading.Event()

        def run() -> None:
            try:
                given.put(self._text(question, stop))
            except ModelError as error:
                given.put(error)
            except BaseException as error:  # noqa: BLE001 - plugins raise any error
                given.put(ModelError(f"asking it failed: {_one_line(error)}"))

        # In a thread, because a socket's timeout never ends an answer that arrives byte by byte.
        threading.Thread(target=run, name="asking a model", daemon=True).start()
        try:
            answer = given.get(timeout=self._seconds)
        except queue.Empty:
            raise ModelError(f"no answer within {self._seconds:g} s") from None
        finally:
            stop.set()
        if isinstance(answer, ModelError):
            raise answer
        return _value(answer)

    def _text(self, question: Question, stop: threading.Event) -> str:
        model = _impatient(self._model, self._seconds)
        how: dict[str, Any] = {"stream": bool(model.can_stream)}
        system = question.system
        if model.supports_schema:
            how["schema"] = dict(question.schema)
        else:
            system += f"\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(question.schema)}"
        limit = next((name for name in _LIMITS if name in model.Options.model_fields), None)
        if limit:
            how[limit] = MOST_TOKENS
        pieces, length = [], 0
        for piece in model.prompt(question.data, system=system, **how):
            pieces.append(piece)
            length += len(piece)
            if stop.is_set() or length > MOST_CHARACTERS:
                break
        if length > MOST_CHARACTERS:
            raise ModelError(f"the answer has more than {MOST_CHARACTERS} characters")
        return "".join(pieces)


def _loaded(name: str) -> Any:
    try:
        import llm
    except ImportError:
        raise UsageError(
            f"there is no library to ask a language model with: {how_to_install('llm')}"
        ) from None
    # Only a chosen model: the library's own default might send conversations to a service that nobody chose.
    wanted = name or str(llm.get_default_model(default="") or "")  # type: ignore[no-untyped-call]
    if not wanted:
        raise UsageError("no model is named: give --model NAME, or set model in your own config.toml")
    try:
        model = llm.get_model(wanted)
    except llm.UnknownModelError:
        raise UsageError(f"llm knows no model {wanted!r}: run llm models to list them") from None
    except Exception as error:  # noqa: BLE001 - other people write its plugins and files
        raise UsageError(f"the llm library cannot load its models: {_one_line(error)}") from None
    try:
        if model.needs_key:
            model.get_key()
    except llm.NeedsKeyException:
        raise UsageError(
            f"there is no key for the model {model.model_id}: set one with llm keys set {model.needs_key}"
        ) from None
    return model


def _impatient(model: Any, seconds: float) -> Any:
    """Return a model whose client has a timeout and does not retry; unchanged if its client has no such options."""
    if not hasattr(model, "get_client"):
        return model
    limited = copy.copy(model)

    def get_client(key: str | None, *, async_: bool = False) -> Any:
        return model.get_client(key, async_=async_).with_options(timeout=seconds, max_retries=0)

    limited.get_client = get_client
    return limited


def _value(text: str) -> Any:
    """Return the JSON value of an answer, without a fence or a sentence around it."""
    begin, end = text.find("{"), text.rfind("}")
    try:
        return json.loads(text[begin : end + 1] if 0 <= begin < end else text)
    except (ValueError, RecursionError):
        said = "is empty" if not text.strip() else "is not JSON, or was cut off"
        raise ModelError(f"the answer {said}") from None


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_FAULT]
