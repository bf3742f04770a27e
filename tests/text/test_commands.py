"""The commands of `dragoman text` as filters: from standard input or a file to standard output."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import DragomanError, EncodingError, FormatError, SettingError, UnknownName
from tests.peers import peer

TEXT = "Dr. Ng's dog, it's “big”… isn't it?\nSee <b>%s</b> at http://x.org. Then go.\n\n"


def run(*arguments: str, text: str = TEXT) -> str:
    result = CliRunner().invoke(app, ["text", *arguments], input=text)
    if isinstance(result.exception, DragomanError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_tokenize_is_sacremoses_line_by_line() -> None:
    theirs = peer("sacremoses").MosesTokenizer("en")
    expected = "".join(" ".join(theirs.tokenize(line, escape=True)) + "\n" for line in TEXT.splitlines())
    assert run("tokenize", "--escape", "--threads", "2") == expected


def test_tokenize_with_offsets() -> None:
    lines = [json.loads(line) for line in run("tokenize", "--json", "--normalize").splitlines()]
    raw = TEXT.splitlines()[0]
    assert len(lines) == 3
    assert lines[2] == {"tokens": [], "spans": []}
    shown = {token: raw[start:end] for token, (start, end) in zip(lines[0]["tokens"], lines[0]["spans"], strict=True)}
    assert (shown["..."], shown["Dr."], shown["'s"]) == ("…", "Dr.", "'s")


def test_tokens_and_back() -> None:
    tokens = run("tokenize", "-l", "fr", text="L'été, c'est fini !\n")
    assert tokens == "L' été , c' est fini !\n"
    assert run("detokenize", "-l", "fr", text=tokens) == "L'été, c'est fini !\n"
    assert run("tokenize", "--protect", r"\[\w+\]", text="a [b] c\n") == "a [b] c\n"


def test_normalize() -> None:
    assert run("normalize", text="“a” – b…\n") == '"a" - b...\n'
    assert run("normalize", "--replace-unicode-punctuation", text="你好，１\n") == "你好,1\n"
    assert run("normalize", "--remove-control-characters", text="a\u200bb\n") == "ab\n"


def test_truecase(tmp_path: Path) -> None:
    model = str(tmp_path / "model")
    run("truecase", "train", "-o", model, text="We see the house .\n")
    assert run("truecase", "apply", model, text="The House\n") == "the house\n"
    assert run("truecase", "undo", text="the house . it\n") == "The house . It\n"


def test_split() -> None:
    assert run("split", text="One. Two.\n\nThree\nfour.\n") == "One.\nTwo.\n\nThree\nfour.\n"
    assert run("split", "--breaks", "paragraph", text="One. Two\nthree.\n\nFour.\n") == "One.\nTwo three.\n\nFour.\n"
    last = json.loads(run("split", "--json", text="One. Two.\n").splitlines()[-1])
    assert last == {"line": 1, "start": 5, "end": 9, "text": "Two."}
    with pytest.raises(SettingError, match="one of line, paragraph"):
        run("split", "--breaks", "page")


def test_identify() -> None:
    text = "Das ist ein Haus.\nThis is a house.\n"
    lines = run("identify", "-l", "de", "-l", "en", text=text).splitlines()
    assert [line.split("\t")[0] for line in lines] == ["de", "en"]
    assert json.loads(run("identify", "-l", "uk", "--json", text="a б\n")) == {
        "language": "uk",
        "confidence": 1.0,
        "script_share": 0.5,
    }
    with pytest.raises(UnknownName):
        run("identify", "-l", "klingon")


def test_protect(tmp_path: Path) -> None:
    assert run("protect").splitlines() == [
        "2\t4\t7\ttag\t<b>",
        "2\t7\t9\tprintf\t%s",
        "2\t9\t13\ttag\t</b>",
        "2\t17\t29\turl\thttp://x.org",
    ]
    (tmp_path / "terms").write_text("Dr. Ng\n\ndog\n")
    found = run("protect", "-k", "url", "--terms", str(tmp_path / "terms"), "--pattern", "it'?s", "--json").splitlines()
    assert [json.loads(line)["text"] for line in found] == ["Dr. Ng", "dog", "it's", "http://x.org"]


def test_files_may_be_compressed_and_are_checked(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "text.gz", "wt") as file:
        file.write("a,b\n")
    assert run("tokenize", str(tmp_path / "text.gz")) == "a , b\n"
    (tmp_path / "bad").write_bytes(b"a\n\xff\n")
    with pytest.raises(EncodingError, match="line 2"):
        run("tokenize", str(tmp_path / "bad"))
    (tmp_path / "model").write_text("nonsense\n")
    with pytest.raises(FormatError, match="line 1"):
        run("truecase", "apply", str(tmp_path / "model"))


def test_compounds(tmp_path: Path) -> None:
    text = "die Regierung gab eine Erklärung\ndie Regierungserklärung der Regierung\neine Erklärung\n" * 5
    for preset, split in (("wmt11", "eine Regierung Erklärung\n"), ("wmt13", "eine Regierung #erklärung\n")):
        model = str(tmp_path / preset)
        facts = json.loads(run("compounds", "train", "-", "-o", model, "--preset", preset, "--json", text=text))
        assert (facts["words"], facts["compounds"]) == (7, 1)
        assert run("compounds", "split", model, text="eine Regierungserklärung\n") == split
        assert run("compounds", "merge", model, text=split) == "eine Regierungserklärung\n"
    assert "1 of 7 words" in run("compounds", "train", "-", "-o", str(tmp_path / "m"), text=text)
    with pytest.raises(SettingError, match="affix"):
        run("compounds", "merge", str(tmp_path / "wmt11"), "--merging", "affix", text="a\n")
    with pytest.raises(UnknownName):
        run("compounds", "train", "-", "-o", model, "--preset", "x", text=text)


def test_morphs(tmp_path: Path) -> None:
    stems, endings = ("talk", "walk", "jump", "look", "play", "cook"), ("", "s", "ed", "ing", "er")
    words = [stem + ending for stem in stems for ending in endings]
    model = str(tmp_path / "morphs")
    assert json.loads(run("morphs", "train", "-", "-o", model, "--json", text="\n".join(words)))["morphs"] > 3
    split = run("morphs", "split", model, text="walking jumped\n")
    assert split == "walk ￭ing jump ￭ed\n"
    assert run("morphs", "merge", text=split) == "walking jumped\n"
    assert "morphs:" in run("morphs", "train", "-", "-o", model, text="\n".join(words))
