"""What a server has been found to accept: learnt from its refusals, once, and kept for the run."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from muffakir_eval.judges.failures import Failure

__all__ = ["NO_TEMPERATURE", "Dialect", "Form", "Shape"]

NO_TEMPERATURE = "temperature not sent: the model refuses it"

_FORM = re.compile(
    r"response[ _](?:format|schema)|json[_ ]schema|json_object|json mode|structured[ _]outputs?|output_config"
    r"|output_format|guided|grammar"
)


_SYSTEM = re.compile(r"system (?:role|messages?|prompts?)\W.{0,30}(?:not |un)(?:be )?supported")


class Form(enum.IntEnum):
    """How a reply is held to its schema, from strict to not at all."""

    SCHEMA = 0
    JSON = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Shape:
    """How a request looks.

    Attributes:
        form: How the reply is held to its schema.
        temperature: Whether the temperature is sent.
        limit: The parameter that limits the tokens of the reply.
        system: Whether the instructions have a message of their own.
    """

    form: Form
    temperature: bool
    limit: str
    system: bool


class Dialect:
    """How to ask one server; shared by all calls of an adapter.

    Args:
        forms: What is tried, in this order.
        temperature: Whether there is one to send.
        limits: Names of the token limit, the likelier one first.

    Attributes:
        shape: How the next request should look.
    """

    def __init__(self, *, forms: Sequence[Form], temperature: bool, limits: Sequence[str]) -> None:
        self._forms = tuple(forms)
        self._limits = tuple(limits)
        self._wants_temperature = temperature
        self.shape = Shape(self._forms[0], temperature, self._limits[0], system=True)

    def notes(self, sent: Shape) -> tuple[str, ...]:
        """Settings that could not be applied to a request of this shape."""
        return (NO_TEMPERATURE,) if self._wants_temperature and not sent.temperature else ()

    def learn(self, sent: Shape, failure: Failure) -> bool:
        """Take note of a refusal; ``True`` where the same question, asked anew, looks different.

        Calls run side by side: a refusal is judged by what *this* call had sent, so that ten refusals
        of one form that arrive together go one step down, not ten.
        """
        if failure.status not in {400, 404, 422}:
            return False
        lower = self._forms[self._forms.index(sent.form) + 1 :]
        if sent.temperature and failure.refuses("temperature"):
            self.shape = replace(self.shape, temperature=False)
        elif sent.limit != self._limits[-1] and failure.refuses(sent.limit):
            self.shape = replace(self.shape, limit=self._limits[-1])
        elif sent.system and _SYSTEM.search(failure.said):
            self.shape = replace(self.shape, system=False)
        elif lower and _FORM.search(failure.said):
            self.shape = replace(self.shape, form=max(self.shape.form, lower[0]))
        else:
            return False
        return True
