"""The joint model: gradients, training that is the same however it is run, files, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dragoman._native import features
from dragoman._native import neural as native
from dragoman.errors import FormatError, InputError, LengthMismatch
from dragoman.lm import estimate
from dragoman.neural.joint_model import JointModel
from dragoman.neural.joint_training import JointSettings, fit_joint_model, train_joint_model
from dragoman.progress import Progress
from tests.neural.network import affiliated, contexts_of, hidden_layer, network_score, slopes, training_loss

TINY = JointSettings(
    history=2,
    window=2,
    vector=6,
    hidden=16,
    classes=3,
    passes=12,
    exact_passes=1,
    samples=8,
    batch=32,
    rate=0.1,
    dropout=0.2,
    vector_dropout=0.0,
)


@pytest.fixture(scope="module")
def text() -> tuple[list[str], list[str], list[str]]:
    rng = np.random.default_rng(1)
    nouns = [("haus", "house"), ("hund", "dog"), ("buch", "book"), ("baum", "tree"), ("tisch", "table")]
    colours = [("rot", "red"), ("alt", "old"), ("neu", "new")]
    rows = []
    for number in range(150):
        noun, colour = nouns[rng.integers(5)], colours[rng.integers(3)]
        rare = f"x{number}" if number % 7 == 0 else "ist"
        rows.append((f"das {noun[0]} {rare} {colour[0]}", f"the {colour[1]} {noun[1]} {rare}", "0-0 1-2 2-3 3-1"))
    source, target, links = (list(side) for side in zip(*rows, strict=True))
    return source, target, links


@pytest.fixture(scope="module")
def model(text: tuple[list[str], list[str], list[str]]) -> JointModel:
    return train_joint_model(*text, TINY, threads=1)


@pytest.mark.parametrize("samples", [0, 8])
def test_gradients_equal_finite_differences(
    text: tuple[list[str], list[str], list[str]], model: JointModel, samples: int
) -> None:
    """Those of the definition, in double precision, for every parameter; with all words in a sum, or a sample."""
    network = model.native
    some = [side[:6] for side in text]
    trainer = native.JointTrainer(
        network, native.JointText(network, *some), batch=8, normalization=0.3, dropout=0.2, seed=1
    )
    loss, gradients, drawn = trainer.gradients(network, samples=samples)
    assert len(drawn) == (samples or network.target_units)
    contexts, words = contexts_of(network, *some)
    if samples:
        assert set(drawn) & set(words), "a word is drawn that is itself predicted"

    def defined(parameters: Sequence[NDArray[np.float64]]) -> float:
        return training_loss(
            network, parameters, contexts, words, normalization=0.3, samples=drawn.tolist() if samples else ()
        )

    parameters = [values.astype(np.float64) for values in network.parameters()]
    assert loss == pytest.approx(defined(parameters), rel=1e-6)
    for part, gradient in enumerate(gradients):
        wanted = slopes(defined, parameters, part)
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(gradient.ravel(), wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())


def test_gradients_of_sums_equal_finite_differences(
    text: tuple[list[str], list[str], list[str]], model: JointModel
) -> None:
    network, units = model.native, 5
    contexts, _ = contexts_of(network, *(side[:6] for side in text))
    known = [values.astype(np.float64) for values in network.parameters()]
    vectors, hidden = hidden_layer(network, known, contexts)
    rng = np.random.default_rng(3)
    shapes = [(vectors.shape[1], units), (units,), (network.hidden,), (units,), (1,)]
    single = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    sums = rng.normal(size=len(contexts)).astype(np.float32)

    def defined(parameters: Sequence[NDArray[np.float64]]) -> float:
        weights, bias, old, new, rest = parameters
        said = hidden @ old + np.maximum(vectors @ weights + bias, 0) @ new + rest
        return float(((said - sums) ** 2).sum() / 2)

    loss, gradients = native.sum_gradients(network, [part.ravel() for part in single], contexts.ravel(), sums)
    parameters = [values.astype(np.float64) for values in single]
    assert loss == pytest.approx(defined(parameters), rel=1e-6)
    for part, gradient in enumerate(gradients):
        wanted = slopes(defined, parameters, part)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
    with pytest.raises(InputError, match="contexts for other sums"):
        native.sum_gradients(network, [part.ravel() for part in single], contexts[1:].ravel(), sums)


def test_it_learns_what_is_translated_by_what(model: JointModel, text: tuple[list[str], list[str], list[str]]) -> None:
    source = ["das hund ist rot"] * 3
    scores = model.score(source, ["the red dog ist", "the red book ist", "the old dog ist"], [text[2][0]] * 3)
    assert scores[0] > scores[1] + 1
    assert scores[0] > scores[2] + 1
    words = model.evaluate(*text)
    alone = estimate(text[1], order=3).build().perplexity(text[1]).perplexity_with_unknown
    assert words.perplexity < alone
    assert abs(words.log_sum) < 0.5


def test_scores_are_those_of_the_network(model: JointModel, text: tuple[list[str], list[str], list[str]]) -> None:
    for row in (0, 1, 7, 14):
        source, target = text[0][row].split(), text[1][row].split()
        links = [(int(a), int(b)) for a, _, b in (link.partition("-") for link in text[2][row].split())]
        wanted = network_score(model, source, target, affiliated(links, len(target)))
        assert model.score(*([side[row]] for side in text))[0] == pytest.approx(wanted, abs=1e-4)


def test_search_asks_the_same_network(model: JointModel, text: tuple[list[str], list[str], list[str]]) -> None:
    network = model.native
    source = [network.source_unit(word) for word in text[0][0].split()]
    words = [network.target_unit(word)[0] for word in text[1][0].split()] + [1]
    histories = [[words[at - 1 - i] if at > i else 0 for i in range(network.history)] for at in range(len(words))]
    positions = [*affiliated([(0, 0), (1, 2), (2, 3), (3, 1)], len(words) - 1), len(source)]
    asked, before, said, places = (np.array(values, np.uint32) for values in (source, histories, words, positions))
    found = features.joint_scores(network, asked, before, said, places)
    wanted = network.unit_scores(native.JointText(network, *(side[:1] for side in text)), normalized=False)
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    with pytest.raises(InputError, match="positions that the joint model does not have"):
        features.joint_scores(network, asked, before, said, places + np.uint32(1))


def test_further_units_bring_sums_near_one(text: tuple[list[str], list[str], list[str]]) -> None:
    loose = JointSettings.configured([*_spelt(TINY), "normalization=0", "sum_units=0"])
    without = train_joint_model(*text, loose, threads=1)
    within = train_joint_model(*text, JointSettings.configured([*_spelt(loose), "sum_units=16"]), threads=1)
    assert within.native.hidden == without.native.hidden + 16
    before, after = (model.evaluate(*text) for model in (without, within))
    assert after.perplexity == pytest.approx(before.perplexity, rel=1e-2), "words compare as they did"
    assert after.log_sum_deviation < before.log_sum_deviation / 2
    assert abs(after.log_sum) < 0.1


def test_probabilities_sum_to_one(model: JointModel) -> None:
    """Over all words that were seen, one that was not, and the end of the sentence."""
    words = ["the", "red", "old", "new", "house", "dog", "book", "tree", "table", "ist", "nobody-saw-this"]
    words += [f"x{number}" for number in range(0, 150, 7)]
    begun = model.score(["das hund ist rot"] * len(words), words, ["0-0"] * len(words), normalized=True)
    ended = [
        model.native.unit_scores(native.JointText(model.native, ["das hund ist rot"], [word], ["0-0"]), normalized=True)
        for word in words
    ]
    total = sum(np.exp(score - end[1]) for score, end in zip(begun, ended, strict=True))
    assert 0.9 < total < 1.0  # the rest is that of the edges of a sentence


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(text: tuple[list[str], list[str], list[str]], model: JointModel, threads: int) -> None:
    again = train_joint_model(*text, TINY, threads=threads)
    for ours, theirs in zip(again.native.parameters(), model.native.parameters(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(again.score(*text, threads=threads), model.score(*text, threads=1))


def test_another_seed_is_another_model(text: tuple[list[str], list[str], list[str]], model: JointModel) -> None:
    other = train_joint_model(*text, [*_spelt(TINY), "seed=2"], threads=1)
    assert any(
        (ours != theirs).any()
        for ours, theirs in zip(other.native.parameters(), model.native.parameters(), strict=True)
    )


def _spelt(settings: JointSettings) -> list[str]:
    return [f"{name}={value}" for name, value in settings.differences().items()]


@pytest.mark.slow
@pytest.mark.parametrize("networks", [1, 2])
def test_a_stopped_training_goes_on(
    text: tuple[list[str], list[str], list[str]], tmp_path: Path, networks: int
) -> None:
    state, path = tmp_path / "state", tmp_path / "joint.bin"
    settings = JointSettings.configured([*_spelt(TINY), f"networks={networks}"])
    begun = (networks - 1) * TINY.passes + 2

    def stop(told: Progress) -> None:
        if told.stage == "joint model" and told.done >= begun:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_joint_model(*text, path, settings, state=state, threads=1, progress=stop)
    assert not path.exists()
    assert JointModel.open(tmp_path / "state.best").native.hidden == TINY.hidden, "the best so far can be used"
    passes = []
    done = fit_joint_model(
        *text, path, settings, state=state, threads=1, progress=lambda told: passes.append((told.stage, told.done))
    )
    assert min(number for stage, number in passes if stage == "joint model") >= begun
    assert [len(each.history) for each in done.networks] == [TINY.passes] * networks
    assert sorted(file.name for file in tmp_path.iterdir()) == ["joint.bin"]
    whole = train_joint_model(*text, settings, threads=1)
    for ours, theirs in zip(done.model.native.parameters(), whole.native.parameters(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    # what another text or other settings left is not taken up
    with pytest.raises(KeyboardInterrupt):
        fit_joint_model(*text, path, settings, state=state, threads=1, progress=stop)
    shorter = (text[0][:100], text[1][:100], text[2][:100])
    fresh = fit_joint_model(*shorter, path, settings, state=state, threads=1)
    assert fresh.networks == fit_joint_model(*shorter, path, settings, threads=1).networks


def test_a_loss_that_is_no_number_stops_and_keeps_what_was_good(
    text: tuple[list[str], list[str], list[str]], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"no number any more in batch \d+ of \d+") as found:
        train_joint_model(*text, [*_spelt(TINY), "rate=1e30"], threads=1)
    assert found.value.where == "pass 1"
    assert "slowly" in found.value.remedy
    model = train_joint_model(*text, TINY, threads=1).native
    trainer = native.JointTrainer(
        model, native.JointText(model, *text), batch=32, normalization=0.1, dropout=0.0, seed=1
    )
    trainer.save(tmp_path / "good", 1)
    with pytest.raises(InputError):
        trainer.train_pass(1, rate=1e30, samples=0, threads=1)
    assert trainer.restore(tmp_path / "good") == 1
    assert np.isfinite(model.evaluate(native.JointText(model, *text))[0])


def test_early_stopping_takes_the_best_pass(text: tuple[list[str], list[str], list[str]], tmp_path: Path) -> None:
    wild = JointSettings.configured([*_spelt(TINY), "rate=0.6", "passes=30", "patience=1", "exact_passes=0"])
    found = fit_joint_model(*text, tmp_path / "joint.bin", wild, threads=1).networks[0]
    assert len(found.history) < 30
    assert found.history[found.best].perplexity == min(each.perplexity for each in found.history)


def test_networks_are_asked_as_one(
    text: tuple[list[str], list[str], list[str]], model: JointModel, tmp_path: Path
) -> None:
    both = JointSettings.configured([*_spelt(TINY), "networks=2"])
    found = fit_joint_model(*text, tmp_path / "joint.bin", both, threads=1)
    assert len(found.networks) == 2
    assert found.networks[0].history != found.networks[1].history, "from other random numbers"
    assert (found.model.native.vector, found.model.native.hidden) == (2 * TINY.vector, 2 * TINY.hidden)
    # the first is the one that is trained alone; scores are means, and so are those that search has
    twice = native.JointModel.joined([model.native, model.native])
    np.testing.assert_allclose(JointModel(twice).score(*text), model.score(*text), atol=1e-4)
    joined = found.model.native
    sides = [values.reshape(-1, 2 * TINY.vector) for values in joined.parameters()[:2]]
    np.testing.assert_array_equal(sides[0][:, : TINY.vector].ravel(), model.native.parameters()[0])
    states, source, words, places = ([[2, 3]], [2, 3], [4], [1])
    asked = [np.array(values, np.uint32) for values in (source, states, words, places)]
    alone = features.joint_scores(model.native, *asked)
    np.testing.assert_allclose(features.joint_scores(twice, *asked), alone, atol=1e-5)
    with pytest.raises(InputError, match="different units"):
        native.JointModel.joined([model.native, train_joint_model(*text, [*_spelt(TINY), "window=3"]).native])


def test_a_file_has_all_of_it(model: JointModel, text: tuple[list[str], list[str], list[str]], tmp_path: Path) -> None:
    path = tmp_path / "joint.bin"
    model.save(path)
    again = JointModel.open(path)
    np.testing.assert_array_equal(again.score(*text), model.score(*text))  # it was read from a file before
    numbers = sum(values.size for values in model.native.parameters())
    assert path.stat().st_size < 3 * numbers + 10_000, "16 bits for a number"
    whole = path.read_bytes()
    for size in (0, 40, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError):
            JointModel.open(path)
    path.write_bytes(whole[:-3] + b"\xff\xff\xff")
    with pytest.raises(FormatError):
        JointModel.open(path)
    estimate(["a b"], order=2).build().save(tmp_path / "lm.bin")
    with pytest.raises(FormatError):
        JointModel.open(tmp_path / "lm.bin")


def test_parameters_that_are_no_numbers_are_refused(model: JointModel, tmp_path: Path) -> None:
    path = tmp_path / "joint.bin"
    before = model.native.parameters()
    broken = [values.copy() for values in before]
    broken[3][0] = np.nan
    model.native.set_parameters(broken)
    try:
        model.save(path)
    finally:
        model.native.set_parameters(before)
    with pytest.raises(FormatError, match="no numbers"):
        JointModel.open(path)


def test_rare_compounds_are_as_their_heads() -> None:
    source = [*["die jacke", "eine jacke", "das schiff", "ein schiff", "eine größe"] * 3]
    source += ["die regenjacke", "eine xacke", "die radie", "eine übergröße"]
    pairs = source, ["the jacket"] * len(source), ["0-0 1-1"] * len(source)
    model = train_joint_model(*pairs, [*_spelt(TINY), "heldout=1", "seed=3"]).native
    unit = model.source_unit
    assert len({unit(word) for word in ("jacke", "schiff", "größe", "never seen")}) == 4
    assert unit("regenjacke") == unit("jacke")
    assert unit("übergröße") == unit("größe")
    assert unit("xacke") == unit("never seen"), "not the whole head"
    assert unit("radie") == unit("never seen"), "three letters are too few"
    twisted = train_joint_model(pairs[1], pairs[0], pairs[2], [*_spelt(TINY), "heldout=1", "seed=3"]).native
    assert twisted.target_unit("regenjacke")[0] != twisted.target_unit("jacke")[0], "what is predicted has its share"


def test_marks_in_a_text_are_words_like_others() -> None:
    text = ["<unk> haus <s>", "das haus </s>"] * 20
    model = train_joint_model(text, text, ["0-0 1-1 2-2"] * 40, TINY, threads=1)
    assert model.native.source_unit("<unk>") == model.native.source_unit("never seen")
    assert model.native.source_unit("<s>") > 1, "not the edge of a sentence"


def test_wrong_input_is_told(model: JointModel) -> None:
    with pytest.raises(LengthMismatch):
        model.score(["a"], ["a", "b"], ["0-0"])
    with pytest.raises(InputError, match="points outside"):
        model.score(["a"], ["a"], ["1-0"])
    with pytest.raises(FormatError):
        model.score(["a"], ["a"], ["0:0"])
    with pytest.raises(InputError, match="no sentence pairs"):
        train_joint_model([""], [""], [""], TINY)
