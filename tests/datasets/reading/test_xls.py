"""Old Excel workbooks."""

from __future__ import annotations

import base64
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetFormatError, MissingExtraError

Write = Callable[..., Path]

# A workbook as xlwt writes it: a sheet of notes; "Questions" with the header in row 2, texts, numbers, a date,
# truth values, a blank row 4 and the merged cells B6:B7; and a hidden sheet that has a question column too.
WORKBOOK = (
    "c-rk)O-NKx6h8OOdv|6`ozYa#zy`_R)HIQ7p<_Rj5+vH9q5>OzQ;IrM{y?@U%Vrq_t%^2+F4|Zv`lBDpTC@m^S_DC%MXMkP3R<YsIp@6@Mw`fi"
    "98l&A@7#ONJ?Fdko_p@SZ{F+ajG3|9d9$#D8o&YzAv?$@oxsN)7My_Xp%7KWr464@l2#SjZMcw9gNJFath9!--m{><E%h04fKT`wg_F<{@cUc|"
    "q@6qlub?s13yHa>U`Ad?o({P@vP|Zk%-1u&$<~jUH?rmu^Ln(M5r<*g-BMO(X7VAWfZNiM3%JKV?^#m~+3=Dw`P^k;*lMt&zuVip${O<3R2T<b"
    ")Fz+b*H5woCLjf17^$MKuR_;nAPX0K9Dase06)Sz`>89bPpn=5>VGZPTmPcB;UX^8Ur|(m5eOX<l*~cMfsZP+ScOOKmc_C{)*&yGLCAmue4^W-"
    "ZOAt;*d6c>1aS}K*(q@(G<WN|&p!uKxMKi~0T9O@81!LkoyJXAjBqt_lcdsWh=sBo#S&R6@%ZoT8uItFckAe-dk1}39Pjm>NCzB8v2;O`+>4yN"
    "wxe7tJ?OPjq7|JkHV|QG7Zk`!SuHKN8-2CNtE#q10@;Et&Dde7RLHv1D0J%jlsO-qUKh_Ig{H};n{(0Wmc~0i6}b)$u4nMRcVcMgZhU{UucOu7"
    "&YBUv(TsbqkU|V0I8PqvoX#yuq`i#mo0(r=)D2wEW1fYZ63e32Y_qawlx;3@YZ3NS!}Qi&991vDdhl!8{ruo(cPZ8<n`X~sO}=xFK>;qHj{fu;"
    "g>q3Yu3aU1;0~9<JRd(W&;8@9v?)$=>>=}VcfdTI4(7TW79xg)U<=|6N+#Up5Hv=;C9HJZNz0&&x*Fpyc<iyFN*0Dh(Xm7%1tm2iSy0j<l8Tay"
    "NLtkDDKYv{xF4%&Z>$1E`!SE3`q|2N>(q0)Z#Bh+I+fS^tU~sLe?&3xX++u*e3kL-Ccet}DG`bA*O3?Es*GzO(QGVBkTgb0GkrBiN+mnY0gaJf"
    "Ox&p~`{vn22$FZ>Vg$(uv{Rqp93>+N_+rLMa+EoTA<;R!md_5yKhF+l`0R)o_ar4LNl8jlB1o7wk;Qn|=UZ2rZ&>tQXC9x0<Y$sKOZy>!zd`&%"
    "=>b2M{V*I?{^Wor!dPONKH=|$L<h0=e&~S?9!F2y`HOEVB6>c{c69!~EfjD63-OF|h5P>vC7fZa"
)


@pytest.fixture
def book(write: Write) -> Path:
    pytest.importorskip("python_calamine")
    return write("q.xls", zlib.decompress(base64.b85decode(WORKBOOK)))


def test_cells_are_read_as_in_the_newer_format(book: Path) -> None:
    dataset = load_evaluation_dataset(book)
    assert [sample.row for sample in dataset] == [3, 5, 6, 7]
    assert [sample.question for sample in dataset] == ["ما هي العاصمة؟", "سؤال آخر", "س٣", "س٤"]
    assert [sample.answers for sample in dataset] == [("None",), ("1e5",), ("مدموجة",), ()]
    assert [sample.chunk_ids for sample in dataset][:2] == [("12",), ("007",)]
    assert dataset[0].metadata == {"date": "2024-01-05", "flag": True, "note": 1.5}
    assert dataset[1].metadata == {"date": None, "flag": False, "note": None}
    assert dataset.source == f"{book}, sheet 'Questions'"
    assert "the sheet 'Questions' is read, the only one with a question column" in dataset.notes


def test_merged_cells_and_lost_digits_are_warned_of(book: Path) -> None:
    merged, digits = load_evaluation_dataset(book).warnings
    assert "cells B6:B7: they are merged" in merged
    assert "row 6, column 'chunk_id'" in digits


def test_dates_and_truth_as_text(book: Path) -> None:
    mapping = {"question": "السؤال", "answer": "date", "contexts": "flag"}
    (sample, *_) = load_evaluation_dataset(book, column_mapping=mapping)
    assert (sample.answer, sample.contexts) == ("2024-01-05", ("TRUE",))


def test_a_sheet_can_be_chosen(book: Path) -> None:
    assert load_evaluation_dataset(book, sheet="Hidden")[0].question == "hidden"
    assert load_evaluation_dataset(book, sheet=-1)[0].question == "hidden"
    assert load_evaluation_dataset(book, sheet=1)[0].row == 3
    with pytest.raises(DatasetFormatError, match=r"no sheet 'Tests'.*'ملاحظات', 'Questions', 'Hidden'"):
        load_evaluation_dataset(book, sheet="Tests")


def test_a_damaged_workbook(write: Write) -> None:
    pytest.importorskip("python_calamine")
    path = write("q.xls", zlib.decompress(base64.b85decode(WORKBOOK))[:700])
    with pytest.raises(DatasetFormatError, match=r"damaged or has a password.*save it as .xlsx"):
        load_evaluation_dataset(path)


def test_without_the_extra_the_error_says_what_to_install(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r'pip install "muffakir-eval\[xls\]", or save the file as .xlsx'):
        load_evaluation_dataset(book)
