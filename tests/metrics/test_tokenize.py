"""Tokens equal to sacrebleu's, to the last character."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman._native import metrics as native
from dragoman.errors import MissingDependency, SettingError, UnknownName
from dragoman.metrics.tokenize import TOKENIZERS, tokenize, tokenizer_signature
from tests.peers import peer

CLASSES = {
    "13a": "tokenizer_13a.Tokenizer13a",
    "intl": "tokenizer_intl.TokenizerV14International",
    "char": "tokenizer_char.TokenizerChar",
    "zh": "tokenizer_zh.TokenizerZh",
    "none": "tokenizer_none.NoneTokenizer",
}
Outputs = dict[str, tuple[list[str], list[list[str]]]]


def theirs(name: str) -> Any:
    peer("sacrebleu")
    module, _, kind = CLASSES[name].partition(".")
    return getattr(import_module(f"sacrebleu.tokenizers.{module}"), kind)()


PIECES = [*"aB9 .,-'\"/&;<>()[]{}!?%$~`^|\\\n\t"]
PIECES += [
    "&quot;",
    "&amp;lt;",
    "<skipped>",
    "-\n",
    "\n-",
    "'s ",
    "漢",
    "。",
    "١",
    "é",
    "€",
    "𠀀",
    "🙂",
    "’",
    "‐",
    "１",
    "カ",
]
PIECES += ["\u00a0", "\u2028", "\u3000", "\x1c", "\u200b", "\u2000", "\u2001", "\u2a6d", "\u2f81", "\u2fa1", "\u3300"]
NASTY = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
@given(st.one_of(NASTY, st.text(max_size=30)))
@settings(max_examples=100)
def test_any_text_splits_as_the_peer_does(name: str, line: str) -> None:
    assert tokenize([line], name)[0].split() == theirs(name)(line.rstrip()).split()


@pytest.mark.parametrize("name", CLASSES)
def test_system_outputs_split_as_the_peer_does(name: str, outputs: Outputs) -> None:
    other = theirs(name)
    for hypotheses, references in outputs.values():
        lines = [*hypotheses, *references[0]]
        for line, ours in zip(lines, tokenize(lines, name, threads=2), strict=True):
            assert ours.split() == other(line.rstrip()).split()


@pytest.mark.slow
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("no_punct", [False, True])
@pytest.mark.parametrize("asian", [False, True])
@given(NASTY)
@settings(max_examples=40)
def test_tercom_normalization(normalized: bool, no_punct: bool, asian: bool, line: str) -> None:
    peer("sacrebleu")
    kind = import_module("sacrebleu.tokenizers.tokenizer_ter").TercomTokenizer
    other = kind(normalized=normalized, no_punct=no_punct, asian_support=asian, case_sensitive=True)
    ours = native.Tokenizer("tercom", normalize=normalized, remove_punctuation=no_punct, asian=asian)
    assert ours.tokenize([line])[0].split() == other(line.rstrip()).split()


@pytest.mark.slow
def test_every_character_alone_and_between_letters() -> None:
    """Unicode classes are those of the peer for every code point there is."""
    lines = [f"a{chr(code)}b 1{chr(code)}2" for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    lines = lines[:0x3100] + lines[0x3100::23]
    other = theirs("intl")
    for line, ours in zip(lines, tokenize(lines, "intl"), strict=True):
        assert ours.split() == other(line).split()


def test_sentencepiece_models_are_used_when_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentencepiece = peer("sentencepiece")
    text = tmp_path / "text"
    text.write_text("".join(f"this is line number {n} of a small text\n" for n in range(200)), "utf-8")
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "sacrebleu_tokenizer_spm.model"
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(model.with_suffix("")), vocab_size=40, minloglevel=2
    )
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    from dragoman.metrics import tokenize as module

    module._foreign.cache_clear()
    try:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
        line = "this is a small line"
        assert tokenize([line], "flores101") == [" ".join(processor.encode(line, out_type=str))]
        assert tokenizer_signature("spm") == "flores101"
    finally:
        module._foreign.cache_clear()


def test_missing_tokenizers_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(MissingDependency, match="curl"):
        tokenize(["text"], "flores200")
    for name, package in (("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko")):
        try:
            import_module(package)
        except ImportError:
            with pytest.raises(MissingDependency, match="pip install"):
                tokenize(["text"], name)
    with pytest.raises(UnknownName, match="13a, intl"):
        tokenize(["text"], "14b")
    with pytest.raises(SettingError):
        native.Tokenizer("14b")
    assert set(CLASSES) < set(TOKENIZERS)
