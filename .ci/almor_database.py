"""A morphology database for the tests, out of an old wheel of camel-tools.

    python .ci/almor_database.py WHEEL_FOLDER DATABASE

The wheel of camel-tools 0.4.dev0 in WHEEL_FOLDER holds the database almor-msa-r13 (GPL; for tests only, never
part of this project). Its format is that of today but for one section, which may be empty.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

MEMBER = "camel_tools/calima_star/databases/almor-msa/almor-msa-r13.db"
AFTER, MISSING = "###STEMBACKOFF###", "###TOKENIZATIONS###"


def main(wheel_folder: str, database: str) -> None:
    """Write the database, with the section that today's reader expects."""
    (wheel,) = Path(wheel_folder).glob("camel_tools-0.4.dev0-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(MEMBER).decode("utf-8")
    before, found, rest = text.partition(AFTER)
    if not found or MISSING in before:
        raise SystemExit(f"{wheel}: {MEMBER} is not as expected")
    Path(database).write_text(f"{before}{MISSING}\n{AFTER}{rest}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
