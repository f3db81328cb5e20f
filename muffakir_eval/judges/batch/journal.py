"""Which batches a run has sent, written down before they go, so that a crash in between is found out.

``judge_batches.jsonl`` in the run folder: first a line with the run, then for every batch its *intent* (a random
token and what each request stands for), and, once the provider has it, its name there. An intent without a name
is looked up at the provider before anything is sent again.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muffakir_eval.errors import StorageError
from muffakir_eval.records.codec import strict_json

__all__ = ["BATCHES", "Entry", "Journal"]

BATCHES = "judge_batches.jsonl"
_FORMAT = 1


@dataclass(slots=True, kw_only=True)
class Entry:
    """One batch.

    Attributes:
        token: Ours.
        judge: Whose requests they are.
        keys: What each request stands for, in the order of the batch.
        at: Seconds since 1970, before it was sent.
        batch: The provider's name for it; ``None`` where that is not known.
        status: ``open``, ``void`` (it never came to be) or how it ended.
        cancelled: We asked for its end.
    """

    token: str
    judge: str
    keys: Sequence[str]
    at: float
    batch: str | None = None
    status: str = "open"
    cancelled: bool = False


class Journal:
    """The batches of one run. Every line is on the disk when its method returns.

    Args:
        path: Made at the first batch.
        run_id: A file of another run is replaced.

    Attributes:
        entries: In the order in which they were sent.
        left: Batches of a run that was given up: names of those that had not ended.

    Raises:
        StorageError: The file cannot be read, or a line of it is damaged.
    """

    def __init__(self, path: Path, run_id: str) -> None:
        self.path = path
        self.entries: list[Entry] = []
        self.left: list[str] = []
        self._run_id = run_id
        self._by_token: dict[str, Entry] = {}
        self._size = self._read()

    def intend(self, judge: str, keys: Sequence[str]) -> Entry:
        """A batch is about to be sent."""
        entry = Entry(token=secrets.token_hex(8), judge=judge, keys=keys, at=time.time())
        self._append(
            {"kind": "intent", "token": entry.token, "judge": judge, "at": entry.at, "keys": list(keys)},
        )
        self._note(entry)
        return entry

    def sent(self, entry: Entry, batch: str) -> None:
        """The provider has it."""
        self._append({"kind": "sent", "token": entry.token, "batch": batch})
        entry.batch = batch

    def cancel(self, entry: Entry) -> None:
        """We are about to ask for its end."""
        self._append({"kind": "cancel", "token": entry.token})
        entry.cancelled = True

    def end(self, entry: Entry, status: str) -> None:
        """It came to its end, or never came to be (``void``)."""
        if entry.status != status:
            self._append({"kind": "end", "token": entry.token, "status": status})
            entry.status = status

    def finish(self, records: Path) -> None:
        """The run is finished: whoever asks again asks anew.

        Args:
            records: What the replies were made to; forced to the disk first, since nothing is collected again.
        """
        if self.entries:
            try:
                with records.open("r+b") as file:
                    os.fsync(file.fileno())
            except OSError as error:
                raise StorageError(f"the records cannot be kept ({error})", where=str(records)) from error
            self._append({"kind": "finished"})
            self._forget()

    # -- the file ----------------------------------------------------------------------------------

    def _note(self, entry: Entry) -> None:
        self.entries.append(entry)
        self._by_token[entry.token] = entry

    def _forget(self) -> None:
        self.entries.clear()
        self._by_token.clear()

    def _read(self) -> int:
        """Take up what is there; returns how many bytes of it are whole lines of this run."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StorageError(f"the batches of the judge cannot be read ({error})", where=str(self.path)) from error
        whole = content[: content.rfind(b"\n") + 1]  # a killed process leaves a part of its last line
        owner = self._run_id
        for number, line in enumerate(whole.splitlines(), start=1):
            record = self._parsed(line, number)
            if number == 1:
                owner = str(record.get("run_id"))
            else:
                self._apply(record, number)
        if owner == self._run_id:
            return len(whole)
        self.left = [entry.batch or f"(token {entry.token})" for entry in self.entries if entry.status == "open"]
        self._forget()
        return 0

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        kinds = ("batches",) if number == 1 else ("intent", "sent", "cancel", "end", "finished")
        if not isinstance(record, dict) or record.get("kind") not in kinds:
            raise self._damaged(number)
        return record

    def _apply(self, record: Mapping[str, Any], number: int) -> None:
        kind = record["kind"]
        if kind == "finished":
            self._forget()
            return
        try:
            if kind == "intent":
                keys = [str(key) for key in record["keys"]]
                at = float(record["at"])
                self._note(Entry(token=str(record["token"]), judge=str(record["judge"]), keys=keys, at=at))
                return
            entry = self._by_token[record["token"]]
            if kind == "sent":
                entry.batch = str(record["batch"])
            elif kind == "cancel":
                entry.cancelled = True
            else:
                entry.status = str(record["status"])
        except (KeyError, TypeError, ValueError):
            raise self._damaged(number) from None

    def _damaged(self, number: int) -> StorageError:
        return StorageError(
            "a line about the batches of the judge is damaged",
            where=f"{self.path}, line {number}",
            remedy="restore the file, or set on_existing='overwrite' to start anew; what was sent is billed",
        )

    def _append(self, record: Mapping[str, Any]) -> None:
        line = strict_json(record).encode("utf-8") + b"\n"
        try:
            if not self._size:
                first = {"kind": "batches", "format": _FORMAT, "run_id": self._run_id}
                line = strict_json(first).encode("utf-8") + b"\n" + line
            with self.path.open("r+b" if self.path.exists() else "w+b") as file:
                file.truncate(self._size)
                file.seek(self._size)
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            if not self._size:
                _sync_folder(self.path.parent)
        except OSError as error:
            raise StorageError(
                f"a batch of the judge cannot be written down ({error})", where=str(self.path), remedy="make room"
            ) from error
        self._size += len(line)


def _sync_folder(folder: Path) -> None:
    """So that the name of a new file survives a crash of the machine, too."""
    if os.name == "nt":
        return  # it has no such call
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
