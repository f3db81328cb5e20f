"""The run folder: what is written while a run goes on, and how an unfinished one is taken up again.

``records.jsonl`` is only ever appended to, one line per event, each in a single write::

    {"kind": "run", "run_id": …, "identity": {…}, …}                     first line
    {"kind": "output", "key": …, "position": 0, "sample": {…}, "output": {…}}
    {"kind": "result", "key": …, "matches": […], "scores": {…}, …}
    {"kind": "finished"}                                                 last line

A process killed anywhere leaves at most a torn last line, which the next one cuts off. While a new
run replaces a finished one, everything lies in the subfolder ``.next`` until the swap at the end.
"""

from muffakir_eval.storage.copies import save_copy
from muffakir_eval.storage.folder import Prospect, RunFolder
from muffakir_eval.storage.lines import RECORDS
from muffakir_eval.storage.report_files import refuse_foreign_report
from muffakir_eval.storage.run_records import RunRecords

__all__ = ["RECORDS", "Prospect", "RunFolder", "RunRecords", "refuse_foreign_report", "save_copy"]
