"""Soft syntactic constraints: specifications, grids against brute force, and what decoders make of them."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from dragoman._native.features import span_labels
from dragoman.annotations import Sentence, brackets
from dragoman.annotations.layers import Span
from dragoman.annotations.phrase_spans import phrase_spans
from dragoman.errors import SettingError
from dragoman.features import template
from dragoman.features.language_model import LanguageModel
from dragoman.features.soft_syntax import SoftSyntax, parse_constraints
from dragoman.grammar.augment import augment_table, rules_by_paraphrase
from dragoman.grammar.limits import GappyLimits, HieroLimits, LeftToRightLimits
from dragoman.grammar.phrases import extract
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.text.source_text import SourceText
from tests.features.test_templates import random_tree
from tests.reference_templates import crosses, syntax_value
from tests.search.setting import Setting

SPEC = "NP.VP2.IP_.XP=.all-labels+"
LIMITS = {"gappy": GappyLimits(), "hiero": HieroLimits(), "lr-hiero": LeftToRightLimits()}


def spelt(text: str) -> list[str]:
    return [str(term) for term in parse_constraints(text)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("NP.VP.IP=.QP.VP+", ["NP=", "VP=", "IP=", "QP+", "VP+"]),
        ("AdvP.VP.PP.IP=", ["ADVP=", "VP=", "PP=", "IP="]),
        ("IP2+VP2", ["IP=", "IP+", "VP=", "VP+"]),
        ("NP=.VP+", ["NP=", "VP+"]),
        ("NP+VP+", ["NP+", "VP+"]),
        ("XP_", ["XP_"]),
        ("all-labels2", ["all-labels=", "all-labels+"]),
        ("chiang-05", ["all-labels="]),
        ("NP=.NP2", ["NP=", "NP+"]),
        ("NP= VP2 XP+ AdvP_", ["NP=", "VP=", "VP+", "XP+", "ADVP_"]),
        (" NP VP= QP+ ", ["NP=", "VP=", "QP+"]),
        ("xp2", ["XP=", "XP+"]),
        ("coarse", ["XP=", "XP+"]),
        ("chiang05", ["all-labels="]),
    ],
)
def test_specifications_of_the_papers(text: str, terms: list[str]) -> None:
    assert spelt(text) == terms


def test_the_fine_set_has_22_features() -> None:
    assert len(parse_constraints("fine")) == 22
    assert parse_constraints("fine22") == parse_constraints("fine")


@pytest.mark.parametrize("text", ["", " ", "NP", "NP=.VP", "NP =", "=", "NP=;VP=", "NP==="])
def test_specifications_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(SettingError):
        parse_constraints(text)
    with pytest.raises(SettingError):
        SoftSyntax(constraints=text)


def test_labels_of_several_treebanks_mean_one_phrase() -> None:
    (term,) = parse_constraints("IP=")
    assert term.labels == ("IP", "S")
    assert {"SBAR", "S", "DP", "NP"} <= set(parse_constraints("XP=")[0].labels)
    assert "FRAG" not in parse_constraints("XP=")[0].labels
    assert parse_constraints("S=")[0].labels == ("S",)


def test_labels_that_nobody_has_are_refused_with_those_that_were_seen() -> None:
    made = SoftSyntax(constraints="NP=.NX+")
    made.check_labels(())
    made.check_labels({"NX", "S"})
    with pytest.raises(SettingError, match=r"'NX'.*the text has NP, S"):
        made.check_labels({"S", "NP"})
    SoftSyntax(constraints="fine").check_labels({"S"})


@pytest.mark.parametrize("seed", range(40))
def test_grids_equal_brute_force_on_random_trees(seed: int) -> None:
    random = Random(seed)
    size, longest = random.randint(1, 14), random.randint(1, 14)
    tree = Sentence.of(["w"] * size, constituents=random_tree(0, size, random))
    nodes = phrase_spans(tree)
    labels = ["NP", "VP", "S"]
    found = span_labels(list(nodes), labels, length=size, longest=longest)
    assert [each[:2] for each in found] == [
        (i, j) for i in range(size) for j in range(i + 1, size + 1) if j - i <= min(longest, size)
    ]
    for start, end, matching, crossing in found:
        matched = {label for label, a, b in nodes if (a, b) == (start, end)}
        crossed = {label for label, a, b in nodes if crosses((start, end), (a, b))}
        assert set(matching) == (matched & set(labels)) | ({""} if matched else set())
        assert set(crossing) == (crossed & set(labels)) | ({""} if crossed else set())


def test_the_sentence_of_the_minister() -> None:
    """The spans that Chiang (2005) rewards: phrases, but not the words of one; all labels of a chain count."""
    tree = brackets.parse_tree(
        "(ROOT (S (NP-SBJ (DT the) (NN minister)) (VP (VBD gave) (NP (DT a) (NN speech)) (NP (ADVP (NN yesterday))))))"
    )
    spans = {
        (a, b): matching
        for a, b, matching, _ in span_labels(list(phrase_spans(tree)), ["NP", "ADVP"], length=6, longest=6)
    }
    assert {span for span, labels in spans.items() if "" in labels} == {(0, 2), (3, 5), (5, 6), (2, 6), (0, 6)}
    assert set(spans[5, 6]) == {"NP", "ADVP", ""}


def test_the_sentence_of_the_minister_has_9_spans_that_cross() -> None:
    """Marton's worked example: of 21 spans 5 match, 9 cross, and 7 do neither."""
    nodes = [("IP", 0, 6), ("NP", 0, 2), ("VP", 2, 6), ("NP", 3, 5), ("NP", 5, 6)]
    found = span_labels(nodes, ["IP", "NP", "VP"], length=6, longest=6)
    crossed = {(a, b): set(crossing) - {""} for a, b, _, crossing in found if crossing}
    assert crossed == {
        **dict.fromkeys([(0, 3), (0, 5)], frozenset({"VP"})),
        **dict.fromkeys([(0, 4), (1, 3), (1, 4), (1, 5)], frozenset({"NP", "VP"})),
        **dict.fromkeys([(1, 6), (2, 4), (4, 6)], frozenset({"NP"})),
    }
    matched = {(a, b) for a, b, matching, _ in found if matching}
    assert (len(found), len(matched), len(found) - len(matched) - len(crossed)) == (21, 5, 7)


