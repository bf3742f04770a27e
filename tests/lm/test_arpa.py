from __future__ import annotations

import contextlib
import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dragoman.errors import DragomanError, FileError, FormatError, InputError
from dragoman.files import read_lines
from dragoman.lm import NgramModel, estimate, read_arpa, write_arpa
from tests.lm.arpa_texts import EXAMPLE, random_table

ARPA = EXAMPLE.arpa()
SENTENCES = ["a b a", "b b zzz", ""]


def read(text: str | bytes, folder: Path, name: str = "x.arpa") -> NgramModel:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_arpa(folder / name).build()


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz", "m.arpa.xz"])
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    made = estimate(["a b c ä", "b a", "ä 漢字 c"] * 3, order=3)
    write_arpa(made.ngrams, tmp_path / name)
    again = read_arpa(tmp_path / name)
    assert again.counts == made.ngrams.counts
    assert_allclose(again.build().score(SENTENCES), made.build().score(SENTENCES), atol=1e-5)
    write_arpa(again, tmp_path / "again.arpa")
    assert list(read_lines(tmp_path / "again.arpa")) == list(read_lines(tmp_path / name))


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("ngram 2=3", "ngram 2=4", 18, "3 2-grams where .* says 4"),
        ("ngram 2=3", "ngram 2=2", 17, "more 2-grams than the 2"),
        ("ngram 2=3\n", "", 3, "the count of order 2 is missing"),
        ("ngram 2=3", "ngram 2=three", 3, "not a count line"),
        ("ngram 2=3", "ngram 2=99999999999999999999999", 3, "not a count line"),
        ("b a b\n", "<s> a b\n", 20, "the same n-gram as in line 19"),
        ("\ta\t", "\tb\t", 11, "listed twice"),
        ("-0.397940009\ta", "0.397940009\ta", 10, "log-probability above 0"),
        ("-0.397940009\ta", "nan\ta", 10, "not a finite number"),
        ("-0.397940009\ta", "-inf\ta", 10, "not a finite number"),
        ("-0.397940009\ta", "-1e99\ta", 10, "not a finite number"),
        ("-0.397940009\ta", "-0.39x\ta", 10, "not a finite number"),
        ("\tb a b\n", "\tb a b\t-0.5\n", 21, "back-off weight on the highest order"),
        ("\tb a b\n", "\tb a\n", 21, "3 fields where a 3-gram has 4 or 5"),
        ("\tb a b\n", "\tb zzz b\n", 21, "'zzz' is not among the unigrams"),
        ("\\2-grams:", "\\3-grams:", 14, "where '.2-grams:' should follow"),
        ("\\end\\\n", "", 21, "stops before"),
        ("\\3-grams:", "\\end\\", 19, "ends after order 2 of 3"),
        ("\tb a b\n", "\tb a \xff\n", 21, "not UTF-8"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, what: str
) -> None:
    assert old in ARPA
    text = ARPA.replace(old, new, 1).encode("latin-1" if "\xff" in new else "utf-8")
    with pytest.raises(FormatError, match=what) as caught:
        read(text, tmp_path)
    assert caught.value.where.endswith("x.arpa") or abs(int(caught.value.where.rsplit(" ", 1)[1]) - line) <= 1


@pytest.mark.parametrize("size", range(0, len(ARPA) - 6, 7))
def test_every_truncation_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(FormatError):
        read(ARPA[:size], tmp_path)


def test_truncated_archives_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="truncated"):
        read(gzip.compress(ARPA.encode())[:-20], tmp_path, "x.arpa.gz")


def test_what_is_forgiven_is_noted(tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(
        "made by hand\n\n\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-0.5 a\n-99 <s>\n-0.3 </s>\n\n"
        "\\2-grams:\n-0.2 <s> a\n\n\\end\\\nanything\n"
    )
    found = read_arpa(tmp_path / "x.arpa")
    assert any("no <unk>" in line for line in found.notes)
    assert any("3 n-grams without a back-off weight" in line for line in found.notes)
    assert found.counts == (4, 1)


def test_other_spellings(tmp_path: Path) -> None:
    spelt = ARPA.replace("<unk>", "<UNK>").replace("\n", "\r\n")
    assert_allclose(
        read(b"\xef\xbb\xbf" + spelt.encode(), tmp_path).score(SENTENCES), read(ARPA, tmp_path).score(SENTENCES)
    )


def test_probabilities_above_one_by_backing_off_are_refused(tmp_path: Path) -> None:
    text = ARPA.replace("ngram 2=3", "ngram 2=2").replace("\n-0.301029996\ta b\t-0.15490196", "")
    text = text.replace("\ta\t-0.0969100130", "\ta\t9.5")
    with pytest.raises(InputError, match="probability larger than 1"):
        read(text.replace("a\t-0.096910013", "a\t9.5"), tmp_path)


def test_missing_parts_are_inserted_without_changing_anything(tmp_path: Path) -> None:
    table = random_table(3, order=4, closed=False)
    model = read(table.arpa(), tmp_path)
    assert model.native.inserted > 0
    assert model.counts[0] == sum(1 for ngram in table.p if len(ngram) == 1)
    assert model.tokens("a a")[1].logprob == pytest.approx(table.logprob(["<s>", "a"], "a"), abs=1e-5)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
def test_mutated_files_are_read_or_refused(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    chance = random.Random(seed)
    raw = bytearray(ARPA.encode())
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(raw))
        match chance.randrange(3):
            case 0:
                raw[at] = chance.randrange(256)
            case 1:
                del raw[at : at + chance.randrange(1, 9)]
            case _:
                raw[at:at] = raw[at : at + chance.randrange(1, 30)]
    with contextlib.suppress(DragomanError):
        read(bytes(raw), tmp_path_factory.getbasetemp(), "mutated.arpa").score(SENTENCES)
