"""Prompt files: found by language and name, overridden, checked for their placeholders, filled, hashed.

A file has two parts, under the lines ``# system`` and ``# user``, with placeholders in braces. Every
system part ends with the language's ``_material.md``, which explains the frames; so an override need
not. Braces around anything but a single word (as in JSON) are text.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from muffakir_eval.errors import ConfigError
from muffakir_eval.prompts.framing import Material, frame, make_marker, texts_of

__all__ = ["PROMPTS", "FilledPrompt", "PromptSet", "PromptTemplate", "Slots", "load_prompts"]

Language = Literal["ar", "en"]

_WHERE = "config, key 'prompt_overrides.{name}'"
_PART = re.compile(r"^#[ \t]*(system|user)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SLOT = re.compile(r"\{([^\W\d]\w*)\}")
_LABELS = {"chunks": "chunk", "statements": "statement"}
_ALIASES = {"context": "chunks", "contexts": "chunks", "gold_answers": "gold_answer", "reference": "gold_answer"}


@dataclass(frozen=True, slots=True)
class Slots:
    """The placeholders of a prompt.

    Attributes:
        required: Without these the judge would not see what it judges.
        optional: Known, and may be left out.
        constant: Those whose text is the same for every sample, which may stand in the system part.
    """

    required: frozenset[str]
    optional: frozenset[str]
    constant: frozenset[str] = frozenset()

    @property
    def known(self) -> frozenset[str]:
        """All that may occur."""
        return self.required | self.optional


def _slots(required: str, optional: str = "", constant: str = "") -> Slots:
    names = frozenset(constant.split())
    return Slots(frozenset(required.split()), frozenset([*optional.split(), "marker"]), names)


PROMPTS: Mapping[str, Slots] = MappingProxyType(
    {
        "faithfulness": _slots("answer chunks", "question"),
        "faithfulness_claims": _slots("statements chunks numbers", "question answer"),
        "answer_correctness": _slots("answer gold_answer", "question"),
        "llm_judge_rating": _slots("answer gold_answer", "question"),
        "contextual_precision": _slots("chunks gold_answer numbers", "question"),
        "contextual_recall": _slots("statements chunks numbers", "question gold_answer"),
        "answer_relevancy": _slots("question statements numbers", "answer"),
        "refusal": _slots("answer", "question"),
        "criteria": _slots("criteria scale material", "rubric", "criteria scale rubric"),
    }
)
"""Every prompt and its placeholders."""


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A prompt for one case.

    Attributes:
        system: The instructions.
        user: The case.
    """

    system: str
    user: str


@dataclass(frozen=True)
class PromptTemplate:
    """One prompt before it is filled.

    Attributes:
        name: Key of :data:`PROMPTS`.
        system: Instructions.
        user: The case, with placeholders.
        overridden: It is the user's own.
    """

    name: str
    system: str
    user: str
    overridden: bool = False

    @cached_property
    def hash(self) -> str:
        """SHA-256 of both parts, in hexadecimal."""
        return hashlib.sha256(f"{self.system}\n\0\n{self.user}".encode("utf-8", "surrogatepass")).hexdigest()

    def fill(self, material: Mapping[str, Material], words: Mapping[str, str] | None = None) -> FilledPrompt:
        """The prompt for one case.

        Args:
            material: Texts that nobody vouches for, by placeholder; each is framed. For ``{material}``
                all of them stand one after the other.
            words: Our own words, by placeholder, such as the numbers that are asked for.

        Returns:
            Both parts. A placeholder for which nothing was given becomes empty.
        """
        marker = make_marker(texts_of(material.values()))
        framed = {name: frame(_LABELS.get(name, name), each, marker) for name, each in material.items()}
        texts = {**framed, "material": "\n\n".join(framed.values()), "marker": marker, **(words or {})}

        def slot(match: re.Match[str]) -> str:
            return texts.get(_ALIASES.get(match[1], match[1]), "")

        return FilledPrompt(_SLOT.sub(slot, self.system), _SLOT.sub(slot, self.user))


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All prompts of a run.

    Attributes:
        language: Of the prompts and of the reasons.
        templates: By name.
    """

    language: Language
    templates: Mapping[str, PromptTemplate]

    def __getitem__(self, name: str) -> PromptTemplate:
        return self.templates[name]

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 by name, for the summary."""
        return {name: template.hash for name, template in self.templates.items()}


