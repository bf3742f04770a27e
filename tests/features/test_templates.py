from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.annotations import Constituent, Sentence
from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.features import TEMPLATES, preset, template
from dragoman.features.frequencies import InverseFrequencies, frequent_words, function_words
from dragoman.features.template import Domains, Template
from dragoman.features.weights import Weights
from dragoman.forest import Derivation
from dragoman.grammar.dynamic import DynamicTable
from dragoman.grammar.phrases import extract
from dragoman.grammar.rule import Rule
from dragoman.grammar.table import RuleTable
from dragoman.lm import NgramModel, estimate
from dragoman.lm.classes import ClassMap
from dragoman.search.constraints import Constraints, ExtraOption
from dragoman.search.phrase import LanguageModel, PhraseDecoder, PhraseSettings
from dragoman.search.translation import SentenceTranslation
from dragoman.settings import declared
from dragoman.text import synthetic
from dragoman.text.source_text import SourceText
from tests.reference_templates import Step, all_fired, coded, fired

TAGS = ("NN", "VB", "DT", "JJ", ".")
DOMAINS = Domains(("news", "web", "talk"))


def shuffled_classes(words: Sequence[str], seed: int) -> ClassMap:
    """Classes without sense, but with an empty one for nothing: tests must not depend on good ones."""
    random = Random(seed)
    return ClassMap({"<unk>": "9"} | {word: str(random.randrange(6)) for word in sorted(set(words))})


def random_tree(start: int, end: int, random: Random) -> Constituent:
    """Phrases over these words, some of them with one child only."""
    children: list[Constituent | int] = []
    at = start
    while at < end:
        stop = random.randint(at + 1, end)
        if random.random() < 0.5 or stop - at == end - start:
            children += range(at, stop)
        else:
            children.append(random_tree(at, stop, random))
        at = stop
    found = Constituent(random.choice(("S", "NP", "VP-SBJ", "PP", "FRAG")), tuple(children))
    return Constituent("NP", (found,)) if random.random() < 0.2 else found


