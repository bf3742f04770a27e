"""One suite of checks for every entry of a registry."""

from __future__ import annotations

import json
from collections.abc import Generator, Hashable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from dragoman.align.base import Aligner
from dragoman.errors import DragomanError, InputError, LengthMismatch, SettingError, UnknownName
from dragoman.executors import Executor, Shard, ShardPlace, ShardStep, Shared
from dragoman.features.base import Fire, Option, RuleFeature, SourceSentence, StateFeature
from dragoman.features.weights import Weights
from dragoman.forest import KBestLists
from dragoman.grammar.dynamic import DynamicTable
from dragoman.metrics.base import Metric
from dragoman.progress import Progress
from dragoman.search.base import Decoder, Tunable
from dragoman.search.lattice import Lattice
from dragoman.settings import Settings, declared, read_plain, read_texts
from dragoman.similarity.base import PairScorer, open_scorer
from dragoman.similarity.pairs import TextPair
from dragoman.similarity.reasons import reasons_page
from dragoman.text.source_text import SourceText
from dragoman.tuning import tune
from dragoman.tuning.base import Tuner
from dragoman.tuning.dev import DevSet
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.pro import Pro
from dragoman.tuning.problem import Problem

HYPOTHESES = [
    "the cat sat on mat", "on the mat the cat sat", "a big house , isn't it ?", "", "Children bought homes in 1999.",
    "he runs the shop quickly", "b c d a", "completely different words", "it is what it is",
]  # fmt: skip
REFERENCES = [
    "the cat sat on the mat", "the cat sat on the mat", "a large house, is it not?", "something",
    "A child bought a home in 1999.", "he operates the shop rapidly", "a b c d", "nothing in common here",
    "it is what it is",
]  # fmt: skip


TOKENS = ["a b c d e f", "b a c d", "e f g h a", "a", "c d e f g h a b"]
"""Words of one letter, which every tokenizer leaves alone."""
TOKEN_REFERENCES = ["a b d c e f", "b a c d e", "f e g h", "a b", "c d e f g h"]


def check_metric(metric: Metric) -> None:
    """What every metric promises."""
    rows = metric.statistics(HYPOTHESES, REFERENCES)
    assert rows.shape == (len(HYPOTHESES), metric.width)
    assert rows.dtype == np.float64
    assert np.isfinite(rows).all()
    scores = metric.scores(rows)
    assert np.isfinite(scores).all()

    # the corpus score is a function of the sum, and sentence scores are scores of rows
    assert metric.score(rows.sum(axis=0)) == metric.corpus_score(HYPOTHESES, REFERENCES)
    assert_array_equal(metric.sentence_scores(HYPOTHESES, REFERENCES), scores)
    assert_allclose([metric.score(row) for row in rows], scores)

    # threads, preparation and number of segments change nothing
    many = metric.statistics(HYPOTHESES * 30, REFERENCES * 30, threads=1)
    assert_array_equal(metric.statistics(HYPOTHESES * 30, REFERENCES * 30, threads=3), many)
    assert_array_equal(metric.statistics(HYPOTHESES, metric.prepare(REFERENCES)), rows)
    if metric.local:
        assert_array_equal(many, np.tile(rows, (30, 1)))
        for index in range(len(HYPOTHESES)):
            assert_array_equal(metric.statistics([HYPOTHESES[index]], [REFERENCES[index]])[0], rows[index])

    # the order of segments is of no consequence, nor is a reference given twice
    assert_array_equal(metric.statistics(HYPOTHESES[::-1], REFERENCES[::-1])[::-1], rows)
    if metric.local:
        assert_allclose(metric.statistics(HYPOTHESES, [REFERENCES, REFERENCES]), rows)
    assert_array_equal(metric.statistics(HYPOTHESES, [REFERENCES, [None] * len(REFERENCES)]), rows)

    # nothing scores better than the reference itself
    sign = 1 if metric.higher_is_better else -1
    perfect = metric.corpus_score(REFERENCES, REFERENCES)
    assert sign * perfect > sign * metric.corpus_score(HYPOTHESES, REFERENCES)
    assert sign * perfect > sign * metric.corpus_score(["x"] * len(REFERENCES), REFERENCES)

    # all pairs hold the sentence scores
    if metric.local:
        matrix = metric.score_matrix(HYPOTHESES, REFERENCES)
        assert matrix.shape == (len(HYPOTHESES), len(REFERENCES))
        assert_allclose(np.diagonal(matrix), scores, atol=1e-12)

    # the signature is stable, states the version, and tells settings apart
    assert metric.signature == metric.signature
    assert "version:dragoman-" in metric.signature
    assert metric.statistics([], []).shape == (0, metric.width)

    # some segments, in any order and as often as asked, are measured as parts of the whole
    several = metric.prepare([REFERENCES, [None, *REFERENCES[:-1]]])
    together = metric.statistics(HYPOTHESES, several)
    numbers = [4, 0, 0, 8, 1, 5]
    taken = several.take(numbers)
    assert_array_equal(metric.statistics([HYPOTHESES[number] for number in numbers], taken), together[numbers])
    assert metric.statistics([], several.take([])).shape == (0, metric.width)

    check_hooks(metric)
    check_in_tuning(metric)


