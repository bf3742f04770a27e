"""The chart decoder against brute force, worked examples, and bad input."""

from __future__ import annotations

import math
import random
import signal
import time
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.errors import InputError, SettingError
from dragoman.features.base import Fire, Option, RuleFeature, SourceSentence, StateFeature
from dragoman.features.context import Boundaries
from dragoman.features.language_model import LanguageModel
from dragoman.grammar.limits import HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Nonterminal, Rule, Symbol
from dragoman.grammar.rule_text import import_rules
from dragoman.grammar.table import RuleTable
from dragoman.grammar.writing import write_table
from dragoman.lm import NgramModel, estimate
from dragoman.lm.classes import ClassMap
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.search.left_to_right import LeftToRightDecoder, LeftToRightSettings
from dragoman.search.picture import translation_svg
from dragoman.search.synchronous_tree import tree_lines
from dragoman.text import synthetic
from tests.search.hiero_setting import (
    UNLIMITED,
    WEIGHTS,
    decoder,
    derivations,
    grammar,
    language_model,
    model_score,
    random_grammar,
)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("cube", ["pruning", "growing"])
def test_all_derivations_are_those_of_brute_force(cube: str, seed: int, tmp_path: Path) -> None:
    rules, words = random_grammar(seed)
    if not rules:
        pytest.skip("no rules came out")
    model = language_model(seed)
    max_span = seed % 3 * 2
    table = grammar(rules, tmp_path / "t", max_span=str(max_span))
    trees = derivations(rules, words, max_span=max_span)
    wanted = sorted((model_score(tree, model, WEIGHTS) for tree in trees), reverse=True)
    [found] = decoder(table, model).with_settings(cube=cube).translate([" ".join(words)], forests=True)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    assert found.score == pytest.approx(wanted[0], abs=1e-6)
    listed = found.nbest(len(wanted) + 10)
    assert len(listed) == len(wanted)
    assert [each.score for each in listed] == pytest.approx(wanted, abs=1e-6)
    for each in listed:
        assert each.rescore(WEIGHTS) == pytest.approx(each.score, abs=1e-6)


def toy(tmp_path: Path) -> tuple[RuleTable, NgramModel]:
    """Two words with a rule that turns them around, and a bigram model written out."""
    first = Nonterminal("X", 0)
    rules = [
        Rule(("a",), ("A",), {"p": -0.2, "q": 0.0}, ((0, 0),), label="X"),
        Rule(("b",), ("B",), {"p": -0.3, "q": 0.0}, ((0, 0),), label="X"),
        Rule((first, "b"), ("B", first), {"p": -0.4, "q": 0.0}, ((1, 0),), label="X"),
    ]
    logs = {"<s> A": -0.5, "<s> B": -0.9, "A B": -0.7, "B A": -0.2, "A </s>": -0.3, "B </s>": -0.4}
    arpa = tmp_path / "toy.arpa"
    unigrams = "".join(f"-9\t{word}\t0\n" for word in ("<unk>", "<s>", "A", "B")) + "-9\t</s>\n"
    bigrams = "".join(f"{value / math.log(10):.7f}\t{pair}\n" for pair, value in logs.items())
    arpa.write_text(f"\\data\\\nngram 1=5\nngram 2=6\n\n\\1-grams:\n{unigrams}\n\\2-grams:\n{bigrams}\n\\end\\\n")
    return grammar(rules, tmp_path / "toy.table"), NgramModel.read_arpa(arpa)


ONES = {"p": 1.0, "q": 0.0, "lm": 1.0, "glue": -0.1, "word_penalty": 0.0, "rule_penalty": 0.0, "unknown": 0.0}


def test_worked_example_of_decoding(tmp_path: Path) -> None:
    """Worked example for Siahbani, Sankaran and Sarkar (2013): the better order wins by its language model."""
    made = decoder(*toy(tmp_path), UNLIMITED, ONES)
    [found] = made.translate(["a b"], forests=True)
    assert found.text == "B A"
    assert found.score == pytest.approx(-2.0, abs=1e-5)
    assert [(each.text, round(each.score, 4)) for each in found.nbest(9)] == [("B A", -2.0), ("A B", -2.2)]
    assert found.alignment == ((0, 1), (1, 0))