class World:
    """A table, a language model, classes and marked sentences, from a synthetic bitext with its gold alignment."""

    def __init__(self, folder: Path, pairs: int = 250) -> None:
        items = list(synthetic.pair("en-de").generate(pairs, seed=4))
        source = [" ".join(item.source.tokens) for item in items]
        target = [" ".join(item.target.tokens) for item in items]
        lines = {"web": list(range(0, pairs, 3)), "talk": list(range(0, pairs, 5))}
        alignment = [item.pharaoh for item in items]
        self.table = extract(source, target, alignment, folder / "t.table", domains=lines).table
        self.model: NgramModel = estimate(target, order=2).build()
        self.source_classes = shuffled_classes([w for line in source for w in line.split()][::2], 1)
        self.target_classes = shuffled_classes([w for line in target for w in line.split()][::2], 2)
        self.source_words, self.target_words = function_words(source, size=8), function_words(target, size=8)
        self.frequent = frequent_words(target, size=20)
        self.source_idf, self.target_idf = InverseFrequencies.of(source), InverseFrequencies.of(target)
        held = synthetic.pair("en-de").generate(12, seed=4, start=1000)
        plain = [" ".join(item.source.tokens) for item in held] + ["Zyx the ( house ) , 1999 a_b=c ."]
        self.sentences = [self.marked(line, Random(number)) for number, line in enumerate(plain)]
        self.known = {self.table.native.target_word(i) for i in range(1, self.table.native.target_size)}

    @staticmethod
    def marked(line: str, random: Random) -> SourceText:
        size = len(line.split())
        heads = [random.randrange(place) if place else -1 for place in range(size)]
        tree = (heads, ["dep"] * size)
        sentence = Sentence.of(
            line.split(),
            tags=random.choices(TAGS, k=size),
            dependencies=tree,
            constituents=random_tree(0, size, random),
        )
        return SourceText.annotated(sentence, domain=random.choice(DOMAINS.names))

    @cached_property
    def everything(self) -> dict[str, Template]:
        """Every template with its resources, and variants of some."""
        classes: dict[str, object] = {"source_classes": self.source_classes, "target_classes": self.target_classes}
        resources: dict[str, dict[str, object]] = {
            "rule": {"min_count": 2, "domains": DOMAINS},
            "link": {"domains": DOMAINS},
            "delete": {},
            "insert": {},
            "rule_class": classes,
            "link_class": classes | {"unit": "clique"},
            "orient_class": classes,
            "delete_class": {"source_classes": self.source_classes},
            "orient": {"min_count": 3, "domains": DOMAINS},
            "insert_class": {"target_classes": self.target_classes},
            "target_class": {"target_classes": self.target_classes},
            "class_ngram": {"target_classes": self.target_classes, "order": 3},
            "target_ngram": {"order": 2},
            "boundary": {"target_classes": self.target_classes},
            "shape": {},
            "punctuation": {},
            "jump": {},
            "function_words": {"source_words": self.source_words, "target_words": self.target_words},
            "idf": {"source": self.source_idf, "target": self.target_idf},
            "delete_pos": {"frequent": self.frequent},
            "delete_head": {"frequent": self.frequent},
            "pos_order": {},
            "domain": {"domains": DOMAINS},
            "domain_adjacent": {"domains": DOMAINS},
            "syntax": {"constraints": "NP.IP2.XP_.all-labels=.PP+"},
        }
        made = {name: template(name, **options) for name, options in resources.items()}
        variants = [
            template("rule", label="all"),
            template("link:unit=clique,label=clique"),
            template("orient:classes=2,sides=next,label=coarse"),
            template("orient:sides=previous,label=previous"),
            template("orient_class:classes=2,label=coarse", **classes),
            template("shape:parts=both,label=both"),
            template("target_ngram:order=1,label=one"),
            template("target_ngram:order=4,label=four"),
            template("idf:squared,label=squared", source=self.source_idf, target=self.target_idf),
        ]
        return made | {variant.prefix: variant for variant in variants}

    def decoder(self, templates: Sequence[Template | str], **options: object) -> PhraseDecoder:
        chosen = PhraseSettings(**{"pop_limit": 30, "beam": 30, **options})  # type: ignore[arg-type]
        decoder = PhraseDecoder(self.table, [LanguageModel("lm", self.model)], {}, chosen, features=templates)
        return decoder.with_weights(decoder.start_weights())

    def steps(self, translation: SentenceTranslation) -> list[Step]:
        return [
            self.step(
                p.source_span,
                p.source,
                p.target,
                [(s - p.source_span[0], t - p.target_span[0]) for s, t in p.links],
                known=not p.unknown,
            )
            for p in translation.phrases
        ]

    def step(
        self,
        span: tuple[int, int],
        source: Sequence[str],
        target: Sequence[str],
        links: Sequence[tuple[int, int]],
        *,
        known: bool,
    ) -> Step:
        number = self.table.find(source, target) if known else None
        rule: Rule | None = None if number is None else self.table.rule(number)
        marked = frozenset(name for name in DOMAINS.names if rule and rule.values.get(f"domain.{name}", 0) > 0)
        count = rule.counts.joint if rule and rule.counts else None
        return Step(span, tuple(source), tuple(target), tuple(links), count, marked)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("templates"))


def random_weights(decoder: PhraseDecoder, names: Sequence[str], seed: int, size: float = 0.3) -> Weights:
    random = Random(seed)
    return decoder.weights | {name: random.uniform(-size, size) for name in sorted(names)}


def sparse(features: dict[str, float], templates: Sequence[Template]) -> dict[str, float]:
    prefixes = tuple(each.prefix + ":" for each in templates)
    plain = {each.prefix for each in templates}
    return {name: value for name, value in features.items() if value and (name in plain or name.startswith(prefixes))}


