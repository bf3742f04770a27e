from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import DragomanError, FormatError, InputError
from dragoman.files import read_lines
from dragoman.text import wmt
from dragoman.text.wmt import looks_like_wmt, parse_wmt, read_wmt

SGML = """<!DOCTYPE mteval SYSTEM "mteval.dtd">
<tstset setid="news" srclang="de" trglang="en">
<DOC docid='one' sysid="A"><hl><seg id="1">Rock &amp; roll</seg></hl>
<p><seg id=2> a < b,  AT&T &lt;3 </seg></p></DOC>
<doc docid="two" sysid="A"><seg id="1">x
y</seg></doc>
<doc docid="one" sysid="B"><seg id="1">other</seg><seg id="2"></seg></doc>
</tstset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<!-- a comment with <seg> in it -->
<dataset id="wmttest">
  <doc origlang="en" id="d1">
    <src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></ref>
    <ref lang="de" translator="B"><p><seg id="1">ein</seg><seg id="2">zwo</seg></p></ref>
    <hyp system="S" language="de"><p><seg id="1">Eins</seg><seg id="2">Zwei &#8211; ja</seg></p></hyp>
  </doc>
</dataset>
"""


def test_sgml() -> None:
    first, second = parse_wmt(SGML)
    assert (first.kind, first.name, first.set_id) == ("hypothesis", "A", "news")
    assert (first.source_language, first.target_language) == ("de", "en")
    assert [(s.document, s.number, s.text) for s in first.segments] == [
        ("one", "1", "Rock & roll"),
        ("one", "2", "a < b, AT&T <3"),
        ("two", "1", "x y"),
    ]
    assert (second.name, [s.text for s in second.segments]) == ("B", ["other", ""])


def test_xml() -> None:
    sets = parse_wmt(XML)
    assert [(s.kind, s.name) for s in sets] == [
        ("source", ""),
        ("reference", "A"),
        ("reference", "B"),
        ("hypothesis", "S"),
    ]
    assert [s.text for s in sets[3].segments] == ["Eins", "Zwei – ja"]
    assert (sets[0].source_language, sets[1].target_language) == ("en", "de")


def test_entities_are_not_resolved_and_no_file_is_opened() -> None:
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        '<dataset><doc id="d"><src><seg id="1">&x;</seg></src></doc></dataset>'
    )
    assert parse_wmt(bomb)[0].segments[0].text == "&x;"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<refset><doc docid='d'><seg id='1'>a<seg id='2'>b</seg></doc></refset>", "a segment inside a segment"),
        ("<refset><seg id='1'>a</seg></refset>", "outside a document"),
        ("<doc docid='d'><seg id='1'>a</seg></doc>", "outside a set"),
        ("<dataset><doc id='d'><seg id='1'>a</seg></doc></dataset>", "of no side"),
        ("<refset><doc docid='d'><seg id='1'>a</doc></refset>", "</doc> inside a segment"),
        ("<refset><doc docid='d'><seg id='1'>a", "never closed"),
        ("<refset><doc docid='d'></seg></doc></refset>", "without <seg>"),
        ("<refset><doc docid='d'><doc docid='e'>", "a document inside a document"),
        ("<refset>\n<doc docid='d'><seg id='1'>a</seg>\n<seg id='1'>b</seg></doc></refset>", "line 3: .*appears twice"),
        ("<refset></refset>", "no segments"),
        ("plain text", "no segments"),
    ],
)
def test_what_is_not_a_test_set_is_refused(text: str, what: str) -> None:
    with pytest.raises(FormatError, match=what):
        parse_wmt(text, where="file")


def test_looks() -> None:
    assert looks_like_wmt(SGML.splitlines())
    assert looks_like_wmt(XML.splitlines()[:3])
    assert not looks_like_wmt(["<b>bold</b> text"])
    assert not looks_like_wmt([])


TAGS = ["<refset>", "</refset>", "<tstset setid='x'>", "<dataset>", "<doc docid='d'>", "<doc id=e sysid='s'>", "</doc>"]
TAGS += ["<seg id='1'>", "<seg>", "</seg>", "<ref>", "</ref>", "<hyp system='a'>", "<!--", "-->", "<seg id='", "'"]
TAGS += ["text", "<", ">", "&", "\n"]


@given(st.lists(st.sampled_from(TAGS), max_size=30).map("".join))
def test_any_tags_are_a_test_set_or_an_error(text: str) -> None:
    try:
        assert parse_wmt(text)
    except DragomanError:
        return


def test_mutated_files() -> None:
    draw = random.Random(3)
    for _ in range(400):
        raw = bytearray(draw.choice([SGML, XML]).encode())
        for _ in range(draw.randrange(1, 6)):
            at = draw.randrange(len(raw))
            if draw.random() < 0.5:
                raw[at] = draw.randrange(256)
            else:
                del raw[at : at + draw.randrange(1, 40)]
        try:
            parse_wmt(raw.decode("utf-8", "replace"))
        except DragomanError:
            continue


def test_quotes_without_end_take_no_time() -> None:
    with pytest.raises(FormatError):
        parse_wmt("<refset " + "a='b' " * 20_000 + "<seg" + " x='" * 20_000)


def test_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wmt, "MAX_CHARACTERS", 10)
    with pytest.raises(InputError, match="a test set of more than"):
        parse_wmt(SGML)


def test_compressed(tmp_path: Path) -> None:
    (tmp_path / "set.sgm.gz").write_bytes(gzip.compress(SGML.encode()))
    assert read_wmt(tmp_path / "set.sgm.gz") == parse_wmt(SGML)


def test_real_files(data: Path) -> None:
    folder = data / "wmt" / "newstest2015-en-ru"
    plain = list(read_lines(folder / "newstest-2015-100sents.en-ru.ref.ru"))
    (made,) = read_wmt(folder / "newstest2015-100sents-enru-ref.ru.sgm")
    assert [" ".join(line.split()) for line in plain] == [segment.text for segment in made.segments]
    (whole,) = read_wmt(folder / "newstest2015-enru-src.en.sgm.gz")
    assert (whole.kind, len(whole.segments)) == ("source", 2818)