def load_prompts(language: Language, overrides: Mapping[str, str] | None = None) -> PromptSet:
    """The prompts of ``language``, with the user's own in place of some.

    Args:
        language: ``ar`` or ``en``.
        overrides: Text by name of the prompt, or the path of a ``.md`` or ``.txt`` file. A part that it
            lacks stays as it is; a text without the lines ``# system`` and ``# user`` is the user part.

    Raises:
        ConfigError: A name is unknown, a file cannot be read, or a placeholder is missing, unknown or
            in the wrong part.

    >>> load_prompts("ar")["faithfulness"].overridden
    False
    >>> load_prompts("en", {"faithfulness": "Is this true? {answer}"})
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: config, key 'prompt_overrides.faithfulness': the prompt lacks the \
placeholder {chunks}. Expected: {answer}, {chunks}; also possible: {marker}, {question}. \
What to do: put it where the text belongs.
    """
    folder = resources.files("muffakir_eval.resources") / "prompts" / language
    material = (folder / "_material.md").read_text(encoding="utf-8")
    given = dict(overrides or {})
    for name in given:
        _check_name(name)
    templates = {}
    for name in PROMPTS:
        system, user = _parts((folder / f"{name}.md").read_text(encoding="utf-8"))
        if name in given:
            own_system, own_user = _own_parts(name, _override_text(name, given[name]))
            system, user = own_system or system, own_user or user
        template = PromptTemplate(name, f"{system}\n\n{material.strip()}", user, overridden=name in given)
        _check_slots(template)
        templates[name] = template
    return PromptSet(language, MappingProxyType(templates))


def _parts(text: str) -> tuple[str, str]:
    """System and user part; a text without headings is the user part."""
    text = text.replace("\r\n", "\n")
    headings = list(_PART.finditer(text))
    if not headings:
        return "", text.strip()
    parts = {"system": "", "user": ""}
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        parts[heading[1].lower()] += text[heading.end() : following.start() if following else len(text)]
    return parts["system"].strip(), parts["user"].strip()


def _own_parts(name: str, text: str) -> tuple[str, str]:
    heading = _PART.search(text)
    stray = text[: heading.start()].strip() if heading else ""
    system, user = _parts(text)
    if stray or not (system or user):
        raise ConfigError(
            f"the prompt starts with {stray[:40]!r} before its first part" if stray else "the prompt is empty",
            where=_WHERE.format(name=name),
            expected="the lines '# system' and '# user', each followed by its text, or the user part alone",
        )
    return system, user


def _check_name(name: str) -> None:
    if name not in PROMPTS:
        near = difflib.get_close_matches(name.lower(), PROMPTS, n=1, cutoff=0.5)
        raise ConfigError(
            f"there is no prompt {name!r}",
            where="config, key 'prompt_overrides'",
            expected=f"one of {', '.join(PROMPTS)}",
            remedy=f"did you mean {near[0]!r}?" if near else None,
        )


def _override_text(name: str, value: str) -> str:
    if "\n" in value or not value.strip().lower().endswith((".md", ".txt")):
        return value
    try:
        return Path(value.strip()).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the prompt file {value.strip()!r} cannot be read ({error})",
            where=_WHERE.format(name=name),
            expected="a UTF-8 text file, or the text itself",
        ) from None


def _check_slots(template: PromptTemplate) -> None:
    slots = PROMPTS[template.name]
    in_system, in_user = _used(template.system), _used(template.user)
    problem = None
    if unknown := sorted((in_system | in_user) - slots.known):
        problem = f"the prompt has the unknown placeholder {_named(unknown)}"
        remedy = "correct it; braces around a single word are a placeholder"
    elif missing := sorted(slots.required - in_system - in_user):
        problem = f"the prompt lacks the placeholder {_named(missing)}"
        remedy = "put it where the text belongs"
    elif moving := sorted(in_system - slots.constant):
        problem = f"the system part has the placeholder {_named(moving)}"
        remedy = "move it to the part under '# user': instructions are the same for every sample"
    if problem:
        optional = f"; also possible: {_named(sorted(slots.optional))}"
        raise ConfigError(
            problem,
            where=_WHERE.format(name=template.name),
            expected=f"{_named(sorted(slots.required))}{optional}",
            remedy=remedy,
        )


def _used(text: str) -> set[str]:
    return {_ALIASES.get(name, name) for name in _SLOT.findall(text)}


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
