"""Vocabularies and binary files."""

import os

from numpy import int64, uint32
from numpy.typing import NDArray

class Vocabulary:
    """Words interned to 32-bit ids; id 0 is `<unk>`."""

    def __init__(self) -> None: ...
    def intern(self, word: str) -> int:
        """The id of a word, which is added if it is new."""

    def id(self, word: str) -> int:
        """The id of a word, 0 if it is unknown."""

    def word(self, id: int) -> str: ...
    def __len__(self) -> int: ...
    def __contains__(self, arg: str, /) -> bool: ...
    def encode(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]:
        """
        Ids of all tokens, and where each line ends in them; unknown tokens are 0.
        """

    def intern_all(self, lines: list[str]) -> tuple[NDArray[uint32], NDArray[int64]]:
        """As `encode`, adding the tokens that are new."""

    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Vocabulary: ...

class TextVariety:
    """How many different word pairs and n-grams a text has, about."""

    def __init__(self, order: int) -> None: ...
    def add(self, source: str, target: str) -> None:
        """See a sentence pair; words stand between blanks."""

    @property
    def word_pairs(self) -> int: ...
    @property
    def ngrams(self) -> list[int]:
        """Of target sentences with their ends, by order."""

class BinaryFormat:
    """A kind of binary file."""

    @property
    def kind(self) -> str:
        """Four letters in the header of the file."""

    @property
    def version(self) -> int:
        """Of the layout that is written and read."""

    @property
    def what(self) -> str:
        """What it holds, for people."""

def binary_formats() -> list[BinaryFormat]:
    """All kinds of binary file that outlive a job."""

class BinaryDescription:
    """What a binary file says of itself."""

    @property
    def kind(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def section_bytes(self) -> list[int]: ...

HASH_VERSION: int = 2

def worker_count(threads: int) -> int:
    """How many threads a number of threads means; 0 is all cores."""

def verify_when_opened(wanted: bool) -> None:
    """
    Whether files opened from now on are compared with their checksum, once each; they are by default.
    """

def is_binary_file(path: str | os.PathLike[str]) -> bool: ...
def describe_binary_file(path: str | os.PathLike[str], *, verify: bool = False) -> BinaryDescription:
    """Header of a binary file; `verify` recomputes its checksum."""
