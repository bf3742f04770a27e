"""Every registered scorer keeps the contract; worked examples and real data for single ones."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.annotations import Argument, Frame, MissingLayer, Sentence, Span
from dragoman.errors import InputError, LengthMismatch, SettingError, UnknownName
from dragoman.evaluation.similarity_runs import RunScores, study_runs
from dragoman.metrics import get_metric
from dragoman.metrics.lexical import synset_numbers
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.train import train
from dragoman.semantics.wordnet import WordNet, _open
from dragoman.semantics.wordnet_measures import InformationContent, WordNetMeasures
from dragoman.similarity import SCORERS, PairScorer, TextPair, get_scorer, open_scorer, read_task, reasons_page
from dragoman.similarity.concepts import ConceptVectors
from dragoman.similarity.dls import Dls
from dragoman.similarity.ensemble import stacked
from dragoman.similarity.features import _tiles
from dragoman.similarity.learned import FeatureScorer, Takelab, Ukp
from dragoman.similarity.matching import pairing_score
from dragoman.similarity.overlap import ngrams, shared_count, stretches
from dragoman.similarity.regression import SupportVectors, read_regressor
from dragoman.similarity.soft_cardinality import SoftCardinality
from dragoman.similarity.word_knowledge import WordNetDistances
from tests.conformance import check_scorer, check_settings
from tests.tiny_wordnet import write_wordnet

TEXT = """A dog chased the black cat through the garden .
The cat ran away from the big dog .
A big black dog slept in the garden all day .
Children played football in the park with a dog .
The kids played in the garden near the house .
A man sold his old house and bought a new car .
The woman bought a car and a house in the city .
The city has a park where children play football .
"""
PAIRS = [
    ("A dog chased the cat .", "The cat was chased by a dog .", 0.9),
    ("Children played football .", "Kids play football in the park .", 0.7),
    ("A man sold his house .", "The dog slept .", 0.0),
    ("The woman bought a car .", "The woman bought a new car .", 0.8),
    ("In 1999 he had 1,650 cars .", "He had 1650 cars in 1999 .", 0.95),
    ("The city has a park .", "Children play football .", 0.2),
    ("A black cat .", "A black cat .", 1.0),
    ("A big dog slept all day .", "A small dog slept all night .", 0.5),
]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.en"
    path.write_text(TEXT * 3, "utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = write_wordnet(tmp_path_factory.mktemp("wordnet"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WNSEARCHDIR", str(folder))
        synset_numbers.cache_clear()
        yield
    _open.cache_clear()
    synset_numbers.cache_clear()


def flat_tree(words: str) -> Sentence:
    """A sentence whose words all hang on the second one, with every layer that scorers ask for."""
    tokens = words.split()
    heads = [-1 if at == min(1, len(tokens) - 1) else min(1, len(tokens) - 1) for at in range(len(tokens))]
    return Sentence.of(
        tokens,
        lemmas=[word.lower() for word in tokens],
        pos=["NOUN"] * len(tokens),
        dependencies=(heads, ["root" if head < 0 else "dep" for head in heads]),
        chunks=[Span("NP", 0, 1), Span("VP", 1, len(tokens))] if len(tokens) > 1 else [],
        entities=[Span("PER", at, at + 1) for at, word in enumerate(tokens) if word[:1].isupper()],
        frames=[Frame(heads.index(-1), tokens[heads.index(-1)], (Argument("A0", 0, 1),))],
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What translates the words of the pairs, mostly into themselves."""
    folder = tmp_path_factory.mktemp("model")
    lines = TEXT.splitlines() * 3
    recipe = Recipe(order=2, aligner="fast", tuner="none", dev_size=4, search={"pop_limit": 10, "beam": 10})
    train(lines, lines, output=folder / "en-en", languages=("en", "en"), recipe=recipe)
    return folder / "en-en"


def options(name: str, text: Path, model: Path) -> list[str]:
    """What a scorer must be told."""
    lexicon = text.with_name("lexicon")
    lexicon.write_text("dog\tcat\t0.5\nchildren\tkids\t0.9\n", "utf-8")
    known = [f"text={text}", "dimensions=4"]
    told = {
        "lsa": known,
        "takelab": [*known, f"second_text={text}"],
        "ukp": known,
        "word-translations": [f"lexicon={lexicon}"],
        "translated": [f"first={model}", "variants=2"],
    }
    return told.get(name, [])


