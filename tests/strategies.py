"""Random small things, for properties that must hold for all of them."""

from __future__ import annotations

from random import Random

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
    """A forest with few derivations: repeated tails, parallel edges, unary chains, empty targets, dead ends, none.

    Nodes are numbered in random order. With `ties`, scores are small whole numbers. Only the size and a seed are drawn:
    a draw for each choice would take longer than the tests.
    """
    count = draw(st.integers(1, max_nodes))
    random = Random(draw(st.integers(0, 2**32)))
    names = random.sample(range(count), count)  # topological rank to number
    source = [f"s{position}" for position in range(random.choice([1, 2, 5, 70]))]
    with_coverage = random.random() < 0.5
    build = ForestBuilder(source)

    def span() -> tuple[int, int]:
        start, last = sorted(random.choices(range(len(source)), k=2))
        return start, last + 1

    def value() -> float:
        return float(random.randint(-3, 1)) if ties else random.uniform(-4, 2)

    for _ in range(count):
        coverage = random.sample(range(len(source)), random.randint(0, 1)) if with_coverage else None
        build.add_node(*span(), category=random.randint(0, 3), coverage=coverage)
    derivations = [0] * count
    for rank in range(count):
        for _ in range(random.randint(0 if random.random() < 0.3 else 1, 3)):
            tails = random.choices(range(rank), k=random.randint(0, 3)) if rank else []
            ways = 1
            for tail in tails:
                ways *= derivations[tail]
            if derivations[rank] + ways > max_derivations:
                continue
            derivations[rank] += ways
            target: list[str | int] = [*random.choices(vocabulary, k=random.randint(0, most_words)), *range(len(tails))]
            random.shuffle(target)
            start, end = span()
            own = [index for index, symbol in enumerate(target) if isinstance(symbol, str)]
            links = [(random.randrange(end - start), random.choice(own)) for _ in range(random.randint(0, 3)) if own]
            features = random.sample(["lm", "tm", "words"], random.randint(0, 3))
            build.add_edge(
                names[rank],
                target,
                [names[tail] for tail in tails],
                features={name: value() for name in features},
                score=value(),
                rule=random.randint(0, 9),
                span=(start, end),
                links=links,
            )
    return build.finish(names[count - 1])
