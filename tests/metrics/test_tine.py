"""TINE and its parts: worked examples, brute force, a model trained on made-up sentences."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations.training import train_annotator
from dragoman.errors import FileError, FormatError, SettingError
from dragoman.evaluation.correlation import ScoredPreference, wmt_kendall
from dragoman.metrics import get_metric
from dragoman.metrics.genetic import evolve
from dragoman.metrics.role_matching import PredicateRoles, argument_score, assignment, verb_score
from dragoman.metrics.tine import Tine, _Analysed, tune_weights
from dragoman.semantics.verbs import VerbNet, VerbOcean, WordNetVerbs
from dragoman.semantics.wordnet import WordNet
from dragoman.text import synthetic
from tests.commands import Run

HYPOTHESIS = "The lack of snow discourages people from ordering ski stays in hotels and boarding houses ."
REFERENCE = "The lack of snow is putting people off booking ski holidays in hotels and guest houses ."


def bag(words: str) -> frozenset[str]:
    return frozenset(words.split())


def test_words_of_the_published_example() -> None:
    lexical = get_metric("tine:beta=0,tokenize=none").corpus_score([HYPOTHESIS], [REFERENCE])
    assert lexical == pytest.approx(11 / 272**0.5)


def test_the_published_example(tmp_path: Path) -> None:
    """Of `putting` and `booking` only the second has a counterpart, `ordering`; its arguments share 1, 0.5 and 0.72."""
    ocean = tmp_path / "ocean"
    ocean.write_text("order [similar] book :: 12\n")
    places = " ".join(f"place{number}" for number in range(18))
    theirs = bag(f"{places} a b c d e f g")
    ours = bag(f"{places} h i j k l m n")
    assert argument_score(ours, theirs) == pytest.approx(0.72)
    said = _Analysed(
        tuple(HYPOTHESIS.split()),
        (PredicateRoles(8, "order", {"A0": bag("people"), "A1": bag("ski stays"), "AM-LOC": ours}),),
    )
    meant = _Analysed(
        tuple(REFERENCE.split()),
        (
            PredicateRoles(5, "put", {"A0": bag("lack")}),
            PredicateRoles(8, "book", {"A0": bag("people"), "A1": bag("ski holidays"), "AM-LOC": theirs}),
        ),
    )
    score, lexical, adequacy = Tine(ontology=f"verbocean:{ocean}", tokenize="none")._row(said, meant)[:3]
    assert lexical == pytest.approx(11 / 272**0.5)
    assert adequacy == pytest.approx(0.37)
    assert score == pytest.approx(0.60758, abs=1e-5)


def test_adequacy_sees_what_words_do_not() -> None:
    """A verb replaced by a related one costs a word, roles that are swapped cost none: words prefer the swap, and
    adequacy the other in most pairs (card 04, 6.1)."""
    draws = np.random.default_rng(4)
    people = [f"person{number}" for number in range(30)]
    tine = Tine(ontology="none")
    words, adequacy = 0, 0
    for _ in range(50):
        one, other = draws.choice(people, 2, replace=False).tolist()

        def told(verb: str, agent: str, patient: str) -> _Analysed:
            # the related verb has the lemma of the first one, as an ontology would say
            sides = {"A0": bag(f"the {agent}"), "A1": bag(f"the {patient}")}
            return _Analysed(("the", agent, verb, "the", patient), (PredicateRoles(2, "see", sides),))

        reference = told("saw", one, other)
        replaced, swapped = (
            tine._row(said, reference) for said in (told("spotted", one, other), told("saw", other, one))
        )
        words += swapped[1] > replaced[1]
        adequacy += replaced[2] > swapped[2]
    assert words == 50
    assert adequacy >= 40


def test_widened_arguments() -> None:
    near = {"stays": ["remain", "journey"], "holidays": ["vacations", "trips", "journey"]}
    sides = bag("ski stays"), bag("ski holidays")
    assert argument_score(*sides, near.get) == pytest.approx(0.44721, abs=1e-5)  # type: ignore[arg-type]
    assert argument_score(*sides) == pytest.approx(0.5)
    assert argument_score(*sides, near.get, expand="max") == pytest.approx(0.5)  # type: ignore[arg-type]
    assert argument_score(bag("a b"), bag("a b")) == 1


def test_swapped_roles() -> None:
    """`the dog bit the man` against `the man bit the dog`: words agree, arguments half."""
    reference = _Analysed(
        ("the", "dog", "bit", "the", "man"), (PredicateRoles(2, "bite", {"A0": bag("the dog"), "A1": bag("the man")}),)
    )
    swapped = _Analysed(
        ("the", "man", "bit", "the", "dog"), (PredicateRoles(2, "bite", {"A0": bag("the man"), "A1": bag("the dog")}),)
    )
    tine = Tine(ontology="none")
    assert tine._row(swapped, reference)[:3] == [pytest.approx(0.9), pytest.approx(1.0), pytest.approx(0.5)]
    assert tine._row(reference, reference)[0] == pytest.approx(1.0)
    bare = _Analysed(reference.words, ())
    assert tine._row(reference, bare)[0] == pytest.approx(0.8)
    assert Tine(ontology="none", no_predicate="words")._row(reference, bare)[0] == pytest.approx(1.0)
    scaled = Tine(ontology="none", alpha=4.0, beta=1.0)
    assert scaled._row(swapped, reference)[0] == pytest.approx(0.9)


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4))
def test_assignment_is_the_best(rows: list[list[int]]) -> None:
    weights = [[value / 9 for value in row] for row in rows]
    best = max(
        sum(weights[i][j] for i, j in zip(order, range(3), strict=False) if i < len(rows))
        for order in permutations(range(max(3, len(rows))))
    )
    assert sum(weights[i][j] for i, j in assignment(weights)) == pytest.approx(best)


def test_scores_of_verbs() -> None:
    reference = PredicateRoles(0, "give", {"A0": bag("she"), "A1": bag("a book"), "AM-TMP": bag("today")})
    given_ = PredicateRoles(0, "give", {"A0": bag("she"), "A1": bag("a pen"), "A2": bag("him")})
    assert verb_score(given_, reference) == pytest.approx((1 + 0.5) / 3)
    assert verb_score(reference, PredicateRoles(0, "rain", {})) == 0


def test_evolution_finds_an_optimum() -> None:
    found = evolve(lambda x: -((x[0] - 0.3) ** 2), [(0, 1)], population=30, generations=40)
    assert found.best[0] == pytest.approx(0.3, abs=0.02)
    assert found.history == tuple(sorted(found.history))
    assert evolve(lambda x: -((x[0] - 0.3) ** 2), [(0, 1)], population=30, generations=40) == found


def test_tuned_weights_are_as_good_as_a_grid() -> None:
    draws = np.random.default_rng(1)
    truth, lexical, adequacy = draws.random(30), draws.random(30), draws.random(30)
    lexical, adequacy = truth + 0.3 * lexical, truth + 0.6 * adequacy

    def fitness(scores: np.ndarray) -> float:
        pairs = [
            ScoredPreference(1 if truth[i] > truth[j] else -1, float(scores[i]), float(scores[j]))
            for i in range(30)
            for j in range(i)
        ]
        return wmt_kendall(pairs, "wmt12")

    grid = max(fitness((lexical + rho * adequacy) / (1 + rho)) for rho in np.linspace(0, 5, 200))
    found = tune_weights(lexical, adequacy, fitness, population=30, generations=15)
    assert found.fitness >= 0.999 * grid


# Ontologies


def test_verbnet(tmp_path: Path) -> None:
    (tmp_path / "get-13.5.1.xml").write_text(
        '<VNCLASS ID="get-13.5.1"><MEMBERS><MEMBER name="book"/></MEMBERS><SUBCLASSES><VNSUBCLASS ID="get-13.5.1-1">'
        '<MEMBERS><MEMBER name="order"/><MEMBER name="buy"/></MEMBERS><SUBCLASSES/></VNSUBCLASS></SUBCLASSES></VNCLASS>'
    )
    (tmp_path / "put-9.1.xml").write_text('<VNCLASS ID="put-9.1"><MEMBERS><MEMBER name="put"/></MEMBERS></VNCLASS>')
    found = VerbNet.read(tmp_path)
    assert found.related("order", "book") == "verbnet:get-13.5.1"
    assert found.related("order", "put") is None
    assert found.related("unheard", "unheard") == "same"
    (tmp_path / "put-9.1.xml").write_text("<VNCLASS")
    with pytest.raises(FormatError, match="put-9"):
        VerbNet.read(tmp_path)
    with pytest.raises(FileError):
        VerbNet.read(tmp_path / "absent")


def test_verbocean(tmp_path: Path) -> None:
    file = tmp_path / "ocean"
    file.write_text("# remark\nbuy [happens-before] sell :: 12.5\n")
    assert VerbOcean.read(file).related("sell", "buy") == "verbocean:happens-before"
    assert VerbOcean.read(file).related("sell", "rent") is None
    file.write_text("buy sell\n")
    with pytest.raises(FormatError, match="line 1"):
        VerbOcean.read(file)


def test_real_verbnet(data: Path) -> None:
    found = VerbNet.read(data / "treebanks" / "verbnet" / "verbnet3.zip")
    assert found.related("order", "book") is not None
    assert found.related("spook", "terrify") is not None
    assert found.related("remain", "say") is None


def test_real_wordnet() -> None:
    try:
        verbs = WordNetVerbs(WordNet.find())
    except Exception:
        pytest.skip("no WordNet here")
    related = [("order", "book"), ("spook", "terrify"), ("dress", "wear")]
    assert all(verbs.related(*pair) for pair in related)
    assert verbs.related("award", "receive") is None
    assert verbs.related("remain", "say") is None


# The whole metric


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser of made-up sentences."""
    folder = tmp_path_factory.mktemp("model") / "syntax"
    sentences = [item.source.annotated for item in synthetic.pair("en-de").generate(100, seed=1)]
    train_annotator("syntax", sentences, epochs=2).save(folder)
    return folder