ELSEWHERE = ("extra", "structure", "structure_probability")
"""They make rules, or look at gaps, and have tests of their own."""
VARIANTS = (
    "link.clique", "orient.coarse", "orient.previous", "orient_class.coarse", "shape.both", "target_ngram.one",
    "target_ngram.four", "idf.squared", "rule.all",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(name for name in TEMPLATES if name not in ELSEWHERE), *VARIANTS])
def test_each_template_fires_what_its_definition_says(world: World, name: str) -> None:
    chosen = world.everything[name]
    decoder = world.decoder([chosen])
    found = decoder.translate(world.sentences)
    names: set[str] = set()
    for sentence, translation in zip(world.sentences, found, strict=True):
        expected = fired(chosen, world.steps(translation), sentence, world.known)
        assert sparse(translation.features, [chosen]) == pytest.approx(expected)
        names |= set(expected)
    assert names, "the test must see it fire"
    weighted = decoder.with_weights(random_weights(decoder, sorted(names), 3))
    for translation in weighted.translate(world.sentences[:5]):
        assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)


def names_seen(decoder: PhraseDecoder, sentences: Sequence[SourceText]) -> list[str]:
    return sorted({name for t in decoder.translate(sentences) for name in t.features})


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_scores_recompute_with_any_templates_and_weights(world: World, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(world.everything)), unique=True, max_size=33))
    seed = data.draw(st.integers(0, 1000))
    chosen = [world.everything[name] for name in names]
    search = data.draw(st.sampled_from(["cube", "stack"]))
    decoder = world.decoder(chosen, search=search, pop_limit=20, beam=20, check_features=True)
    sentences = Random(seed).sample(world.sentences, 2)
    decoder = decoder.with_weights(random_weights(decoder, names_seen(decoder, sentences), seed))
    for sentence, translation in zip(sentences, decoder.translate(sentences, forests=True), strict=True):
        assert translation.rescore() == pytest.approx(translation.score, abs=1e-6)
        assert sparse(translation.features, chosen) == pytest.approx(
            all_fired(chosen, world.steps(translation), sentence, world.known)
        )
        for derivation in translation.nbest(25):
            assert derivation.rescore(decoder.weights) == pytest.approx(derivation.score, abs=1e-6)
            check_derivation(world, chosen, sentence, derivation)


def check_derivation(world: World, chosen: Sequence[Template], sentence: SourceText, derivation: Derivation) -> None:
    """Recombined derivations have the features that their own steps fire: states forget nothing."""
    words = sentence.text.split()
    steps = []
    for step in reversed(derivation.steps):  # from the first phrase to the last
        if not step.positions:
            continue
        start, end = step.positions[0], step.positions[-1] + 1
        target = [symbol for symbol in step.target if isinstance(symbol, str)]
        links = [(s, t - 1) for s, t in derivation.forest.edge(step.edge).links]
        known = world.table.find(words[start:end], target) is not None
        steps.append(world.step((start, end), words[start:end], target, links, known=known))
    assert sparse(dict(derivation.features), chosen) == pytest.approx(all_fired(chosen, steps, sentence, world.known))


def brute_force(world: World, decoder: PhraseDecoder, sentence: SourceText, most: int) -> float:
    """The best score over all ways to cut, translate and order a sentence."""
    words = sentence.text.split()
    options: dict[tuple[int, int], list[tuple[Step, float]]] = {}
    for start, end, first, last in world.table.match(sentence.text, max_length=3):
        for number in range(first, last)[:most]:
            rule = world.table.rule(number)
            target = [str(symbol) for symbol in rule.target]
            step = world.step((start, end), words[start:end], target, rule.links, known=True)
            value = sum(decoder.weights[name] * value for name, value in rule.values.items() if name != "domain")
            options.setdefault((start, end), []).append((step, value))
    best = -math.inf
    cuts = (
        [[]]
        if not words
        else [
            [(a, b) for a, b in zip((0, *inner), (*inner, len(words)), strict=True)]
            for size in range(len(words))
            for inner in itertools.combinations(range(1, len(words)), size)
        ]
    )
    for cut in cuts:
        if not all(span in options for span in cut):
            continue
        for order in itertools.permutations(cut):
            for choice in itertools.product(*(options[span] for span in order)):
                steps = [step for step, _ in choice]
                best = max(best, sum(value for _, value in choice) + extra_score(world, decoder, steps, sentence))
    return best


