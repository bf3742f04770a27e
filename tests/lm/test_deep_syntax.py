"""Deep-syntax models: the worked examples of Graham and van Genabith (2010), brute force, and sums that must be one."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest

from dragoman.annotations.predicates import PredicateTree
from dragoman.errors import InputError, SettingError
from dragoman.lm import estimate, estimate_from_counts
from dragoman.lm.deep_syntax import DeepSyntaxModel, estimate_trees
from dragoman.lm.estimate import SMOOTHINGS
from dragoman.lm.tree_events import KINDS, Event, TreeEvents, all_orders, needed_contexts

HEALTH = PredicateTree(("today", "congress", "pass", "obama", "health", "care", "bill"), (2, 2, -1, 6, 5, 6, 2))
POINTS = PredicateTree(("nobody", "agree", "with", "point", "two", "and", "three"), (1, -1, 1, 2, 5, 3, 5))


def tree(**heads: str) -> PredicateTree:
    """A tree of words named with their heads; an empty head is the root."""
    words = list(heads)
    return PredicateTree(tuple(words), tuple(words.index(head) if head else -1 for head in heads.values()))


def random_tree(rng: random.Random, words: str = "abcde", size: int = 8) -> PredicateTree:
    number = rng.randint(1, size)
    heads = [-1, *(rng.randrange(node) for node in range(1, number))]
    order = list(range(number))
    rng.shuffle(order)
    return PredicateTree(
        tuple(rng.choice(words) for _ in range(number)),
        tuple(order.index(heads[node]) if heads[node] >= 0 else -1 for node in order),
        tuple(range(number)),
    )


def totals(counted: Counter[tuple[str, ...]]) -> list[int]:
    sizes: Counter[int] = Counter()
    for ngram, count in all_orders(counted).items():
        sizes[len(ngram)] += count
    return [sizes[size] for size in sorted(sizes)]


def test_the_events_of_the_papers_figure() -> None:
    found = {event.ngram for event in TreeEvents(3).of(HEALTH)}
    assert found == {
        "<s> pass",
        "<s> pass today",
        "pass today </s>",
        "<s> pass congress",
        "pass congress </s>",
        "<s> pass bill",
        "pass bill obama",
        "bill obama </s>",
        "pass bill care",
        "bill care health",
        "care health </s>",
    }
    assert totals(TreeEvents(3).count([HEALTH])) == [11, 11, 10]
    assert len(list(TreeEvents(3, ends=False).of(HEALTH))) == 7


def test_shared_beginnings_of_paths_are_counted_once() -> None:
    shared = ("<s>", "agree", "with", "point", "and")
    assert totals(TreeEvents(5).count([POINTS])) == [10, 10, 9, 7, 5]
    assert TreeEvents(5).count([POINTS])[shared] == 1
    assert TreeEvents(5, kind="paths").count([POINTS])[shared] == 2


def test_visiting_nodes_is_counting_paths_by_identity() -> None:
    """Paths cut into n-grams of nodes, those that are the same nodes counted once, are the events of visiting nodes."""
    rng = random.Random(1)
    for _ in range(60):
        given, order = random_tree(rng), rng.randint(1, 5)
        seen: dict[tuple[object, ...], tuple[str, ...]] = {}
        for leaf in set(range(len(given))) - set(given.heads):
            path = [leaf]
            while given.heads[path[-1]] >= 0:
                path.append(given.heads[path[-1]])
            line = [("<s>", -1), *((given.words[node], node) for node in reversed(path)), ("</s>", -2 - leaf)]
            for end in range(1, len(line)):
                part = line[max(0, end + 1 - order) : end + 1]
                seen[tuple(part)] = tuple(word for word, _ in part)
        assert Counter(seen.values()) == TreeEvents(order).count([given])
        leaves = len(set(range(len(given))) - set(given.heads))
        assert len(list(TreeEvents(order).of(given))) == len(given) + leaves


def test_duplicates_change_counts_only_where_a_path_branches() -> None:
    """A node that several leaves share is counted more than once, unless it is the leaf itself."""
    rng = random.Random(2)
    for _ in range(80):
        given = random_tree(rng, size=6)
        leaves = sorted(set(range(len(given))) - set(given.heads))
        same = TreeEvents(4).count([given]) == TreeEvents(4, kind="paths").count([given])
        assert same == (len(leaves) == 1)


def test_maximum_likelihood_by_hand() -> None:
    """Two trees to learn from, one to test: perplexities 1.5874 and 2, with the sum over dependents as denominator."""
    first = tree(**{"pass": "", "congress": "pass", "bill": "pass", "care": "bill", "health": "care"})
    second = tree(**{"pass": "", "senate": "pass", "bill": "pass", "the": "bill"})
    test = tree(**{"pass": "", "congress": "pass", "bill": "pass", "the": "bill"})
    for ends, expected in ((True, 1.5874), (False, 2.0)):
        counts = TreeEvents(2, ends).count([first, second])
        contexts: Counter[str] = Counter()
        for (context, _), count in counts.items():
            contexts[context] += count
        events = [(*event.context, event.word) for event in TreeEvents(2, ends).of(test)]
        logs = [math.log(counts[event] / contexts[event[0]]) for event in events]
        assert math.exp(-sum(logs) / len(logs)) == pytest.approx(expected, abs=1e-4)
    assert TreeEvents(2).count([HEALTH])["pass", "today"] / 3 == pytest.approx(1 / 3)
    covered = DeepSyntaxModel.train([first, second]).coverage([test])[2]
    assert (covered.hits, covered.events, covered.full) == (5, 6, 5)
    assert covered.share == pytest.approx(5 / 6)
    assert covered.full_share == 1


def distribution(model: DeepSyntaxModel, context: tuple[str, ...]) -> float:
    look = model._look_up()
    words = [word for word in model.ngrams.words() if word != "<s>"]
    return math.fsum(math.exp(look(Event(context, word)).logprob) for word in words)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_sum_to_one(smoothing: str, prune: tuple[int, ...], kind: str) -> None:
    rng = random.Random(3)
    trees = [random_tree(rng) for _ in range(60)]
    for ends in (True, False):
        model = DeepSyntaxModel.train(trees, TreeEvents(4, ends, kind), smoothing=smoothing, prune=prune)
        seen = {event.context for given in trees for event in model.events.of(given)}
        chosen = [*rng.sample(sorted(seen), min(20, len(seen))), (), ("a", "nobody"), ("nobody", "e", "a")]
        for context in chosen:
            assert distribution(model, context) == pytest.approx(1, abs=1e-6), (context, ends)


def test_contexts_that_pruning_needs_are_kept() -> None:
    """A head that came once may have a dependent twice: the n-gram stays, so its context must."""
    given = PredicateTree(("go", "and", "it", "it"), (-1, 0, 1, 1))
    counts = TreeEvents(3).count([given])
    assert counts["go", "and", "it"] == 2
    assert ("go", "and") in needed_contexts(counts, (0, 1, 1))
    model = DeepSyntaxModel.train([given], TreeEvents(3), smoothing="katz", prune=(0, 1, 1))
    assert distribution(model, ("go", "and")) == pytest.approx(1, abs=1e-6)
    assert needed_contexts(counts, ()) == set()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_chain_is_a_string(smoothing: str) -> None:
    rng = random.Random(4)
    lines = [" ".join(rng.choice("abcdefg") for _ in range(rng.randint(1, 9))) for _ in range(80)]
    chains = [PredicateTree.chain(line.split()) for line in lines]
    of_strings = estimate(lines, order=3, smoothing=smoothing).build()
    of_chains = DeepSyntaxModel.train(chains, TreeEvents(3), smoothing=smoothing)
    assert of_chains.ngrams.counts == of_strings.counts
    for line, chain in zip(lines, chains, strict=True):
        assert of_chains.score(chain).logprob == pytest.approx(float(of_strings.score([line])[0]), abs=1e-9)
    ours, theirs = of_chains.perplexity(chains), of_strings.perplexity(lines)
    assert (ours.events, ours.unknown) == (theirs.events, theirs.unknown)
    assert ours.perplexity == pytest.approx(theirs.perplexity)


def test_witten_bell_by_hand() -> None:
    """After `a`: b twice, c once, so two of five parts go to the order below."""
    model = estimate_from_counts([("<s> a", 3), ("a b", 2), ("a c", 1)], order=2, smoothing="witten-bell").build()
    unigrams = {"a": 3, "b": 2, "c": 1}
    uniform = 3 / 9 / 4  # three types and `<unk>` share what is left of nine parts
    lower = {word: unigrams.get(word, 0) / 9 + uniform for word in "abcx"}
    found = {word: math.exp(model.step(model.step(model.begin_state(), "a")[1], word)[0]) for word in "abcx"}
    assert found["b"] == pytest.approx(2 / 5 + 2 / 5 * lower["b"])
    assert found["c"] == pytest.approx(1 / 5 + 2 / 5 * lower["c"])
    assert found["x"] == pytest.approx(2 / 5 * lower["x"])
    assert sum(found.values()) == pytest.approx(1)


def test_katz_discounts_as_good_and_turing_say() -> None:
    """Factors (r*/r - A) / (1 - A) of counts up to 7; the unseen take the order below by what is left."""
    types = {1: 40, 2: 18, 3: 11, 4: 8, 5: 6, 6: 5, 7: 4, 8: 3, 20: 1}
    counts = []
    for count, number in types.items():
        counts += [(f"h w{count}x{at}", count) for at in range(number)]
    events = [("<s> h", sum(count for _, count in counts)), *counts]
    made = estimate_from_counts(events, order=2, smoothing="katz")
    common = 8 * types[8] / types[1]
    factors = [((r + 1) * types[r + 1] / types[r] / r - common) / (1 - common) for r in range(1, 8)]
    assert made.orders[1].discounts[:7] == pytest.approx([r * (1 - f) for r, f in enumerate(factors, 1)])
    assert made.orders[1].discounts[7] == 0
    model = made.build()
    total = sum(count for _, count in counts)
    after = model.step(model.begin_state(), "h")[1]
    assert math.exp(model.step(after, "w3x0")[0]) == pytest.approx(3 * factors[2] / total, rel=1e-6)
    assert math.exp(model.step(after, "w20x0")[0]) == pytest.approx(20 / total, rel=1e-6)


def test_order_of_siblings_does_not_matter() -> None:
    rng = random.Random(5)
    trees = [random_tree(rng) for _ in range(40)]
    model = DeepSyntaxModel.train(trees)
    for given in trees[:10]:
        order = list(range(len(given)))
        rng.shuffle(order)
        heads = tuple(order.index(given.heads[node]) if given.heads[node] >= 0 else -1 for node in order)
        moved = PredicateTree(tuple(given.words[node] for node in order), heads)
        assert model.score(moved).logprob == pytest.approx(model.score(given).logprob, abs=1e-9)


def test_files_come_back(tmp_path: Path) -> None:
    rng = random.Random(6)
    trees = [random_tree(rng) for _ in range(50)]
    for kind in ("ancestors", "reverse", "joint", "sides"):
        for ends in (True, False):
            events = TreeEvents(3, ends, kind)
            made = estimate_trees(trees, events)
            made.write_arpa(tmp_path / "deep.arpa")
            read = DeepSyntaxModel.load(tmp_path / "deep.arpa")
            has_ends = ends and kind in ("ancestors", "sides")  # arcs have none
            assert read.events == TreeEvents(3, has_ends, kind)
            direct = DeepSyntaxModel(made.build(), events)
            assert read.score(trees[0]).logprob == pytest.approx(direct.score(trees[0]).logprob, abs=1e-4)


def test_counts_as_lines_give_the_same_model() -> None:
    rng = random.Random(7)
    trees = [random_tree(rng) for _ in range(30)]
    events = TreeEvents(3)
    listed = [(" ".join(ngram), count) for ngram, count in all_orders(events.count(trees)).items()]
    again = DeepSyntaxModel(estimate_from_counts(listed, order=3).build(), events)
    assert again.score(trees[0]).logprob == pytest.approx(DeepSyntaxModel.train(trees, events).score(trees[0]).logprob)


def test_kenlm_reads_it(tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm")
    rng = random.Random(8)
    trees = [random_tree(rng) for _ in range(60)]
    for smoothing in SMOOTHINGS:
        for prune in ((), (0, 0, 1)):
            made = estimate_trees(trees, TreeEvents(4), smoothing=smoothing, prune=prune)
            path = tmp_path / f"{smoothing}{len(prune)}.arpa"
            made.write_arpa(path)
            peer, ours = kenlm.Model(str(path)), DeepSyntaxModel(made.build(), TreeEvents(4))
            for found in (each for line in ours.scored(trees[:10]) for each in line):
                state, after = kenlm.State(), kenlm.State()
                context = list(found.event.context)
                if context[0] == "<s>":
                    peer.BeginSentenceWrite(state)
                    context = context[1:]
                else:
                    peer.NullContextWrite(state)
                for word in context:
                    peer.BaseScore(state, word, after)
                    state, after = after, kenlm.State()
                assert peer.BaseScore(state, found.event.word, after) * math.log(10) == pytest.approx(
                    found.logprob, abs=1e-4
                )


def test_what_others_predict() -> None:
    given = PredicateTree(("we", "must", "go"), (1, -1, 1), (0, 1, 2))
    scored = {
        kind: [event.ngram for event in TreeEvents(4, False, kind).of(given) if event.scored]
        for kind in ("reverse", "joint", "sides")
    }
    assert scored["reverse"] == ["<s> we must", "<s> must <governor>", "<s> go must"]
    assert scored["joint"] == ["<s> must", "<s> must we", "<s> <arc>", "<s> <arc> must", "<s> must", "<s> must go"]
    assert scored["sides"] == ["<s> <top> must", "<s> must <left> we", "<s> must <right> go"]


def test_words_that_mean_something_are_written_otherwise() -> None:
    given = PredicateTree(("<s>", "New York", "</s>"), (-1, 0, 0))
    words = [event.word for event in TreeEvents(2).of(given)]
    assert words == ["&lt;s>", "New&#32;York", "</s>", "&lt;/s>", "</s>"]


def test_frequent_ngrams() -> None:
    [most, *_] = DeepSyntaxModel.train([HEALTH, POINTS]).frequent([HEALTH, HEALTH, POINTS], most=3)
    assert most.count == 2
    assert 0 < most.probability < 1


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no trees"):
        estimate_trees([])
    with pytest.raises(SettingError, match="order"):
        TreeEvents(0)
    with pytest.raises(SettingError, match="events"):
        TreeEvents(2, kind="uncles")
    with pytest.raises(InputError, match="where its words stand"):
        list(TreeEvents(3, kind="sides").of(PredicateTree(("a",), (-1,))))
    with pytest.raises(SettingError, match="smoothing"):
        estimate(["a"], order=2, smoothing="hope")


@pytest.mark.parametrize("smoothing", ["katz", "witten-bell"])
def test_memory_and_threads_change_nothing(smoothing: str, tmp_path: Path) -> None:
    rng = random.Random(9)
    words = [f"w{number}" for number in range(400)]
    lines = [" ".join(rng.choice(words[: rng.randint(2, 400)]) for _ in range(12)) for _ in range(3000)]
    for name, memory, threads in (("little", "1M", 1), ("much", "2G", 3)):
        made = estimate(lines, order=4, smoothing=smoothing, memory=memory, threads=threads)
        made.write_arpa(tmp_path / name)
    assert (tmp_path / "little").read_bytes() == (tmp_path / "much").read_bytes()
