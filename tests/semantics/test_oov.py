from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dragoman.errors import FormatError, InputError, SettingError, UnknownName
from dragoman.grammar.augment import (
    COPY_COLUMN,
    FORM_COLUMN,
    GRAPH_COLUMN,
    augment_table,
    copy_rules,
    join_rules,
    parse_split,
    rules_by_paraphrase,
    rules_by_translation,
)
from dragoman.grammar.phrases import extract
from dragoman.grammar.scoring import Scoring
from dragoman.grammar.table import RuleTable
from dragoman.semantics.cooccurrence import ContextSpace
from dragoman.semantics.graph import Graph, build_graph
from dragoman.semantics.oov import (
    Induced,
    InducedTranslations,
    assign_translations,
    evaluate_translations,
    find_unknown_words,
    gold_lexicon,
    graph_translations,
    read_lexicon,
    unknown_phrases,
    write_lexicon,
)
from dragoman.semantics.propagation import DUMMY, adsorption, label_propagation, modified_adsorption, propagate
from dragoman.text import synthetic

SQUARE = Graph.of_edges(
    [("N1", "N2", 0.18), ("N1", "N3", 0.08), ("N2", "N3", 0.89), ("N3", "N4", 0.5), ("N2", "N4", 0.5)],
    nodes=["N1", "N2", "N3", "N4"],
)
SEEDS = {"N1": {"L1": 1.0}, "N4": {"L2": 1.0}}


def test_modified_adsorption_equals_junto() -> None:
    """The minimal graph that comes with Junto, after eleven rounds."""
    expected = {
        "N1": (0.962100919433, 0.003070098360, 0.002808359299),
        "N2": (0.101604597763, 0.322275634691, 0.237072077181),
        "N3": (0.073919656458, 0.334343156373, 0.237786554012),
        "N4": (0.002723608067, 0.953563698542, 0.007379444856),
    }
    for threads in (1, 2, 7):
        found = modified_adsorption(SQUARE, SEEDS, rounds=11, threads=threads)
        for node, values in expected.items():
            labels = found.of(node)
            assert (labels["L1"], labels["L2"], labels[DUMMY]) == pytest.approx(values, abs=1e-12)
    fixed = modified_adsorption(SQUARE, SEEDS, rounds=2000).of("N2")
    assert (fixed["L1"], fixed["L2"], fixed[DUMMY]) == pytest.approx(
        (0.101606764623, 0.322284625586, 0.237079174134), abs=1e-12
    )


def test_labels_cross_bridges() -> None:
    """Worked example for Razmara et al. (2013): a label arrives only over the node without labels."""
    edges = [("o", "l1", 0.3), ("o", "u", 0.6), ("u", "l2", 0.8), ("u", "l1", 0.1)]
    seeds = {"l1": {"a": 1.0}, "l2": {"a": 0.2, "b": 0.8}}
    found = modified_adsorption(Graph.of_edges(edges), seeds, rounds=3000)
    labels = found.of("o")
    assert (labels["a"], labels["b"], labels[DUMMY]) == pytest.approx((0.234122, 0.062705, 0.255914), abs=1e-6)
    assigned = assign_translations(found, ["o", "x"])["o"]
    assert [entry.target for entry in assigned] == ["a", "b"]
    assert [entry.probability for entry in assigned] == pytest.approx([0.423565, 0.113444], abs=1e-6)
    renormalized = assign_translations(found, ["o"], renormalize=True)["o"]
    assert sum(entry.probability for entry in renormalized) == pytest.approx(1)
    with pytest.warns(UserWarning, match="l2"):
        alone = modified_adsorption(Graph.of_edges(edges[:1]), seeds, rounds=3000).of("o")
    assert alone["a"] == pytest.approx(0.229681, abs=1e-6)
    assert "b" not in alone
    article = modified_adsorption(Graph.of_edges(edges), seeds, rounds=3000, rw="ecml09").of("o")
    assert "b" not in article


def random_graph(seed: int) -> tuple[Graph, dict[str, dict[str, float]]]:
    random = np.random.default_rng(seed)
    edges = [
        (f"n{i}", f"n{j}", float(random.random()) + 0.01) for i in range(25) for j in range(i) if random.random() < 0.2
    ]
    seeds = {f"n{i}": {f"l{k}": float(v) for k, v in enumerate(random.dirichlet(np.ones(3)))} for i in range(0, 25, 4)}
    return Graph.of_edges(edges, nodes=[f"n{i}" for i in range(25)]), seeds