def extra_score(world: World, decoder: PhraseDecoder, steps: Sequence[Step], sentence: SourceText) -> float:
    weights = decoder.weights
    text = " ".join(word for step in steps for word in step.target)
    jumps = sum(abs(b.span[0] - a) for a, b in zip((0, *(s.span[1] for s in steps)), steps, strict=False))
    score = weights["lm"] * float(world.model.score([text])[0]) - weights["distortion"] * jumps
    score += weights["phrase_penalty"] * len(steps) - weights["word_penalty"] * len(text.split())
    values = all_fired(decoder.templates, steps, sentence, world.known)
    return score + sum(weights[name] * value for name, value in values.items())


@pytest.mark.parametrize("seed", range(4))
def test_unpruned_search_equals_brute_force(world: World, tmp_path: Path, seed: int) -> None:
    # a table of few rules, so that everything can be tried
    source, target = ["a b c", "c a", "b d", "d"], ["x y z", "z x", "y w", "v"]
    links = ["0-0 1-1 2-2", "0-0 1-1", "0-1", "0-0"]
    small = extract(source, target, links, tmp_path / "s.table", domains={"web": [0], "talk": [1]}).table
    tiny = object.__new__(World)
    tiny.__dict__.update(world.__dict__ | {"table": small})
    tiny.known = {small.native.target_word(i) for i in range(1, small.native.target_size)}
    random = Random(seed)
    sentence = World.marked(random.choice(["a b c d", "c a b", "d b c a"]), random)
    chosen = random.sample(sorted(world.everything), 14)
    decoder = tiny.decoder(
        [world.everything[name] for name in chosen],
        search="stack",
        beam=100_000,
        distortion_limit=-1,
        option_limit=1000,
        max_phrase_length=3,
    )
    decoder = decoder.with_weights(random_weights(decoder, names_seen(decoder, [sentence]), seed, 1.0))
    [found] = decoder.translate([sentence])
    assert found.score == pytest.approx(brute_force(tiny, decoder, sentence, 100), abs=1e-6)


def test_threads_and_other_decoders_change_nothing(world: World) -> None:
    templates = [*world.everything.values()]
    first = world.decoder(templates)
    weights = random_weights(first, names_seen(first, world.sentences), 5)
    once = [t.to_dict() | {"seconds": 0} for t in first.with_weights(weights).translate(world.sentences, threads=1)]
    for threads in (1, 2, 7):
        fresh = world.decoder(templates).with_weights(weights)
        again = [t.to_dict() | {"seconds": 0} for t in fresh.translate(world.sentences, threads=threads)]
        assert again == once


@pytest.mark.slow
def test_what_a_decoder_remembers_changes_nothing(world: World) -> None:
    templates = [*world.everything.values()]
    weights = random_weights(world.decoder(templates), names_seen(world.decoder(templates), world.sentences), 6)
    layered = DynamicTable(world.table)
    word = world.sentences[0].text.split()[0]

    def decoder() -> PhraseDecoder:
        settings = PhraseSettings(pop_limit=30, beam=30)
        return PhraseDecoder(layered, [LanguageModel("lm", world.model)], weights, settings, features=templates)

    old = decoder()  # meets sentences of other domains, with unknown words and terms of their own, in between
    for rules in ([], [(word, "Zett")], [("zyx", "Ypsilon"), (word, "Zett Ypsilon")]):
        for source, target in rules:
            layered.add(source, target, links=[(0, 0)])
        for sentence in (*world.sentences[::3], *world.sentences[::-6]):
            extra = [Constraints((ExtraOption(0, 1, "Ein Begriff"), ExtraOption(0, 1, "Begriff")))]
            for options in ([], extra):
                [found], [fresh] = (d.translate([sentence], constraints=options, threads=1) for d in (old, decoder()))
                assert found.to_dict() | {"seconds": 0} == fresh.to_dict() | {"seconds": 0}
                assert found.rescore() == pytest.approx(found.score, abs=1e-6)