def test_distortion_of_rules_changes_the_winner(tmp_path: Path) -> None:
    """The same example with a weight of 0.1 on minus the distortion, which is 4 for the rule that turns around."""
    table, model = toy(tmp_path)
    weights = {**ONES, "distortion.rule": 0.1, "reordered": 0.0, "width": 0.0, "height": 0.0}
    made = HieroDecoder(table, [LanguageModel("lm", model)], weights, replace(UNLIMITED, reordering_features=True))
    [found] = made.translate(["a b"], forests=True)
    assert (found.text, round(found.score, 4)) == ("A B", -2.2)
    assert [(each.text, round(each.score, 4)) for each in found.nbest(9)][1] == ("B A", -2.4)
    assert found.nbest(2)[1].features["distortion.rule"] == -4.0


@pytest.mark.slow
def test_a_wider_beam_is_no_worse_on_average_and_threads_change_nothing(tmp_path: Path) -> None:
    totals = {1: 0.0, 3: 0.0, 100: 0.0}
    for seed in range(30):
        rules, words = random_grammar(seed)
        made = decoder(grammar(rules, tmp_path / f"{seed}"), language_model(seed))
        for limit in totals:
            narrow = made.with_settings(beam=limit, pop_limit=limit, option_limit=2)
            one = narrow.translate([" ".join(words)] * 3, threads=1)
            assert [(t.text, t.score) for t in narrow.translate([" ".join(words)] * 3, threads=3)] == [
                (t.text, t.score) for t in one
            ]
            totals[limit] += one[0].score
    assert totals[1] <= totals[3] <= totals[100]


def test_states_of_several_models_and_of_classes(tmp_path: Path) -> None:
    """The value of every language model is that of the text, whatever models there are."""
    rules, words = random_grammar(11)
    word_model, small = language_model(1), language_model(2, order=2)
    classes = {"A": "C0", "B": "C0", "C": "C1", "D": "C1", "<unk>": "C1"}
    of_classes = estimate(["C0 C1 C0", "C1 C1", "C0"], order=3).build()
    models = [
        LanguageModel("lm", word_model),
        LanguageModel("lm2", small),
        LanguageModel("classes", of_classes, classes),
    ]
    weights = {**WEIGHTS, "lm2": 0.3, "classes": 0.4}
    made = HieroDecoder(grammar(rules, tmp_path / "t"), models, weights, UNLIMITED)
    [found] = made.translate([" ".join(words)], forests=True)
    for each in found.nbest(30):
        assert each.features["lm"] == pytest.approx(float(word_model.score([each.text])[0]), abs=1e-5)
        assert each.features["lm2"] == pytest.approx(float(small.score([each.text])[0]), abs=1e-5)
        spelt = " ".join(classes.get(word, "C1") for word in each.target)
        assert each.features["classes"] == pytest.approx(float(of_classes.score([spelt])[0]), abs=1e-5)


def test_one_label_may_become_another_but_not_itself(tmp_path: Path) -> None:
    def unary(source: str, label: str, value: float) -> Rule:
        slot = Nonterminal(source, 0)
        return Rule((slot,), (slot,), {"p": value, "q": 0.0}, label=label)

    words = Rule(("a",), ("A",), {"p": -0.1, "q": 0.0}, label="Y")
    outer = Rule(("b", Nonterminal("X", 0)), (Nonterminal("X", 0), "B"), {"p": -0.2, "q": 0.0}, label="X")
    rules = [words, outer, unary("Y", "Z", -0.3), unary("Z", "X", -0.4)]
    table = grammar(rules, tmp_path / "chain")
    [found] = decoder(table, language_model(0)).translate(["b a"], forests=True)
    assert {each.text for each in found.nbest(20)} == {"A B", "b A"}
    with pytest.raises(InputError, match="nonterminal into itself: "):
        decoder(grammar([*rules, unary("X", "Y", -0.5)], tmp_path / "circle"), language_model(0))


def test_long_sentences_keep_to_the_span_limit(tmp_path: Path) -> None:
    made = decoder(*toy(tmp_path), HieroSettings(max_span=4, pop_limit=20, beam=20), ONES)
    [found] = made.translate(["a b " * 150], forests=True)
    assert len(found.source) == 300
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    assert all(phrase.within[1] - phrase.within[0] <= 4 for phrase in found.phrases)
    [split] = made.with_settings(max_sentence_length=100).translate(["a b " * 150], forests=True)
    assert split.statistics["pieces"] == 3
    assert split.nbest(1)[0].score == pytest.approx(split.score, abs=1e-6)
    with pytest.raises(InputError, match="300 tokens"):
        made.with_settings(max_sentence_length=100, long_sentences="refuse").translate(["a b " * 150])