def test_propagation_equals_linear_algebra() -> None:
    graph, seeds = random_graph(4)
    weights = graph.matrix.toarray()
    size = len(graph)
    told = np.zeros((size, 4))
    for node, given in seeds.items():
        for label, value in given.items():
            told[graph.number(node), int(label[1:])] = value
    inject, go_on = np.zeros(size), np.zeros(size)
    for number in range(size):
        q = weights[number][weights[number] > 0]
        q = q / q.sum() if len(q) else q
        entropy = float(-(q * np.log2(q)).sum()) if len(q) else 0.0
        c, d = math.log(2) / math.log(2 + entropy), 0.0
        if told[number].any():
            d = (1 - c) * math.sqrt(entropy)
            if d == 0:
                d, c = 0.99, 0.01
        z = max(c + d, 1)
        inject[number], go_on[number] = d / z, c / z
    give_up = np.maximum(0, 1 - inject - go_on)
    coupling = 0.01 * (go_on[:, None] * weights + go_on[None, :] * weights.T)
    right = inject[:, None] * told
    right[:, 3] += 0.01 * give_up
    exact = np.linalg.solve(np.diag(inject + coupling.sum(1) + 0.01) - coupling, right)
    found = modified_adsorption(graph, seeds, rounds=5000)
    assert found.matrix.toarray() == pytest.approx(exact, abs=1e-10)
    assert (found.matrix.toarray().sum(1) <= 1 + 1e-9).all()
    assert found.matrix.min() >= 0
    # the walk of adsorption
    sums = weights.sum(1, keepdims=True)
    shares = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    right = inject[:, None] * told
    right[:, 3] += give_up
    exact = np.linalg.solve(np.eye(size) - go_on[:, None] * shares, right)
    assert adsorption(graph, seeds, rounds=5000).matrix.toarray() == pytest.approx(exact, abs=1e-9)
    # label propagation keeps its labels
    free = ~told.any(1)
    result = label_propagation(graph, seeds, rounds=20_000, tolerance=0).matrix.toarray()
    assert result[~free] == pytest.approx(told[~free])
    assert result[free] == pytest.approx((shares @ result)[free], abs=1e-9)


def test_properties_of_propagation() -> None:
    graph, seeds = random_graph(6)
    found = propagate(graph, seeds)
    lonely = Graph.of_edges(graph.edges(), nodes=[*graph.nodes, "alone"])
    other = propagate(lonely, seeds)
    for node in graph.nodes:
        assert other.of(node) == pytest.approx(found.of(node))
    assert set(other.of("alone")) <= {DUMMY}
    renamed = propagate(graph, {n: {f"x{9 - int(k[1:])}": v for k, v in given.items()} for n, given in seeds.items()})
    for node in graph.nodes:
        expected = {k if k == DUMMY else f"x{9 - int(k[1:])}": v for k, v in found.of(node).items()}
        assert renamed.of(node) == pytest.approx(expected)
    (one, two, seven) = (modified_adsorption(graph, seeds, keep_top=2, threads=threads) for threads in (1, 2, 7))
    assert (one.matrix != two.matrix).nnz == (one.matrix != seven.matrix).nnz == 0
    first = modified_adsorption(graph, seeds, rounds=1)
    cut = modified_adsorption(graph, seeds, rounds=1, keep_top=2)
    for node in graph.nodes:  # of one round, the two greatest of all
        assert list(cut.of(node).items()) == list(first.of(node).items())[:2]
    few = modified_adsorption(graph, seeds, keep_top=2)
    assert max(len(few.of(node)) for node in graph.nodes) == 2
    stopped = modified_adsorption(graph, seeds, rounds=5000, tolerance=1e-5)
    assert stopped.rounds < 5000
    assert stopped.change < 1e-5


