"""The annotated sentence: checked when built, silent about nothing, the same after JSON."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import (
    LAYERS,
    Argument,
    Constituent,
    Dependencies,
    Frame,
    MissingLayer,
    Morphology,
    Sentence,
    Span,
    Token,
    Trace,
)
from dragoman.errors import DragomanError, InputError

DOGS = ["Dogs", "chase", "cats"]


def full() -> Sentence:
    tree = Constituent("S", (Constituent("NP", (0,)), Constituent("VP", (1, Constituent("NP", (2,)), Trace("*T*-1")))))
    return Sentence.of(
        DOGS,
        text="Dogs chase  cats",
        lemmas=["dog", "chase", "cat"],
        pos=["NOUN", "VERB", "NOUN"],
        tags=["NNS", "VBP", "NNS"],
        morphology=["Number=Plur", "_", "Number=Plur"],
        dependencies=([1, -1, 1], ["nsubj", "root", "obj"]),
        constituents=tree,
        frames=[Frame(1, "chase.01", (Argument("A0", 0, 1), Argument("A1", 2, 3)))],
        chunks=[Span("NP", 0, 1)],
        entities=[],
        comments=[" sent_id = 1"],
    )


def test_json_gives_the_same_sentence() -> None:
    sentence = full()
    assert Sentence.from_dict(json.loads(json.dumps(sentence.to_dict()))) == sentence


def test_offsets_point_into_the_text() -> None:
    assert [sentence_text(full(), token) for token in full()] == DOGS


def sentence_text(sentence: Sentence, token: Token) -> str:
    return sentence.text[token.start : token.end]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_missing_layer_is_an_error_that_names_it(layer: str) -> None:
    with pytest.raises(MissingLayer, match=f"no layer '{layer}', which tine needs"):
        Sentence.of(DOGS).require(layer, needed_by="tine")


def test_properties_raise_for_missing_layers() -> None:
    bare = Sentence.of(DOGS)
    for name in (
        "lemmas",
        "pos",
        "tags",
        "morphology",
        "dependencies",
        "constituents",
        "frames",
        "chunks",
        "entities",
        "coreference",
        "f_structure",
        "multiwords",
        "empty_nodes",
    ):
        assert not bare.has(name)
        with pytest.raises(MissingLayer, match=name):
            getattr(bare, name)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ({"lemmas": ("dog",)}, "'lemmas' has 1 values for 3 tokens"),
        ({"constituents": Constituent("S", (0, 2, 1))}, "not 0 to 2 in order"),
        ({"frames": (Frame(1, "x", (Argument("A0", 2, 4),)),)}, "'frames' reaches token 3 of 3"),
        ({"chunks": (Span("NP", 0, 4),)}, "'chunks' reaches token 3"),
        ({"colours": ()}, "no layer is called 'colours'"),
    ],
)
def test_layers_that_do_not_fit_are_refused(layers: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Sentence.of(DOGS).with_layers(**layers)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([1, 0, -1], "cycle"),
        ([-1, -1, 0], "has 2"),
        ([1, 2, 0], "has 0"),
        ([0, -1, 1], "has head 0"),
        ([5, -1, 1], "head 5"),
    ],
)
def test_heads_that_are_no_tree_are_refused(heads: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Dependencies(tuple(heads), ("x",) * 3)


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=7))
def test_a_tree_is_what_leads_to_one_root(heads: list[int]) -> None:
    size = len(heads)

    def reaches_root(token: int) -> bool:
        for _ in range(size + 1):
            if token == -1:
                return True
            token = heads[token]
        return False

    valid = all(head < size for head in heads) and heads.count(-1) == 1 and all(map(reaches_root, range(size)))
    try:
        tree = Dependencies(tuple(heads), ("x",) * size)
    except InputError:
        assert not valid
    else:
        assert valid
        assert sorted(tree.subtree(tree.root)) == list(range(size))


def test_roles_drop_references_and_join_continuations() -> None:
    frame = Frame(
        3, "give.01", (Argument("A1", 0, 1), Argument("R-A1", 1, 2), Argument("C-A1", 4, 6), Argument("A1", 6, 7))
    )
    assert frame.roles() == {"A1": (0, 4, 5, 6)}
    assert frame.lemma == "give"


def test_morphology_is_read_and_written() -> None:
    features = Morphology.of("Case=Dat|Number=Sing")
    assert str(features) == "Case=Dat|Number=Sing"
    assert "Case" in features
    assert Morphology.of({"b": "1", "A": "2"}).features == (("A", "2"), ("b", "1"))
    with pytest.raises(InputError, match="are not features"):
        Morphology.of("Case")


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda x: (
            st.lists(x, max_size=3) | st.dictionaries(st.sampled_from([*LAYERS, "text", "tokens"]), x, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_from_dict_refuses_with_our_error(value: Any) -> None:
    if not isinstance(value, dict):
        value = {"text": "a", "tokens": [["a", 0, 1]], "frames": value}
    with contextlib.suppress(DragomanError):
        Sentence.from_dict(value)


def test_crossing_arcs_are_seen() -> None:
    assert Dependencies((1, -1, 1), ("a", "root", "b")).projective
    assert not Dependencies((2, 3, -1, 2), ("a", "b", "root", "c")).projective