@pytest.mark.slow
def test_with_an_annotator(model: Path) -> None:
    lines = [item.source.text for item in synthetic.pair("en-de").generate(8, seed=5)]
    tine = get_metric(f"tine:syntax={model},ontology=none")
    assert isinstance(tine, Tine)
    same, other = tine.sentence_scores(lines, lines), tine.sentence_scores(lines[::-1], lines)
    assert (same >= 0.8 - 1e-9).all()
    assert same.mean() > other.mean()
    rows = tine.statistics(lines, lines)
    assert rows[:, 3].sum() > 0, "no predicate was found"
    # the best of several references, and never less for one more
    two = tine.sentence_scores(lines[::-1], [lines, lines[::-1]])
    assert (two >= other - 1e-12).all()
    found = tine.explain(lines[0], [lines[1], lines[0]])
    assert found.reference == 1
    assert found.score == pytest.approx(same[0])
    assert found.to_dict()["lost"] == []
    # the picture has a line for each predicate, and for each role that both have
    kinds = [link.reason for link in found.links]
    assert kinds.count("predicate") == rows[0, 4] > 0
    assert len(set(kinds) - {"same word", "predicate"}) > 0
    assert all(found.tokens[0][slice(*link.first)] for link in found.links)
    drawn = found.drawing().svg()
    assert drawn.count("<line") >= len(found.links)
    assert drawn.strip() in found.html_part()
    lost = tine.explain(lines[1], [lines[0]])
    if lost.lost:
        assert f"lost: {lost.lost[0]}" in lost.html_part()
    lexical, adequacy = tine.parts(lines, lines)
    assert ((lexical + 0.25 * adequacy) / 1.25).tolist() == pytest.approx(same.tolist())
    assert tine.sentence_scores([""], ["a dog barks"]).tolist() == [0.0]
    assert "annotator:" in tine.signature


