"""What to do about an exception that rules raise in plain Python, in one sentence."""

from __future__ import annotations

import builtins
import dataclasses
import difflib
import re
import traceback
import types as py
from collections.abc import Iterable
from typing import Any

from kibitz.state import Cells

_FLOAT_AS_INTEGER = re.compile(r"'float' object cannot be interpreted as an integer|only integers, slices")
_STATE_AS_LIST = re.compile(r"'?State'? (object )?(has no len|does not support|is not)|object of type 'State'")


def explained_exception(error: Exception, game: Any = None) -> str:
    """What is wrong and what to do, in a sentence."""
    return as_sentence(_explained(error, game))


def as_sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _explained(error: Exception, game: Any) -> str:
    if isinstance(error, NameError):
        return _unknown_name(error, game)
    if isinstance(error, AttributeError):
        return _unknown_attribute(error)
    if isinstance(error, ZeroDivisionError):
        return "division by zero; test the divisor first"
    text = str(error).rstrip(".")
    if _FLOAT_AS_INTEGER.search(text):
        return "a float is used where an integer is needed; divide with // instead of /"
    if isinstance(error, IndexError):
        return f"reads or writes beyond an array ({text})"
    if isinstance(error, OverflowError) and "does not fit in the field" in text:
        return f"{text}; declare the field with a wider type, such as i2 or i4"
    if isinstance(error, ValueError) and "negative shift" in text:
        return "shifts by a negative number; test it first"
    if isinstance(error, TypeError) and "holds integers, not" in text:
        return f"{text}; convert it with int(…) or //, or declare the field as f8"
    if isinstance(error, TypeError) and _STATE_AS_LIST.search(text):
        return "s is a record, not a list; use its fields, such as s.turn"
    if isinstance(error, ValueError) and "broadcast" in text:
        return f"an array is assigned to one of another shape ({text}); make the shapes equal"
    if isinstance(error, ValueError) and "setting an array element with a sequence" in text:
        return "an array is assigned to a single number; choose one of its cells"
    if isinstance(error, ValueError) and "truth value of an array" in text:
        return "an array is neither true nor false; test its cells one by one"
    return f"raises {type(error).__name__}: {text}"


def _unknown_name(error: NameError, game: Any) -> str:
    name, sentence = error.name, str(error)
    if isinstance(error, UnboundLocalError) or not name:
        return f"raises {type(error).__name__}: {sentence}"
    if game is not None and hasattr(game, name):
        return f"{sentence}; write self.{name}"
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    known = {*vars(builtins), *(frames[-1].f_globals if frames else ()), *(frames[-1].f_locals if frames else ())}
    return f"{sentence}{suggestion(name, known)}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """A hint at the known name that is closest to a misspelled one; otherwise to define it."""
    close = difflib.get_close_matches(name, sorted(known), 1)
    return f"; did you mean {close[0]}?" if close else "; define it first, or import it"


def _unknown_attribute(error: AttributeError) -> str:
    owner, name, sentence = error.obj, error.name, str(error)
    if isinstance(error, dataclasses.FrozenInstanceError):
        return f"{sentence} of the rules, which are fixed; put what changes during a game in a field of the state"
    if isinstance(owner, Cells) and name == "append":
        return "an array has no append; write out[count] = move and count the entries"
    if isinstance(owner, Cells):
        return f"an array of the state has no {name}; write a loop over its cells"
    if sentence.startswith("the state has no field"):  # it lists those that there are
        return sentence
    if owner is not None and isinstance(name, str):
        kind = owner.__name__ if isinstance(owner, py.ModuleType) else type(owner).__name__
        names = [known for known in dir(owner) if not known.startswith("_")]
        close = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {close[0]}?" if close else "define it first"
        return f"{kind} has no attribute {name!r}; {hint}"
    return f"raises AttributeError: {sentence}"