def test_a_template_that_weighs_nothing_changes_no_score(world: World) -> None:
    plain = world.decoder([]).translate(world.sentences)
    silent = world.decoder(["rule", "link", "delete", "shape", "jump"]).translate(world.sentences)  # no finer states
    assert [t.text for t in plain] == [t.text for t in silent]
    assert [t.score for t in plain] == pytest.approx([t.score for t in silent])


def test_unknown_words_and_terms_fire_classes_but_no_words(world: World) -> None:
    names = ["rule.all", "link", "delete", "orient", "rule_class", "link_class", "orient_class", "shape", "jump"]
    decoder = world.decoder([world.everything[name] for name in names])
    sentence = SourceText("Zyx", "web")
    extra = [Constraints((ExtraOption(0, 1, "Ein Begriff", policy="exclusive"),))]
    for translation in (*decoder.translate([sentence]), *decoder.translate([sentence], constraints=extra)):
        fired_names = {name.partition(":")[0] for name in translation.features}
        assert not fired_names & {"rule.all", "link", "delete", "orient"}
        assert fired_names >= {"rule_class", "orient_class", "shape", "jump"}


def test_long_sentences_fire_piece_by_piece(world: World) -> None:
    chosen = [world.everything[name] for name in ("delete_head", "pos_order", "rule", "boundary", "orient")]
    decoder = world.decoder(chosen, max_sentence_length=6)
    line = " ".join(each.text for each in world.sentences[:4])
    [found] = decoder.translate([World.marked(line, Random(5))], forests=True)
    assert found.rescore() == pytest.approx(found.score, abs=1e-6)
    assert {name.partition(":")[0] for name in found.features} >= {"pos_order", "rule", "boundary", "orient"}


def test_rules_added_at_run_time_count_as_terms(world: World) -> None:
    layered = DynamicTable(world.table)
    layered.add("zyx", "Zett", links=[(0, 0)])
    chosen = [world.everything["rule_class"], template("rule"), template("shape")]
    decoder = PhraseDecoder(layered, [], {"phrase.ts": 1.0}, features=chosen)
    [found] = decoder.translate(["zyx"])
    assert found.text == "Zett"
    assert {n for n in found.features if ":" in n} == {
        "rule_class:9>9",
        "shape:source.1",
        "shape:target.1",
        "shape:1x1",
    }


def test_worked_example_of_distortion_and_orientation(tmp_path: Path) -> None:
    # Rules over [0, 2), [4, 6), [2, 4), in this order: jumps 0, -2 and 4; discontinuous, then swap.
    table = extract(["a b", "c d", "e f"], ["A B", "C D", "E F"], ["0-0 0-1 1-0 1-1"] * 3, tmp_path / "t").table
    decoder = PhraseDecoder(table, [], {"jump:-2": 5.0, "unknown": 99.0}, features=["jump", "orient"])
    [found] = decoder.translate(["a b c d e f"])
    assert [phrase.source_span for phrase in found.phrases] == [(0, 2), (4, 6), (2, 4)]
    jumps = {name: value for name, value in found.features.items() if name.startswith("jump:")}
    assert jumps == {"jump:0": 1, "jump:-2": 1, "jump:negative": 1, "jump:4": 1, "jump:positive": 1}
    assert {name for name in found.features if name.startswith("orient:previous")} == {
        "orient:previous.monotone:a_b>A_B",
        "orient:previous.discontinuous:e_f>E_F",
        "orient:previous.nonmonotone:e_f>E_F",
        "orient:previous.swap:c_d>C_D",
        "orient:previous.nonmonotone:c_d>C_D",
    }