def test_two_derivations_of_three_words(tmp_path: Path) -> None:
    """Marton's worked example: with `XP=` .5 and `XP+` -.8, rules over a and b c get 1.0, over a b and c -.8."""
    weights = {"unknown": 100.0, "syntax:XP.match": 0.5, "syntax:XP.cross": -0.8}
    tree = brackets.parse_tree("(IP (NP (X a)) (VP (X b) (X c)))")
    for number, (source, target, worth) in enumerate(
        ((["a", "b c"], ["A", "BC"], 1.0), (["a b", "c"], ["AB", "C"], -0.8))
    ):
        links = [" ".join(f"{i}-0" for i in range(len(each.split()))) for each in source]
        table = extract(source, target, links, tmp_path / f"rules.{number}", limits=HieroLimits()).table
        decoder = HieroDecoder(table, [], features=[template("syntax:constraints=XP2")])
        [found] = decoder.with_weights(weights).translate([SourceText.annotated(tree)])
        assert found.text == " ".join(target)
        assert found.score == pytest.approx(worth)


def test_phrases_are_read_off_the_best_layer() -> None:
    words = ["that", "the", "old", "man", "sees", "dogs", "and", "cats", "in", "Rome"]
    parsed = Sentence.of(
        words,
        pos=["SCONJ", "DET", "ADJ", "NOUN", "VERB", "NOUN", "CCONJ", "NOUN", "ADP", "PROPN"],
        dependencies=(
            [4, 3, 3, 4, -1, 4, 7, 5, 9, 4],
            ["mark", "det", "amod", "nsubj", "root", "obj", "cc", "conj", "case", "obl"],
        ),
        chunks=[Span("NP", 1, 4)],
    )
    assert set(phrase_spans(parsed)) == {
        ("SBAR", 0, 10),
        ("S", 1, 10),
        ("NP", 1, 4),
        ("ADJP", 2, 3),
        ("VP", 4, 10),
        ("NP", 5, 8),
        ("NP", 5, 6),
        ("NP", 7, 8),
        ("PP", 8, 10),
        ("NP", 9, 10),
    }
    assert phrase_spans(parsed, "chunks") == (("NP", 1, 4),)
    assert phrase_spans(parsed, "constituents") == ()
    crossing = Sentence.of(["a", "b", "c"], pos=["NOUN"] * 3, dependencies=([2, -1, 1], ["x", "root", "y"]))
    assert phrase_spans(crossing) == (("NP", 0, 3), ("NP", 0, 1)), "a subtree with a gap in it is no phrase"


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("syntax"), "")


