"""Figures of the corpus as a whole: lengths, scripts, digits, vowels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from muffakir_eval.audit.health.characters import ARABIC, LETTERS, SCRIPTS, Kind
from muffakir_eval.audit.health.part import HealthPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["statistics"]

_PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
_CHARACTER_BOUNDS = (0, 1, 50, 100, 200, 400, 600, 800, 1000, 1500, 2000, 3000, 4000, 6000, 8000)
_WORD_BOUNDS = (0, 1, 5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200)


def statistics(part: HealthPart) -> dict[str, Any]:
    """Figures that are no fault; keys are stable, values fit into JSON."""
    import numpy as np

    per_source = np.bincount(part.source.numpy(), minlength=len(part.sources))
    without = part.sources.get(None)
    named = np.delete(per_source, without) if without is not None else per_source
    return {
        "n_chunks": len(part),
        "n_sources": len(named),
        "n_chunks_without_source": int(per_source[without]) if without is not None else 0,
        "chunks_per_source": _spread(named),
        "characters": {
            "total": int(part.characters.numpy().sum()),
            **_lengths(part.characters.numpy(), _CHARACTER_BOUNDS),
        },
        "words": {"total": int(part.words.numpy().sum()), **_lengths(part.words.numpy(), _WORD_BOUNDS)},
        "scripts": _scripts(part),
        "digits": _digits(part),
        "diacritics": _diacritics(part),
        "keyboards": _keyboards(part),
    }


def _spread(values: NDArray[np.int64]) -> dict[str, Any]:
    import numpy as np

    if not len(values):
        return {}
    points = np.percentile(values, _PERCENTILES, method="inverted_cdf").tolist()
    return {
        "min": int(values.min()),
        **{f"p{percentile}": int(point) for percentile, point in zip(_PERCENTILES, points, strict=True)},
        "max": int(values.max()),
        "mean": round(float(values.mean()), 2),
    }


def _lengths(values: NDArray[np.uint32], bounds: tuple[int, ...]) -> dict[str, Any]:
    import numpy as np

    counts = np.bincount(np.searchsorted(bounds, values, side="right") - 1, minlength=len(bounds)).tolist()
    ends = [*(bound - 1 for bound in bounds[1:]), None]
    histogram = [
        {"from": first, "to": last, "count": count} for first, last, count in zip(bounds, ends, counts, strict=True)
    ]
    return {**_spread(values.astype(np.int64)), "histogram": histogram}


def _count(part: HealthPart, name: str) -> int:
    return part.tallies[name].count if name in part.tallies else 0


def _total(part: HealthPart, *kinds: Kind) -> int:
    return sum(part.totals[f"kind:{kind.name}"] for kind in kinds)


def _share(count: int, total: int) -> float | None:
    return round(count / total, 6) if total else None


def _scripts(part: HealthPart) -> dict[str, Any]:
    letters = _total(part, *LETTERS)
    found = {name: (_count(part, f"script:{name}"), _total(part, *kinds)) for name, kinds in SCRIPTS.items()}
    return {
        "main_script_of_chunks": {name: chunks for name, (chunks, _) in found.items() if chunks},
        "chunks_without_letters": _count(part, "script:none"),
        "share_of_letters": {name: _share(total, letters) for name, (_, total) in found.items() if total},
    }


def _digits(part: HealthPart) -> dict[str, Any]:
    kinds = {"european": Kind.DIGITS, "arabic": Kind.ARABIC_DIGITS, "persian": Kind.PERSIAN_DIGITS}
    return {
        "digits": {name: _total(part, kind) for name, kind in kinds.items()},
        "chunks": {name: _count(part, f"digits:{name}") for name in (*kinds, "several")},
    }


def _diacritics(part: HealthPart) -> dict[str, Any]:
    signs, letters = _total(part, Kind.VOWELS), _total(part, *ARABIC)
    return {
        "signs_per_arabic_letter": _share(signs, letters),
        "chunks_with_any": _count(part, "vowels:any"),
        "share_of_chunks_with_any": _share(_count(part, "vowels:any"), len(part)),
        "chunks_fully_vowelled": _count(part, "vowels:full"),
        "arabic_chunks_not_fully_vowelled": _count(part, "vowels:not_full"),
    }


def _keyboards(part: HealthPart) -> dict[str, Any]:
    return {
        "arabic_kaf_yeh": _total(part, Kind.ARABIC_KEYS, Kind.FORMS_ARABIC_KEYS),
        "persian_kaf_yeh": _total(part, Kind.PERSIAN_KEYS, Kind.FORMS_PERSIAN_KEYS),
        "chunks_in_arabic": _count(part, "language:arabic"),
        "chunks_in_persian_or_urdu": _count(part, "language:persian_or_urdu"),
    }
