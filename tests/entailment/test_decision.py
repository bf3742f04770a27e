"""Decisions: the table of modalities, features, regression against the established one, measures, files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.cli import app
from dragoman.entailment.coreference import resolve
from dragoman.entailment.decision import (
    PRIORS,
    DecisionModel,
    cross_validated_prior,
    cross_validated_scores,
    fit_logistic,
)
from dragoman.entailment.decision_features import FEATURES, GROUPS, REAL, ScoreReferences, extract_features
from dragoman.entailment.entailer import Entailer, EntailerSettings
from dragoman.entailment.hybrid import best_bonus, best_threshold, hybrid_scores
from dragoman.entailment.judgement import EntailmentJudgement
from dragoman.entailment.marker_lists import SIGNATURES, Markers
from dragoman.entailment.measures import average_precision, confidence_weighted_score, score_decisions
from dragoman.entailment.modality import DUALS, MODAL_ANSWERS, MODALITIES, modal_answer
from dragoman.entailment.pairs import (
    AnnotatedPair,
    EntailmentPair,
    annotate_pairs,
    read_annotated,
    read_pairs,
    write_annotated,
)
from dragoman.entailment.picture import draw_alignment, draw_proof
from dragoman.entailment.quantities import PartialDate, read_quantity
from dragoman.entailment.suites import load_suite
from dragoman.entailment.word_relations import ComparedWord, WordRelations
from dragoman.errors import DragomanError, FormatError, InputError, SettingError
from dragoman.evaluation.contingency import fisher_exact, mcnemar

RUN = CliRunner()


def test_the_table_of_modalities() -> None:
    for text in MODALITIES:
        assert modal_answer(text, text) == "yes"
        for hypothesis in MODALITIES:
            assert modal_answer(text, hypothesis) in MODAL_ANSWERS
            assert modal_answer(text, hypothesis) == modal_answer(DUALS[text], DUALS[hypothesis])
    for name in ("possible", "actual", "necessary"):
        assert modal_answer(name, f"not {name}") == modal_answer(f"not {name}", name) == "no"
    assert (modal_answer("possible", "necessary"), modal_answer("not possible", "not actual")) == ("weak_no", "yes")


def test_every_feature_fires_on_our_pairs_with_both_answers(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    fired: dict[bool, set[str]] = {True: set(), False: set()}
    for pair in [*phenomena, *load_suite("exceptions")]:
        fired[bool(pair.label)] |= {name for name, *_ in entailer.features(entailer.align(pair)).fired()}
    assert fired[True] == set(FEATURES)
    assert fired[False] == set(FEATURES)


def test_features_decide_better_than_alignment_alone(
    entailer: Entailer, phenomena: list[AnnotatedPair], judged: list[EntailmentJudgement]
) -> None:
    gold = [bool(pair.label) for pair in phenomena]
    right = [each.answer == label for each, label in zip(judged, gold, strict=True)]
    only = DecisionModel.alignment_only([each.features for each in judged], gold)
    alone = [(only.score(each.features) > 0) == label for each, label in zip(judged, gold, strict=True)]
    assert sum(right) - sum(alone) >= 0.15 * len(gold)
    assert mcnemar(right, alone) < 0.05


@pytest.mark.parametrize(
    ("group", "feature"),
    [
        ("negation", "diff_polarity"),
        ("adjunct", "added_pos"),
        ("antonymy", "antonym_same_polarity"),
        ("modality", "modal_dont_know"),
        ("factivity", "text_is_nonfactive"),
        ("factivity", "text_is_contrafactive"),
        ("quantifier", "quant_widening"),
        ("number", "num_mismatch"),
        ("date", "date_mismatch"),
        ("date", "date_insert"),
        ("structure", "argument_swapped"),
    ],
)
def test_each_group_has_pairs_on_which_its_feature_says_no(
    phenomena: list[AnnotatedPair], judged: list[EntailmentJudgement], group: str, feature: str
) -> None:
    fired = [
        pair.label
        for pair, each in zip(phenomena, judged, strict=True)
        if pair.task == group and each.features.values[feature]
    ]
    assert fired.count(False) > fired.count(True)


def test_the_sigmoids_worked(judged: list[EntailmentJudgement]) -> None:
    reference = ScoreReferences(good=-0.25, bad=-0.80, width=0.10)
    alignment = judged[0].alignment
    moved = type(alignment)(
        alignment.hypothesis, alignment.text, alignment.choice, -0.30 * len(alignment.choice), alignment.words
    )
    found = extract_features(moved, Markers.load(), references=reference).values
    assert (found["goodscore"], found["badscore"]) == pytest.approx((0.3775, 0.0067), abs=1e-4)


def test_the_same_sentence_has_no_negative_feature(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    for pair in phenomena[:40]:
        same = entailer.judge(AnnotatedPair("same", (pair.hypothesis,), pair.hypothesis))
        assert same.answer
        bad = {name for name, adds in same.contributions.items() if adds < -0.2 and name != "badscore"}
        assert not bad, (pair.hypothesis.text, bad)


def test_an_unrelated_sentence_changes_no_feature(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    other = Sentence.of(
        ["Zebras", "graze", "."],
        lemmas=["zebra", "graze", "."],
        pos=["NOUN", "VERB", "PUNCT"],
        tags=["NNS", "VBP", "."],
        morphology=["_", "_", "_"],
        dependencies=([1, -1, 1], ["nsubj", "root", "punct"]),
    )
    for pair in phenomena[:30]:
        alone, beside = (
            entailer.judge(AnnotatedPair("x", text, pair.hypothesis)) for text in (pair.text, (*pair.text, other))
        )
        if alone.alignment.choice[alone.alignment.hypothesis.roots[0]] < len(alone.alignment.text):
            assert alone.features.values == pytest.approx(beside.features.values), pair.id


def test_regression_is_that_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    random = np.random.default_rng(1)
    rows = random.normal(size=(120, 6))
    gold = (rows @ random.normal(size=6) + random.normal(size=120)) > 0
    for prior in (0.1, 1.0):
        weights, bias = fit_logistic(rows, gold.tolist(), prior)
        theirs = linear_model.LogisticRegression(C=prior, tol=1e-10, max_iter=10_000).fit(rows, gold)
        assert np.abs(weights - theirs.coef_[0]).max() < 1e-4
        assert abs(bias - float(theirs.intercept_[0])) < 1e-4
    with pytest.raises(InputError, match="same label"):
        fit_logistic(rows, [True] * 120, 0.1)


def test_adjusted_weights_stay_near_those_of_hand_where_little_is_known(
    phenomena: list[AnnotatedPair], judged: list[EntailmentJudgement]
) -> None:
    vectors, gold = [each.features for each in judged], [bool(pair.label) for pair in phenomena]
    hand = DecisionModel.hand().weights
    near = DecisionModel.fit(vectors, gold, prior=1e-9, around=hand)
    assert near.kind == "adjusted"
    ratios = {near.weights[name] / weight for name, weight in hand.items() if name not in REAL}
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-3), "all are scaled alike"
    assert min(ratios) > 0
    for name in set(hand) & set(REAL):
        assert near.weights[name] / near.scales[name][1] / hand[name] == pytest.approx(min(ratios), rel=1e-3)
    free = DecisionModel.fit(vectors, gold, prior=1e6)
    far = DecisionModel.fit(vectors, gold, prior=1e6, around=hand)
    assert [far.score(each) > 0 for each in vectors] == [free.score(each) > 0 for each in vectors]


def test_the_threshold_of_the_alignment_is_in_the_middle(
    phenomena: list[AnnotatedPair], judged: list[EntailmentJudgement]
) -> None:
    vectors, gold = [each.features for each in judged], [bool(pair.label) for pair in phenomena]
    only = DecisionModel.alignment_only(vectors, gold)
    means = [
        np.mean([v.values["score"] for v, wanted in zip(vectors, gold, strict=True) if wanted == side])
        for side in (True, False)
    ]
    assert -only.bias / only.weights["score"] == pytest.approx(np.mean(means))
    with pytest.raises(InputError, match="same label"):
        DecisionModel.alignment_only(vectors, [True] * len(vectors))


def test_the_prior_is_the_one_under_which_unseen_answers_are_most_probable(
    phenomena: list[AnnotatedPair], judged: list[EntailmentJudgement]
) -> None:
    vectors, gold = [each.features for each in judged], [bool(pair.label) for pair in phenomena]
    likely = {}
    for prior in PRIORS:
        scores = cross_validated_scores(vectors, gold, prior=prior, folds=4)
        answered = [score if wanted else -score for score, wanted in zip(scores, gold, strict=True)]
        likely[prior] = sum(math.log(1 / (1 + math.exp(-each))) for each in answered)
    chosen = cross_validated_prior(vectors, gold, folds=4)
    assert chosen == max(likely, key=lambda prior: likely[prior])
    chance = (np.random.default_rng(1).random(len(gold)) < 0.5).tolist()
    assert cross_validated_prior(vectors, chance) < chosen, "of answers by chance nothing is to be learned"


@pytest.mark.slow
def test_learning_and_files(
    entailer: Entailer,
    phenomena: list[AnnotatedPair],
    judged: list[EntailmentJudgement],
    tmp_path: Path,
    words: WordRelations,
) -> None:
    fitted = entailer.fitted(phenomena, prior=1.0, hybrid=True)
    scores, once = fitted.evaluate(phenomena)
    assert scores.accuracy > 0.9
    assert fitted.settings.bonus > 0
    fitted.save(tmp_path / "model")
    opened = Entailer.open(tmp_path / "model", words)
    again = opened.judge_all(phenomena[:10])
    assert [each.score for each in again] == [each.score for each in once[:10]]
    vectors = [each.features for each in judged]
    gold = [bool(pair.label) for pair in phenomena]
    first = cross_validated_scores(vectors, gold, prior=1.0, folds=2)[0]
    assert first != pytest.approx(DecisionModel.fit(vectors, gold, prior=1.0).score(vectors[0])), "not its own model"
    assert cross_validated_prior(vectors, gold, folds=3) in PRIORS
    with pytest.raises(InputError, match="no label"):
        entailer.fitted([AnnotatedPair("1", phenomena[0].text, phenomena[0].hypothesis)])


def test_hybrid_worked() -> None:
    core, proofs, gold = [0.9, 0.4, 0.1, -0.2], [True, False, True, False], [True, False, True, False]
    assert hybrid_scores(core, proofs, 0.3) == pytest.approx([1.2, 0.1, 0.4, -0.5])
    assert 0.15 < best_bonus(core, proofs, gold, threshold="median") < 0.16
    assert best_bonus([1.0, -1.0], [True, False], [True, False]) == 0.0, "of equals the smallest"
    assert best_threshold([1.2, 0.1, 0.4, -0.5], gold) == pytest.approx(0.25)
    assert best_threshold([2.0, 1.0], [True, True]) == 0.0, "of equals the nearest to 0"
    with pytest.raises(InputError, match="no pairs"):
        best_threshold([], [])


def test_measures_worked() -> None:
    assert confidence_weighted_score([True, True, False, True, False], [5, 4, 3, 2, 1]) == pytest.approx(
        0.80333, abs=1e-5
    )
    assert confidence_weighted_score([False, True, False, True, True], [5, 4, 3, 2, 1]) == pytest.approx(
        0.38667, abs=1e-5
    )
    assert average_precision([True, False, True], [0.9, 0.8, 0.7]) == pytest.approx((1 + 2 / 3) / 2)
    found = score_decisions([True, True, False], [True, False, False], [0.9, 0.4, 0.1])
    assert (found.right, found.precision, found.recall) == (2, 1.0, 0.5)
    random = np.random.default_rng(1)
    right = [True] * 30 + [False] * 20
    shuffled = [confidence_weighted_score(right, random.random(50).tolist()) for _ in range(400)]
    assert math.isclose(float(np.mean(shuffled)), 0.6, abs_tol=0.02), "on average the accuracy"


def test_contingency() -> None:
    assert fisher_exact(436, 473, 800, alternative="one-sided") == pytest.approx(0.0346, abs=1e-4)
    assert fisher_exact(436, 473, 800) == pytest.approx(0.0692, abs=1e-4)
    assert mcnemar([True, False], [True, False]) == 1.0


def test_quantities() -> None:
    assert read_quantity("2.5 million") == read_quantity("2,500,000")
    assert read_quantity("twenty five").value == 25  # type: ignore[union-attr]
    assert read_quantity("three hundred thousand").value == 300_000  # type: ignore[union-attr]
    assert read_quantity("40%").kind == "percent"  # type: ignore[union-attr]
    march = read_quantity("12 march 1986")
    assert march is not None
    assert march.date == PartialDate(1986, 3, 12)
    assert march.date.agrees(PartialDate(1986))
    assert not march.date.agrees(PartialDate(1968))
    assert read_quantity("may") is None
    assert read_quantity("dog") is None


def burned(*words: str) -> Sentence:
    """A number with or without a word before it, houses, burned."""
    before = len(words) - 1
    return Sentence.of(
        [*words, "houses", "burned"], lemmas=[*words, "house", "burn"],
        pos=[*["ADV"] * before, "NUM", "NOUN", "VERB"], tags=[*["RB"] * before, "CD", "NNS", "VBD"],
        dependencies=(
            [*[before] * before, before + 1, before + 2, -1],
            [*["advmod"] * before, "nummod", "nsubj", "root"],
        ),
    )  # fmt: skip


def test_bounds_of_numbers_are_read_on_request(words: WordRelations) -> None:
    pair = AnnotatedPair("1", (burned("50"),), burned("over", "40"))
    for intervals, name in ((False, "num_mismatch"), (True, "num_match")):
        found = Entailer(words, settings=EntailerSettings(intervals=intervals)).judge(pair)
        assert found.features.values[name] == 1.0
    assert found.alignment.graphs().links == found.alignment.links


def test_coreference(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    def chains(name: str) -> list[set[str]]:
        [pair] = [each for each in phenomena if each.id == name]
        graph = entailer.graph(pair.text)
        found = resolve(graph, entailer.relations.is_person, entailer.markers)
        return [{graph.nodes[node].word for node in chain} for chain in found]

    assert chains("coreference-01") == [{"Anna Berg", "painter", "She"}]
    assert chains("coreference-02") == [{"Karl Lund", "He"}]
    assert chains("coreference-03") == [{"John Miller", "Miller"}, {"firm", "it"}]
    assert chains("coreference-04") == [{"mayor", "Peter Hill"}]


def test_pairs_are_read_and_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.xml"
    file.write_text(
        '<?xml version="1.0"?><entailment-corpus><pair id="8" value="FALSE" task="IR"><t>Oil &amp; gas fell.</t>'
        '<h>Oil rose.</h></pair><pair id="9" entailment="YES"><t>A.</t><h>B.</h></pair></entailment-corpus>'
    )
    assert read_pairs(file) == [
        EntailmentPair("8", "Oil & gas fell.", "Oil rose.", False, "IR"),
        EntailmentPair("9", "A.", "B.", True),
    ]
    for text, what in (
        ('<x><pair id="1" value="MAYBE"><t>a</t><h>b</h></pair></x>', "not a label"),
        ('<x><pair id="1"><t>a</t></pair></x>', "no hypothesis"),
        ('<x><pair id="1"><t>a</t><h>b</h></pair><pair id="1"><t>a</t><h>b</h></pair></x>', "same id"),
        ("<x><pair", "not XML"),
        ("<x/>", "no pairs"),
    ):
        file.write_text(text)
        with pytest.raises(DragomanError, match=what):
            read_pairs(file)
    table = tmp_path / "pairs.tsv"
    table.write_text("id\tlabel\ttext\thypothesis\n1\tYES\tDogs barked.\tDogs barked.\n")
    assert read_pairs(table)[0].label is True
    table.write_text("1\tYES\tDogs barked.\n")
    with pytest.raises(FormatError, match="3 columns"):
        read_pairs(table)


def test_annotated_pairs_come_back(phenomena: list[AnnotatedPair], tmp_path: Path) -> None:
    write_annotated(phenomena[:5], tmp_path / "some.conllu")
    again = read_annotated(tmp_path / "some.conllu")
    assert [each.raw for each in again] == [each.raw for each in phenomena[:5]]
    sentence = Sentence.of(["Dogs"], dependencies=([-1], ["root"]))
    conllu.write([sentence], tmp_path / "bad.conllu")
    with pytest.raises(FormatError, match="neither"):
        read_annotated(tmp_path / "bad.conllu")


def test_markers_can_be_changed_and_mistakes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "markers.toml"
    file.write_text(
        'language = "de"\n[polarity]\nnegations = ["nicht"]\n'
        '[[operators]]\nwords = ["kein"]\nrestrictor = "-"\nbody = "-"\n'
    )
    lists = Markers.load(file)
    assert lists.has("polarity", "negations", "nicht")
    assert lists.operators["kein"].body == -1
    for text in (
        '[polaritee]\nx = ["a"]',
        '[polarity]\nnegation = ["a"]',
        '[polarity]\nnegations = "not"',
        "[[operators]]\nwords = ['x']",
    ):
        file.write_text(text)
        with pytest.raises(FormatError):
            Markers.load(file)
    shipped = Markers.load()
    assert set(shipped.signatures.values()) == set(SIGNATURES)
    assert shipped.signatures["manage"] == "+/-"
    assert set(GROUPS) >= {"polarity", "date"}


def test_pictures(judged: list[EntailmentJudgement]) -> None:
    drawn = draw_alignment(judged[0].alignment).svg()
    assert drawn.startswith("<svg")
    assert "nsubj" in drawn


def test_a_proof_is_drawn(entailer: Entailer, phenomena: list[AnnotatedPair]) -> None:
    [pair] = [each for each in phenomena if each.raw.hypothesis == "They didn't tango."]
    judged = entailer.judge(pair)
    drawn = draw_proof(judged.alignment, judged.proof, entailer.markers).svg()
    assert "SUB(dance, tango) in downward context" in drawn
    assert "yes: forward" in drawn
    assert drawn.count(">−<") == 4, "did and dance, did and tango stand below not"


def sentence(*tagged: str, heads: list[int], labels: list[str]) -> Sentence:
    """Words as form/lemma/part of speech."""
    forms, lemmas, pos = zip(*(each.split("/") for each in tagged), strict=True)
    return Sentence.of(list(forms), lemmas=list(lemmas), pos=list(pos), tags=list(pos), dependencies=(heads, labels))


def test_words_without_support(entailer: Entailer) -> None:
    text = sentence("Anna/Anna/PROPN", "sang/sing/VERB", heads=[1, -1], labels=["nsubj", "root"])
    hypothesis = sentence(
        "Berta/Berta/PROPN",
        "sold/sell/VERB",
        "7/7/NUM",
        "houses/house/NOUN",
        heads=[1, -1, 3, 1],
        labels=["nsubj", "root", "nummod", "obj"],
    )
    found = entailer.judge(AnnotatedPair("1", (text,), hypothesis)).features
    assert [found.values[name] for name in GROUPS["support"]] == [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert found.reasons["unsupported_name"] == "nothing in the text stands for 'Berta'"
    same = entailer.judge(AnnotatedPair("2", (hypothesis,), hypothesis)).features
    assert [same.values[name] for name in GROUPS["support"]] == [0.0] * 6


def test_the_claim_of_a_headline(entailer: Entailer) -> None:
    """*could be targeted* does not say *targeted*, though the noun on which the headline hangs is not in the text."""
    text = sentence(
        "Arafat/Arafat/PROPN",
        "could/could/AUX",
        "be/be/AUX",
        "targeted/target/VERB",
        heads=[3, 3, 3, -1],
        labels=["nsubj:pass", "aux", "aux:pass", "root"],
    )
    headline = sentence("minister/minister/NOUN", "targeted/target/VERB", heads=[-1, 0], labels=["root", "acl"])
    assert entailer.judge(AnnotatedPair("98", (text,), headline)).features.values["modal_dont_know"] == 1.0


def test_countries_paraphrases_and_vectors(words: WordRelations, tmp_path: Path) -> None:
    def kind(relations: WordRelations, first: str, second: str) -> tuple[str, float]:
        found = relations.of(*(ComparedWord(*each.split("/")) for each in (first, second)))
        return found.kind, round(found.similarity, 2)

    plain = WordRelations(None)
    assert kind(plain, "dutch/dutch/ADJ", "netherlands/netherlands/PROPN") == ("demonym", 0.9)
    assert kind(plain, "dutch/dutch/ADJ", "belgium/belgium/PROPN") == ("none", 0.0)
    pairs = ("purchased/purchase/VERB", "snapped/snap/VERB")
    assert kind(words, *pairs)[0] == "none"
    (tmp_path / "paraphrases").write_text("purchased\tsnapped\n")
    (tmp_path / "vectors.txt").write_text("3 2\npurchase 1 0\nsnap 0.8 0.6\nhouse 0 1\n")
    assert kind(words.with_files(paraphrases=tmp_path / "paraphrases"), *pairs) == ("paraphrase", 0.8)
    near = words.with_files(vectors=tmp_path / "vectors.txt")
    assert kind(near, *pairs) == ("distributional", 0.56)
    assert kind(near, "purchased/purchase/VERB", "house/house/NOUN")[0] == "none", "less alike than 0.3"


def test_a_model_takes_its_files_along(words: WordRelations, tmp_path: Path) -> None:
    file = tmp_path / "paraphrases.txt"
    file.write_text("purchased\tsnapped\n")
    text = sentence("Anna/Anna/PROPN", "snapped/snap/VERB", heads=[1, -1], labels=["nsubj", "root"])
    hypothesis = sentence("Anna/Anna/PROPN", "purchased/purchase/VERB", heads=[1, -1], labels=["nsubj", "root"])
    pair = AnnotatedPair("1", (text,), hypothesis)
    made = Entailer(words).with_settings([f"paraphrases={file}"])
    assert [each.kind for each in map(made.align(pair).relation, (0, 1))] == ["same", "paraphrase"]
    made.save(tmp_path / "model")
    file.unlink()
    again = Entailer.open(tmp_path / "model", words)
    assert again.judge(pair).score == made.judge(pair).score
    assert made.judge(pair).proof.answer, "a paraphrase says the same"
    assert not Entailer(words).judge(pair).proof.answer
    with pytest.raises(DragomanError, match="cannot read"):
        Entailer(words).with_settings([f"vectors={tmp_path / 'none.txt'}"])


class Parser(Annotator):
    """It says that it parses, and adds nothing."""

    name = "parser"
    gives: tuple[str, ...] = ("lemmas", "pos", "dependencies")

    @classmethod
    def from_argument(cls, argument: str) -> Annotator:
        return cls()

    def add_layers(self, sentences: Sequence[Sentence], *, threads: int = 0) -> list[Sentence]:
        return list(sentences)


@pytest.mark.parametrize(
    ("text", "hypothesis", "why"),
    [
        ("Dogs bark.", "word " * 1_001, "1,001 tokens"),
        ("word " * 10_000, "Dogs bark.", "49,999 characters"),
        ("Dogs bark. Cats\x01 mew.", "Dogs bark.", "control character"),
        ("", "Dogs bark.", "without text or hypothesis"),
        ("Dogs bark.", "  ", "without text or hypothesis"),
    ],
)
def test_a_pair_that_cannot_be_annotated_is_named(text: str, hypothesis: str, why: str) -> None:
    pairs = [EntailmentPair("1", "Dogs bark.", "Dogs bark."), EntailmentPair("worse", text, hypothesis)]
    with pytest.raises(InputError, match=why) as error:
        annotate_pairs(Parser(), pairs)
    assert "pair worse" in str(error.value)


def test_annotators_that_do_not_fit_are_refused() -> None:
    german, tagger = Parser(), Parser()
    german.language, tagger.gives = "de", ("lemmas", "pos")
    pairs = [EntailmentPair("1", "Dogs bark.", "Dogs bark.")]
    with pytest.raises(SettingError, match="for 'de', the pairs are judged as 'en'"):
        annotate_pairs(german, pairs)
    with pytest.raises(SettingError, match="layer 'dependencies'"):
        annotate_pairs(tagger, pairs)
    with pytest.raises(SettingError, match="no language is called '1'"):
        annotate_pairs(Parser(), pairs, language="1")
    with pytest.raises(DragomanError, match="lemmas"):
        Entailer(WordRelations(None)).judge(AnnotatedPair("1", (Sentence.of(["Dogs"]),), Sentence.of(["Dogs"])))


@pytest.mark.slow
def test_commands(phenomena: list[AnnotatedPair], tmp_path: Path, words: WordRelations) -> None:
    write_annotated(phenomena, tmp_path / "pairs.conllu")
    pairs, model = str(tmp_path / "pairs.conllu"), str(tmp_path / "model")
    fitted = RUN.invoke(app, ["entail", "fit", pairs, "-o", model, "--prior", "1", "--hybrid", "--json"])
    assert json.loads(fitted.stdout)["pairs"] == len(phenomena)
    arguments = ["entail", "evaluate", pairs, "--entailer", model, "-o", str(tmp_path / "out.tsv")]
    plain = json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)
    assert plain["accuracy"] > 0.9
    assert len((tmp_path / "out.tsv").read_text().splitlines()) == len(phenomena)
    assert "% right" in RUN.invoke(app, arguments).stdout
    found = json.loads(RUN.invoke(app, ["entail", "suite", "logic", "--json"]).stdout)
    assert found["all"]["prover"] >= 54
    with pytest.raises(DragomanError, match="annotator"):
        RUN.invoke(app, ["entail", "Dogs bark.", "Dogs bark."], catch_exceptions=False)


@pytest.mark.slow
def test_one_pair_on_the_command_line(tmp_path: Path, words: WordRelations) -> None:
    from dragoman.annotations import annotator_chain
    from dragoman.text import synthetic

    treebank = [item.source.annotated for item in synthetic.pair("en-de").generate(60, seed=1)]
    conllu.write(treebank, tmp_path / "train.conllu")
    model, german = str(tmp_path / "en"), str(tmp_path / "de")
    for folder, language in ((model, "en"), (german, "de")):
        arguments = [str(tmp_path / "train.conllu"), "-o", folder, "-l", language, "--epochs", "2"]
        RUN.invoke(app, ["annotate", "train", *arguments])
    with pytest.raises(SettingError, match="for 'de'"):
        RUN.invoke(app, ["entail", "A dog sees.", "A dog sees.", "--with", german], catch_exceptions=False)
    arguments = ["entail", "The dog sees the cat.", "The dog sees the cat.", "--with", model]
    shown = RUN.invoke(app, [*arguments, "-o", str(tmp_path / "pair.svg")])
    assert shown.stdout.startswith("yes")
    assert "natural logic: yes" in shown.stdout
    assert (tmp_path / "pair.svg").read_text().startswith("<svg")
    plain = json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)
    assert plain["answer"] == plain["proof"]["answer"] == "yes"
    pairs = annotate_pairs(
        annotator_chain.load(model), [EntailmentPair("1", "The dog sees it. The cat sees it.", "The cat sees it.")]
    )
    assert len(pairs[0].text) == 2
