"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Budget",
    "ColumnMapping",
    "Dataset",
    "Encoding",
    "IdColumns",
    "JudgeRepeats",
    "KeepGoing",
    "LlmBaseUrl",
    "LlmModel",
    "LlmProvider",
    "LogFile",
    "MaxConcurrency",
    "NoCache",
    "Price",
    "Set",
    "Sheet",
    "amounts",
    "listed",
    "mapping",
    "numbers",
    "sheet_key",
]

Dataset = Annotated[
    str,
    typer.Argument(
        help="Question set: .jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, the folder of an earlier run, a BEIR "
        "folder, or a file of judgements in one.",
        metavar="DATASET",
    ),
]
ColumnMapping = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help="FIELD=COLUMN, e.g. --map question=السؤال; may be given several times.", metavar="FIELD=COLUMN"
    ),
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file that is not UTF-8, e.g. cp1256.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook, by name, or by number from 0.")]
IdColumns = Annotated[str | None, typer.Option(help="Columns that together identify a row, e.g. file,number.")]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Set bad rows aside and go on.")]

LlmProvider = Annotated[
    str | None,
    typer.Option(
        help="Judge: openai, anthropic, azure_openai, groq, ollama, … or any name with --llm-base-url. Its key is read "
        "from the provider's environment variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, …) or from --config."
    ),
]
LlmModel = Annotated[str | None, typer.Option(help="Model of the judge, as its provider names it.")]
LlmBaseUrl = Annotated[
    str | None, typer.Option(help="Server of the judge, any that speaks chat completions.", metavar="URL")
]
JudgeRepeats = Annotated[
    int | None, typer.Option(help="Times that every answer is judged; the mean counts [default: 1].")
]
MaxConcurrency = Annotated[
    int | None, typer.Option(help="Calls of the judge, or of an async pipeline, at once [default: 16].")
]
Budget = Annotated[
    float | None, typer.Option(help="US dollars after which the judge is asked nothing more; needs a price.")
]
Price = Annotated[
    str | None,
    typer.Option(help="US dollars per million tokens of the judge, in and out, e.g. 2.5,10.", metavar="IN,OUT"),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Ask the judge anew: neither read nor keep replies in the cache.")
]
LogFile = Annotated[
    str | None,
    typer.Option(help="Append what happens, with times and without secrets, to this file.", metavar="FILE"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Any other setting, e.g. --set faithfulness_mode=claims --set matching.fuzzy=false; may be given several "
        "times. The value is TOML; a bare word is a text. muffakir-eval init lists all settings.",
        metavar="KEY=VALUE",
    ),
]


def listed(text: str | None) -> list[str] | None:
    """The parts of a comma-separated option."""
    return [part.strip() for part in text.split(",") if part.strip()] if text is not None else None


def numbers(text: str | None, option: str) -> list[int] | None:
    """The whole numbers of a comma-separated option."""
    try:
        return None if text is None else [int(part) for part in listed(text) or []]
    except ValueError:
        raise typer.BadParameter(f"expected whole numbers, such as 1,3,10, found {text!r}", param_hint=option) from None


def mapping(pairs: list[str] | None) -> dict[str, str] | None:
    """The pairs of ``--map``."""
    if not pairs:
        return None
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise typer.BadParameter(f"expected FIELD=COLUMN, found {pair!r}", param_hint="--map")
        mapping[field.strip()] = column.strip()
    return mapping


def amounts(text: str | None) -> dict[str, float] | None:
    """The two amounts of ``--price``."""
    if text is None:
        return None
    try:
        given, made = map(float, text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"expected two amounts, such as 2.5,10, found {text!r}", param_hint="--price"
        ) from None
    return {"input": given, "output": made}


def sheet_key(text: str | None) -> str | int | None:
    """One or two digits are the number of a sheet, as in Python; anything else, such as ``2024``, is a name.

    >>> sheet_key("0"), sheet_key("2024")
    (0, '2024')
    """
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) <= 2 else text
