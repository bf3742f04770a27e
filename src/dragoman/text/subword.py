"""Subwords: rare words in pieces that are seen often, and the words again from the pieces.

Pieces come from sentencepiece (Kudo and Richardson 2018), trained here on tokens and applied token by token, so that
protected tokens stay whole and every piece knows its word. A piece that begins a word carries the mark `▁`. Undoing is
exact for any tokens: one that the model would not give back letter for letter stays a single piece.

sentencepiece is an optional package: `pip install dragoman[subword]`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from dragoman.errors import FormatError, InputError, MissingDependency
from dragoman.files import open_binary, write_bytes
from dragoman.settings import check_argument

__all__ = ["MARK", "Subwords"]

MARK = "▁"
Kind = Literal["unigram", "bpe"]


def _sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise MissingDependency(
            "subwords need the package sentencepiece", remedy="pip install 'dragoman[subword]'"
        ) from None
    return sentencepiece


class Subwords:
    """A trained segmentation model; `model` is sentencepiece's own file, byte for byte."""

    def __init__(self, model: bytes) -> None:
        module = _sentencepiece()
        try:
            self._processor = module.SentencePieceProcessor(model_proto=model)
        except Exception as error:  # its errors have no class of their own
            raise FormatError(f"not a sentencepiece model: {str(error).strip() or 'cannot be parsed'}") from None
        self.model = model
        self._pieces: dict[str, tuple[str, ...]] = {}

    @classmethod
    def train(
        cls, sentences: Iterable[Sequence[str]], *, size: int = 8000, kind: Kind = "unigram", threads: int = 0
    ) -> Subwords:
        """Learn at most `size` pieces from tokenised sentences."""
        check_argument("size", size, int, label="subwords", least=8)
        check_argument("kind", kind, label="subwords", choices=get_args(Kind))
        lines = (" ".join(tokens) for tokens in sentences)
        written = io.BytesIO()
        module = _sentencepiece()
        try:
            module.SentencePieceTrainer.train(
                sentence_iterator=(line for line in lines if line),
                model_writer=written,
                vocab_size=size,
                hard_vocab_limit=False,
                model_type=kind,
                character_coverage=1.0,
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                num_threads=max(threads, 1),
                minloglevel=3,
            )
        except Exception as error:
            raise InputError(f"subwords cannot be learnt: {str(error).strip()}", remedy="use more text") from None
        return cls(written.getvalue())

    def pieces(self, token: str) -> tuple[str, ...]:
        """The pieces of one token; the first carries the mark."""
        found = self._pieces.get(token)
        if found is None:
            pieces = self._processor.encode(token, out_type=str)
            whole = "".join(pieces) == MARK + token and not any(piece.startswith(MARK) for piece in pieces[1:])
            if whole and len(pieces) > 1 and pieces[0] == MARK:  # a mark of its own says nothing: give it to the word
                pieces[:2] = [MARK + pieces[1]]
            found = self._pieces[token] = tuple(pieces) if whole else (MARK + token,)
        return found

    def apply(self, tokens: Sequence[str]) -> list[str]:
        """The pieces of all tokens, in order."""
        return [piece for token in tokens for piece in self.pieces(token)]

    @staticmethod
    def continues(piece: str) -> bool:
        """Whether a piece belongs to the token before it."""
        return not piece.startswith(MARK)

    @staticmethod
    def word(pieces: Sequence[str]) -> str:
        """The token of a row of pieces."""
        return "".join(pieces).removeprefix(MARK)

    @staticmethod
    def undo(pieces: Sequence[str]) -> list[str]:
        """The tokens that pieces make; a piece without the mark continues the token before it."""
        tokens: list[str] = []
        for piece in pieces:
            if piece.startswith(MARK) or not tokens:
                tokens.append(piece.removeprefix(MARK))
            else:
                tokens[-1] += piece
        return tokens

    def save(self, path: Path | str) -> None:
        """Write sentencepiece's model file."""
        write_bytes(path, self.model)

    @classmethod
    def load(cls, path: Path | str) -> Subwords:
        """Read a sentencepiece model file, ours or another's."""
        with open_binary(path) as file:
            return cls(file.read())
