"""The contract, chains, the cache, and every annotator that can be had without a download."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from dragoman.annotations import MissingLayer, Sentence, annotator_chain
from dragoman.annotations.annotator import LONGEST, Annotator, reason
from dragoman.annotations.annotator_chain import AnnotatorChain
from dragoman.annotations.cache import AnnotationCache
from dragoman.annotations.corpus import annotate_lines, as_json, render_lines, render_sentences
from dragoman.annotations.head_trees import ConstituentParser
from dragoman.annotations.layers import Span
from dragoman.annotations.model import open_model
from dragoman.annotations.role_rules import RoleRules
from dragoman.annotations.roles import RoleLabeler
from dragoman.annotations.spans import Chunker, EntityRecognizer
from dragoman.annotations.syntax import Syntax, SyntaxSettings
from dragoman.annotations.training import stripped
from dragoman.bundle import Bundle
from dragoman.errors import BundleError, FileError, FormatError, MissingDependency, SettingError, UnknownName


def check_annotator(links: Annotator, sentences: list[Sentence]) -> None:
    """What every annotator promises."""
    bare = [stripped(sentence, links) for sentence in sentences]
    before = [sentence.to_dict() for sentence in bare]
    done = links.annotate(bare)
    assert [sentence.to_dict() for sentence in bare] == before  # nothing is changed in place
    assert [sentence.words for sentence in done] == [sentence.words for sentence in bare]
    for sentence in done:
        assert sentence.has(*links.gives)
    assert [s.to_dict() for s in links.annotate(bare, threads=3)] == [s.to_dict() for s in done]
    assert [links.annotate([s])[0] for s in bare[:5]] == done[:5]  # neighbours are of no consequence
    hostile = [Sentence("", ()), Sentence.of(["a"] * (LONGEST + 1)), Sentence.of(["a\x01b"]), bare[0]]
    answered = links.annotate(hostile)
    assert [reason(sentence) for sentence in answered] == [
        "no tokens",
        "1,001 tokens, more than 1,000",
        "control characters",
        None,
    ]
    assert answered[3] == done[0]
    assert links.identity
    assert links.annotate([]) == []


def with_spans(sentences: list[Sentence]) -> list[Sentence]:
    """Noun phrases as chunks, proper names as entities."""
    return [
        sentence.with_layers(
            tags=sentence.pos,
            chunks=tuple(
                Span("NP", at, at + 1) for at, pos in enumerate(sentence.pos) if pos in ("NOUN", "PROPN", "PRON")
            ),
            entities=tuple(Span("NAME", at, at + 1) for at, pos in enumerate(sentence.pos) if pos == "PROPN"),
        )
        for sentence in sentences
    ]


@pytest.mark.slow
def test_syntax(syntax: Syntax, unseen: list[Sentence]) -> None:
    check_annotator(syntax, unseen)


def test_role_rules(unseen: list[Sentence]) -> None:
    check_annotator(RoleRules(), unseen)


def test_roles(treebank: list[Sentence], unseen: list[Sentence], tmp_path: Path) -> None:
    labeler = RoleLabeler.train(treebank, epochs=3)
    check_annotator(labeler, unseen)
    labeler.save(tmp_path / "roles")
    assert open_model(tmp_path / "roles").annotate(unseen) == labeler.annotate(unseen)


def test_constituents(treebank: list[Sentence], unseen: list[Sentence], tmp_path: Path) -> None:
    tagged = [sentence.with_layers(tags=sentence.pos) for sentence in treebank]
    parser = ConstituentParser.train(tagged, epochs=3, beam=4)
    check_annotator(parser, [sentence.with_layers(tags=sentence.pos) for sentence in unseen])
    parser.save(tmp_path / "trees")
    bare = [Sentence.of(s.words, tags=s.pos) for s in unseen]
    assert open_model(tmp_path / "trees").annotate(bare) == parser.annotate(bare)


@pytest.mark.parametrize("kind", [Chunker, EntityRecognizer])
def test_spans(
    kind: type[Chunker] | type[EntityRecognizer], treebank: list[Sentence], unseen: list[Sentence], tmp_path: Path
) -> None:
    model = kind.train(with_spans(treebank), epochs=20)
    check_annotator(model, with_spans(unseen))
    model.save(tmp_path / "spans")
    bare = [stripped(sentence, model) for sentence in with_spans(unseen)]
    assert open_model(tmp_path / "spans").annotate(bare) == model.annotate(bare)
    assert [getattr(s, model.layer) for s in model.annotate(bare)] == [
        getattr(s, model.layer) for s in with_spans(unseen)
    ]


def test_a_command_that_divides_otherwise(tmp_path: Path) -> None:
    script = tmp_path / "tool.py"
    script.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        '    words = line.replace("n\'t", " n\'t").split()\n'
        "    for n, w in enumerate(words, 1):\n"
        "        print(n, w, w.lower(), 'X', '_', '_', n - 1, 'root' if n == 1 else 'dep', '_', '_', sep='\\t')\n"
        "    print()\n"
    )
    tool = annotator_chain.load(f"command:{sys.executable} {script}")
    check_annotator(tool, [Sentence.of(["I", "don't", "know"]), Sentence.of(["Yes"])] * 3)
    [sentence] = tool.annotate([Sentence.of(["I", "don't", "know"])])
    assert sentence.dependencies.heads == (-1, 0, 1)


@pytest.mark.parametrize(
    ("program", "said"),
    [("-c 'import sys; sys.exit(3)'", "ended with 3"), ("-c 'print()'", "0 sentences came back for 1 lines")],
)
def test_a_command_that_fails(program: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        annotator_chain.load(f"command:{sys.executable} {program}").annotate([Sentence.of(["a"])])


def test_a_command_that_writes_columns(tmp_path: Path) -> None:
    """What SENNA would write for a line, by a program that knows one sentence."""
    columns = (
        "John NNP S-NP S-PER - S-A0 (S1(S(NP*)\n"
        "loves VBZ S-VP O loves S-V (VP*\n"
        "Mary NNP S-NP S-PER - S-A1 (NP*))))\n\n"
    )
    program = tmp_path / "senna.py"
    program.write_text(f"import sys\nfor line in sys.stdin:\n    print({columns!r}, end='')\n", "utf-8")
    chain = annotator_chain.load(f"columns:senna {sys.executable} {program}")
    assert chain.gives == ("tags", "chunks", "entities", "frames", "constituents")
    [found] = chain.annotate([Sentence.of(["John", "loves", "Mary"])])
    assert found.tags == ("NNP", "VBZ", "NNP")
    assert found.entities == (Span("PER", 0, 1), Span("PER", 2, 3))
    assert found.frames[0].roles() == {"A0": (0,), "A1": (2,)}
    assert ("VP", 1, 3) in set(found.constituents.spans())
    with pytest.raises(SettingError, match="no layout 'conll'"):
        annotator_chain.load("columns:conll program")
    with pytest.raises(SettingError, match="columns needs a program"):
        annotator_chain.load("columns:senna")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="dragoman annotate train"):
        annotator_chain.load("en-nowhere")
    with pytest.raises(SettingError, match="annotate train --kind syntax"):
        annotator_chain.load("syntax")
    with pytest.raises(MissingDependency, match="cannot run"):
        annotator_chain.load("command:no-such-program").annotate([Sentence.of(["a"])])
    with pytest.raises(SettingError, match="hanta:de"):
        annotator_chain.load("hanta:xx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BundleError, match=r"model\.toml"):
        annotator_chain.load(str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("part", "package", "extra"),
    [("spacy:fr_core_news_sm", "spacy", "spacy"), ("udpipe:model", "ufal", "parsers"), ("hanta:de", "HanTa", "hanta")],
)
def test_a_package_that_is_missing_is_an_extra(
    part: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependency, match=re.escape(f"pip install 'dragoman[{extra}]'")):
        annotator_chain.load(part)


def test_chains_add_up_what_they_need(model: Path, unseen: list[Sentence]) -> None:
    chain = annotator_chain.load(f"{model}+role-rules")
    assert chain.needs == ()
    assert chain.gives[-1] == "frames"
    assert chain.identity.startswith("syntax:")
    assert AnnotatorChain([RoleRules()]).needs == ("pos", "dependencies")
    with pytest.raises(MissingLayer, match="role-rules"):
        RoleRules().annotate([Sentence.of(["a"])])


def test_lines_never_shift(model: Path) -> None:
    lines = ["The dog sees the cat.", "", "x " * 2000, "tab\tand\x02control", "   ", "The cat sleeps."]
    done = list(annotate_lines(annotator_chain.load(str(model)), lines))
    assert [sentence.text for sentence in done] == lines
    assert [reason(sentence) is None for sentence in done] == [True, False, False, False, False, True]
    assert not any(done[at].layers.pos for at in (1, 2, 3, 4))


def test_the_cache_gives_the_same_without_the_model(model: Path, tmp_path: Path) -> None:
    lines = ["The dog sees the cat.", "", "The cat sleeps."]
    with AnnotationCache(tmp_path / "kept.sqlite") as cache:
        first = list(render_lines(annotator_chain.load(str(model)), lines, as_json, form="json", cache=cache))
    unread = annotator_chain.load(str(model))
    unread.links[0].add_layers = None  # type: ignore[method-assign, assignment]
    with AnnotationCache(tmp_path / "kept.sqlite") as cache:
        assert list(render_lines(unread, lines, as_json, form="json", cache=cache)) == first
    assert [Sentence.from_dict(json.loads(line)) for line in first] == list(
        annotate_lines(annotator_chain.load(str(model)), lines)
    )


def test_the_cache_tells_models_forms_and_sentences_apart(
    model: Path, treebank: list[Sentence], tmp_path: Path
) -> None:
    other = Syntax.train(treebank[:40], SyntaxSettings(epochs=1))
    other.save(tmp_path / "other")
    assert other.identity != annotator_chain.load(str(model)).identity
    tagged = [Sentence.of(["a"]), Sentence.of(["a"], pos=["X"])]
    with AnnotationCache(tmp_path / "kept.sqlite") as cache:
        found = list(render_sentences(other, tagged, as_json, form="json", cache=cache))
        assert list(render_sentences(other, tagged, as_json, form="json", cache=cache)) == found
        assert list(render_sentences(other, tagged, lambda s: s.text, form="text", cache=cache)) == ["a", "a"]
    (tmp_path / "torn.sqlite").write_bytes(b"not a database, and long enough to look like a file" * 10)
    with pytest.raises(FileError, match=r"torn\.sqlite"):
        AnnotationCache(tmp_path / "torn.sqlite")


def test_the_cache_forgets_what_other_code_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AnnotationCache(tmp_path / "kept.sqlite") as cache:
        cache.put("role-rules", ["a"], ["annotated"])
        assert cache.get("role-rules", ["a", "b"]) == ["annotated", None]
        monkeypatch.setattr("dragoman.cache.code_digest", lambda rooms: "of a changed rule")
        assert cache.get("role-rules", ["a"]) == [None]


def test_a_model_says_where_it_comes_from(model: Path) -> None:
    bundle = Bundle.open(model, kind="annotator")
    bundle.verify()
    assert bundle.languages == ("en",)
    assert bundle.settings["licence"] == "made here"


def test_a_damaged_model_is_refused(syntax: Syntax, tmp_path: Path) -> None:
    syntax.save(tmp_path / "model")
    labels = tmp_path / "model" / "parser.labels.txt"
    content = labels.read_text()
    labels.write_text(content[: len(content) // 2].rpartition("\n")[0] + "\n")
    with pytest.raises(BundleError, match=r"parser\.labels\.txt"):
        open_model(tmp_path / "model")


def test_a_model_of_other_hashes_is_refused(syntax: Syntax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weights would silently be those of other features."""
    with monkeypatch.context() as older:
        older.setattr("dragoman.annotations.model.HASH_VERSION", 1)
        syntax.save(tmp_path / "model")
    with pytest.raises(BundleError, match=r"hashed by version 1, this dragoman hashes by version .*train it again"):
        open_model(tmp_path / "model")
