"""Documents: their text becomes another, and nothing else changes.

The translator of these tests writes everything outside of tags in capitals, so that it shows what it was given.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from dragoman.errors import DragomanError, EncodingError, FormatError, InputError, SettingError, UnknownName
from dragoman.text.document_formats.base import DOCUMENT_FORMATS, Filling, document_format, suffixes
from dragoman.text.document_formats.html import translate_html
from dragoman.text.document_formats.zip_files import read_members

FILLING = Filling(source="en", target="de")
_KEPT = re.compile(r"(<[^>]*>|&\w+;|\[X\d+X\]|%\w|\{\w*\})")


def shout(texts: Sequence[str]) -> list[str]:
    return ["".join(p if _KEPT.fullmatch(p) else p.upper() for p in _KEPT.split(text)) for text in texts]


def through(name: str, content: str | bytes, **filling: Any) -> str:
    raw = content.encode() if isinstance(content, str) else content
    chosen = Filling(source="en", target="de", **filling)
    return document_format(name).translate(raw, shout, chosen, where="x").content.decode()


def same(texts: Sequence[str]) -> list[str]:
    return list(texts)


def test_plain_text_keeps_its_lines() -> None:
    assert through("text", "One line.\r\n\r\n  two\r\n---\r\n") == "ONE LINE.\r\n\r\n  TWO\r\n---\r\n"
    wrapped = (
        "This paragraph was wrapped by an editor at some width,\nso its lines end in the middle of a sentence and go\n"
        "onwards below.\n"
    )
    given: list[str] = []

    def keep(texts: Sequence[str]) -> list[str]:
        given.extend(texts)
        return list(texts)

    found = document_format("text").translate(wrapped.encode(), keep, FILLING, where="x").content.decode()
    assert given == [" ".join(wrapped.split())]
    assert found == wrapped
    longer = document_format("text").translate(wrapped.encode(), lambda t: [f"{t[0]} {t[0]}"], FILLING, where="x")
    assert max(map(len, longer.content.decode().splitlines())) <= 54


MARKDOWN = """---
title: not text
---
# A heading

