"""Every link of a page leads somewhere, and every page can be found."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, prose, title

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (PAGES[page].parent / path).resolve() if path else PAGES[page]
        assert found.exists(), f"{page}: {target}"
        if anchor:
            other = str(found.relative_to(ROOT))
            assert other in PAGES and anchor in anchors(other), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_first_what_it_is_for(page: str) -> None:
    text = prose(page).replace('<div dir="rtl">', "").strip()
    heading, _, rest = text.partition("\n")
    assert heading == f"# {title(page)}"
    assert len(rest.strip().split("\n\n")[0].split()) >= 8, f"{page}: no sentence under the title"


def test_every_page_of_the_guide_is_on_the_map() -> None:
    targets = [target.partition("#")[0] for target in LINK.findall(prose("docs/index.md"))]
    linked = {(ROOT / "docs" / target).resolve() for target in targets} | {PAGES["docs/index.md"]}
    missing = [page for page in PAGES if page.startswith("docs/") and PAGES[page] not in linked]
    assert not missing, "run python docs/generate.py"
