"""Random small things, for properties that must hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from dragoman.forest import Forest, ForestBuilder

WORDS = ("a", "b", "c", "d")


@st.composite
def small_forests(
    draw: st.DrawFn,
    *,
    max_derivations: int = 200,
    max_nodes: int = 6,
    ties: bool = False,
    most_words: int = 3,
    vocabulary: tuple[str, ...] = WORDS,
) -> Forest:
    """A forest with few derivations: repeated tails, parallel edges, unary chains, empty targets, dead ends.

    Nodes are numbered in random order. With `ties`, scores are small whole numbers.
    """
    count = draw(st.integers(1, max_nodes))
    names = draw(st.permutations(range(count)))  # topological rank to number
    source = [f"s{position}" for position in range(draw(st.integers(1, 70)))]
    with_coverage = draw(st.booleans())
    build = ForestBuilder(source)
    positions = st.integers(0, len(source) - 1)
    spans = st.tuples(positions, positions).map(lambda pair: (min(pair), max(pair) + 1))
    for _ in range(count):
        start, end = draw(spans)
        coverage = draw(st.sets(positions, max_size=3)) if with_coverage else None
        build.add_node(start, end, category=draw(st.integers(0, 3)), coverage=coverage)
    values = st.integers(-3, 1).map(float) if ties else st.floats(-4, 2)
    derivations = [0] * count
    for rank in range(count):
        for _ in range(draw(st.integers(0 if rank < count - 1 else 1, 3))):
            tails = draw(st.lists(st.integers(0, rank - 1), max_size=3)) if rank else []
            ways = 1
            for tail in tails:
                ways *= derivations[tail]
            if derivations[rank] + ways > max_derivations:
                continue
            derivations[rank] += ways
            words: list[str | int] = list(draw(st.lists(st.sampled_from(vocabulary), max_size=most_words)))
            target = draw(st.permutations([*words, *range(len(tails))]))
            span = draw(spans)
            own = [index for index, symbol in enumerate(target) if isinstance(symbol, str)]
            links = (
                draw(st.lists(st.tuples(st.integers(0, span[1] - span[0] - 1), st.sampled_from(own)), max_size=3))
                if own
                else []
            )
            build.add_edge(
                names[rank],
                target,
                [names[tail] for tail in tails],
                features=draw(st.dictionaries(st.sampled_from(["lm", "tm", "words"]), values, max_size=3)),
                score=draw(values),
                rule=draw(st.integers(0, 9)),
                span=span,
                links=links,
            )
    return build.finish(names[count - 1])