def test_unknown_words_follow_the_policy(tmp_path: Path) -> None:
    """A word that only longer rules know is copied, too."""
    slot = Nonterminal("X", 0)
    rules = [Rule((slot, "inside"), ("in", slot), {"p": -0.4, "q": 0.0}, ((1, 0),), label="X")]
    made = decoder(grammar(rules, tmp_path / "t"), language_model(0))
    assert made.translate(["inside"])[0].unknown_words == ("inside",)
    marked = made.with_settings(unknown="mark").translate(["never inside"], forests=True)[0]
    assert {each.text for each in marked.nbest(9)} == {"in <unk:never>", "<unk:never> <unk:inside>"}
    assert made.with_settings(unknown="drop").translate(["never seen"])[0].text == ""


def test_options_of_a_user(tmp_path: Path) -> None:
    made = decoder(*toy(tmp_path), UNLIMITED, ONES)
    free = [ExtraOption(0, 1, "Z", {"p": 99.0})]
    assert "Z" in made.translate(["a b"], constraints=[Constraints(tuple(free))])[0].target
    only = [ExtraOption(0, 2, "whole thing", {"p": -99.0}, policy="exclusive")]
    [found] = made.translate(["a b a"], constraints=[Constraints(tuple(only))], forests=True)
    assert all("whole thing" in each.text for each in found.nbest(50))
    inside = [ExtraOption(0, 1, "term", {"p": -99.0}, policy="exclusive")]
    [turned] = made.translate(["a b"], constraints=[Constraints(tuple(inside))], forests=True)
    assert {each.text for each in turned.nbest(50)} == {"B term", "term B"}  # nonterminals may cover it
    with pytest.raises(InputError, match="extra option"):
        made.translate(["a"], constraints=[Constraints((ExtraOption(0, 2, "x"),))])


def test_forced_decoding_reaches_what_the_grammar_derives(tmp_path: Path) -> None:
    for seed in range(15):
        rules, words = random_grammar(seed)
        model = language_model(seed)
        made = decoder(grammar(rules, tmp_path / f"{seed}"), model, HieroSettings(pop_limit=1, beam=1))
        trees = derivations(rules, words)
        for target in sorted({tree.target for tree in trees})[:4]:
            wanted = max(model_score(tree, model, WEIGHTS) for tree in trees if tree.target == target)
            [found] = made.force([" ".join(words)], [" ".join(target)])
            assert found is not None
            assert found.target == target
            assert found.score == pytest.approx(wanted, abs=1e-6)
        assert made.force([" ".join(words)], ["no such text"]) == [None]
        best = made.force([" ".join(words)], [["no such text", *(" ".join(tree.target) for tree in trees)]])[0]
        assert best is not None
        assert best.score == pytest.approx(max(model_score(tree, model, WEIGHTS) for tree in trees), abs=1e-6)