def check_hooks(metric: Metric) -> None:
    """What a metric tells tuners agrees with what it is."""
    rows = metric.statistics(TOKENS, TOKEN_REFERENCES)
    total = rows.sum(axis=0)

    # text that is tokenised already needs no tokenizer
    plain = metric.for_tokens()
    assert plain.for_tokens() == plain
    assert plain.width == metric.width
    assert_array_equal(plain.statistics(TOKENS, TOKEN_REFERENCES), rows)

    # sentences are judged on the same statistics, in the same direction
    for references, words in ((1, 30.0), (1, 3.0), (4, 30.0)):
        single = metric.sentence_level(references=references, words=words)
        assert single.width == metric.width
        assert single.sign == metric.sign
        assert_array_equal(single.statistics(TOKENS, TOKEN_REFERENCES), rows)
        assert np.isfinite(single.scores(rows)).all()
        assert single.sentence_level(references=references, words=words) == single

    # what native code maximises is the score, turned so that more is better
    assert metric.sign == (1 if metric.higher_is_better else -1)
    gain = metric.gain()
    assert_allclose(gain.scores(total.reshape(1, -1)), [metric.sign * metric.score(total)], rtol=1e-12)
    assert_allclose(gain.scores(rows), metric.sign * metric.scores(rows), rtol=1e-12)

    # a column of reference words holds them
    assert -1 <= metric.length_column < metric.width
    if metric.length_column >= 0:
        assert_array_equal(rows[:, metric.length_column], [len(text.split()) for text in TOKEN_REFERENCES])
    assert metric.ngram_order >= 0


def check_in_tuning(metric: Metric) -> None:
    """Tuners of every kind learn from tiny lists that the reference is better than what the weights prefer."""
    dev = DevSet.of(["x"] * len(TOKENS), TOKEN_REFERENCES, metric)
    pool = NBestPool(dev)
    for sentence, (text, reference) in enumerate(zip(TOKENS, TOKEN_REFERENCES, strict=True)):
        pool.add([(sentence, text, {"good": 0.0, "bad": 1.0}), (sentence, reference, {"good": 1.0, "bad": 0.0})])
    start = pool.vector({"good": 0.1, "bad": 0.2})
    before, best = dev.score(TOKENS), dev.score(TOKEN_REFERENCES)
    assert metric.sign * best > metric.sign * before
    for tuner in (
        Mira(passes=20, step=1.0),
        Mert(restarts=1, patience=2, smoothing="none"),
        Pro(threshold=0.0, samples=100),
    ):
        found = tuner.optimize(Problem(pool, start, pool.fixed((), len(start)), threads=1))
        assert_allclose(pool.score(pool.weights(found.vector)), best, rtol=1e-12, err_msg=tuner.name)