def made(name: str, setting: Setting, *features: str, **settings: object) -> Decoder:
    table = setting.rules(LIMITS[name]) if name in LIMITS else setting.table
    return DECODERS.get(name).open(
        lambda _: table.path,
        [LanguageModel("lm", setting.model)],
        {"pop_limit": 40, "beam": 40, **settings},
        features=[template(each) for each in features],
    )


def trees(setting: Setting, seed: int) -> list[SourceText]:
    random = Random(seed)
    found = []
    for line in setting.sentences[:6]:
        words = line.split()
        found.append(SourceText.annotated(Sentence.of(words, constituents=random_tree(0, len(words), random))))
    return found


@pytest.mark.parametrize("kind", ["phrase", "gappy", "hiero", "lr-hiero"])
def test_every_rule_of_a_translation_fires_by_its_span(kind: str, setting: Setting) -> None:
    plainly = {"right_boundary": "none"} if kind == "lr-hiero" else {}
    decoder = made(kind, setting, f"syntax:constraints={SPEC}", **plainly)
    random, terms = Random(3), parse_constraints(SPEC)
    names = {f"syntax:{term.name}": term for term in terms}
    decoder = decoder.with_weights(decoder.weights | {name: random.uniform(-2, 2) for name in names})
    texts = trees(setting, 5)
    plain = made(kind, setting, **plainly).translate(texts)
    differ = 0
    for text, found, bare in zip(texts, decoder.translate(texts, forests=True), plain, strict=True):
        assert text.annotation is not None
        phrases = phrase_spans(text.annotation)
        wanted: Counter[str] = Counter()
        for step in found.phrases:
            for name, term in names.items():
                # From left to right, glue is a phrase put to a longer span: what counts is the phrase.
                whole = kind != "phrase" and "glue" not in step.features
                value = syntax_value(term, step.within if whole else step.source_span, phrases)
                assert step.features.get(name, 0) == value
                wanted[name] += value  # type: ignore[assignment]
        assert {n: v for n, v in found.features.items() if n in names and v} == {n: v for n, v in wanted.items() if v}
        assert found.score == pytest.approx(sum(decoder.weights[n] * v for n, v in found.features.items()), abs=1e-6)
        assert found.nbest(1)[0].score == pytest.approx(found.score, abs=1e-6)
        differ += found.text != bare.text
    assert differ, "constraints with such weights change translations"


def test_exact_search_knows_them(setting: Setting) -> None:
    feature = "syntax:constraints=NP2.all-labels="
    weights = {"syntax:NP.match": 1.5, "syntax:NP.cross": -1.0, "syntax:all-labels.match": 0.7}
    for kind in ("phrase", "hiero"):
        wide = made(kind, setting, feature, pop_limit=3000, beam=3000)
        wide = wide.with_weights(wide.weights | weights)
        texts = [text for text in trees(setting, 2) if len(text.text.split()) < 7][:2]
        for exact, found in zip(
            wide.with_settings(search="exact").translate(texts), wide.translate(texts), strict=True
        ):
            assert exact.proof is not None
            assert exact.score >= found.score - 1e-6
            assert exact.score == pytest.approx(sum(wide.weights[n] * v for n, v in exact.features.items()), abs=1e-6)