class Words(StateFeature):
    """Repeated neighbours among target words, from first and last word of each part."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return ("", "")

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        raise NotImplementedError

    def combine(self, option: Option, parts: Sequence[Hashable], fire: Fire) -> Hashable:
        slots = dict(option.slots)
        ends = [parts[slots[i]] if i in slots else (word, word) for i, word in enumerate(option.target)]
        words = [end for end in ends if isinstance(end, tuple) and end != ("", "")]
        for (_, left), (right, _) in pairwise(words):
            if left == right:
                fire("repeats", 1.0)
        return (words[0][0], words[-1][1]) if words else ("", "")

    def finish(self, state: Hashable, fire: Fire) -> None:
        fire("finished", 1.0)


class Symbols(RuleFeature):
    """Symbols of a rule, by what they are."""

    def rule(self, sentence: SourceSentence, option: Option, fire: Fire) -> None:
        fire(f"source:{'_'.join(option.source)}", 1.0)


def test_features_in_python_combine_states(tmp_path: Path) -> None:
    for seed in range(12):
        rules, words = random_grammar(seed)
        model = language_model(seed)
        weights = {**WEIGHTS, "repeats": -0.9, "finished": 0.2}
        table = grammar(rules, tmp_path / f"{seed}")
        made = HieroDecoder(table, [LanguageModel("lm", model)], weights, UNLIMITED, features=[Words(), Symbols()])
        wanted = sorted(
            (
                model_score(tree, model, WEIGHTS) + 0.2 - 0.9 * sum(a == b for a, b in pairwise(tree.target))
                for tree in derivations(rules, words)
            ),
            reverse=True,
        )
        [found] = made.translate([" ".join(words)], forests=True)
        assert [each.score for each in found.nbest(10**6)] == pytest.approx(wanted, abs=1e-6)
        assert found.rescore() == pytest.approx(found.score, abs=1e-6)
        names = {name for each in found.nbest(10**6) for name in each.features if name.startswith("source:")}
        assert all(("[X" in name or "[Y" in name or "[S" in name) or "1" not in name for name in names)


def test_templates_of_rules_work_and_others_are_refused_by_name(tmp_path: Path) -> None:
    table, model = toy(tmp_path)
    models = [LanguageModel("lm", model)]
    made = HieroDecoder(table, models, {**ONES, "rule:[X1]_b|B_[X1]": 5.0}, UNLIMITED, features=["rule", "shape"])
    [found] = made.translate(["a b"], forests=True)
    fired = {name for each in found.nbest(9) for name in each.features if ":" in name}
    assert any(name.startswith("rule:") and "[X1]" in name for name in fired), fired
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    with pytest.raises(SettingError, match="jump"):
        HieroDecoder(table, models, ONES, UNLIMITED, features=["jump"])
    with pytest.raises(SettingError, match="OneWay has no method `combine`"):
        HieroDecoder(table, models, ONES, UNLIMITED, features=[OneWay()])


class OneWay(StateFeature):
    """A feature for decoders that write from left to right only."""

    def start(self, sentence: SourceSentence) -> Hashable:
        return 0

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        return 0


def test_tables_of_other_kinds_and_broken_rules_are_refused(tmp_path: Path) -> None:
    model = language_model(0)
    values = {"p": 0.0, "q": 0.0}
    plain = write_table([Rule(("a",), ("A",), values)], tmp_path / "phrases", columns=["p", "q"])
    with pytest.raises(SettingError, match="kind 'phrase'"):
        decoder(plain, model)
    slot, other = Nonterminal("X", 0), Nonterminal("X", 1)
    targets: list[tuple[Symbol, ...]] = [("A",), (slot, slot), (other, "A")]
    for number, target in enumerate(targets):
        table = grammar([Rule(("a", slot), target, values, label="X")], tmp_path / f"{number}")
        with pytest.raises(InputError, match="nonterminals"):
            decoder(table, model).translate(["a b"])
    with pytest.raises(SettingError, match="must be finite"):
        decoder(grammar([Rule(("a",), ("A",), values, label="X")], tmp_path / "n"), model, weights={"p": math.nan})


@pytest.mark.slow
def test_a_translation_and_its_derivation_tell_the_same(tmp_path: Path) -> None:
    for seed in range(25):
        rules, words = random_grammar(seed)
        made = decoder(grammar(rules, tmp_path / f"{seed}"), language_model(seed))
        [found] = made.translate([" ".join(words)], forests=True)
        best = found.nbest(1)[0]
        if best.target != found.target:
            continue  # a tie
        again = found.with_derivation(best)
        assert [(p.source, p.target, p.source_span, p.within) for p in again.phrases if p.target] == [
            (p.source, p.target, p.source_span, p.within) for p in found.phrases if p.target
        ]
        assert again.rescore() == pytest.approx(found.score, abs=1e-6)
        assert sorted(word for phrase in found.phrases for word in phrase.source) == sorted(words)


def test_the_tree_is_drawn(tmp_path: Path) -> None:
    made = decoder(*toy(tmp_path), UNLIMITED, ONES)
    [found] = made.translate(["a b"])
    assert [line.rpartition("  ")[0] for line in tree_lines(found)] == ["[1] b → B [1]", "  a → A"]
    picture = translation_svg(found)
    assert "[1] b → B [1]" in picture
    [glued] = made.translate(["a b c"])
    assert "[1] [2] → [1] [2]" in translation_svg(glued)


def test_reordering_features_are_what_the_derivation_says(tmp_path: Path) -> None:
    """Distortion, width and height of every derivation, recomputed from its tree."""
    names = ("distortion.rule", "reordered", "width", "height")
    for seed in range(20):
        rules, words = random_grammar(seed)
        settings = replace(UNLIMITED, reordering_features=True)
        weights = {**WEIGHTS, **dict(zip(names, (0.1, -0.2, 0.05, -0.07), strict=True))}
        table = grammar(rules, tmp_path / f"{seed}")
        made = HieroDecoder(table, [LanguageModel("lm", language_model(seed))], weights, settings)
        [found] = made.translate([" ".join(words)], forests=True)
        for derivation in found.nbest(50):
            assert derivation.rescore(weights) == pytest.approx(derivation.score, abs=1e-6)
            height = 0.0
            heights: dict[int, int] = {}
            for number in range(len(derivation.steps) - 1, -1, -1):
                step = derivation.steps[number]
                parts = [step.parts[symbol] for symbol in step.target if isinstance(symbol, int)]
                heights[number] = 1 + max((heights[part] for part in parts), default=0)
                if "rule_penalty" in step.features and "unknown" not in step.features:
                    height += sum(heights[part] for part in parts[:-1])
            assert derivation.features.get("height", 0.0) == height
        plain = made.with_settings(reordering_features=False)
        assert "height" not in plain.weights or plain.translate([" ".join(words)])[0].features.get("height", 0.0) == 0


@pytest.mark.slow
def test_decode_command_forces_references(tmp_path: Path) -> None:
    table, model = toy(tmp_path)
    model.save(tmp_path / "lm")
    (tmp_path / "source").write_text("a b\na b\n")
    (tmp_path / "reference").write_text("B A\nB B\n")
    command = ["decode", str(tmp_path / "source"), "--table", str(table.path), "--lm", str(tmp_path / "lm")]
    result = CliRunner().invoke(app, [*command, "--forced", str(tmp_path / "reference")])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("0\treached\t")
    assert lines[1].strip().startswith("[1] b → B [1]")
    assert lines[-1].startswith("1\tunreachable\trules write all its words")
    assert CliRunner().invoke(app, [*command, "--max-span", "1", "--pop-limit", "3"]).stdout == "A B\nA B\n"


def test_models_are_exported_for_the_chart_decoder_of_moses(tmp_path: Path) -> None:
    """The tables can be read again, and give the same translations."""
    made = decoder(*toy(tmp_path), HieroSettings(max_span=7), ONES)
    files = made.export_moses(tmp_path / "moses").files
    assert [path.name for path in files] == ["rule-table.gz", "glue-grammar", "lm.arpa", "moses.ini"]
    ini = (tmp_path / "moses" / "moses.ini").read_text()
    assert "[search-algorithm]\n3\n" in ini
    assert "[max-chart-span]\n7\n" in ini
    weights = {line.partition("=")[0]: line.split()[1:] for line in ini.splitlines() if "= " in line}
    table_weight, glue_weight = float(weights["TranslationModel0"][0]), float(weights["TranslationModel1"][0])
    assert glue_weight / table_weight == pytest.approx(-0.1)  # weights may be scaled
    again = import_rules(files[0], tmp_path / "again", format="moses-hiero", columns=["p", "q"]).table
    other = decoder(again, NgramModel.read_arpa(files[2]), UNLIMITED, ONES)
    assert other.translate(["a b"])[0].score == pytest.approx(made.translate(["a b"])[0].score, abs=1e-4)
    with pytest.raises(SettingError, match="how rules reorder"):
        made.with_settings(reordering_features=True).export_moses(tmp_path / "no")


@pytest.mark.parametrize("order", [1, 2, 3])
def test_templates_of_target_words_fire_as_for_the_text(order: int, tmp_path: Path) -> None:
    for seed in range(12):
        rules, words = random_grammar(seed)
        names = [f"target_ngram:order={order}", f"target_ngram:order={order % 3 + 1},label=other"]
        model = [LanguageModel("lm", language_model(seed))]
        made = HieroDecoder(grammar(rules, tmp_path / f"{seed}"), model, WEIGHTS, UNLIMITED, features=names)
        known = {symbol for rule in rules for symbol in rule.target if isinstance(symbol, str)}
        [found] = made.translate([" ".join(words)], forests=True)
        for derivation in found.nbest(40):
            units = [word if word in known else "<unk>" for word in derivation.target]
            for prefix, n in (("target_ngram:", order), ("target_ngram.other:", order % 3 + 1)):
                padded = ["<s>"] * (n - 1) + units + (["</s>"] if n > 1 else [])
                wanted = Counter("_".join(padded[i : i + n]) for i in range(len(padded) - n + 1))
                fired = {
                    name.removeprefix(prefix): value
                    for name, value in derivation.features.items()
                    if name.startswith(prefix)
                }
                assert fired == wanted


def test_boundaries_are_where_rules_meet(tmp_path: Path) -> None:
    table, model = toy(tmp_path)
    classes = ClassMap({"A": "1", "B": "2", "<unk>": "3"})
    features = [Boundaries(target_classes=classes)]
    made = HieroDecoder(table, [LanguageModel("lm", model)], ONES, UNLIMITED, features=features)
    [found] = made.translate(["a b"], forests=True)
    names = [sorted(name for name in each.features if name.startswith("boundary:")) for each in found.nbest(2)]
    assert [each.text for each in found.nbest(2)] == ["B A", "A B"]
    assert names == [
        ["boundary:1_</s>", "boundary:2_1", "boundary:<s>_2"],
        ["boundary:1_2", "boundary:2_</s>", "boundary:<s>_1"],
    ]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
@pytest.mark.parametrize("cube", ["pruning", "growing"])
def test_a_sentence_that_takes_long_can_be_interrupted(cube: str, tmp_path: Path) -> None:
    first, second = Nonterminal("X", 0), Nonterminal("X", 1)
    names, draw = "pqrstuvwxyz", random.Random(1)
    model = estimate([" ".join(draw.choices(names, k=8)) for _ in range(300)], order=3).build()
    words = [Rule(("a",), (name,), {"p": -0.1, "q": 0.0}, ((0, 0),), label="X") for name in names]
    both = [
        Rule((first, second), target, {"p": -0.4, "q": 0.0}, (), label="X")
        for target in ((first, second), (second, first))
    ]
    table = grammar([*words, *both], tmp_path / "t", max_span="0")
    slow = decoder(table, model).with_settings(cube=cube, pop_limit=20_000, beam=20_000)
    started = time.process_time()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            slow.translate(["a " * 60], threads=1)  # takes half a minute of the processor
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - started < 8


def test_every_training_pair_that_rules_derive_is_reached(tmp_path: Path) -> None:
    items = [item for item in synthetic.pair("en-de").generate(60, seed=7) if len(item.source.tokens) <= 12][:30]
    source = [" ".join(item.source.tokens) for item in items]
    target = [" ".join(item.target.tokens) for item in items]
    links = [item.pharaoh for item in items]
    models = [LanguageModel("lm", estimate(target, order=2).build())]

    def table(name: str, limits: HieroLimits) -> RuleTable:
        return extract(source, target, links, tmp_path / name, limits=limits).table

    # Where phrases may be as long as sentences, each pair is a rule.
    long = HieroDecoder(table("long", HieroLimits(max_phrase=40, max_symbols=40, tight=False)), models)
    assert all(long.force(source, target))
    # What a chart derives by prefix-lexicalised rules is derived from left to right, if rules may leave their end open.
    chart = HieroDecoder(table("chart", HieroLimits(prefix_lexicalised="before")), models)
    left = LeftToRightDecoder(
        table("left", LeftToRightLimits()), models, settings=LeftToRightSettings(right_boundary="abc")
    )
    by_chart, from_left = (
        {number for number, found in enumerate(decoder.force(source, target)) if found} for decoder in (chart, left)
    )
    assert by_chart
    assert by_chart <= from_left


@pytest.mark.parametrize(
    "glue", ["", "[S] ||| [X,1] ||| [X,1] ||| G=0\n", "[S] ||| [S,1] [X,2] ||| [S,1] [X,2] ||| G=1\n"]
)
def test_glue_cannot_be_missing(glue: str, tmp_path: Path) -> None:
    """Decoders make glue, so a grammar with none of it, or with one rule of two, translates all the same."""
    (tmp_path / "rules").write_text("[X] ||| a ||| A ||| p=-1\n[X] ||| b ||| B ||| p=-2\n" + glue)
    done = import_rules(tmp_path / "rules", tmp_path / "t", columns=["p"])
    assert (len(done.table), done.glue) == (2, int(bool(glue)))
    [found] = HieroDecoder(done.table, [], {"p": 1.0, "glue": -0.5}).translate(["a b a"])
    assert found.text == "A B A"
    assert found.features["glue"] == 2
    assert found.score == pytest.approx(-5)