Some *text* with a
[link](http://x.org/Y).

- one
- two
  1. three

> quoted

| name | value |
|------|-------|
| a b  | `c`   |

```python
code = 1
```

    indented code

[ref]: http://x.org
***
end
"""


def test_markdown_keeps_its_marks() -> None:
    found = through("markdown", MARKDOWN)
    for kept in (
        "---\ntitle: not text\n---\n",
        "# A HEADING\n",
        "- ONE\n- TWO\n  1. THREE\n",
        "> QUOTED\n",
        "| NAME | VALUE |\n|------|-------|\n| A B  | ",
        "```python\ncode = 1\n```\n\n    indented code\n\n[ref]: http://x.org\n***\nEND\n",
    ):
        assert kept in found, found
    assert (
        document_format("markdown").translate(MARKDOWN.encode(), same, FILLING, where="x").content.decode() == MARKDOWN
    )


HTML = """<!DOCTYPE html>
<html><head><title>A title</title><script>if (a < b) alert("text");</script></head>
<body class=x><!-- comment --><p>Some <b>bold</b> text<br>with &auml; &amp; &lt;.</p>
<pre>as is</pre><ul><li>one<li translate="no">two</ul><p>run <code>ls -l</code> now</p></body></html>
"""


def test_html_is_changed_in_its_text_only() -> None:
    found = through("html", HTML)
    expected = (
        HTML.replace("A title", "A TITLE")
        .replace("Some <b>bold</b> text<br>with &auml;", "SOME <b>BOLD</b> TEXT<br>WITH Ä")
        .replace("<li>one", "<li>ONE")
        .replace("run <code>ls -l</code> now", "RUN <code>ls -l</code> NOW")
    )
    assert found == expected
    assert translate_html("a & b", same) == "a &amp; b"
    assert translate_html("", same) == ""
    assert translate_html("<p>unclosed <b", same) == "<p>unclosed <b"


SRT = (
    "1\n00:00:01,000 --> 00:00:02,000\nHello there,\nhow are you?\n\n"
    "2\n00:00:03,000 --> 00:00:04,000\n- Yes.\n- No.\n\n3\n00:00:05,000 --> 00:00:06,000\n♪\n"
)


def test_subtitles_keep_times_and_lines() -> None:
    assert through("srt", SRT) == SRT.replace("Hello there,\nhow are you?", "HELLO THERE,\nHOW ARE YOU?").replace(
        "- Yes.\n- No.", "- YES.\n- NO."
    )


def test_json_keeps_its_layout() -> None:
    text = (
        '{\n  "a.b": "hello {name}",\n  "n": 1.50,\n  "list": ["x", "", null],\n  "deep": {"k": "tab\\t\\u00e9"}\n}\n'
    )
    found = through("json", text)
    assert found == text.replace("hello", "HELLO").replace('"x"', '"X"').replace("tab\\t\\u00e9", "TAB\\t\\u00c9")
    assert json.loads(found)["n"] == 1.5
    with pytest.raises(FormatError):
        through("json", "{")


PO = """# comment
msgid ""
msgstr ""
"Language: de\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 ? 0 : 1);\\n"

#. for translators
#: file.c:1
msgid "Open"
msgstr "Öffnen"

#, c-format
msgctxt "menu"
msgid "Open %s\\n"
msgstr ""

#, fuzzy
#| msgid "Closed"
msgid "Close"
msgstr "Alt"

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

#~ msgid "gone"
#~ msgstr "weg"
"""


def test_po_fills_what_is_empty_or_fuzzy() -> None:
    pytest.importorskip("translate")
    made = document_format("po").translate(PO.encode(), shout, FILLING, where="x.po")
    found = made.content.decode()
    assert (made.units, made.translated) == (4, 3)
    assert 'msgid "Open"\nmsgstr "Öffnen"\n' in found
    assert 'msgid "Open %s\\n"\nmsgstr "OPEN %s\\n"\n' in found
    assert '#| msgid "Closed"\nmsgid "Close"\nmsgstr "CLOSE"\n' in found
    assert 'msgstr[0] "%d FILE"\nmsgstr[1] "%d FILES"\nmsgstr[2] "%d FILES"\n' in found
    assert found.count("fuzzy") == 3
    assert '#~ msgid "gone"\n#~ msgstr "weg"' in found
    assert "#. for translators\n#: file.c:1\n" in found
    final = document_format("po").translate(PO.encode(), shout, Filling(everything=True, final=True), where="x.po")
    assert final.translated == 4
    assert b"fuzzy" not in final.content
    unchanged = document_format("po").translate(final.content, shout, FILLING, where="x.po")
    assert (unchanged.translated, unchanged.content) == (0, final.content)


WRAPPED = """msgid ""
msgstr ""
"Language: de\\n"

#: a.c:1
msgid ""
"This message was wrapped, and has %d words;\\n"
"its second line goes on for longer "
"than any line of a catalogue should be, so that it is broken where nobody meant it.\\n"
msgstr ""

msgid ""
"kept as it "
"was"
msgstr ""
"so "
"geblieben"

msgid ""
"a "
"file"
msgid_plural ""
"many "
"files"
msgstr[0] ""
msgstr[1] ""
"""


def test_po_wraps_as_gettext_does() -> None:
    pytest.importorskip("translate")
    given: list[str] = []

    def noted(texts: Sequence[str]) -> list[str]:
        given.extend(texts)
        return shout(texts)

    found = document_format("po").translate(WRAPPED.encode(), noted, FILLING, where="x.po").content.decode()
    # What is translated is the message, not its lines.
    assert given[0].splitlines() == [
        "This message was wrapped, and has %d words;",
        "its second line goes on for longer than any line of a catalogue should be, so that it is broken where nobody "
        "meant it.",
    ]
    assert given[1:] == ["a file", "many files"]
    # What is not touched stays as it was wrapped, sources included; what is filled in is wrapped, and lines stay lines.
    source, _, kept = WRAPPED.partition("#: a.c:1\n")[2].partition('msgstr ""\n')
    assert source in found
    assert kept.partition('msgid ""\n"a "')[0] in found
    filled = found.partition(source)[2].partition("\n\n")[0]
    assert filled == (
        'msgstr ""\n"THIS MESSAGE WAS WRAPPED, AND HAS %d WORDS;\\n"\n'
        '"ITS SECOND LINE GOES ON FOR LONGER THAN ANY LINE OF A CATALOGUE SHOULD BE, "\n'
        '"SO THAT IT IS BROKEN WHERE NOBODY MEANT IT.\\n"'
    )
    assert 'msgstr[0] "A FILE"\nmsgstr[1] "MANY FILES"\n' in found
    again = through("po", found)
    assert again == found  # what was filled in is fuzzy, filled once more, and wrapped in the same way


def test_po_that_nobody_wraps_stays_so() -> None:
    pytest.importorskip("translate")
    long = "a message of one line that is much longer than a line should be " * 2
    text = f'msgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "{long}"\nmsgstr ""\n\nmsgid "a\\nb"\nmsgstr ""\n'
    found = through("po", text)
    assert f'\nmsgstr "{long.upper()}"\n' in found
    assert '\nmsgstr ""\n"A\\n"\n"B"\n' in found


XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"><body>
<trans-unit id="1"><source>A <g id="1" ctype="bold">big</g> house<x id="2"/> &amp; more</source></trans-unit>
<trans-unit id="2"><source>done</source><target>fertig</target></trans-unit>
<trans-unit id="3"><source>doubt</source><target state="needs-review-translation">alt</target></trans-unit>
<trans-unit id="4" translate="no"><source>never</source></trans-unit>
</body></file></xliff>
"""

XLIFF_2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><file id="f"><unit id="1">
<segment><source>A <pc id="1">big</pc> house</source></segment>
<segment state="final"><source>done</source><target>fertig</target></segment>
</unit></file></xliff>
"""


def test_xliff_keeps_inline_elements() -> None:
    found = through("xliff", XLIFF_1)
    assert (
        '<target state="needs-review-translation">A <g id="1" ctype="bold">BIG</g> HOUSE<x id="2"/> &amp; MORE</target>'
        in found
    )
    assert "<target>fertig</target>" in found
    assert '<target state="needs-review-translation">DOUBT</target>' in found
    assert "NEVER" not in found
    assert '<source>A <g id="1" ctype="bold">big</g> house<x id="2"/> &amp; more</source>' in found
    assert found.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<xliff')
    newer = through("xliff", XLIFF_2)
    for part in (
        '<segment state="translated"><source>A <pc id="1">big</pc> house</source>',
        '<target>A <pc id="1">BIG</pc> HOUSE</target></segment>',
    ):
        assert part in newer
    assert 'trgLang="de"' in newer
    assert "fertig" in newer


TMX = (
    '<?xml version="1.0"?>\n<tmx version="1.4"><header srclang="en"/><body>\n'
    '<tu><tuv xml:lang="en-GB"><seg>a <ph x="1">code</ph> house</seg></tuv></tu>\n'
    '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>b</seg></tuv></tu>\n</body></tmx>\n'
)


def test_memories_are_completed() -> None:
    found = through("tmx", TMX)
    assert '<tuv xml:lang="de"><seg>A <ph x="1">code</ph> HOUSE</seg></tuv>' in found
    assert found.count("<tuv") == 4
    with pytest.raises(SettingError):
        document_format("tmx").translate(TMX.encode(), shout, Filling(), where="x")


def test_translate_toolkit_reads_what_is_written() -> None:
    """Its parsers are what many programs read these formats with."""
    pytest.importorskip("translate")
    from translate.storage import jsonl10n, tmx, xliff, xliff2

    def targets(kind: Any, content: str) -> list[Any]:
        return [unit.target for unit in kind.parsestring(content.encode()).units]

    assert targets(xliff.xlifffile, through("xliff", XLIFF_1)) == ["A BIG HOUSE & MORE", "fertig", "DOUBT", None]
    assert targets(xliff2.Xliff2File, through("xliff", XLIFF_2)) == ["A BIG HOUSE", "fertig"]
    assert targets(tmx.tmxfile, through("tmx", TMX)) == ["A code HOUSE", "b"]
    assert targets(jsonl10n.JsonFile, through("json", '{"a": "b c", "d": ["e", 1]}')) == ["B C", "E", 1]


USFM = """\\id GEN English
\\h Genesis
\\mt1 The Book
\\c 1
\\s The Beginning
\\p
\\v 1 In the \\add very\\add* beginning\\f + \\ft or start\\f* God
\\q1 made
\\v 2-3 and \\w earth|lemma="x"\\w* was
\\b
"""


def test_scripture_keeps_its_markers() -> None:
    expected = """\\id GEN English
\\h GENESIS
\\mt1 THE BOOK
\\c 1
\\s THE BEGINNING
\\p
\\v 1 IN THE \\add VERY\\add* BEGINNING\\f + \\ft or start\\f* GOD
\\q1 MADE
\\v 2-3 AND \\w EARTH|lemma="x"\\w* WAS
\\b
"""
    assert through("usfm", USFM) == expected


def test_word_documents_keep_formatting() -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("A title")
    paragraph = document.add_paragraph("some ")
    paragraph.add_run("bo").bold = True
    paragraph.add_run("ld").bold = True
    paragraph.add_run(" te").add_break()
    paragraph.add_run("xt")
    table = document.add_table(1, 1)
    table.cell(0, 0).text = "cell"
    document.sections[0].header.paragraphs[0].text = "top"
    out = io.BytesIO()
    document.save(out)
    made = document_format("docx").translate(out.getvalue(), shout, FILLING, where="x.docx")
    again = docx.Document(io.BytesIO(made.content))
    assert [each.text for each in again.paragraphs] == ["A TITLE", "SOME BOLD TE\nXT"]
    assert [run.text for run in again.paragraphs[1].runs if run.bold] == ["BOLD"]
    assert again.tables[0].cell(0, 0).text == "CELL"
    assert again.sections[0].header.paragraphs[0].text == "TOP"
    assert again.paragraphs[0].style.name == "Heading 1"
    before, after = (read_members(each, where="x") for each in (out.getvalue(), made.content))
    assert list(before) == list(after)
    assert before["word/styles.xml"] == after["word/styles.xml"]


def test_text_documents_keep_formatting() -> None:
    pytest.importorskip("odf")
    from odf import teletype
    from odf.opendocument import OpenDocumentText, load
    from odf.text import H, LineBreak, P, Span

    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text="A title"))
    paragraph = P(text="some ")
    paragraph.addElement(Span(text="bold"))
    paragraph.addElement(LineBreak())
    paragraph.addText("text")
    document.text.addElement(paragraph)
    out = io.BytesIO()
    document.write(out)
    made = document_format("odt").translate(out.getvalue(), shout, FILLING, where="x.odt")
    again = load(io.BytesIO(made.content))
    assert teletype.extractText(again.getElementsByType(H)[0]) == "A TITLE"
    found = again.getElementsByType(P)[0]
    assert teletype.extractText(found) == "SOME BOLD\nTEXT"
    assert teletype.extractText(found.getElementsByType(Span)[0]) == "BOLD"
    assert next(iter(read_members(made.content, where="x"))) == "mimetype"


@pytest.mark.parametrize("name", list(DOCUMENT_FORMATS))
def test_damaged_documents_are_refused_in_words(name: str) -> None:
    if name == "po":
        pytest.importorskip("translate")
    for content in (b"", b"\xff\xfe\x00", b"<a>", b"PK\x03\x04", b'{"a": "b"', b'msgid "x"\nmsgid'):
        with contextlib.suppress(DragomanError):
            document_format(name).translate(content, same, FILLING, where="x")


@pytest.mark.slow
def test_bombs_are_not_unpacked() -> None:
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", b"\0" * (2**28 + 1))
    with pytest.raises(InputError, match="unpacked"):
        document_format("odt").translate(out.getvalue(), same, FILLING, where="x.odt")
    bomb = (
        b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>'
        b'<xliff version="1.2"><trans-unit><source>x &d;</source></trans-unit></xliff>'
    )
    found = document_format("xliff").translate(bomb, same, FILLING, where="x").content
    assert b"cc" not in found


def test_formats_are_found_by_name() -> None:
    assert suffixes()[".po"] == "po"
    assert document_format(file="a/B.HTML").name == "html"
    with pytest.raises(UnknownName, match="no format of documents"):
        document_format(file="a.xyz")
    with pytest.raises(EncodingError, match="line 2"):
        document_format("text").translate(b"a\n\xff", same, FILLING, where="x")
