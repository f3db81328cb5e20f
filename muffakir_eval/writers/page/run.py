"""The page of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from muffakir_eval.records import SampleResult
from muffakir_eval.writers.page.charts import Charts
from muffakir_eval.writers.page.collected import Collected
from muffakir_eval.writers.page.document import data_block, document
from muffakir_eval.writers.page.drawing import can_draw, warn_without_charts
from muffakir_eval.writers.page.figures import flat, headlines, judge_facts, main_metrics, missing, slices
from muffakir_eval.writers.page.marks import Marker, settings_of
from muffakir_eval.writers.page.numbers import RATING, percent, value_text
from muffakir_eval.writers.page.payload import Payload
from muffakir_eval.writers.page.plain_text import shown
from muffakir_eval.writers.page.sample_rows import FLAGS
from muffakir_eval.writers.page.scope import scope
from muffakir_eval.writers.page.warning_words import warning_words
from muffakir_eval.writers.page.wording import Wording, language_of, wording

__all__ = ["run_page"]

_SECTIONS = ("page", "samples", "sample", "stage", "status", "refusal_kind", "metric", "reason_says", "latency")


def run_page(
    summary: Mapping[str, Any], samples: Iterable[SampleResult], *, language: str | None = None
) -> Iterator[bytes]:
    """A run as one HTML file that needs nothing else: figures, charts, and every question.

    The samples are consumed one after the other; what is kept of them is compressed, and lies on disk once it is
    large. The same run gives the same page. Charts need the extra ``report``; without it the page says so, and a
    warning is given once.

    Args:
        summary: The content of ``summary.json``; blocks that are not there are left out.
        samples: The finished samples, in the order of the dataset.
        language: ``ar`` or ``en``; ``None`` for that of the run, English where it is neither.

    Yields:
        The file in pieces, UTF-8.
    """
    if not can_draw():
        warn_without_charts()
    words = wording(language_of(language if language is not None else summary.get("language")))
    names = list(summary.get("metrics") or {})
    k = int(summary.get("k") or 1)
    collected = Collected(names)
    with Payload(names, k, Marker(settings_of(summary.get("matching")))) as payload:
        for result in samples:
            collected.add(payload.add(result))
        payload.finish()
        yield from document("run.html.j2", _context(summary, words, collected, payload))


def _context(summary: Mapping[str, Any], words: Wording, collected: Collected, payload: Payload) -> dict[str, Any]:
    rehearsal = "dry_run" in summary  # nothing was asked: every metric would say that it was not measured
    metrics = [] if rehearsal else headlines(summary, words)
    chosen = main_metrics(summary.get("metrics") or {})
    charts = Charts(summary, collected, words).all()
    tables = [] if rehearsal else list(slices(summary, words))
    parts = {
        "headline": bool(metrics),
        "missing": bool(metrics),
        "warnings": bool(summary.get("warnings")),
        "charts": bool(charts),
        "slices": bool(tables),
        "judge": bool(summary.get("judge")),
        "samples": bool(payload.count),
        "settings": True,
    }
    return {
        "t": words,
        "comma": "،" if words.language == "ar" else ",",
        "title": f"{words.plain('page.title')} {shown(summary.get('run_id') or '')}".rstrip(),
        "heading": words.plain("page.title"),
        "facts": list(_facts(summary, words)),
        "contents": [(part, words(f"{part}.title")) for part, there in parts.items() if there],
        "version": (summary.get("versions") or {}).get("muffakir-eval", ""),
        "notes": _notes(summary, words, payload.count),
        "level": f"{100 * float(summary.get('confidence_level') or 0.95):.4g}",
        "metrics": metrics,
        "scope": scope(summary.get("metrics") or {}, words),
        "headline": [one for name in chosen for one in metrics if one.name == shown(name)],
        "further": list(_further(summary, words)),
        "any_as_zero": any(one.as_zero for one in metrics),
        "missing": missing(summary, words),
        "errors": [(words.reason(reason), count) for reason, count in (summary.get("errors") or {}).items()],
        "error_examples": [(one["n"], shown(one["message"])) for one in summary.get("error_examples") or ()],
        "warnings": [warning_words(str(warning), words) for warning in summary.get("warnings") or ()],
        "charts": charts,
        "drawn": can_draw(),
        "slices": tables,
        "judge": judge_facts(summary, words),
        "settings": list(_settings(summary, words)),
        **_samples(words, collected, payload, [list(collected.values).index(name) for name in chosen]),
    }


def _facts(summary: Mapping[str, Any], words: Wording) -> Iterator[tuple[str, str]]:
    done, planned = summary.get("n_samples", 0), summary.get("n_planned")
    covered = words("page.of", n=done, total=planned) if planned not in (None, done) else done
    yield words("page.questions"), covered
    for key, value in (
        ("dataset", (summary.get("dataset") or {}).get("source")),
        ("pipeline", (summary.get("pipeline") or {}).get("pipeline_id")),
        ("cutoff", summary.get("k")),
        ("finished", _moment(summary.get("finished_at"))),
        ("run", summary.get("run_id")),
    ):
        if value is not None:
            yield words(f"page.{key}"), shown(value)


def _moment(text: str | None) -> str | None:
    """A time as people read it; what is none as it stands."""
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return text


def _notes(summary: Mapping[str, Any], words: Wording, count: int) -> list[str]:
    if "dry_run" in summary:
        return [words("page.rehearsal")]
    notes: list[str] = [words("page.partial")] if summary.get("partial") else []
    return notes if count else [*notes, words("page.no_samples")]


def _further(summary: Mapping[str, Any], words: Wording) -> Iterator[tuple[str, str, str]]:
    """Refusals, which are no metric, and stand beside them."""
    refusals = summary.get("refusals") or {}
    if refusals.get("n_answers"):
        interval = refusals.get("interval")
        told = f"[{percent(interval[0])}–{percent(interval[1])}]" if interval else ""
        value = f"{percent(refusals.get('rate'))}"
        covers = words("refusals.rate", n=refusals.get("n_refused", 0), total=refusals["n_answers"])
        yield words("headline.refused"), value, covers if not told else words.joined(told, covers)


def _settings(summary: Mapping[str, Any], words: Wording) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    identity = {
        "run_id": summary.get("run_id"),
        "started_at": summary.get("started_at"),
        "finished_at": summary.get("finished_at"),
        "dataset": summary.get("dataset"),
        "judge": summary.get("judge"),
    }
    for key, block in (
        ("settings.title", summary.get("config")),
        ("settings.matching", summary.get("matching")),
        ("settings.identity", identity),
        ("settings.versions", summary.get("versions")),
    ):
        rows = list(flat(block or {}))
        if rows:
            yield words.plain(key), rows


def _samples(words: Wording, collected: Collected, payload: Payload, columns: list[int]) -> dict[str, Any]:
    names = list(collected.values)
    hints = {"hallucinated", "missed", "incorrect"}
    config = {
        "names": names,
        "columns": columns,
        "rating": RATING,
        "ranks": bool(collected.ranks),
        "words": words.script_table(*_SECTIONS) | {"charts": {"milliseconds": words.plain("charts.milliseconds")}},
    }
    return {
        "total": payload.count,
        "columns": columns,
        "ranks_known": bool(collected.ranks),
        "flags": [
            (flag, collected.flags[flag], words.plain(f"samples.hint_{flag}") if flag in hints else "")
            for flag in FLAGS
        ],
        "first_rows": [
            {
                "question": shown(row[2]),
                "status": words.either("status", row[5]),
                "rank": "–" if row[6] is None else row[6] or words("samples.rank_none"),
                "figures": [value_text(names[place], row[8][place]) or "–" for place in columns],
            }
            for row in collected.first_rows
        ],
        "config": data_block(config),
        "payload": map(_marked, payload.pieces()),
    }


def _marked(piece: str) -> Markup:
    return Markup(piece)  # noqa: S704 - base64 between our own tags