def test_worked_example_of_cliques(tmp_path: Path) -> None:
    table = extract(["a b c"], ["x y"], ["0-0 1-0 2-1"], tmp_path / "t").table
    [found] = PhraseDecoder(table, [], {"phrase_penalty": -9.0}, features=["link:unit=clique"]).translate(["a b c"])
    assert {n: v for n, v in found.features.items() if n.startswith("link")} == {"link:a_b>x": 1, "link:c>y": 1}


def test_worked_example_of_inverse_frequencies(tmp_path: Path) -> None:
    source = InverseFrequencies({"gouvernement": 2.2, "le": 0.15}, 9.0)
    target = InverseFrequencies({"the": 0.1, "government": 2.0}, 9.0)
    table = extract(["gouvernement", "le"], ["the", "government"], ["0-0", "0-0"], tmp_path / "t").table
    decoder = PhraseDecoder(table, [], {}, features=[template("idf", source=source, target=target)])
    first, second = decoder.translate(["gouvernement", "le"])
    assert (first.features["idf:source"], second.features["idf:target"]) == pytest.approx((2.1, 1.85))


def test_copies_for_a_domain(world: World) -> None:
    decoder = world.decoder([template("rule", domains=DOMAINS), template("domain", domains=DOMAINS)])
    assert not any(name.startswith("domain.") for name in decoder.feature_names)
    for domain in ("web", ""):
        [found] = decoder.translate([SourceText(world.sentences[0].text, domain)])
        rules = {name for name in found.features if name.startswith("rule:")}
        shared = {name for name in rules if "@" not in name}
        assert rules - shared == {f"{name}@{domain or 'news'}" for name in shared}
        assert ("domain:rule@web" in found.features) == (domain == "web")
    with pytest.raises(InputError, match="sentence 1: no domain is called 'sport'"):
        decoder.translate([SourceText("the house", "sport")])
    strict = world.decoder([template("rule", domains=Domains(("web",), default=""))])
    with pytest.raises(InputError, match="a sentence without a domain"):
        strict.translate(["the house"])


def test_options_are_limited_with_what_templates_will_add(world: World) -> None:
    decoder = world.decoder([template("rule", domains=DOMAINS)], option_limit=2)
    words = {word for each in world.sentences for word in each.text.split()}
    found = {word: world.table.match([word]) for word in sorted(words)}
    word = max(found, key=lambda word: sum(match.last - match.first for match in found[word]))
    every = decoder.with_settings(option_limit=100).translate([word], forests=True)[0].nbest(100)
    usual = {found.text for found in decoder.translate([word], forests=True)[0].nbest(100)}
    assert len(usual) == 2
    rare = every[-1]
    assert rare.text not in usual
    [name, copy] = sorted(name for name in rare.features if name.startswith("rule:"))
    wide = every[0].score - rare.score + 1.0
    for weighted in (name, copy):
        liked = decoder.with_weights({**decoder.weights, weighted: wide})
        assert liked.translate([word])[0].text == rare.text, "only its sparse weight could save it"
        assert liked.translate([word], forests=True)[0].rescore() == pytest.approx(liked.translate([word])[0].score)
    # a weight for one domain does not keep the rule in another, whichever came first
    liked = decoder.with_weights({**decoder.weights, copy: wide})
    asked = [SourceText(word, domain) for domain in ("web", "news", "web", "", "talk")]
    texts = [each.text for each in liked.translate(asked, threads=1)]
    assert [text == rare.text for text in texts] == [False, True, False, True, False]
    # rules of a layer above the table compete with those of the table by all that counts, too
    layered = DynamicTable(world.table)
    for number in range(3):
        layered.add(word, f"new{number}")
    models = [LanguageModel("lm", world.model)]
    above = PhraseDecoder(layered, models, decoder.weights, decoder.settings, features=decoder.features)
    assert above.with_weights({**decoder.weights, name: wide + 100}).translate([word])[0].text == rare.text