def check_settings(kind: type[Settings], **needed: object) -> None:
    """What everything with settings promises: they say what they are, and text and plain values there and back."""
    known = declared(kind)
    made = kind(**needed)
    for name, each in known.items():
        assert each.help.endswith("."), f"{name} does not say what it is"
        value = getattr(made, name)
        if name in needed:
            continue  # what only Python can say
        assert each.allows(value), name
        assert getattr(kind(**needed, **read_texts(kind, [f"{name}={each.write(value)}"])), name) == value
        assert getattr(kind(**needed, **read_plain(kind, {name: each.dump(value)})), name) == value
    with pytest.raises(UnknownName):
        kind.from_dict({"no such setting": 1})


class LongWords(RuleFeature):
    """A feature of a user's own: target words of more than six letters."""

    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        fire("long_words", sum(len(word) > 6 for word in option.target))


class Repeats(StateFeature):
    """A feature with a state: a target word that is the same as the one before."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return ""

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        for word in option.target:
            if word == state:
                fire("repeats", 1.0)
            state = word
        return state

    def combine(self, option: Option, parts: Sequence[Hashable], fire: Fire) -> Hashable:
        """From the first and the last word of each part."""
        slots = dict(option.slots)
        ends = [parts[slots[i]] if i in slots else (word, word) for i, word in enumerate(option.target)]
        words = [end for end in ends if isinstance(end, tuple) and end]
        for (_, left), (right, _) in pairwise(words):
            if left == right:
                fire("repeats", 1.0)
        return (words[0][0], words[-1][1]) if words else ()


def check_decoder(decoder: Decoder, sentences: Sequence[str]) -> None:
    """What every decoder promises; `sentences` are ones that it can translate."""
    weights = decoder.weights
    assert decoder.feature_names
    assert set(weights) == set(decoder.feature_names)
    decoder.check_weights(weights)
    with pytest.raises(UnknownName):
        decoder.check_weights(Weights({"no such feature": 1.0}))

    # scores are weights times features, of the best translation and of all alternatives, which begin with it
    found = decoder.translate(sentences, forests=True)
    for sentence, each in zip(sentences, found, strict=True):
        assert " ".join(each.source) == sentence
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        assert all(0 <= i < len(each.source) and 0 <= j < len(each.target) for i, j in each.alignment)
        listed = each.nbest(20)
        assert listed[0].target == each.target
        assert listed[0].score == pytest.approx(each.score, abs=1e-6)
        for derivation in listed:
            assert derivation.rescore(weights) == pytest.approx(derivation.score, abs=1e-6)
        scores = [derivation.score for derivation in listed]
        assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-9)  # equal ones differ in rounding
        counts = each.statistics
        assert {"language_model_queries", "queries_per_word", "built", "kept", "rules_matched"} <= set(counts)
        assert counts["queries_per_word"] == pytest.approx(counts["language_model_queries"] / len(each.source))
        assert each.forest.features is decoder.feature_ids
        assert json.dumps(each.to_dict())

    # neither threads, nor forests, nor company, nor the way that weights are given change anything
    texts = [(each.text, each.score) for each in found]
    for threads in (1, 3):
        assert [(each.text, each.score) for each in decoder.translate(sentences, threads=threads)] == texts
    assert [(each.text, each.score) for each in decoder.translate([SourceText(sentences[0])])] == texts[:1]
    vector = np.zeros(len(decoder.feature_ids))
    for name, value in weights.items():
        vector[decoder.feature_ids.id(name)] = value
    by_vector = decoder.with_vector(vector)
    assert [(each.text, each.score) for each in by_vector.translate(sentences)] == texts
    assert {name: value for name, value in by_vector.weights.items() if value} == {
        n: v for n, v in weights.items() if v
    }
    roots = [forest.kbest(1)[0].score for forest in decoder.forests(sentences)]
    assert roots == pytest.approx([score for _, score in texts], abs=1e-6)

    # lists for tuners are those of the forests, whether or not forests are written for them
    for distinct in (False, True):
        lists = decoder.kbest_lists([*sentences, ""], nbest=7, distinct=distinct, threads=2)
        of_forests = KBestLists.of_forests(decoder.forests([*sentences, ""]), nbest=7, distinct=distinct)
        assert lists.best == [*(text for text, _ in texts), ""]
        assert candidates(lists) == candidates(of_forests)
        np.testing.assert_allclose(lists.values, of_forests.values, atol=1e-9)
        np.testing.assert_allclose(lists.scores, of_forests.scores, atol=1e-9)

    # other weights make another decoder, which shares feature ids; this one stays as it is
    doubled = decoder.with_weights(weights * 2)
    assert doubled.feature_ids is decoder.feature_ids
    again = doubled.translate(sentences)
    assert [each.rescore() for each in again] == pytest.approx([each.score for each in again], abs=1e-6)
    assert dict(decoder.weights) == dict(weights)

    # so do other settings
    narrow = decoder.with_settings(beam=1, pop_limit=1)
    assert (narrow.settings.beam, decoder.settings.beam) != (decoder.settings.beam, narrow.settings.beam)
    worse = narrow.translate(sentences)
    assert sum(each.score for each in worse) <= sum(score for _, score in texts) + 1e-6
    assert [(each.text, each.score) for each in decoder.translate(sentences)] == texts
    assert decoder.settings_type.from_dict(decoder.settings.to_dict()) == decoder.settings
    with pytest.raises(SettingError, match="beam is 0"):
        decoder.with_settings(beam=0)
    with pytest.raises(UnknownName):
        decoder.with_settings(beem=1)

    # features of a user's own take part
    extended = decoder.with_features([LongWords(), Repeats()], {**weights, "long_words": -0.5, "repeats": -1.0})
    for each in extended.translate(sentences, forests=True):
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        assert "long_words" in extended.feature_ids or not any(len(word) > 6 for word in each.target)

    # rules can be looked up and replaced where there is a table; unknown words are asked about; all else is refused
    if decoder.table is None:
        assert decoder.rules_for(found[0].source[:1]) == []
    else:
        assert tuple(decoder.table.columns) == decoder.rule_columns
        assert any(decoder.rules_for([word]) for word in found[0].source)
        assert decoder.rules_for([]) == decoder.rules_for(["Xyzzyplugh"]) == []
        same = decoder.with_table(DynamicTable(decoder.table))
        assert [(each.text, each.score) for each in same.translate(sentences)] == texts
        with suppress(SettingError):
            answered = decoder.with_unknown_words(lambda _, positions: [[("plugh", {})] for _ in positions])
            assert answered.translate(["Xyzzyplugh"])[0].target == ("plugh",)
    with suppress(SettingError):
        walked = decoder.translate_lattices([Lattice.of_words(sentences[0].split())])
        assert " ".join(walked[0].source) == sentences[0]

    # a word that no rule translates, an empty sentence, and one that cannot be translated beside others
    unknown = decoder.translate(["Xyzzyplugh"])[0]
    assert unknown.unknown_words == ("Xyzzyplugh",)
    assert decoder.translate([""])[0].target == ()
    assert decoder.translate([]) == []
    refused = SourceText(" ".join(["the"] * 20_000))
    results = decoder.try_translate([sentences[0], refused], forests=True)
    assert isinstance(results[1], DragomanError)
    assert not isinstance(results[0], Exception)
    assert (results[0].text, results[0].score) == texts[0]
    with pytest.raises(DragomanError):
        decoder.kbest_lists([sentences[0], refused], nbest=3)
    assert len(decoder.kbest_lists([], nbest=3)) == 0


def candidates(lists: KBestLists) -> list[list[tuple[str, tuple[int, ...]]]]:
    """Text and feature ids of each candidate, list by list."""
    found = [
        (lists.texts[text], tuple(lists.ids[start:end].tolist()))
        for text, start, end in zip(lists.text_of, lists.rows, lists.rows[1:], strict=False)
    ]
    return [found[start:end] for start, end in zip(lists.lists, lists.lists[1:], strict=False)]


def check_feature(feature: RuleFeature | StateFeature, decoder: Decoder, sentences: Sequence[str]) -> None:
    """What every feature promises: states forget nothing that it uses, and threads change nothing."""
    names = {name for each in decoder.with_features([feature], {}).translate(sentences) for name in each.features}
    weights = {**decoder.weights, **dict.fromkeys(names - set(decoder.weights), -0.3)}
    checked = decoder.with_features([feature], weights)
    found = checked.with_settings(check_features=True).translate(sentences, forests=True)
    for each in found:
        assert each.rescore() == pytest.approx(each.score, abs=1e-6)
        for derivation in each.nbest(20):
            assert derivation.rescore(weights) == pytest.approx(derivation.score, abs=1e-6)
    texts = [(each.text, each.score) for each in found]
    for threads in (1, 3):
        assert [(each.text, each.score) for each in checked.translate(sentences, threads=threads)] == texts


def check_aligner(aligner: Aligner, source: Sequence[str], target: Sequence[str], folder: Path) -> None:
    """What every aligner promises: a function of settings and text alone, before and after it is saved."""
    kind = type(aligner)
    first = aligner.train(source, target, threads=1)
    assert first.used == len(source)
    links = list(map(str, aligner.align(source, target, threads=1)))
    other = kind.from_dict(aligner.to_dict())
    other.train(source, target, threads=3)
    assert list(map(str, other.align(source, target, threads=3))) == links
    assert list(map(str, aligner.align(source[3:5], target[3:5]))) == links[3:5]
    for text, alignment, other_text in zip(source, aligner.align(source, target), target, strict=True):
        assert all(0 <= i < len(text.split()) and 0 <= j < len(other_text.split()) for i, j in alignment.links)
    aligner.save(folder / "aligner")
    loaded = type(aligner).load(folder / "aligner")
    assert loaded.to_dict() == aligner.to_dict()
    assert list(map(str, loaded.align(source, target))) == links
    [empty] = aligner.align([""], ["x"])
    assert not empty.links
    with pytest.raises(LengthMismatch):
        aligner.train(source, target[1:])


def check_tuner(tuner: Tuner, decoder: Tunable, source: Sequence[str], target: Sequence[str], folder: Path) -> None:
    """What every tuner promises: weights no worse than those it came with, the same for any threads, and resumed."""
    given = {"metric": "bleu", "iterations": 3, "nbest": 30, "seed": 2}
    once = tune(decoder, source, target, tuner=tuner, log=folder / "once", threads=1, **given)  # type: ignore[arg-type]
    again = tune(decoder, source, target, tuner=tuner, threads=3, **given)  # type: ignore[arg-type]
    assert dict(again.weights) == dict(once.weights)
    assert [each.score for each in again.history] == [each.score for each in once.history]
    assert once.history[0].score <= once.score
    assert set(once.weights) <= set(decoder.feature_names)
    tuned = decoder.with_weights(once.weights)
    dev = DevSet.of(source, target, "bleu")
    assert dev.score([each.text for each in tuned.translate(source)]) == pytest.approx(once.score)

    # a run that is cut short goes on as if nothing had happened
    part = {**given, "iterations": 2}
    tune(decoder, source, target, tuner=tuner, log=folder / "cut", **part)  # type: ignore[arg-type]
    whole = tune(decoder, source, target, tuner=tuner, log=folder / "cut", resume=True, **given)  # type: ignore[arg-type]
    assert dict(whole.weights) == dict(once.weights)

    # what is fixed keeps its weight
    held = tune(decoder, source, target, tuner=tuner, fixed=["lm"], **given)  # type: ignore[arg-type]
    assert held.weights["lm"] == decoder.weights["lm"]


def check_scorer(scorer: PairScorer, pairs: Sequence[TextPair], gold: Sequence[float], folder: Path) -> None:
    """What every pair scorer promises; the pairs have whatever layers it needs."""
    if scorer.learns:
        assert not scorer.fitted
        with pytest.raises(SettingError, match="fitted first"):
            scorer.score(pairs)
        scorer.fit(pairs, gold)
    else:
        with pytest.raises(SettingError, match="nothing to learn"):
            scorer.fit(pairs, gold)
    assert scorer.fitted
    scores = scorer.score(pairs)
    assert scores.shape == (len(pairs),)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    if not scorer.learns:
        assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()

    # an empty side has a defined score, whatever the scorer
    blank, text = TextPair.of(" ", "").first, pairs[0].first
    empty = [TextPair(blank, text), TextPair(text, blank), TextPair(blank, blank)]
    assert scorer.score(empty).tolist() == [0.0, 0.0, 1.0]
    assert [scorer.explain(pair).score for pair in empty] == [0.0, 0.0, 1.0]
    assert len(scorer.score([])) == 0

    # a score is a function of the pair alone: alone or among others, on any number of threads, again after saving
    assert_allclose([scorer.score([pair])[0] for pair in pairs], scores, atol=1e-9)
    for threads in (1, 2, 7):
        assert_array_equal(scorer.score(pairs, threads=threads), scores)
    scorer.save(folder)
    opened = open_scorer(folder)
    assert type(opened) is type(scorer)
    assert_allclose(opened.score(pairs), scores, atol=1e-9)
    if scorer.learns:
        assert_allclose(opened.fit(pairs, gold).score(pairs), scores, atol=1e-6)

    # reasons give the same score, and can be shown
    for pair, score in zip(pairs, scores, strict=True):
        reasons = scorer.explain(pair)
        assert reasons.scorer == scorer.name
        assert abs(reasons.score - score) < 1e-9
        assert reasons.features or reasons.alignment is not None
        json.dumps(reasons.to_dict())
        assert reasons.html_part() in reasons_page([reasons])

    # what it needs is asked for, by name
    if scorer.needs:
        with pytest.raises(DragomanError, match=scorer.needs[0]):
            scorer.score([TextPair.of("a b", "a c")])


def _scaled(shard: Shard[int], shared: tuple[int, str], place: ShardPlace) -> tuple[int, str]:
    """A step of the suite: reads a file of its shard and what all share, writes files, and fails for the number 13."""
    factor, word = shared
    if shard.value == 13:
        raise InputError("thirteen", where="shard 13", remedy="leave it out")
    text = shard.files["text"].read_text("utf-8") if shard.files else ""
    (place.folder / "deep").mkdir(exist_ok=True)
    (place.folder / "deep" / f"{shard.value}.txt").write_text(f"{text}{word}", "utf-8")
    return factor * shard.value, text


def _load_scale(factor: int, folder: Path) -> tuple[int, str]:
    return factor, (folder / "words" / "word.txt").read_text("utf-8")


def _counted(shard: Shard[int], shared: tuple[int, str], place: ShardPlace) -> list[tuple[int, str]]:
    return [_scaled(shard, shared, place)]


def _joined(parts: list[list[tuple[int, str]]]) -> list[tuple[int, str]]:
    return [each for part in parts for each in part]


_COUNTED = ShardStep("counting", _counted)


def _load_list(values: list[int], folder: Path) -> list[int]:
    return values


def _set_first(values: list[int], state: list[int]) -> None:
    values[0] = state[0]


def _added_to_first(shard: Shard[int], values: list[int], place: ShardPlace) -> int:
    return values[0] + shard.value


_ADDED = ShardStep("adding", _added_to_first)


def check_executor(executor: Executor, folder: Path) -> None:
    """What every executor promises; it is entered already."""

    def save(to: Path) -> None:
        (to / "words").mkdir()
        (to / "words" / "word.txt").write_text("wörd", "utf-8")

    shared = Shared((10, "wörd"), 10, save, _load_scale)
    given, made = folder / "given", folder / "made"
    for each in (given, made):
        each.mkdir()
    for number in range(5):
        (given / f"{number}").write_text(f"text {number}, ", "utf-8")
    for wide in (False, True):
        step = ShardStep("scaling", _scaled, wide=wide)
        heard: list[Progress] = []
        shards = (Shard(number, {"text": given / f"{number}"}) for number in range(5))
        found = list(executor.run(step, shards, shared=shared, folder=made, total=5, progress=heard.append))
        assert found == [(10 * number, f"text {number}, ") for number in range(5)]
        assert [(each.stage, each.done, each.total) for each in heard] == [("scaling", n, 5) for n in range(1, 6)]
        files = {file.name: file.read_text("utf-8") for file in (made / "deep").iterdir()}
        assert files == {f"{number}.txt": f"text {number}, wörd" for number in range(5)}
    assert {file.read_text("utf-8") for file in given.iterdir()} == {f"text {number}, " for number in range(5)}
    assert executor.workers >= 1

    # plain values are shared as they are; nothing comes of nothing
    plain = Shared((3, ""))
    assert list(executor.run(step, [Shard(2)], shared=plain)) == [(6, "")]
    assert list(executor.run(step, [], shared=plain)) == []

    # what changes from run to run is brought to what is open, and alone travels again
    here = [0]
    changing = Shared(here, list(range(1000)), load=_load_list, state=here.copy, update=_set_first)
    sent = []
    for state in (7, 8):
        here[0] = state
        before = executor.moved.total()
        assert list(executor.run(_ADDED, [Shard(1), Shard(2)], shared=changing)) == [state + 1, state + 2]
        assert executor.reduce(_ADDED, [Shard(5)], sum, shared=changing) == state + 5
        sent.append(executor.moved.total() - before)
    assert not executor.keeps or sent[1] < sent[0] / 2

    # what a person can mend keeps its kind and its parts, results before it are given, and the executor works on
    results = executor.run(step, [Shard(number) for number in (1, 2, 13, 4, 13)], shared=plain)
    assert [next(results), next(results)] == [(3, ""), (6, "")]
    with pytest.raises(InputError, match="thirteen") as raised:
        next(results)
    assert (raised.value.where, raised.value.remedy) == ("shard 13", "leave it out")
    assert list(executor.run(step, [Shard(7)], shared=plain)) == [(21, "")]

    # results become one in a tree, in the order of the shards, or fail as a run does
    assert executor.reduce(_COUNTED, [Shard(number) for number in range(14, 37)], _joined, shared=plain) == [
        (3 * number, "") for number in range(14, 37)
    ]
    assert executor.reduce(_COUNTED, [Shard(5)], _joined, shared=plain) == [(15, "")]
    with pytest.raises(InputError, match="thirteen"):
        executor.reduce(_COUNTED, [Shard(13 if number == 6 else 1) for number in range(9)], _joined, shared=plain)

    # shards are taken as they are needed, and what nobody waits for is given up
    taken: list[int] = []

    def endless() -> Iterator[Shard[int]]:
        for number in range(10_000):
            taken.append(number)
            yield Shard(number % 13)

    stream = executor.run(step, endless(), shared=plain)
    assert next(stream) == (0, "")
    assert isinstance(stream, Generator)
    stream.close()
    assert len(taken) < 200