@pytest.mark.parametrize("settings", [{"mu": (-1, 1, 1)}, {"beta": 1}, {"rounds": 0}, {"rw": "x"}, {"keep_top": -1}])
def test_bad_propagation(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        modified_adsorption(SQUARE, SEEDS, **settings)  # type: ignore[arg-type]
    with pytest.raises(SettingError):
        propagate(SQUARE, SEEDS, algorithm="x")
    with pytest.raises(InputError):
        propagate(SQUARE, {"N1": {"L": math.nan}})


def test_graph_files(tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    SQUARE.write(path)
    again = Graph.read(path)
    assert sorted(again.edges()) == sorted(SQUARE.edges())
    assert SQUARE.neighbors("N2") == {"N3": 0.89, "N4": 0.5, "N1": 0.18}
    for text in ("a\tb\n", "a\tb\tx\n", "a\tb\t0\n", "a\tb\tnan\n", "a\ta\t1\n", "a\tb\t1\nb\ta\t2\n"):
        path.write_text(text)
        with pytest.raises(FormatError, match="line"):
            Graph.read(path)
    assert Graph.read(path, last_wins=True) if path.write_text("a\tb\t1\nb\ta\t2\n") else False
    with pytest.raises(UnknownName):
        SQUARE.number("N9")


SOURCE = ["das haus ist gross", "das auto ist klein", "ein haus", "ein auto", "der hund läuft"]
TARGET = ["the house is big", "the car is small", "a house", "a car", "the dog runs"]
LINKS = ["0-0 1-1 2-2 3-3"] * 2 + ["0-0 1-1"] * 2 + ["0-0 1-1 2-2"]
MONO = [
    *SOURCE, "das gebäude ist gross", "ein gebäude", "das haus ist klein", "das gebäude ist klein", "ein wagen",
    "das wagen ist klein", "der wagen läuft", "der auto läuft", "der bau ist gross", "ein bau ist klein",
]  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> RuleTable:
    return extract(SOURCE, TARGET, LINKS, tmp_path / "t.table", evidence=True).table


def test_unknown_words_are_found(table: RuleTable) -> None:
    lines = ["das gebäude ist 42 gross", "heute geht peter nach hause"]
    cased = ["Das gebäude ist 42 gross", "Heute geht Peter nach hause"]
    found = find_unknown_words(lines, table, cased=cased)
    assert set(found.words) == {"gebäude", "heute", "geht", "nach", "hause"}
    assert found.numbers == {"42": 1}
    assert found.names == {"peter": 1}
    assert "peter" in find_unknown_words(lines, table).words
    phrases = unknown_phrases(["das gebäude ist gross"], table, longest=2)
    assert set(phrases) == {"gebäude", "das gebäude", "gebäude ist"}
    assert unknown_phrases(["das 1 haus"], table, longest=3) == {}


@pytest.mark.parametrize("kind", ["bipartite", "tripartite", "full"])
def test_graph_translations(table: RuleTable, kind: str) -> None:
    space = ContextSpace.of(MONO, window=2)
    found = graph_translations(space, table, ["gebäude", "wagen", "nirgends"], kind=kind, min_count=1)
    assert found.lexicon["gebäude"][0].target == "house"
    assert found.lexicon["wagen"][0].target == "car"
    assert found.absent == ("nirgends",)
    reasons = found.explain("gebäude", "house")
    assert "haus" in {reason["neighbor"] for reason in reasons}
    assert all(reason["similarity"] > 0 for reason in reasons)
    assert sum(entry.probability for entry in found.lexicon["wagen"]) <= 1
    for threads in (1, 2, 7):
        other = ContextSpace(space.index, window=2, threads=threads)
        again = graph_translations(other, table, ["gebäude", "wagen", "nirgends"], kind=kind, min_count=1)
        assert again.lexicon == found.lexicon


def test_edges_of_each_kind() -> None:
    space = ContextSpace.of(MONO, window=2)
    groups = {"unknown": ["gebäude", "wagen"], "labeled": ["haus", "auto", "hund", "das"], "unlabeled": ["bau"]}
    kinds = {word: kind for kind, words in groups.items() for word in words}
    for kind, allowed in (
        ("bipartite", {("labeled", "unknown")}),
        ("tripartite", {("labeled", "unknown"), ("unknown", "unlabeled"), ("labeled", "unlabeled")}),
    ):
        graph = build_graph(space, **groups, kind=kind)  # type: ignore[arg-type]
        joined = {tuple(sorted((kinds[a], kinds[b]))) for a, b, _ in graph.edges()}
        assert joined <= allowed
        assert joined
    full = build_graph(space, **groups, kind="full", k=2)  # type: ignore[arg-type]
    mutual = build_graph(space, **groups, kind="full", k=2, mutual=True)  # type: ignore[arg-type]
    assert set(mutual.edges()) < set(full.edges()) or len(mutual.edges()) < len(full.edges())


def test_metrics_worked_example() -> None:
    lists = {"u": [Induced(t, 0.1) for t in "bac"], "v": [Induced(t, 0.1) for t in "xzy"]}
    gold = {"u": {"a"}, "v": {"x", "y"}, "w": {"q"}}
    assert evaluate_translations(lists, gold).reciprocal_rank == pytest.approx(0.388889, abs=1e-6)
    report = evaluate_translations(lists, gold, top=2)
    assert report.recall == pytest.approx(0.5)
    assert (report.covered, report.words) == (2, 3)


def test_gold_lexicon() -> None:
    gold = gold_lexicon(["das haus", "haus"], ["the big house", "home"], ["0-0 1-1 1-2", "0-0"], ["haus"])
    assert gold == {"haus": {"big house", "home"}}


def test_lexicon_files(tmp_path: Path) -> None:
    lexicon = {"a b": [Induced("x", 0.25), Induced("y z", 1 / 3)]}
    write_lexicon(tmp_path / "l.tsv", lexicon)
    assert read_lexicon(tmp_path / "l.tsv") == lexicon
    (tmp_path / "l.tsv").write_text("a\tx\t2\n")
    with pytest.raises(FormatError, match="line 1"):
        read_lexicon(tmp_path / "l.tsv")


def test_reinforcement_worked_example(table: RuleTable, tmp_path: Path) -> None:
    """Worked example for Marton (2009): paths of scores .74, .68 and .35 to one translation."""
    given = {"villa": [("haus", 0.74), ("ein haus", 0.68), ("das haus", 0.35)], "das haus": [("ein haus", 0.9)]}
    several = extract(["haus", "heim", "bau"], ["house"] * 3, ["0-0"] * 3, tmp_path / "s.table").table
    paths = {"villa": [("haus", 0.74), ("heim", 0.68), ("bau", 0.35)]}
    expected = {"reinforce": 0.94592, "best": 0.74, "sum": 1.0, "marginal": 1.0}
    for policy, value in expected.items():
        (found,) = rules_by_paraphrase(several, paths, policy=policy)
        assert found.rule.values["paraphrase.1"] == pytest.approx(math.log(value))
        assert found.rule.values["paraphrase.2-6"] == 0
        assert found.paths == (("haus", 0.74), ("heim", 0.68), ("bau", 0.35))
    (drawn,) = rules_by_paraphrase(several, paths, policy="random")
    assert math.exp(drawn.rule.values["paraphrase.1"]) in (
        pytest.approx(0.74),
        pytest.approx(0.68),
        pytest.approx(0.35),
    )
    separate = rules_by_paraphrase(several, paths, policy="separate")
    assert len(separate) == 3
    with pytest.raises(InputError, match="separate"):
        augment_table(several, separate, tmp_path / "x.table")
    assert {entry.rule.source_text for entry in rules_by_paraphrase(table, given)} == {"villa"}


def test_marginals(tmp_path: Path) -> None:
    table = extract(
        ["s1", "s1", "s2"], ["t1", "t2", "t2"], ["0-0"] * 3, tmp_path / "m.table", scoring=Scoring(smoothing="none")
    ).table
    found = rules_by_paraphrase(table, {"o": [("s1", 0.6), ("s2", 0.3)]}, policy="marginal", values="neutral")
    values = {entry.rule.target_text: math.exp(entry.rule.values["paraphrase.1"]) for entry in found}
    assert values == pytest.approx({"t1": 1 / 3, "t2": 2 / 3})
    assert all(entry.rule.values["phrase.ts"] == 0 for entry in found)


def test_augmented_tables(table: RuleTable, tmp_path: Path) -> None:
    given = {"villa": [("haus", 0.8)], "das kleine haus": [("das haus", 0.5)]}
    new = rules_by_paraphrase(table, given)
    made = augment_table(table, new, tmp_path / "a.table")
    assert made.columns == (*table.columns, "paraphrase.1", "paraphrase.2-6")
    assert len(made) == len(table) + len(new)
    for rule in table:
        (kept,) = [found for found in made.lookup(rule.source) if found.target == rule.target]
        assert {name: kept.values[name] for name in table.columns} == dict(rule.values)
        assert (kept.values["paraphrase.1"], kept.values["paraphrase.2-6"]) == (0, 0)
        assert kept.links == rule.links
        assert made.evidence(rule.source, rule.target) == table.evidence(rule.source, rule.target)
    (villa,) = made.lookup("villa")
    assert villa.target_text == "house"
    assert villa.values["paraphrase.1"] == pytest.approx(math.log(0.8), abs=1e-6)
    assert villa.values["phrase.ts"] == table.lookup("haus")[0].values["phrase.ts"]
    assert villa.links == ((0, 0),)
    with pytest.raises(InputError, match="already"):
        augment_table(made, new, tmp_path / "b.table")
    words = rules_by_translation(table, {"villa": [("big house", 0.5)], "haus": [("x", 0.5)]})
    other = augment_table(table, words, tmp_path / "c.table")
    (villa,) = other.lookup("villa")
    assert villa.values["paraphrase.graph"] == pytest.approx(math.log(0.5), abs=1e-6)
    assert villa.links == ((0, 0), (0, 1))
    assert {name: villa.values[name] for name in table.columns} == dict.fromkeys(table.columns, 0.0)
    nothing = augment_table(table, [], tmp_path / "d.table")
    assert (nothing.columns, len(nothing)) == (table.columns, len(table))


def test_kinds_of_evidence_are_joined(table: RuleTable, tmp_path: Path) -> None:
    graph = rules_by_translation(table, {"bau": [("house", 0.5), ("tower", 0.25)]})
    forms = rules_by_translation(table, {"bau": [("house", 0.125)]}, column=FORM_COLUMN, because=lambda *_: [("x", 1)])
    joined = join_rules([*graph, *forms])
    assert [entry.rule.target_text for entry in joined] == ["house", "tower"]
    house, tower = (entry.rule.values for entry in joined)
    assert (house[GRAPH_COLUMN], house[FORM_COLUMN]) == (math.log(0.5), math.log(0.125))
    assert (tower[GRAPH_COLUMN], tower[FORM_COLUMN]) == (math.log(0.25), 0.0)
    assert joined[0].paths == (("house", 0.5), ("x", 1))
    copies = copy_rules(table, ["bau", "bau", "haus"])
    assert [(entry.rule.source_text, entry.rule.target_text) for entry in copies] == [("bau", "bau")]
    made = augment_table(table, join_rules([*joined, *copies]), tmp_path / "joined.table")
    assert len(made) == len(table) + 3
    assert [rule.values[COPY_COLUMN] for rule in made.lookup("bau") if rule.target_text == "bau"] == [1.0]


def test_splits() -> None:
    assert [name for name, _ in parse_split("1-2+3-4")] == ["paraphrase.1-2", "paraphrase.3-4"]
    for bad in ("", "2-1", "1+1-6", "x", "0-3"):
        with pytest.raises(SettingError):
            parse_split(bad)


def test_the_hook_of_a_decoder(table: RuleTable) -> None:
    hook = InducedTranslations({"villa": [Induced("house", 0.5)]})
    found = hook(SimpleNamespace(tokens=("eine", "villa")), (0, 1))
    assert found == [[], [("house", {"paraphrase.graph": math.log(0.5), "induced": 1.0})]]


@pytest.mark.slow
def test_rare_words_of_the_synthetic_text_are_repaired(tmp_path: Path) -> None:
    """Nouns that the bitext lacks get the right translation more often than a list of that length would by chance."""
    items = list(synthetic.pair("en-de").generate(3000))
    mono = [" ".join(item.source.tokens).lower() for item in items]
    hidden = {"dog", "car", "teacher", "garden", "red", "book"}
    train = [item for item in items if not hidden & set(" ".join(item.source.tokens).lower().split())][:1000]
    source = [" ".join(item.source.tokens).lower() for item in train]
    target = [" ".join(item.target.tokens).lower() for item in train]
    table = extract(source, target, [item.pharaoh for item in train], tmp_path / "t.table").table
    words = sorted(find_unknown_words(mono, table).words)
    assert hidden & set(words)
    found = graph_translations(ContextSpace.of(mono, window=4), table, words)
    gold = gold_lexicon(mono, [" ".join(i.target.tokens).lower() for i in items], [i.pharaoh for i in items], words)
    assert found.lexicon
    assert set(found.lexicon) <= set(words)
    report = evaluate_translations(found.lexicon, gold)
    assert report.covered > len(words) / 2


def test_decoders_use_what_was_induced(table: RuleTable, tmp_path: Path) -> None:
    from dragoman.lm import estimate
    from dragoman.search.phrase import LanguageModel, PhraseDecoder

    models = [LanguageModel("lm", estimate(TARGET, order=2).build())]

    def translated(rules: RuleTable, hook: InducedTranslations | None = None) -> list[str]:
        decoder = PhraseDecoder(rules, models, {}, unknown_words=hook)
        decoder = decoder.with_weights({**decoder.start_weights(), "paraphrase.graph": 0.1})
        return [found.text for found in decoder.translate(["das gebäude ist gross", "das haus ist gross"])]

    before = translated(table)
    assert before == ["the gebäude is big", "the house is big"]
    lexicon = {"gebäude": [Induced("house", 0.6), Induced("car", 0.1)]}
    after = ["the house is big", "the house is big"]
    assert translated(table, InducedTranslations(lexicon)) == after
    augmented = augment_table(table, rules_by_translation(table, lexicon), tmp_path / "a.table")
    assert translated(augmented) == after
