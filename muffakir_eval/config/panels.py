"""Who judges: one model named in short or by its settings, or a panel of several."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import mask_settings

__all__ = ["JudgeSpec", "Jury", "JuryMethod", "as_jury", "judge_spec", "jury", "told_apart"]

JuryMethod = Literal["median", "majority", "mean"]
"""How the values of a panel become one."""

_OF_A_MODEL = (
    "llm_provider",
    "llm_model",
    "api_key",
    "base_url",
    "llm_base_url",
    "llm_temperature",
    "llm_max_tokens",
    "llm_parameters",
    "judge_llm_parameters",
    "max_concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "call_timeout_s",
    "retry_deadline_s",
    "prices",
)
"""Settings that may differ from one judge to the next."""

_OF_A_RUN = ("budget_usd", "judge_repeats", "prompt_overrides", "faithfulness_mode")
"""Settings that a judge with a run of its own may have, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec:
    """A judge before it is made.

    Attributes:
        label: What it is called in reports.
        settings: Configuration keys with their values.
        model: An object that answers, where it is not named by the settings.
    """

    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: Any = None

    def __repr__(self) -> str:
        shown = self.public()
        return f"JudgeSpec({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def public(self) -> dict[str, Any]:
        """As plain values, secrets masked."""
        shown = {"label": self.label, **dict(mask_settings(dict(self.settings)))}
        return shown if self.model is None else {**shown, "model": type(self.model).__name__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Jury:
    """A panel of judges that is used like one; made by :func:`jury`.

    Attributes:
        members: At least two.
        method: How their values become one.
        quorum: So many of them must have given a verdict; that there is nothing to judge is one, too.
        name: What the panel is called.
    """

    members: tuple[JudgeSpec, ...]
    method: JuryMethod
    quorum: int
    name: str

    def public(self) -> dict[str, Any]:
        """As plain values, secrets masked."""
        members = [member.public() for member in self.members]
        return {"name": self.name, "method": self.method, "quorum": self.quorum, "members": members}


def jury(members: Any, *, method: JuryMethod = "median", quorum: int | None = None, name: str | None = None) -> Jury:
    """A panel of judges.

    Every member is asked about every answer. Their values become one: the ``median`` (of two middle ones
    the mean), the ``mean``, or the ``majority``, for metrics with labels; where several labels have the most
    votes, the lowest of them counts. A member that fails leaves the others, as long as ``quorum`` of them
    gave a value.

    Args:
        members: Two or more judges: ``"openai:gpt-4o"``, a dict of settings (``llm_provider``, ``llm_model``,
            ``api_key``, …), or an object that answers.
        method: ``median``, ``majority`` or ``mean``.
        quorum: By default more than half of the members.
        name: By default the method and the members.

    Raises:
        ConfigError: There are fewer than two members, or one of them or a setting is malformed.

    >>> panel = jury(["openai:gpt-4o-mini", "anthropic:claude-haiku-4-5", "groq:llama-3.3-70b"])
    >>> panel.name, panel.quorum
    ('median of gpt-4o-mini, claude-haiku-4-5, llama-3.3-70b', 2)
    """
    if isinstance(members, (str, Mapping)) or not isinstance(members, Sequence) or len(members) < 2:
        raise ConfigError(
            "a panel needs at least two members", where="jury", expected='a list such as ["openai:gpt-4o", "groq:…"]'
        )
    if method not in get_args(JuryMethod):
        raise ConfigError(
            f"the method is {method!r}", where="jury", expected=f"one of {', '.join(get_args(JuryMethod))}"
        )
    specs = told_apart([judge_spec(member, where="jury", own_run=False) for member in members])
    needed = len(specs) // 2 + 1 if quorum is None else quorum
    if type(needed) is not int or not 1 <= needed <= len(specs):
        raise ConfigError(f"the quorum is {quorum!r}", where="jury", expected=f"a whole number from 1 to {len(specs)}")
    called = name or f"{method} of {', '.join(spec.label for spec in specs)}"
    return Jury(members=tuple(specs), method=method, quorum=needed, name=called)


def as_jury(value: Any) -> Jury:
    """The setting ``jury``: a panel, a list of members, or a table with ``members``, ``method``, ``quorum``, ``name``.

    Raises:
        ConfigError: It is malformed.
    """
    if isinstance(value, Jury):
        return value
    if not isinstance(value, Mapping):
        return jury(value)
    known = ("members", "method", "quorum", "name")
    for key in value:
        if key not in known:
            raise _unknown(key, known, "jury")
    return jury(value.get("members", ()), **{key: value[key] for key in known[1:] if value.get(key) is not None})


def judge_spec(judge: Any, *, where: str, own_run: bool = True) -> JudgeSpec:
    """A judge as users write it.

    Args:
        judge: ``"provider:model"``, a dict of settings with an optional ``label``, or an object that answers.
        where: What it is part of, for messages.
        own_run: It has a run of its own, and may have the settings of one.

    Raises:
        ConfigError: It is malformed.

    >>> judge_spec("ollama:qwen2.5:14b", where="judges").settings
    {'llm_provider': 'ollama', 'llm_model': 'qwen2.5:14b'}
    """
    if isinstance(judge, JudgeSpec):
        return judge
    if isinstance(judge, str):
        provider, colon, model = judge.strip().partition(":")
        if "," in model and ":" in model.partition(",")[2]:
            raise ConfigError(f"{judge!r} names several judges", where=where, expected="a list with one name each")
        if not colon or not provider.strip() or not model.strip():
            raise ConfigError(
                f"{judge!r} names no judge", where=where, expected="PROVIDER:MODEL, such as openai:gpt-4o"
            )
        settings = {"llm_provider": provider.strip(), "llm_model": model.strip()}
        return JudgeSpec(label=model.strip(), settings=settings)
    if isinstance(judge, Mapping):
        return _from_mapping(judge, where, own_run=own_run)
    if judge is None or isinstance(judge, (bool, int, float, bytes, list, tuple, set)):
        raise ConfigError(
            f"{type(judge).__name__} is no judge",
            where=where,
            expected="PROVIDER:MODEL, a dict of settings, or an object that answers",
        )
    if isinstance(judge, type):
        raise ConfigError(f"{judge.__name__} is a class", where=where, expected=f"an object of it: {judge.__name__}(…)")
    if isinstance(judge, Jury):
        if not own_run:
            raise ConfigError("a panel cannot sit in a panel", where=where, remedy="list its members instead")
        return JudgeSpec(label=judge.name, model=judge)
    return JudgeSpec(label=_name_of(judge), model=judge)


def told_apart(specs: Sequence[JudgeSpec]) -> list[JudgeSpec]:
    """The same judges, each with a label of its own: ``gpt-4o (azure)`` beside ``gpt-4o (openai)``, or ``x (2)``.

    Raises:
        ConfigError: Two are the same in everything.
    """
    _refuse_twins(specs)
    often = Counter(spec.label for spec in specs)
    taken: set[str] = set()
    found = []
    for spec in specs:
        provider = spec.settings.get("llm_provider")
        known = isinstance(provider, str) and spec.label in (spec.settings.get("llm_model"), provider)
        name = f"{spec.label} ({provider})" if known and often[spec.label] > 1 else spec.label
        label, number = name, 1
        while label in taken:
            number += 1
            label = f"{name} ({number})"
        taken.add(label)
        found.append(JudgeSpec(label=label, settings=spec.settings, model=spec.model))
    return found


def _refuse_twins(specs: Sequence[JudgeSpec]) -> None:
    """A model that is asked the same twice may answer from the cache: it would agree with itself perfectly."""
    for place, spec in enumerate(specs):
        for other in specs[:place]:
            same_model = spec.model is other.model if spec.model is not None or other.model is not None else True
            named = spec.model is not None or bool(spec.settings)
            if named and same_model and dict(spec.settings) == dict(other.settings):
                raise ConfigError(
                    f"{spec.label} is there twice with the same settings",
                    where="judges",
                    remedy="judge_repeats=3 asks one judge several times, and shows how far it agrees with itself",
                )


def _from_mapping(judge: Mapping[str, Any], where: str, *, own_run: bool) -> JudgeSpec:
    settings = dict(judge)
    label = settings.pop("label", None)
    if "jury" in settings:
        if not own_run:
            raise ConfigError("a panel cannot sit in a panel", where=where, remedy="list its members instead")
        panel = settings.pop("jury")
        options = {key: settings.pop(key) for key in ("method", "quorum", "name") if key in settings}
        made = as_jury(panel) if isinstance(panel, (Jury, Mapping)) else jury(panel, **options)
        _refuse_unknown(settings, _OF_A_RUN, where)
        return JudgeSpec(label=str(label or made.name), settings=settings, model=made)
    known = (*_OF_A_MODEL, *_OF_A_RUN) if own_run else _OF_A_MODEL
    _refuse_unknown(settings, known, where)
    provider = settings.get("llm_provider")
    if provider is not None and not isinstance(provider, str):  # an object that answers
        del settings["llm_provider"]
        return JudgeSpec(label=str(label or _name_of(provider)), settings=settings, model=provider)
    named = settings.get("llm_model") or provider
    if not named:
        raise ConfigError("a judge is not named", where=where, expected="llm_provider and llm_model")
    return JudgeSpec(label=str(label or named), settings=settings)


def _refuse_unknown(settings: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in settings:
        if key not in known:
            raise _unknown(key, known, where)


def _unknown(key: object, known: Sequence[str], where: str) -> ConfigError:
    near = difflib.get_close_matches(str(key), known, n=1)
    return ConfigError(
        f"unknown key {key!r}",
        where=where,
        remedy=f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(known)}",
    )


def _name_of(model: Any) -> str:
    """What an object that answers is called."""
    try:
        identity = getattr(model, "identity", None)
        named = [identity.get("model")] if isinstance(identity, Mapping) else []
        named += [getattr(model, name, None) for name in ("model_name", "model", "llm_model", "__name__")]
    except Exception:  # noqa: BLE001 - an object of the user's may do anything when it is looked at
        named = []
    return next((name for name in named if isinstance(name, str) and name), type(model).__name__)
