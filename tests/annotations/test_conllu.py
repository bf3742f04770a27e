"""CoNLL-U: bytes in, the same bytes out; errors with file and line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Sentence, conllu
from dragoman.errors import DragomanError, FormatError, InputError
from dragoman.files import read_lines

SAMPLE = """# sent_id = 1
# text = Er geht im Park.
1	Er	er	PRON	PPER	Case=Nom|Number=Sing	2	nsubj	2:nsubj	_
2	geht	gehen	VERB	VVFIN	_	0	root	0:root	_
3-4	im	_	_	_	_	_	_	_	_
3	in	in	ADP	APPR	_	5	case	5:case	_
4	dem	der	DET	ART	Case=Dat	5	det	5:det	_
5	Park	Park	NOUN	NN	_	2	obl	2:obl	SpaceAfter=No
5.1	geht	gehen	VERB	VVFIN	_	_	_	2:conj	CopyOf=2
6	.	.	PUNCT	$.	_	2	punct	2:punct	_
"""


def test_a_sentence_with_everything() -> None:
    [sentence] = conllu.parse(SAMPLE.splitlines())
    assert sentence.text == "Er geht im Park."
    assert [(t.text, t.start, t.end) for t in sentence][2:5] == [("in", 8, 10), ("dem", 8, 10), ("Park", 11, 15)]
    assert sentence.dependencies.heads == (1, -1, 4, 4, 1, 1)
    assert sentence.multiwords[0].text == "im"
    assert sentence.empty_nodes[0].after == 4
    assert conllu.format_sentence(sentence) == SAMPLE


@pytest.mark.parametrize(
    ("bad", "line", "message"),
    [
        ("1\ta\tb", 2, "3 columns where 10"),
        ("x\ta" + "\t_" * 8, 2, "is no word number"),
        ("2\ta" + "\t_" * 8, 2, "word 2 follows word 0"),
        ("1\ta" + "\t_" * 4 + "\tz\troot\t_\t_", 1, "head 'z' is not a number"),
        ("1\ta" + "\t_" * 4 + "\t3\troot\t_\t_", 1, "has head 2"),
        ("1\t\t" + "_\t" * 7 + "_", 2, "column 2 is empty"),
        ("2-1\ta" + "\t_" * 8, 2, "range 2-1"),
        ("3.1\ta" + "\t_" * 8, 2, "empty node 3.1"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, bad: str, line: int, message: str) -> None:
    file = tmp_path / "bad.conllu"
    file.write_text(f"# comment\n{bad}\n\n", "utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        list(conllu.read(file))
    assert f"bad.conllu, line {line}" in str(caught.value)


def test_missing_layers_become_blanks_and_touching_tokens_are_marked() -> None:
    sentence = Sentence.of(["Hi", "!"], text="Hi!")
    assert conllu.format_sentence(sentence).splitlines()[0] == "1\tHi" + "\t_" * 7 + "\tSpaceAfter=No"
    with pytest.raises(InputError, match="cannot stand in"):
        conllu.format_sentence(Sentence.of(["a\tb"]))


def test_write_and_read_back(tmp_path: Path) -> None:
    sentences = list(conllu.parse(SAMPLE.splitlines()))
    assert conllu.write(sentences * 3, tmp_path / "x.conllu.gz") == 3
    assert list(conllu.read(tmp_path / "x.conllu.gz")) == sentences * 3


@given(st.data())
def test_mutated_files_give_sentences_or_our_errors(data: st.DataObject) -> None:
    text = list(SAMPLE)
    for _ in range(data.draw(st.integers(1, 6))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.sampled_from("\t\n0123456789.-_#x|="))
    with contextlib.suppress(DragomanError):
        list(conllu.parse("".join(text).split("\n")))


@pytest.mark.slow
def test_real_treebanks_round_trip(data: Path) -> None:
    """Every file byte for byte, the larger ones in part, to save time."""
    files = sorted((data / "treebanks" / "ud").glob("*.conllu*"))
    assert len(files) == 20
    for file in files:
        lines = list(read_lines(file))[:12000]
        last = max(at for at, line in enumerate(lines) if not line)
        lines = lines[: last + 1]
        written = "".join(conllu.format_sentence(sentence) + "\n" for sentence in conllu.parse(lines, name=file.name))
        assert written == "\n".join(lines) + "\n", file


@pytest.mark.slow
def test_propositions_are_read(data: Path) -> None:
    file = data / "treebanks" / "srl" / "en_ewt-up-dev.conllu.gz"
    sentences = list(conllu.read(file, propositions=True))
    assert len(sentences) == 2002
    first = sentences[0].frames[0]
    assert (first.sense, first.roles()) == ("come.03", {"ARG2": (2,), "ARG1": (5,)})
    again = conllu.parse(
        "".join(conllu.format_sentence(s, propositions=True) + "\n" for s in sentences).splitlines(), propositions=True
    )
    assert [[frame.roles() for frame in s.frames] for s in again] == [
        [frame.roles() for frame in s.frames] for s in sentences
    ]