@pytest.mark.parametrize("name", list(SCORERS))
def test_keeps_the_contract(name: str, text: Path, model: Path, tmp_path: Path) -> None:
    scorer = get_scorer(name, options(name, text, model))
    pairs = [TextPair(flat_tree(first), flat_tree(second)) for first, second, _ in PAIRS]
    check_scorer(scorer, pairs, [gold for *_, gold in PAIRS], tmp_path / "scorer")
    check_settings(SCORERS.get(name))
    assert SCORERS.describe(name)


def test_unknown_names_and_settings() -> None:
    with pytest.raises(UnknownName, match="soft-cardinality"):
        get_scorer("soft-cardinalty")
    with pytest.raises(SettingError, match="power"):
        get_scorer("soft-cardinality", ["power=0"])
    with pytest.raises(SettingError, match="language"):
        get_scorer("dls", ["language=xx"])
    with pytest.raises(SettingError, match="WordNet is English"):
        get_scorer("matching", ["language=es"])


def test_fitting_refuses_what_teaches_nothing() -> None:
    scorer = get_scorer("ukp")
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    with pytest.raises(InputError, match="all equal"):
        scorer.fit(pairs, [0.5] * len(pairs))
    with pytest.raises(LengthMismatch):
        scorer.fit(pairs, [0.5])
    with pytest.raises(SettingError, match="nothing to learn"):
        get_scorer("string").fit(pairs, [gold for *_, gold in PAIRS])


# Worked examples


def test_soft_cardinality_example() -> None:
    """{cat, cats}: padded bigrams, Dice 2/3."""
    from dragoman._native import similarity as native

    assert native.soft_cardinalities(["cat cats"], ["cat"], power=1.0)[0].tolist() == pytest.approx([1.2, 1.0, 1.2])
    assert native.soft_cardinalities(["cat cats"], ["cat"], power=2.0)[0, 0] == pytest.approx(1.38462, abs=1e-5)
    assert SoftCardinality().score([TextPair.of("...", "!")]).tolist() == [0.0]


def test_dls_examples() -> None:
    dls = Dls(dependencies=False)
    pair = TextPair.of("alpha beta gamma delta", "alpha beta gamma eta theta")
    assert dls.score([pair])[0] == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert dls.score([TextPair.of("of the", "of the"), TextPair.of("of the", "in a")]).tolist() == [1.0, 0.0]
    with pytest.raises(MissingLayer, match="dependencies"):
        Dls().score([pair])
    longer = TextPair.of("alpha beta gamma delta", "alpha beta gamma eta theta iota")
    assert dls.score([longer])[0] < dls.score([pair])[0]


