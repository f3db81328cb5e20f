"""The page of a run in a real browser: Chromium of the system, opened from disk, without a network.

Needs the library ``playwright`` (no browser of its own), Chromium (``MUFFAKIR_EVAL_CHROMIUM`` or on the path), and for
the check of accessibility axe-core (``MUFFAKIR_EVAL_AXE`` names its file).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, SampleResult
from muffakir_eval.writers.page import audit_page, comparison_page, judge_comparison_page, run_page
from tests.writers.page.other_runs import audited, compared, judged
from tests.writers.page.runs import HOSTILE, LEAVE, ROWS, evaluated

sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = os.environ.get("MUFFAKIR_EVAL_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = os.environ.get("MUFFAKIR_EVAL_AXE")
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium; set MUFFAKIR_EVAL_CHROMIUM")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has no sandbox
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same run in both languages, and one of hostile texts."""
    folder = tmp_path_factory.mktemp("pages")
    rows = [{"id": text, "question": text, "answer": text, "context": text, "topic": text} for text in HOSTILE]
    rows[-1]["id"] = "long"
    run, hostile = evaluated(), evaluated(rows, rag=lambda question: (question, [question, LEAVE]), metrics=["recall"])
    made = {}
    for name, report, language in (("ar", run, "ar"), ("en", run, "en"), ("hostile", hostile, "ar")):
        made[name] = folder / f"{name}.html"
        made[name].write_bytes(b"".join(run_page(report.to_dict(), report.samples, language=language)))
    return made


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A comparison, a comparison of judges and an audit, in Arabic."""
    folder = tmp_path_factory.mktemp("others")
    made = {
        "comparison": comparison_page(compared(folder), language="ar"),
        "judges": judge_comparison_page(judged(), language="ar"),
        "audit": audit_page(audited(), language="ar"),
    }
    files = {name: folder / f"{name}.html" for name in made}
    for name, file in files.items():
        file.write_bytes(b"".join(made[name]))
    return files


class Opened:
    """A page with whatever it did that it should not."""

    def __init__(self, browser: Any, file: Path, size: str = "desktop", **options: Any) -> None:
        width, height = SIZES[size]
        self.context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.file = file

    def go(self, anchor: str = "") -> Any:
        self.page.goto(self.file.as_uri() + anchor)
        self.page.wait_for_selector("html[data-ready]")
        return self.page


Opener = Callable[..., Opened]


@pytest.fixture
def opener(browser: Any, files: dict[str, Path]) -> Iterator[Opener]:
    """Opens one of the files; afterwards nothing may have been requested, logged or thrown."""
    opened: list[Opened] = []

    def open_one(name: str, **options: Any) -> Opened:
        opened.append(Opened(browser, files[name], **options))
        return opened[-1]

    yield open_one
    for one in opened:
        one.context.close()
        assert one.problems == []
        assert [url.partition("#")[0] for url in set(one.requests) - {"data:,"}] == [one.file.as_uri()]


def questions(page: Any) -> list[str]:
    found: list[str] = page.locator("button.open span").all_inner_texts()
    return found


def test_opens_from_disk_and_says_what_is_shown(opener: Opener) -> None:
    page = opener("en").go()
    assert page.inner_text("#count") == "7 of 7 questions shown"
    assert questions(page) == [row["question"] for row in ROWS]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("الاجازه السنويه", ["leave"]),
        ("الإجَازة", ["leave"]),
        ("عقد", ["notice", "refused"]),
        ("شـــارع", ["empty"]),
        ("NOTICE", ["notice"]),
        ("لا شيء كهذا", []),
    ],
)
def test_search_finds_what_people_type(opener: Opener, typed: str, found: list[str]) -> None:
    page = opener("ar").go()
    page.fill("#search", typed)
    page.wait_for_function("n => document.querySelectorAll('button.open').length === n", arg=len(found))
    assert questions(page) == [row["question"] for row in ROWS if row["id"] in found]
    assert str(len(found)) in page.inner_text("#count")


def test_filters(opener: Opener) -> None:
    page = opener("en").go()
    for flag, found in enumerate(
        (
            ["broken"],
            ["refused", "abstained"],
            ["notice", "missed"],
            ["missed", "refused"],
            ["notice", "missed", "refused", "empty"],
        )
    ):
        page.check(f"input[name=show][value='{flag}']")
        assert questions(page) == [row["question"] for row in ROWS if row["id"] in found]
    page.check("input[name=show][value='-1']")
    assert len(questions(page)) == len(ROWS)


def test_sort_by_a_metric_puts_what_has_no_value_last(opener: Opener) -> None:
    page = opener("en").go()
    page.select_option("#sort", label="Answer correctness")
    by_value = questions(page)
    assert by_value[:2] == [ROWS[3]["question"], ROWS[5]["question"]]
    assert set(by_value[-2:]) == {ROWS[4]["question"], ROWS[6]["question"]}
    page.click("#samples-table thead th[aria-sort=ascending] button")
    assert questions(page)[0] == ROWS[0]["question"]
    assert page.evaluate("document.activeElement.dataset.key") == "3", "the focus stays on the heading"
    page.click("#samples-table thead th button[data-key=rank]")
    assert questions(page)[0] == ROWS[0]["question"]


def test_an_opened_sample_shows_its_chunks_marks_and_reasons(opener: Opener) -> None:
    page = opener("en").go()
    page.locator("button.open").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail-1 mark")
    assert page.inner_text("#detail-1 mark") == ROWS[1]["context"].rstrip(".")
    text = page.inner_text("#detail-1")
    for expected in ("Rank 3", "containment", "لا سند <b>له</b>.", "Not supported", "ستون يومًا", "holds the evidence"):
        assert expected in text
    assert page.url.endswith("#sample-notice")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail-3 mark")
    assert page.inner_text("#detail-3 mark") in "عذرًا، لا أعرف الإجابة."
    page.locator("button.open").nth(1).click()
    assert not page.is_visible("#detail-1")


def test_a_link_opens_its_sample(opener: Opener) -> None:
    page = opener("ar").go("#sample-missed")
    page.wait_for_selector("#detail-2 .sample")
    assert "لم يوجد" in page.inner_text("#detail-2")
    assert page.evaluate("document.activeElement.closest('tr').id") == "line-2"


def test_hostile_text_stays_text(opener: Opener) -> None:
    page = opener("hostile").go()
    title = page.title()
    for button in page.locator("button.open").all():
        button.click()
    page.wait_for_function("() => document.querySelectorAll('tr.detail .sample').length === 7")
    assert page.title() == title
    assert page.locator("main img, main b, main script").count() == 0
    assert "<script>document.title=" in page.inner_text("#detail-0")
    assert "صفر␀داخل␛النص" in page.inner_text("#detail-3")
    more = page.locator("#detail-6 button.more").first
    assert "100,000" in more.inner_text()
    more.click()
    assert page.locator("#detail-6 p.words").first.evaluate("node => node.textContent.length") == 100_000
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("name", ["ar", "en", "hostile"])
@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_nothing_makes_the_page_scroll_sideways(opener: Opener, name: str, width: int) -> None:
    page = opener(name).go()
    page.set_viewport_size({"width": width, "height": 800})
    for button in page.locator("button.open").all()[:4]:
        button.click()
    for summary in page.locator("summary").all():
        summary.click()
    page.wait_for_selector(".sample")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["ar", "en"])
def test_it_can_be_looked_at(opener: Opener, name: str, size: str, tmp_path: Path) -> None:
    page = opener(name, size=size).go()
    page.locator("button.open").nth(1).click()
    page.wait_for_selector("#detail-1 mark")
    folder = Path(os.environ.get("MUFFAKIR_EVAL_SCREENSHOTS", tmp_path))
    shot = folder / f"page-{name}-{size}.png"
    page.screenshot(path=shot, full_page=True)
    assert shot.stat().st_size > 20_000


def test_without_scripts_figures_charts_and_first_questions_are_there(opener: Opener) -> None:
    opened = opener("ar", java_script_enabled=False)
    opened.page.goto(opened.file.as_uri())
    assert opened.page.locator("#samples-table tbody tr").count() == len(ROWS)
    assert opened.page.is_visible("svg[role=img] >> nth=0")
    assert not opened.page.is_visible("#controls")


def test_a_damaged_file_says_so(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    text = files["en"].read_text(encoding="utf-8")
    broken.write_text(text.replace('id="data-index">H4sI', 'id="data-index">AAAA'), encoding="utf-8")
    opened = Opened(browser, broken)
    opened.page.goto(broken.as_uri())
    opened.page.wait_for_selector("#trouble:not([hidden])")
    assert "damaged" in opened.page.inner_text("#trouble")
    opened.context.close()


def test_many_questions_are_paged(browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "many.html"
    file.write_bytes(b"".join(run_page({"metrics": {}, "language": "en"}, map(_sample, range(5_000)))))
    opened = Opened(browser, file)
    page = opened.go("#sample-q4321")
    assert page.inner_text("#rows") == "4301 to 4400 of 5000"
    page.wait_for_selector("#detail-4321 .sample")
    assert "السؤال 4321" in page.inner_text("#detail-4321")
    assert len(questions(page)) == 100
    page.click("#next")
    assert page.inner_text("#rows") == "4401 to 4500 of 5000"
    page.fill("#search", "السوال 4999")
    page.wait_for_selector("#line-4999")
    assert questions(page) == ["السؤال 4999"]
    assert not page.is_visible("#pager")
    with capsys.disabled():
        print(f" [5,000 questions: table ready after {page.get_attribute('html', 'data-ready')} ms]", end="")
    opened.context.close()
    assert opened.problems == []


def _sample(number: int) -> SampleResult:
    text = f"{LEAVE} رقم {number}"
    chunks = tuple(RetrievedChunk(text=f"{text} {rank}", chunk_id=str(rank)) for rank in range(5))
    return SampleResult(
        key=str(number),
        sample=Sample(sample_id=f"q{number}", row=number, question=f"السؤال {number}"),
        output=PipelineOutput(answer=text, chunks=chunks),
    )


def violations(page: Any) -> list[str]:
    """What axe-core finds, of any impact."""
    page.evaluate(Path(str(AXE)).read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['impact']} {one['id']}: {one['help']}: {node['target']} {node['html'][:120]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]


needs_axe = pytest.mark.skipif(AXE is None, reason="no axe-core; set MUFFAKIR_EVAL_AXE to its axe.min.js")


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ar", "en"])
@pytest.mark.parametrize("size", SIZES)
def test_accessible(opener: Opener, name: str, scheme: str, size: str) -> None:
    page = opener(name, color_scheme=scheme, size=size).go()
    for button in page.locator("button.open").all()[:4]:
        button.click()
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.wait_for_selector("#detail-1 mark")
    assert violations(page) == []


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["comparison", "judges", "audit"])
def test_the_other_pages_are_accessible(browser: Any, others: dict[str, Path], name: str, scheme: str) -> None:
    opened = Opened(browser, others[name], size="phone", color_scheme=scheme)
    opened.page.goto(opened.file.as_uri())
    opened.page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert violations(opened.page) == []
    assert opened.page.evaluate("() => document.documentElement.scrollWidth") <= SIZES["phone"][0]
    opened.context.close()
    assert opened.problems == []


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
@pytest.mark.parametrize("name", ["comparison", "judges", "audit"])
def test_nothing_makes_the_other_pages_scroll_sideways(
    browser: Any, others: dict[str, Path], name: str, width: int
) -> None:
    opened = Opened(browser, others[name])
    opened.page.set_viewport_size({"width": width, "height": 800})
    opened.page.goto(opened.file.as_uri())
    opened.page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.context.close()
    assert opened.problems == []


def test_counts_of_a_comparison_stand_under_their_heading(browser: Any, others: dict[str, Path]) -> None:
    """In Arabic the first of them is the one furthest to the right, as in the heading."""
    opened = Opened(browser, others["comparison"])
    opened.page.goto(opened.file.as_uri())
    places = opened.page.evaluate(
        """() => [...document.querySelectorAll("#pair-0 span[dir=rtl]")]
            .map(cell => [...cell.querySelectorAll("bdi")].map(one => one.getBoundingClientRect().x))"""
    )
    counts = [row for row in places if len(row) == 3]
    assert counts and all(row[0] > row[1] > row[2] for row in counts)
    opened.context.close()


def test_what_is_folded_is_printed(browser: Any, others: dict[str, Path]) -> None:
    opened = Opened(browser, others["audit"])
    opened.page.goto(opened.file.as_uri())
    folded = opened.page.locator("#findings details table").first
    assert not folded.is_visible()
    opened.page.emulate_media(media="print")
    assert folded.is_visible()
    opened.context.close()
