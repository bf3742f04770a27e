"""Mined expressions: counts, EM, tags, numbers, and their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.align.anchors import ExpressionAnchor
from dragoman.align.mwe import (
    Expression,
    Tagged,
    extract_expressions,
    extract_numbered_terms,
    read_expressions,
    write_expressions,
)
from dragoman.align.patterns import TagPatterns, tags_of
from dragoman.annotations import Sentence
from dragoman.errors import FormatError, InputError, LengthMismatch, SettingError
from tests.align.votes import SOURCE, TARGET

TAGS = {
    "explication": "NOUN", "de": "ADP", "vote": "NOUN", "écrite": "ADJ", "une": "DET", "le": "DET", "autre": "ADJ",
    "chose": "NOUN", "ici": "ADV", "written": "ADJ", "explanation": "NOUN", "of": "ADP", "an": "DET", "the": "DET",
    "something": "PRON", "else": "ADJ", "here": "ADV",
}  # fmt: skip


def tagged(lines: list[str], *patterns: str) -> Tagged:
    return Tagged([[TAGS[word] for word in line.split()] for line in lines], TagPatterns(patterns))


def test_expressions_are_found_in_both_directions() -> None:
    found = extract_expressions(SOURCE, TARGET, min_count=3)
    assert found[0] == Expression("explication de vote", "explanation of vote", 3, 1.0)
    one_way = extract_expressions(["a b", "a b", "a b", "c", "d"], ["x", "x", "x", "x", "x"], min_probability=0.7)
    assert one_way == []
    either = extract_expressions(
        ["a b", "a b", "a b", "c", "d"], ["x", "x", "x", "x", "x"], min_probability=0.7, combine="union"
    )
    assert either == [Expression("a b", "x", 3, 0.6)]


@pytest.mark.parametrize("pairing", ["counts", "em"])
def test_tags_decide_what_may_be_an_expression(pairing: str) -> None:
    nouns = extract_expressions(
        SOURCE,
        TARGET,
        pairing=pairing,
        source_tags=tagged(SOURCE, "NOUN ADP NOUN"),
        target_tags=tagged(TARGET, "NOUN ADP NOUN"),
    )
    assert [(e.source, e.target) for e in nouns] == [("explication de vote", "explanation of vote")]
    one_side = extract_expressions(SOURCE, TARGET, pairing="counts", source_tags=tagged(SOURCE, "NOUN ADP"))
    assert {e.source for e in one_side} == {"explication de"}
    with pytest.raises(LengthMismatch, match="tags of 5 sentences for 1"):
        extract_expressions(SOURCE[:1], TARGET[:1], source_tags=tagged(SOURCE, "NOUN"))


def test_em_tells_apart_what_counts_cannot() -> None:
    """Two expressions that always occur together, and alone often enough to see which is which."""
    source = ["a b . c d", "a b . c d", "a b . c d", "a b", "c d", "a b", "c d"]
    target = ["x y . z w", "x y . z w", "x y . z w", "x y", "z w", "x y", "z w"]
    tags = Tagged([["X" if word == "." else "N" for word in line.split()] for line in source], TagPatterns(("N+",)))
    found = extract_expressions(source, target, pairing="em", source_tags=tags, target_tags=tags)
    assert {(e.source, e.target) for e in found} == {("a b", "x y"), ("c d", "z w")}
    assert all(e.probability >= 0.5 for e in found)
    none = Tagged([["X"]], TagPatterns(("N",)))
    assert extract_expressions(["a"], ["x"], pairing="em", source_tags=none, target_tags=none) == []
    with pytest.raises(SettingError, match="give tags"):
        extract_expressions(source, target, pairing="em")


def test_patterns() -> None:
    patterns = TagPatterns.parse(["# nouns", "DET? NOUN|PROPN+", "NOUN ADP NOUN"])
    assert patterns.matches(["DET", "NOUN", "PROPN"])
    assert not patterns.matches(["DET", "ADP"])
    assert not patterns.matches([])
    assert patterns.spans(["NOUN", "ADP", "NOUN"], max_words=2) == [(0, 1), (2, 3)]
    for lines, message in (([""], "no patterns"), (["NOUN||X"], "is no tag"), (["*"], "is no tag")):
        with pytest.raises(FormatError, match=message):
            TagPatterns.parse(lines)


def test_tags_of_annotated_sentences() -> None:
    annotated = [Sentence.of(line.split(), pos=[TAGS[word] for word in line.split()]) for line in SOURCE]
    assert tags_of(annotated, SOURCE)[2] == ("DET", "NOUN")
    with pytest.raises(InputError, match="sentence 2"):
        tags_of(annotated, [SOURCE[0], "une explication", *SOURCE[2:]])
    with pytest.raises(LengthMismatch, match="5 annotated sentences for 6"):
        tags_of(annotated, [*SOURCE, "x"])
    with pytest.raises(LengthMismatch, match="more annotated"):
        tags_of(annotated, SOURCE[:2])


def test_numbered_terms() -> None:
    found = extract_numbered_terms(["das Rad 2 dreht 3 mal"], ["the wheel 2 turns"])
    assert found == [ExpressionAnchor(0, 1, 1, 2, 2)]
    assert extract_numbered_terms(["das Rad 2 und Rad 2"], ["the wheel 2"]) == []
    tagged_side = Tagged([["DET", "ADJ", "NOUN", "NUM"]], TagPatterns(("ADJ? NOUN",)))
    longer = extract_numbered_terms(
        ["das hintere Rad 2"], ["the rear wheel 2"], source_tags=tagged_side, target_tags=tagged_side
    )
    assert longer == [ExpressionAnchor(0, 1, 1, 3, 3)]


def test_files(tmp_path: Path) -> None:
    found = [Expression("a b", "x", 3, 0.5), Expression("c", "y z", 1, 1.0)]
    write_expressions(tmp_path / "e", found)
    assert read_expressions(tmp_path / "e") == found
    (tmp_path / "terms").write_text("a  b\tx\n\n")
    assert read_expressions(tmp_path / "terms") == [Expression("a b", "x")]
    assert found[0].anchor(soft=True) == ("a b", "x", 0.5)
    for text in ("a b\n", "a\t\n", "a\tb\tc\n", "a\tb\t1\t2\n", "a\tb\t-1\n"):
        (tmp_path / "bad").write_text(text)
        with pytest.raises(FormatError, match="bad, line 1"):
            read_expressions(tmp_path / "bad")


@pytest.mark.parametrize(
    "settings", [{"pairing": "best"}, {"combine": "both"}, {"min_probability": 0.0}, {"max_words": 0}]
)
def test_refuses(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        extract_expressions(SOURCE, TARGET, **settings)  # type: ignore[arg-type]
    with pytest.raises(LengthMismatch):
        extract_expressions(SOURCE, TARGET[:2])
