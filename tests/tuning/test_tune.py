"""The whole loop with a real decoder on a made-up language pair."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dragoman.drawing import Dot
from dragoman.errors import FileError, FormatError, LengthMismatch, SettingError, UnknownName
from dragoman.features.weights import Weights
from dragoman.files import read_lines
from dragoman.grammar.phrases import extract
from dragoman.lm import estimate
from dragoman.metrics.blend import PositiveDiversity
from dragoman.metrics.bleu import Bleu
from dragoman.progress import Progress
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.text import synthetic
from dragoman.tuning import TUNERS, tune
from dragoman.tuning.base import Tuner
from dragoman.tuning.dev import DevSet
from dragoman.tuning.health import ill_signs
from dragoman.tuning.log import read_log
from dragoman.tuning.mert import Mert
from dragoman.tuning.mira import Mira
from dragoman.tuning.nbest import NBestPool
from dragoman.tuning.online import Online
from dragoman.tuning.picture import learning_curve
from dragoman.tuning.result import Iteration, TuningResult
from dragoman.tuning.surface import PoolSurface


class System:
    """A small decoder with poor weights, a dev set, and a held-out set."""

    def __init__(self, folder: Path) -> None:
        pair = synthetic.pair("en-de")
        items = list(pair.generate(250, seed=4))
        source = [" ".join(item.source.tokens) for item in items]
        target = [" ".join(item.target.tokens) for item in items]
        table = extract(source, target, [item.pharaoh for item in items], folder / "en-de.table").table
        model = estimate(target, order=3).build()
        decoder = PhraseDecoder(table, [LanguageModel("lm", model)], {}, PhraseSettings(pop_limit=30, beam=30))
        # Starting where words are punished leaves something to learn.
        self.decoder = decoder.with_weights(decoder.start_weights() | {"word_penalty": 0.5, "lm": 0.1})
        self.dev, self.heldout = (
            ([" ".join(item.source.tokens) for item in part], [" ".join(item.target.tokens) for item in part])
            for part in (list(pair.generate(30, seed=4, start=1000)), list(pair.generate(20, seed=4, start=2000)))
        )


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return System(tmp_path_factory.mktemp("tuning"))


QUICK: dict[str, dict[str, object]] = {
    "mert": {"restarts": 2, "patience": 10},
    "forest-mira": {"passes": 1},
    "online": {"batch": 3, "rate": 0.05},
    "online-expected": {"batch": 3, "rate": 0.05},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(TUNERS))
def test_every_tuner_improves_the_dev_score(system: System, name: str) -> None:
    tuner = TUNERS.get(name)(**QUICK.get(name, {}))
    result = tune(system.decoder, system.dev[0], [system.dev[1]], tuner=tuner, iterations=3, nbest=30, threads=1)
    assert result.score > result.history[0].score + 0.01
    assert result.best == max(result.history, key=lambda entry: entry.score)
    assert result.weights == result.best.weights
    output = [found.text for found in system.decoder.with_weights(result.weights).translate(system.dev[0])]
    assert Bleu(tokenize="none").corpus_score(output, system.dev[1]) == pytest.approx(result.score)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tuner", [Mira(passes=10), Mert(restarts=2, patience=5), Mert(restarts=1, patience=4, lists="forest")]
)
def test_threads_change_nothing(system: System, tuner: Tuner) -> None:
    runs = [
        tune(system.decoder, *system.dev, tuner=tuner, iterations=2, nbest=20, threads=threads) for threads in (1, 3)
    ]
    assert runs[0].weights == runs[1].weights
    assert [e.score for e in runs[0].history] == [e.score for e in runs[1].history]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ter", "bleu - ter", "chrf"])
@pytest.mark.parametrize("name", ["mira", "mert", "pro", "expected", "forest-mira"])
def test_any_metric_is_tuned_to(system: System, metric: str, name: str) -> None:
    tuner = TUNERS.get(name)(**QUICK.get(name, {}))
    rounds = {"mert": 5, "expected": 4}.get(name, 2)
    result = tune(system.decoder, *system.dev, tuner=tuner, metric=metric, iterations=rounds, nbest=20, threads=1)
    assert result.gain < 0 if metric == "ter" else result.gain > 0


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["bleu:2", "bleu:lowercase=true", "nist", "wer"])
def test_forests_are_tuned_to_any_metric(system: System, metric: str) -> None:
    runs = [
        tune(system.decoder, *system.dev, tuner="forest-mira", metric=metric, iterations=2, nbest=20, threads=threads)
        for threads in (1, 3)
    ]
    assert runs[0].weights == runs[1].weights
    assert runs[0].gain < 0 if metric == "wer" else runs[0].gain > 0


@pytest.mark.slow
def test_several_references_and_diversity(system: System) -> None:
    source, target = system.dev
    shuffled = [" ".join(sorted(text.split())) for text in target]
    result = tune(system.decoder, source, [target, shuffled], tuner="pro", iterations=1, nbest=20, threads=1)
    assert result.history[0].score > 0
    others = [[found.text for found in system.decoder.translate(source)]]
    metric = PositiveDiversity(others, alpha=0.5, correctness=Bleu(tokenize="none"), similarity=Bleu(tokenize="none"))
    differing = tune(system.decoder, source, target, metric=metric, iterations=1, nbest=20, threads=1)
    assert differing.metric == "positive-diversity"
    assert differing.score > differing.history[0].score
    deep = tune(system.decoder, source, target, tuner="forest-mira", metric=metric, iterations=1, nbest=20, threads=1)
    assert deep.score > deep.history[0].score


def test_the_held_out_set_decides(system: System) -> None:
    result = tune(system.decoder, *system.dev, iterations=3, nbest=20, heldout=system.heldout, threads=1)
    scores = [entry.heldout or 0.0 for entry in result.history]
    assert result.best_iteration == scores.index(max(scores))


class Stop(Exception):
    pass


@pytest.mark.slow
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(system: System, tmp_path: Path) -> None:
    whole = tune(system.decoder, *system.dev, iterations=4, nbest=20, threads=1, log=tmp_path / "whole.jsonl")

    def interrupt(iteration: Iteration) -> None:
        if iteration.number == 1:
            raise Stop

    log = tmp_path / "tune.jsonl"
    with pytest.raises(Stop):
        tune(system.decoder, *system.dev, iterations=4, nbest=20, threads=1, log=log, watch=interrupt)
    with log.open("a") as file:
        file.write('{"number": 2, "wei')  # cut short
    with pytest.raises(SettingError, match="interrupted after iteration 1; resume it"):
        tune(system.decoder, *system.dev, iterations=4, nbest=20, threads=1, log=log)
    seen: list[int] = []
    again = tune(
        system.decoder,
        *system.dev,
        iterations=4,
        nbest=20,
        threads=1,
        log=log,
        resume=True,
        watch=lambda iteration: seen.append(iteration.number),
    )
    assert seen == [entry.number for entry in whole.history]  # those of the log first
    assert again.weights == whole.weights
    assert [entry.weights for entry in again.history] == [entry.weights for entry in whole.history]
    header, history = read_log(log)
    assert (header["tuner"], len(history)) == ("mira", len(whole.history))
    # A finished run stays finished, and can be made longer.
    assert tune(system.decoder, *system.dev, iterations=4, nbest=20, log=log, resume=True).weights == whole.weights
    longer = tune(system.decoder, *system.dev, iterations=5, nbest=20, log=log, resume=True)
    assert len(longer.history) == 6 or longer.reason != "all iterations are spent"


@pytest.mark.slow
def test_a_run_that_was_killed_in_its_first_line_starts_anew(system: System, tmp_path: Path) -> None:
    log = tmp_path / "log"
    whole = tune(system.decoder, *system.dev, iterations=1, nbest=5, log=log)
    written = log.read_bytes()
    for size in (0, 5, 100):
        log.write_bytes(written[:size])
        again = tune(system.decoder, *system.dev, iterations=1, nbest=5, log=log, resume=True)
        assert again.weights == whole.weights
        assert len(read_log(log)[1]) == len(whole.history)
    log.write_text("other")
    for resume in (True, False):
        with pytest.raises(FormatError):
            tune(system.decoder, *system.dev, iterations=1, nbest=5, log=log, resume=resume)
    assert log.read_text() == "other"
    with pytest.raises(FileError, match="cannot be replaced"):
        tune(system.decoder, *system.dev, iterations=1, nbest=5, log=log / "below" / "log")


def test_a_log_of_something_else_is_not_resumed(system: System, tmp_path: Path) -> None:
    log = tmp_path / "log"
    tune(system.decoder, *system.dev, iterations=1, nbest=5, log=log)
    with pytest.raises(SettingError, match="nbest was 5, not 6"):
        tune(system.decoder, *system.dev, iterations=1, nbest=6, log=log, resume=True)
    with pytest.raises(SettingError, match="dev was"):
        tune(system.decoder, *system.heldout, iterations=1, nbest=5, log=log, resume=True)
    for text in ("", "{}\n", "[1]\n", '{"tuner": "mira"}\n{"number": 1}\n', "no json\n"):
        log.write_text(text)
        with pytest.raises(FormatError):
            read_log(log)


@pytest.mark.slow
def test_it_stops_by_itself(system: System) -> None:
    source, target = system.dev
    result = tune(system.decoder, source[:3], target[:3], tuner=Mert(restarts=2, patience=5), iterations=25, nbest=50)
    assert len(result.history) < 20
    assert result.reason in ("no new candidates", "hardly any new candidates", "the weights have converged")


def test_it_ends_when_decoding_brings_hardly_anything_new(system: System) -> None:
    def run(fresh: float) -> TuningResult:
        return tune(system.decoder, *system.dev, tuner=Mira(fresh=fresh), iterations=8, nbest=20, threads=1)

    patient, usual = run(0.0), run(0.2)
    assert usual.reason == "hardly any new candidates"
    assert [entry.score for entry in usual.history] == [entry.score for entry in patient.history][: len(usual.history)]
    assert len(usual.history) < len(patient.history)
    sentences = len(system.dev[0])
    *before, last = [entry.new for entry in usual.history]
    assert 0 < last <= 0.2 * 20 * sentences
    assert all(new > 0.1 * 20 * sentences for new in before), "lists of few sentences are shorter than 20"


def test_lists_of_earlier_rounds_are_forgotten_if_wanted(system: System) -> None:
    def sizes(history: int) -> list[int]:
        tuner = Mira(fresh=0, history=history)
        result = tune(system.decoder, *system.dev, tuner=tuner, iterations=3, nbest=20, threads=1)
        return [entry.candidates for entry in result.history]

    grown, last, two = sizes(0), sizes(1), sizes(2)
    assert grown[0] == last[0] == two[0]
    assert grown[1] == two[1] > last[1]
    assert max(last) <= 20 * len(system.dev[0])


def test_fixed_weights_and_start(system: System) -> None:
    start = system.decoder.weights | {"distortion": 0.37}
    result = tune(system.decoder, *system.dev, iterations=2, nbest=20, start=start, fixed=["distortion"], threads=1)
    assert all(entry.weights["distortion"] == 0.37 for entry in result.history)
    assert result.history[1].weights["lm"] != start["lm"]


def test_progress_and_json(system: System) -> None:
    seen: list[Progress] = []
    result = tune(system.decoder, *system.dev, iterations=1, nbest=5, progress=seen.append)
    assert {entry.stage for entry in seen} >= {"decoding"}
    plain = json.loads(json.dumps(result.to_dict()))
    assert Iteration.from_dict(plain["history"][1]) == result.history[1]
    assert plain["weights"] == dict(result.weights)
    picture = learning_curve(result)
    dots = [shape for shape in picture.shapes if isinstance(shape, Dot)]
    assert [dot.note.partition(":")[0] for dot in dots if dot.note] == ["dev", "dev", "lists"]
    assert sum(dot.hollow for dot in dots) == 1


def test_bad_calls_are_refused(system: System) -> None:
    with pytest.raises(UnknownName, match="mirra"):
        tune(system.decoder, *system.dev, tuner="mirra")
    with pytest.raises(UnknownName):
        tune(system.decoder, *system.dev, metric="blue")
    with pytest.raises(LengthMismatch):
        tune(system.decoder, system.dev[0], system.dev[1][:-1])
    with pytest.raises(SettingError):
        tune(system.decoder, *system.dev, iterations=0)
    with pytest.raises(SettingError, match="no weights"):
        tune(system.decoder, *system.dev, start={})


def test_settings_as_text() -> None:
    made = Mert.configured(["search=kcd", "restarts=3", "allow_many=yes", "tolerance=1e-3"])
    assert made == Mert(search="kcd", restarts=3, allow_many=True, tolerance=1e-3)
    for wrong in ("search", "colour=red", "restarts=many", "restarts=-1", "window=4", "allow_many=perhaps"):
        with pytest.raises((SettingError, UnknownName), match=r"^mert"):
            Mert.configured([wrong])


def test_settings_that_have_no_default_or_many_values() -> None:
    made = Online.configured(["l1=0", "min_sentences=4", "scale_by_length=no", "l1_families=dense=0,orient:=10"])
    strengths = {"dense": 0.0, "orient:": 10.0}
    assert made == Online(l1=0.0, min_sentences=4, scale_by_length=False, l1_families=strengths)
    for wrong in ("l1=much", "scale_by_length=2", "l1_families=3", "l1_families=dense=", "l1_families=a=b"):
        with pytest.raises(SettingError, match=r"^online: .* it must be"):
            Online.configured([wrong])


def test_ill_signs() -> None:
    dense = ["lm", "word_penalty", "phrase.ts"]
    healthy = {"lm": 0.5, "word_penalty": -0.4, "phrase.ts": 0.3}
    assert ill_signs(healthy, dense=dense, start=healthy) == []
    assert "zero" in ill_signs(dict.fromkeys(dense, 0.0), dense=dense)[0]
    assert "negative" in ill_signs({**healthy, "lm": -0.1}, dense=dense)[0]
    assert "phrase.ts has" in ill_signs({**healthy, "phrase.ts": 30.0}, dense=dense)[0]
    assert "running away" in ill_signs(Weights(healthy) * 1e5, dense=dense, start=healthy)[0]
    assert "0.30 words" in ill_signs(healthy, dense=dense, length_ratio=0.3)[0]
    assert "2.00 words" in ill_signs(healthy, dense=dense, length_ratio=2.0)[0]


@pytest.mark.slow
def test_lines_over_real_text(data: Path) -> None:

    references = [line for _, line in zip(range(200), read_lines(data / "multi30k" / "val.de"), strict=False)]
    rng = np.random.default_rng(1)
    pool = NBestPool(DevSet.of(references, references))
    items = []
    for sentence, reference in enumerate(references):
        for _ in range(30):
            words = [w for w in reference.split() if rng.random() > 0.2]
            values = {f"f{i}": float(100 * v) for i, v in enumerate(rng.normal(size=10))}
            items.append((sentence, " ".join(words), values))
    pool.add(items)
    surface = PoolSurface(pool, threads=2)
    for _ in range(5):
        weights, direction = rng.normal(size=(2, pool.native.features))
        point = surface.line(weights, direction)
        assert surface.gain(point.weights) == pytest.approx(point.gain, abs=1e-12)
        assert point.gain >= surface.gain(weights)
