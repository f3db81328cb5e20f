"""Verbs as spoken Arabic negates them: the forms are made from stems, so that the tables need not list them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["negated_verbs"]


def negated_verbs(data: Mapping[str, Sequence[str]]) -> list[str]:
    """Patterns for the negated forms of some verbs.

    Spoken Arabic negates with ``ما`` before the verb, apart or joined, and with or without ``ش`` behind it, and
    with particles such as ``مش`` before a present form.

    Args:
        data: ``present_prefixes`` and ``present`` (stems without prefix), ``past`` (third person singular),
            ``particles``, and ``between`` (what may stand between a particle and the verb).

    >>> patterns = negated_verbs({"present_prefixes": ["بي"], "present": ["ذكر"], "past": ["حكى"],
    ...                           "particles": ["مش"], "between": ["راح"]})
    >>> patterns[0]
    'ما (بيذكر|بيذكرش|حكاش|حكت|حكتش|حكوا|حكوش|حكى)'
    >>> patterns[1]
    '(مابيذكر|مابيذكرش|ماحكاش|ماحكت|ماحكتش|ماحكوا|ماحكوش|ماحكى|مبيذكرش|محكاش|محكتش|محكوش)'
    >>> patterns[2]
    '(مش) [راح] (بيذكر)'
    """
    present = {prefix + stem for prefix in data["present_prefixes"] for stem in data["present"]}
    plain = present | {form for verb in data["past"] for form in _past(verb)}
    closed = {_closed(form) for form in plain}
    joined = {f"ما{form}" for form in plain | closed} | {f"م{form}" for form in closed}
    return [
        f"ما ({_either(plain | closed)})",
        f"({_either(joined)})",
        f"({'|'.join(data['particles'])}) [{'|'.join(data['between'])}] ({_either(present)})",
    ]


def _past(verb: str) -> tuple[str, str, str]:
    """He, she, they."""
    stem = verb.removesuffix("ى")
    return verb, f"{stem}ت", f"{stem}وا"


def _closed(form: str) -> str:
    """The form with ``ش`` behind it: حكى, حكاش and ذكروا, ذكروش."""
    if form.endswith("ى"):
        return f"{form[:-1]}اش"
    return f"{form[:-1]}ش" if form.endswith("وا") else f"{form}ش"


def _either(forms: set[str]) -> str:
    return "|".join(sorted(forms))
