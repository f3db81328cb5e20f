"""A figure of matplotlib as SVG that belongs to the page: its colours, its fonts, its direction of writing.

A strict content security policy lets no ``style`` attribute take effect, so that what matplotlib says there becomes
attributes; its colours become classes, so that the page can be dark. Each label is drawn as a short sign and
replaced by its text afterwards, which the browser shapes: no font of this machine is asked for Arabic.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Literal

from muffakir_eval.writers.page.plain_text import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "Label", "Labels", "svg_of"]

COLOURS = {
    "#101010": "ink",
    "#505050": "soft",
    "#c8c8c8": "grid",
    "#1f5fa8": "one",
    "#c0562b": "two",
    "#3f8f5f": "three",
    "#8a6fb0": "four",
    "#a08020": "five",
    "#707880": "six",
    "#c02424": "fail",
    "#e8ecf0": "track",
    "#fdfdfd": "card",
}
"""What stands for a colour of the page, and the class that has it."""

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_KEPT = {"fill", "stroke", "stroke-width", "text-anchor", "stroke-dasharray", "fill-opacity", "opacity", "font-size"}
_PLACES = {"d", "x", "y", "width", "height"}
_SIGN = re.compile(r"§(\d+)§")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_SWAPPED = {"start": "end", "end": "start"}


@dataclass(frozen=True, slots=True)
class Label:
    """A text in a figure.

    Attributes:
        text: What stands there.
        kind: ``words`` are written in the direction of the page, ``figures`` from left to right.
        weight: ``bold`` or nothing.
    """

    text: str
    kind: Literal["words", "figures"] = "words"
    weight: str = ""


class Labels:
    """The texts of one figure, by the sign that is drawn in their place."""

    def __init__(self) -> None:
        self._labels: list[Label] = []

    def words(self, text: str, weight: str = "") -> str:
        """The sign of a text in the language of the page, or of the user's data."""
        return self._sign(Label(text, "words", weight))

    def figures(self, text: str, weight: str = "") -> str:
        """The sign of a number with what belongs to it."""
        return self._sign(Label(text, "figures", weight))

    def _sign(self, label: Label) -> str:
        self._labels.append(label)
        return f"§{len(self._labels) - 1}§"

    def of(self, sign: str | None) -> Label | None:
        """The label behind a sign."""
        found = _SIGN.fullmatch((sign or "").strip())
        return self._labels[int(found[1])] if found else None


def svg_of(figure: Figure, labels: Labels, *, rtl: bool, name: str, title: str, says: str) -> str:
    """The figure as an ``svg`` element for the page.

    Args:
        figure: With colours of :data:`COLOURS` only, and signs of ``labels`` as texts.
        labels: Its texts.
        rtl: The page is written from right to left.
        name: Unique in the page; identifiers in the figure begin with it.
        title: What it shows.
        says: The same in a sentence, for those who do not see it.
    """
    import matplotlib as mpl

    out = StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None})
    root = ET.fromstring(out.getvalue().encode())  # noqa: S314 - written by matplotlib a moment ago
    _clean(root, labels, name, rtl=rtl)
    _, _, width, height = root.attrib["viewBox"].split()
    body = "".join(ET.tostring(child, encoding="unicode") for child in root)
    body = body.replace("ns0:", "").replace(' xmlns:ns0="http://www.w3.org/2000/svg"', "")
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-t {name}-d" focusable="false">'
        f'<title id="{name}-t">{_escaped(title)}</title><desc id="{name}-d">{_escaped(says)}</desc>{body}</svg>'
    )


def _escaped(text: str) -> str:
    return shown(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clean(parent: ET.Element, labels: Labels, name: str, *, rtl: bool) -> None:
    for child in list(parent):
        if child.tag == f"{_SVG}metadata" or child.tag == f"{_SVG}style":
            parent.remove(child)
            continue
        _attributes(child, name)
        if child.tag == f"{_SVG}text":
            _label(child, labels, rtl=rtl)
        if len(child):
            child.text = None
        _clean(child, labels, name, rtl=rtl)
        if child.tag in (f"{_SVG}g", f"{_SVG}defs") and not len(child):
            parent.remove(child)


def _attributes(element: ET.Element, name: str) -> None:
    """Styles become attributes and classes; identifiers that nothing points to go."""
    classes = []
    for part in element.attrib.pop("style", "").split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key in _KEPT:
            element.set(key, value.removesuffix("px"))
        if key in ("fill", "stroke") and value in COLOURS:
            classes.append(f"{key[0]}-{COLOURS[value]}")
    if classes:
        element.set("class", " ".join(classes))
    for key in _PLACES & element.attrib.keys():
        value = _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", element.attrib[key])
        element.set(key, " ".join(value.split()))
    element.tail = None
    if element.tag == f"{_SVG}g":
        element.attrib.pop("id", None)
    elif "id" in element.attrib:
        element.set("id", f"{name}-{element.attrib['id']}")
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("#", f"#{name}-"))
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF).replace("#", f"#{name}-"))


def _label(element: ET.Element, labels: Labels, *, rtl: bool) -> None:
    """The text itself in the place of its sign."""
    element.attrib.pop("transform", None)
    label = labels.of(element.text)
    if label is None:
        element.set("direction", "ltr")
        return
    element.text = shown(label.text)
    if label.weight:
        element.set("font-weight", label.weight)
    turned = rtl and label.kind == "words"
    element.set("direction", "rtl" if turned else "ltr")
    if turned:
        anchor = element.attrib.get("text-anchor", "start")
        element.set("text-anchor", _SWAPPED.get(anchor, anchor))