def test_reasons_from_the_command_line(model: Path, run: Run) -> None:
    lines = [item.source.text for item in synthetic.pair("en-de").generate(3, seed=5)]
    Path("out").write_text("\n".join(lines[:2]) + "\n")
    Path("ref").write_text("\n".join(lines[1:]) + "\n")
    metric = f"tine:syntax={model},ontology=none"
    arguments = ("score", "out", "--ref", "ref", "--ref", "out", "-m", metric, "--explain")
    assert "out, segment 2" in run(*arguments, "--reasons", "why.html")
    page = Path("why.html").read_text("utf-8")
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http://www.w3.org", "")
    found = [json.loads(line) for line in run(*arguments, "--json").splitlines()]
    assert [each["reference"] for each in found] == [1, 1]
    assert found[0]["score"] == pytest.approx(get_metric(metric).sentence_scores(lines[:1], lines[:1])[0])
    bad = ("score", "out", "--ref", "ref")
    assert "bleu gives no reasons" in run(*bad, "-m", "bleu", "--explain", code=2)
    assert "one metric" in run(*bad, "-m", "bleu", "-m", "ter", "--explain", code=2)
    assert ".html" in run(*bad, "-m", metric, "--reasons", "why.txt", code=2)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(SettingError, match="beta=0"):
        Tine(ontology="none").corpus_score(["a"], ["a"])
    with pytest.raises(SettingError, match="WordNet is English"):
        Tine(language="de")
    with pytest.raises(SettingError, match="both 0"):
        Tine(alpha=0.0, beta=0.0)
    with pytest.raises(SettingError, match="ontology"):
        Tine(ontology="framenet")