def test_dls_knows_paraphrases_initials_and_numbers(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text("purchased\tbought\n", "utf-8")
    dls = Dls(dependencies=False, paraphrases=str(table))
    found = dls.explain(TextPair.of("He purchased 5 cars", "He bought 6 cars"))
    assert found.alignment is not None
    reasons = {(found.first[m.first], found.second[m.second]): m.reason.partition(",")[0] for m in found.alignment}
    assert reasons[("purchased", "bought")] == "paraphrase"
    assert ("5", "6") not in reasons
    named = dls.explain(TextPair.of("the United Nations met", "the UN met")).alignment
    assert named is not None
    assert "name: initials" in {match.reason for match in named}


def test_dls_uses_the_tree() -> None:
    """Which of two equal words is meant, the neighbours in the tree decide."""
    first = Sentence.of(
        ["red", "box", "and", "blue", "box"],
        dependencies=([1, -1, 4, 4, 1], ["amod", "root", "cc", "amod", "conj"]),
    )
    second = Sentence.of(["box", "blue"], dependencies=([-1, 0], ["root", "amod"]))
    _, _, alignment = Dls().align(TextPair(first, second))
    assert (4, 0) in alignment
    assert (3, 1) in alignment


def test_pairing_words_example() -> None:
    table = {("dog", "cat"): 0.5, ("dog", "sleeps"): 0.03, ("barks", "cat"): 0.02, ("barks", "sleeps"): 0.04}

    def one(word: str) -> float:
        return 1.0

    score, matched, bad, against = pairing_score(
        ["dog", "barks"],
        ["cat", "sleeps"],
        lambda a, b: table[a, b],
        frequency=one,
        importance=one,
        opposite=lambda a, b: False,
    )
    assert [score, matched, bad, against] == pytest.approx([0.0, 0.27, 0.52, 0.0])


def test_reasons_are_escaped() -> None:
    reasons = get_scorer("token-cosine").explain(TextPair.of("<b>x</b> same", "same <i>"))
    page = reasons_page([reasons])
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page
    assert page.startswith("<!doctype html>")


@pytest.mark.parametrize("gamma", [None, 0.0, 0.3])
def test_support_vectors_predict_as_their_library_does(gamma: float | None, tmp_path: Path) -> None:
    from sklearn.svm import SVR

    draws = np.random.default_rng(2)
    rows, fresh = draws.normal(3.0, 2.0, (60, 4)), draws.normal(3.0, 2.0, (20, 4))
    gold = rows @ [1.0, -0.5, 0.2, 0.0] + draws.normal(0, 0.1, 60)
    ours = SupportVectors.fit(list("abcd"), rows, gold, cost=2.0, gamma=gamma, epsilon=0.05)
    kernel = {"kernel": "linear"} if gamma == 0 else {"gamma": 0.25 if gamma is None else gamma}
    means, scales = rows.mean(0), rows.std(0)
    theirs = SVR(C=2.0, epsilon=0.05, **kernel).fit((rows - means) / scales, gold)
    assert ours.predict(fresh) == pytest.approx(theirs.predict((fresh - means) / scales), abs=1e-9)
    ours.save(tmp_path)
    assert read_regressor(tmp_path).predict(fresh).tolist() == ours.predict(fresh).tolist()


def test_a_damaged_bundle_is_refused(tmp_path: Path) -> None:
    scorer = get_scorer("ukp", ["wordnet=false"])
    scorer.fit([TextPair.of(a, b) for a, b, _ in PAIRS], [gold for *_, gold in PAIRS])
    scorer.save(tmp_path / "ukp")
    (tmp_path / "ukp" / "regressor.npz").write_bytes(b"x")
    with pytest.raises(Exception, match="regressor"):
        open_scorer(tmp_path / "ukp")


# Real data

PUBLISHED = {
    "2012": {"MSRpar": 0.4334, "SMTeuroparl": 0.4542, "SMTnews": 0.3908},
    "2013": {"headlines": 0.5399, "OnWN": 0.2828, "FNWN": 0.2146},
    "2014": {
        "deft-forum": 0.353, "deft-news": 0.596, "headlines": 0.510,
        "images": 0.513, "OnWN": 0.406, "tweet-news": 0.654,
    },
}  # fmt: skip
"""The baseline's correlations as printed (Agirre et al. 2012, 2013, 2014)."""


@pytest.mark.parametrize("year", PUBLISHED)
def test_the_baseline_is_the_published_one(data: Path, year: str) -> None:
    digits = 3 if year == "2014" else 4
    sets = read_task(sorted((data / "sts" / year).glob("*.test.tsv*")))
    scorer = get_scorer("token-cosine")
    outputs = {one.name: RunScores.of(scorer.score(one.pairs)) for one in sets}
    found = study_runs({one.name: one.scores() for one in sets}, {"baseline": outputs}, samples=10)["baseline"]
    rounded = {name: round(r, digits) for name, r in found.correlations.items()}
    assert {name: rounded[name] for name in PUBLISHED[year]} == PUBLISHED[year]
    if year == "2012":  # printed as .5864; no reading of the description gives it
        assert rounded["OnWN"] == 0.5868
    if year == "2014":
        assert round(found.mean, 3) == 0.507


def test_string_similarity_spans_the_sampled_range(data: Path) -> None:
    [one] = read_task([data / "sts" / "2012" / "MSRpar.test.tsv"])
    values = get_scorer("string").score(one.pairs)
    assert (round(float(values.min()), 3) >= 0.4, float(values.max()) <= 0.9) == (True, True)


def scored(name: str, *sets: str, data: Path) -> float:
    [one] = read_task([data / "sts" / sets[0] / f"{sets[1]}.test.tsv"])
    found: PairScorer = get_scorer(name, [] if name != "dls" else ["dependencies=false"])
    return float(np.corrcoef(found.score(one.pairs), one.scores())[0, 1])


def test_soft_cardinality_beats_the_baseline(data: Path) -> None:
    for year, name in (("2012", "MSRpar"), ("2013", "headlines"), ("2014", "images")):
        assert scored("soft-cardinality", year, name, data=data) > scored("token-cosine", year, name, data=data) + 0.1


# What the winners of 2012 looked at


def test_shared_information_is_resniks(wordnet: None) -> None:
    """Against the measure over pairs of synonym sets."""
    known = WordNet.find()
    counts = {"dog": 5, "cat": 3, "animal": 2, "car": 4}
    information = InformationContent.of(known, counts)
    measures, places = WordNetMeasures(known, information), WordNetDistances(known)
    for one, other in itertools.product(counts, repeat=2):
        wanted = measures.similarity(one, other, "resnik")
        assert places.shared_information(one, other, information) == pytest.approx(wanted or 0.0)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_tiles_and_stretches(first: str, second: str) -> None:
    """Greedy tiling by the book: the longest stretch that is still free, the leftmost of equals, again and again."""
    free = [[True] * len(first), [True] * len(second)]
    covered = 0
    while True:
        best = (2, 0, 0)
        for i, j in itertools.product(range(len(first)), range(len(second))):
            size = 0
            while (
                max(i - len(first), j - len(second)) + size < 0
                and first[i + size] == second[j + size]
                and free[0][i + size]
                and free[1][j + size]
            ):
                size += 1
            if size > best[0]:
                best = (size, i, j)
        if best[0] < 3:
            break
        size, i, j = best
        free[0][i : i + size] = free[1][j : j + size] = [False] * size
        covered += size
    assert _tiles(list(first), list(second)) == covered
    bags = [Counter(stretches(text, 2)) for text in (first, second)]
    assert shared_count(*bags) == (bags[0] & bags[1]).total()
    assert [tuple(each) for each in stretches(first, 2)] == ngrams(first, 2)


def test_concepts_worked(tmp_path: Path) -> None:
    """Three lines: weights are ln 3 or ln 1.5; `cat` and `dog` share the first line only."""
    found = ConceptVectors.of(["cat dog", "cat mouse", "dog bone", "mouse"])
    line = {"cat": np.log(2), "dog": np.log(2), "mouse": np.log(2)}
    length = np.hypot(line["cat"], line["dog"])
    ours, theirs = (dict(zip(*found.vector([word]), strict=True)) for word in ("cat", "dog"))
    assert ours[0] == pytest.approx(line["cat"] / length)
    assert "bone" not in found.words  # a word of one line describes nothing
    wanted = ours[0] * theirs[0] / (np.linalg.norm(list(ours.values())) * np.linalg.norm(list(theirs.values())))
    assert found.cosine(["cat"], ["dog"]) == pytest.approx(wanted)
    assert found.cosine(["cat"], ["cat"]) == pytest.approx(1)
    assert found.cosine(["cat"], ["unknown"]) == 0
    found.save(tmp_path)
    again = ConceptVectors.open(tmp_path).vector(["mouse"])
    assert [part.tolist() for part in again] == [part.tolist() for part in found.vector(["mouse"])]


def test_more_knowledge_gives_more_features(text: Path, tmp_path: Path) -> None:
    pair = TextPair.of("The dog chased a cat .", "The hound hunted a cat .")
    table = tmp_path / "words"
    table.write_text("dog\thound\nchased\thunted\n")
    known = [f"text={text}", "dimensions=4"]
    plain, told = get_scorer("ukp", known), get_scorer("ukp", [*known, f"substitutes={table}"])
    assert isinstance(plain, Ukp)
    assert isinstance(told, Ukp)
    new = told.features(pair).keys() - plain.features(pair).keys()
    assert new == {"words or their substitutes"}
    assert told.features(pair)["words or their substitutes"] == pytest.approx(np.log(1.01))
    assert {"resnik best matches", "concepts"} <= plain.features(pair).keys()
    two = get_scorer("takelab", [*known, f"second_text={text}"])
    assert isinstance(two, Takelab)
    features = two.features(pair)
    assert features["vectors, second text"] == pytest.approx(features["vectors"])


def test_metrics_are_features_in_both_directions() -> None:
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    scorer = get_scorer("metrics", ["metrics=ter,chrf:beta=1", "regressor=ridge"])
    assert isinstance(scorer, FeatureScorer)
    names, rows = scorer.matrix(pairs)
    assert names == ("ter of the first", "ter of the second", "chrf:beta=1 of the first", "chrf:beta=1 of the second")
    sides = [[pair.texts[side] for pair in pairs] for side in (0, 1)]
    assert rows[:, 1].tolist() == get_metric("ter").sentence_scores(sides[1], sides[0]).tolist()
    assert rows[:, 2].tolist() == get_metric("chrf:beta=1").sentence_scores(sides[0], sides[1]).tolist()
    with pytest.raises(UnknownName, match="blue"):
        get_scorer("metrics", ["metrics=blue"]).fit(pairs, [gold for *_, gold in PAIRS])


def test_weighted_words_of_dls() -> None:
    """A word that all texts have counts nothing; what people gave is not looked at."""
    pairs = [TextPair.of("act of running", "act of eating"), TextPair.of("act of cats", "act of cats")]
    plain = get_scorer("dls", ["dependencies=false"])
    weighted = get_scorer("dls", ["dependencies=false", "weighted=true"])
    assert plain.score(pairs).tolist() == [0.5, 1.0]
    assert weighted.fit(pairs, [0.0, 1.0]).score(pairs).tolist() == pytest.approx([0.0, 1.0])
    assert weighted.fit(pairs, [1.0, 0.0]).score(pairs).tolist() == pytest.approx([0.0, 1.0])


# The ensemble


def test_weights_of_an_ensemble() -> None:
    """None is negative, differences between sets teach nothing, and with a penalty equals share."""
    draws = np.random.default_rng(5)
    numbers = np.repeat([0, 1, 2], 100)
    sets = np.array(["news", "mail", "talk"])[numbers]
    gold = draws.random(300) + 2.0 * numbers
    right, wrong = gold - 2.0 * numbers + draws.normal(0, 0.1, 300), -gold
    of_set = numbers + draws.normal(0, 0.1, 300)  # knows the set and nothing of its pairs
    columns = np.stack([right, right, wrong, of_set], axis=1)
    found = stacked(["a", "a again", "wrong", "set"], columns, gold, sets)
    assert found.weights[0] == pytest.approx(found.weights[1])
    assert found.weights[2] == 0
    assert (found.weights / found.scales)[3] < 0.1 * (found.weights / found.scales)[0]
    assert np.corrcoef(found.predict(columns)[:100], gold[:100])[0, 1] > 0.9
    pooled = stacked(["a", "a again", "wrong", "set"], columns, gold, np.array([""] * 300))
    assert pooled.weights[3] > pooled.weights[0]


def test_a_set_has_a_say_of_its_own() -> None:
    """What explains one set counts more for texts like it, the less the closer weights are held to those of all."""
    draws = np.random.default_rng(6)
    sets = np.array(["news", "mail", "talk"]).repeat(100)
    gold, rest = draws.random(300), draws.random(300)
    column = np.where(sets == "mail", gold, rest)  # knows one set only
    columns = np.stack([column, gold + draws.normal(0, 0.3, 300)], axis=1)

    def share(like: str, closeness: float) -> float:
        weights = stacked(["mail's", "all's"], columns, gold, sets, like=like, closeness=closeness).weights
        return float(weights[0] / weights.sum())

    assert share("news", 0.3) < share("", 0.3) < share("mail", 0.3) < share("mail", 0.01)
    assert share("mail", 1e9) == pytest.approx(share("", 1e9), abs=1e-6)


def test_an_ensemble_is_told_sets() -> None:
    pairs = [TextPair.of(first, second) for first, second, _ in PAIRS]
    gold = [score for *_, score in PAIRS]
    options = ["members=token-cosine,string", "folds=2"]
    names = ["one", "two"] * 4
    told, untold = (get_scorer("ensemble", options).fit(pairs, gold, sets=given) for given in (names, None))
    assert told.score(pairs).tolist() != untold.score(pairs).tolist()
    with pytest.raises(LengthMismatch, match="names of sets"):
        get_scorer("ensemble", options).fit(pairs, gold, sets=["one"])
    close = get_scorer("ensemble", [*options, "like=two"]).fit(pairs, gold, sets=names)
    assert close.score(pairs).tolist() != told.score(pairs).tolist()
    with pytest.raises(SettingError, match="choose from one, two"):
        get_scorer("ensemble", [*options, "like=three"]).fit(pairs, gold, sets=names)