def test_missing_tags_are_said_once(world: World) -> None:
    decoder = world.decoder(["pos_order"])
    with pytest.warns(UserWarning, match="1 of 2 sentences have no tags: pos_order"):
        decoder.translate(["the house", world.sentences[0]])
    decoder.translate(["the house"])


@pytest.mark.slow
@given(st.text(min_size=1, max_size=8))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_names_survive_a_weight_file(tmp_path_factory: pytest.TempPathFactory, word: str) -> None:
    if len(word.split()) != 1 or word != word.strip() or any("\ud800" <= c <= "\udfff" for c in word):
        return
    name = f"rule:{coded(word)}>x"
    assert not any(c.isspace() or c in "#=" for c in name)
    path = tmp_path_factory.mktemp("weights") / "w"
    Weights({name: 1.5}).save(path)
    assert dict(Weights.load(path)) == {name: 1.5}


def test_hostile_words_are_coded_alike(tmp_path: Path) -> None:
    words = ["a_b", "c>d", "#e", "f=", "100%", "g@h", "i\u00a0j", "k\u3000l", "m\u2009n", "o\x1fp", "é", "q:r"]
    table = extract(words, words, ["0-0"] * len(words), tmp_path / "t").table
    for found, word in zip(PhraseDecoder(table, [], {}, features=["rule"]).translate(words), words, strict=True):
        assert [n for n in found.features if n.startswith("rule:")] == [f"rule:{coded(word)}>{coded(word)}"]


def test_specifications() -> None:
    assert template("rule:min_count=51") == template("rule", min_count=51)
    assert template("orient:sides=next,classes=2,domains=news+web") == template(
        "orient", sides=("next",), classes=2, domains=Domains(("news", "web"))
    )
    for spec, message in [
        ("rule:size=3", "rule has no setting 'size'"),
        ("rule:min_count=many", "whole number"),
        ("rule_class", "needs source_cl"),
    ]:
        with pytest.raises((SettingError, UnknownName), match=message):
            template(spec)
    with pytest.raises(UnknownName, match="did you mean 'orient'"):
        template("orientt")
    with pytest.raises(SettingError, match="no set of templates"):
        preset("dense")
    with pytest.raises(SettingError, match="needs source_classes"):
        preset("extended")


def test_wrong_sets_are_refused(world: World, tmp_path: Path) -> None:
    wrongs: list[tuple[list[Template | str], str]] = [
        (["rule", "rule:min_count=2"], "two templates `rule`"),
        (["jump", "jump:label=b"], "two templates `jump`"),
        ([template("rule", domains=DOMAINS), template("link", domains=Domains(("a",)))], "different domains"),
        (["link:unit=pair"], "link: unit is 'pair'; it must be one of component, clique"),
        (["orient:classes=3"], "orient: classes is 3; it must be 2 or 4"),
        (["orient:sides=left"], "sides is .*; it must be previous, next or both"),
        (["shape:parts=area"], "it must be one or more of source, target, both"),
        (["target_ngram:order=0"], "it must be a whole number from 1 to 8"),
    ]
    for wrong, message in wrongs:
        with pytest.raises(SettingError, match=message):
            world.decoder(wrong)
    bare: RuleTable = extract(["a"], ["b"], ["0-0"], tmp_path / "bare").table
    with pytest.raises(InputError, match="needs rules marked by domain"):
        PhraseDecoder(bare, [], {}, features=[template("domain", domains=DOMAINS)])


def test_the_reference_page_names_every_template() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "reference" / "features.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| `") and line.count(" | ") == 4]
    rows = {line.split(" | ")[0].strip("| `"): line for line in lines}
    for name in TEMPLATES:
        found = TEMPLATES.get(name)
        assert found.name == name
        assert found.fires in rows[name]
        assert found.state in rows[name]
        options = {option: each for option, each in declared(found).items() if option != "label"}
        written = dict(re.findall(r"`(\w+)(?:=([^`]*))?`", rows[name].split(" | ")[3]))
        assert set(written) == set(options)
        for option, text in written.items():
            assert not text or text == options[option].write(options[option].default)
