"""Every error that this package raises on purpose.

::

    MuffakirEvalError
    ├── ConfigError (ValueError)            a setting is unknown, malformed or contradicts another
    │   └── MetricError                     an unknown metric, or one that this pipeline or dataset cannot feed
    ├── DatasetError (ValueError)           the dataset cannot be used as it stands
    │   ├── DatasetNotFoundError (FileNotFoundError)
    │   ├── DatasetFormatError              unreadable as a whole: suffix, encoding, syntax, no rows
    │   ├── DatasetColumnError              columns missing, ambiguous or contradictory
    │   └── DatasetRowError                 one row is wrong; names file, row and column
    ├── PipelineError
    │   ├── PipelineOutputError (TypeError) the pipeline returned something that is no answer and no chunks
    │   └── PipelineDownError               too many questions in a row failed; what was done is kept
    ├── JudgeError                          a judge model cannot be used
    │   └── JudgeKeyError                   the provider rejects the key; what was done is kept
    ├── StorageError
    │   ├── RunMismatchError                the unfinished run in the folder was made with other settings
    │   ├── RunExistsError                  the folder holds a run and ``on_existing`` forbids touching it
    │   └── RunLockedError                  another process is writing into the folder
    └── MissingExtraError (ImportError)     an optional dependency is not installed

A message says what was found, where, what was expected and what to do about it.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ConfigError",
    "DatasetColumnError",
    "DatasetError",
    "DatasetFormatError",
    "DatasetNotFoundError",
    "DatasetRowError",
    "JudgeError",
    "JudgeKeyError",
    "MetricError",
    "MissingExtraError",
    "MuffakirEvalError",
    "PipelineDownError",
    "PipelineError",
    "PipelineOutputError",
    "RunExistsError",
    "RunLockedError",
    "RunMismatchError",
    "StorageError",
]


class MuffakirEvalError(Exception):
    """Root of the tree.

    Args:
        found: What was found, as one sentence without a full stop.
        where: File, row and column, or the setting, that it concerns.
        expected: What was expected instead.
        remedy: What the user can do.

    >>> print(MuffakirEvalError("the cell is empty", where="q.csv, row 3", remedy="fill it in"))
    q.csv, row 3: the cell is empty. What to do: fill it in.
    """

    def __init__(
        self,
        found: str,
        *,
        where: str | None = None,
        expected: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.found = found
        self.where = where
        self.expected = expected
        self.remedy = remedy
        self.report: object = None
        """The report over what was finished, where a run stopped early."""
        parts = [f"{where}: {found}." if where else f"{found}."]
        if expected:
            parts.append(f"Expected: {expected}.")
        if remedy:
            parts.append(f"What to do: {remedy}" + ("" if remedy.endswith("?") else "."))
        super().__init__(" ".join(parts))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls the class with the finished message, which is not what the constructor takes.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[MuffakirEvalError], args: tuple[Any, ...], state: dict[str, Any]) -> MuffakirEvalError:
    """The error as it was before it was pickled."""
    builtin: type = kind
    while builtin.__module__ != "builtins":
        builtin = builtin.__base__ or Exception
    error: MuffakirEvalError = builtin.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigError(MuffakirEvalError, ValueError):
    """A setting is unknown, malformed or contradicts another one."""


class MetricError(ConfigError):
    """A metric is unknown, or this pipeline or dataset cannot feed it."""


class DatasetError(MuffakirEvalError, ValueError):
    """The dataset cannot be used as it stands."""


class DatasetNotFoundError(DatasetError, FileNotFoundError):
    """There is no such dataset file or folder."""


class DatasetFormatError(DatasetError):
    """The dataset is unreadable as a whole: suffix, encoding, syntax, or nothing in it."""


class DatasetColumnError(DatasetError):
    """Columns are missing, ambiguous or contradict each other."""


class DatasetRowError(DatasetError):
    """One row is wrong.

    Args:
        row: Row as the spreadsheet or editor shows it.
        column: Name of the column in the file, where one is to blame.
        place: How the row is called in the message, where ``row 3`` would mislead: ``line 3``, ``item 3``.
    """

    def __init__(  # noqa: PLR0913 - an error says everything that it knows
        self,
        found: str,
        *,
        row: int,
        column: str | None = None,
        where: str | None = None,
        expected: str | None = None,
        remedy: str | None = None,
        place: str | None = None,
    ) -> None:
        self.row = row
        self.column = column
        parts = [part for part in (where, place or f"row {row}", f"column {column!r}" if column else None) if part]
        super().__init__(found, where=", ".join(parts), expected=expected, remedy=remedy)


class PipelineError(MuffakirEvalError):
    """The pipeline under test failed."""


class PipelineOutputError(PipelineError, TypeError):
    """The pipeline returned something that is neither an answer nor chunks."""


class PipelineDownError(PipelineError):
    """Too many questions in a row failed; what was finished is on disk."""


class JudgeError(MuffakirEvalError):
    """A judge model cannot be used."""


class JudgeKeyError(JudgeError):
    """The provider rejects the key; what was finished is on disk."""


class StorageError(MuffakirEvalError):
    """A run folder cannot be read or written."""


class RunMismatchError(StorageError):
    """The unfinished run in the folder was made with other settings."""


class RunExistsError(StorageError):
    """The folder already holds a run and ``on_existing`` forbids touching it."""


class RunLockedError(StorageError):
    """Another process is writing into the folder."""


class MissingExtraError(MuffakirEvalError, ImportError):
    """An optional dependency is not installed."""