def test_knowledge_of_syntax_and_of_meaning_is_one_score(setting: Setting, tmp_path: Path) -> None:
    """Hierarchical rules, a rule for an unknown word taken from a paraphrase, and constraints that weigh or forbid."""
    table, text = setting.rules(LIMITS["hiero"]), trees(setting, 5)[0]
    assert text.annotation is not None
    known = next(word for word in text.annotation.words if table.lookup(word))
    rules = rules_by_paraphrase(table, {"unheard": [(known, 0.5)]}, split="1")
    more = augment_table(table, rules, tmp_path / "more")
    words = ["unheard" if word == known else word for word in text.annotation.words]
    unheard = SourceText.annotated(Sentence.of(words, constituents=text.annotation.constituents))
    settings = HieroSettings(pop_limit=40, beam=40)
    decoder = HieroDecoder(
        more, [LanguageModel("lm", setting.model)], features=[template("syntax:constraints=XP2")], settings=settings
    )
    weights = decoder.start_weights() | {"paraphrase.1": 0.5, "syntax:XP.match": 0.4, "syntax:XP.cross": -0.7}
    decoder = decoder.with_weights(weights)
    [soft] = decoder.translate([unheard])
    assert "unheard" not in soft.unknown_words
    assert soft.features["paraphrase.1"] == pytest.approx(words.count("unheard") * math.log(0.5))
    assert soft.features["syntax:XP.match"] > 0
    assert soft.score == pytest.approx(sum(weights[name] * value for name, value in soft.features.items()), abs=1e-6)
    [hard] = decoder.with_settings(hard_syntax="no_cross").translate([unheard])
    assert not hard.features.get("syntax:XP.cross")
    assert "paraphrase.1" in hard.features


def test_glue_fires_only_if_it_is_told_to(setting: Setting) -> None:
    texts = trees(setting, 1)
    counts = []
    for glue in ("", ",glue"):
        decoder = made("hiero", setting, f"syntax:constraints=all-labels={glue}", max_span=3)
        forests = decoder.translate(texts, forests=True)
        counts.append(sum(each.features.get("syntax:all-labels.match", 0) for each in forests))
    assert counts[1] > counts[0]


def test_without_a_tree_sentences_are_translated_and_that_is_said_once(setting: Setting) -> None:
    decoder = made("hiero", setting, "syntax:constraints=XP2")
    bare, marked = setting.sentences[:2], trees(setting, 1)[2:3]
    with pytest.warns(UserWarning, match="2 of 3 sentences have no phrases: syntax cannot fire"):
        found = decoder.translate([*bare, *marked])
    assert [each.text for each in found[:2]] == [each.text for each in made("hiero", setting).translate(bare)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decoder.translate(bare)


def test_long_sentences_are_cut_with_their_trees(setting: Setting) -> None:
    decoder = made("phrase", setting, "syntax:constraints=NP2", max_sentence_length=4)
    line = " ".join(setting.sentences[:3])
    words = line.split()
    text = SourceText.annotated(Sentence.of(words, constituents=random_tree(0, len(words), Random(4))))
    assert decoder.translate([text])[0].text


def test_too_many_labels_are_refused(setting: Setting) -> None:
    labels = ".".join(a + b for a in "ABCDEFGH" for b in "ABCDEFGH")
    with pytest.raises(SettingError, match="more than 63 labels"):
        made("hiero", setting, f"syntax:constraints={labels}=")


def test_specifications_go_through_recipes_and_bundles(tmp_path: Path) -> None:
    from dragoman.pipeline.recipe import Recipe

    recipe = Recipe(kind="hiero", syntax="NP.VP=.QP+", tuner="mira")
    (spec,) = recipe.template_specs(5000)
    assert str(spec.make()) == "syntax"
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    with pytest.raises(SettingError, match="without a kind"):
        Recipe(syntax="NP")
