"""Meaning: index, profiles, nearest neighbours and paraphrases over 2.3 million tokens of package descriptions."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bench.contest import DATA, Contest, bench, peak_memory
from dragoman._native import text as native_text
from dragoman.files import read_lines
from dragoman.semantics.association import Association
from dragoman.semantics.cooccurrence import ContextSpace, promiscuous, wording
from dragoman.semantics.distributional import Paraphraser
from dragoman.semantics.graph import Graph
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.propagation import modified_adsorption
from dragoman.semantics.similarity import Similarity
from dragoman.text.index import CorpusIndex


class Clock:
    """Seconds on the wall and of the processor: where others work too, only the latter say something."""

    def __enter__(self) -> Clock:
        self.wall, self.processor = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall, self.processor = time.perf_counter() - self.wall, time.process_time() - self.processor

    def __str__(self) -> str:
        return f"{self.processor:.2f} s of processor time ({self.wall:.2f} s)"


@cache
def text() -> list[str]:
    return list(wording(read_lines(DATA / "debian" / "mono.en.gz")))


@cache
def index() -> CorpusIndex:
    return CorpusIndex.build(text())


@bench("index a text")
def build_index() -> Contest:
    lines = text()
    return Contest(ours=lambda: CorpusIndex.build(lines), units=sum(len(line.split()) for line in lines), unit="tokens")


@bench("profiles of all words, text to strengths (limit 60 s)")
def build_profiles() -> Contest:
    lines = text()
    return Contest(
        ours=lambda: Profiles.train(lines, association="llr", stoplist_least=3),
        units=index().tokens,
        unit="tokens",
        repeat=1,
        note="window 5, words seen 5 times or more",
    )


@cache
def rows(words: int) -> csr_matrix:
    """Profiles of the most frequent words, of unit length."""
    counts = index().native.counts()
    best = np.argsort(-counts, kind="stable")[:words]
    stop = promiscuous(index(), least=3)
    space = ContextSpace(index(), stoplist=stop)
    names = [index().native.word(int(word)) for word in best if word]
    matrix = Association(measure="ppmi").apply(space.count(names))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1))).ravel()
    matrix = matrix[np.flatnonzero(lengths)]
    return csr_matrix(matrix.multiply(1 / lengths[lengths > 0][:, None]))


K = 20


def ours(queries: csr_matrix, candidates: csr_matrix) -> NDArray[np.float64]:
    found = Similarity().nearest(queries, candidates, k=K)
    return found.values.reshape(queries.shape[0], K)


def same(one: Any, other: Any) -> None:
    assert np.allclose(one, other, atol=1e-9)


def nearly(one: Any, other: Any) -> None:
    assert np.allclose(one, other, atol=1e-3)


@bench("20 nearest of 10,000 words, 500 queries", peer="scikit-learn NearestNeighbors, cosine", target=1.0)
def nearest_sklearn() -> Contest:
    from sklearn.neighbors import NearestNeighbors

    candidates = rows(10_000)
    queries = candidates[:: candidates.shape[0] // 500][:500]
    peer = NearestNeighbors(n_neighbors=K, metric="cosine", n_jobs=-1).fit(candidates)
    return Contest(
        ours=lambda: ours(queries, candidates),
        theirs=lambda: 1 - peer.kneighbors(queries)[0],
        agree=same,
        units=queries.shape[0],
        unit="queries",
        note="ours builds its index within the time",
    )


@bench("20 nearest of 10,000 words, 500 queries", peer="gensim SparseMatrixSimilarity", target=1.0)
def nearest_gensim() -> Contest:
    from gensim.matutils import Sparse2Corpus
    from gensim.similarities import SparseMatrixSimilarity

    candidates = rows(10_000)
    queries = candidates[:: candidates.shape[0] // 500][:500]
    corpus = Sparse2Corpus(candidates, documents_columns=False)
    peer = SparseMatrixSimilarity(corpus, num_features=candidates.shape[1])

    def theirs() -> NDArray[np.float64]:
        scores = peer[queries.astype(np.float32)]
        return -np.sort(np.partition(-scores, K - 1, axis=1)[:, :K], axis=1)

    return Contest(
        ours=lambda: ours(queries, candidates),
        theirs=theirs,
        agree=nearly,
        units=queries.shape[0],
        unit="queries",
        note="ours builds its index within the time; the peer counts in single precision",
    )


@bench("growth of nearest neighbours, k = 20")
def growth() -> dict[str, str]:
    figures = {}
    for queries, words in ((1250, 12_500), (2500, 25_000), (5000, 50_000)):
        matrix = rows(words)
        asked = matrix[: min(queries, matrix.shape[0])]
        with Clock() as clock:
            Similarity().nearest(asked, matrix, k=K)
        figures[f"{asked.shape[0]:,} queries, {matrix.shape[0]:,} candidates"] = str(clock)
    return figures


@bench("paraphrases of a phrase (limit 1 s)")
def paraphrase() -> dict[str, str]:
    space = ContextSpace(index(), window=6, stoplist=promiscuous(index(), window=6, least=3))
    paraphraser = Paraphraser(space)

    def look_up(phrase: str) -> tuple[Clock, str, str]:
        with Clock() as clock:
            found = paraphraser.paraphrases(phrase)
        return clock, f"{phrase} ({index().count(phrase):,} times)", f"{clock}, {len(found)} found"

    asked = ("utility", "a collection of", "is designed to", "library", "graphical user interface")
    figures = {name: figure for _, name, figure in map(look_up, asked)}
    frequent = np.argsort(-index().native.counts(), kind="stable")[:100]
    words = [index().native.word(int(word)) for word in frequent if word]
    _, name, figure = max(map(look_up, words), key=lambda each: each[0].processor)
    return figures | {f"slowest of the {len(words)} most frequent words, {name}": figure}


@bench("modified adsorption, 10 rounds")
def propagation() -> Contest:
    random = np.random.default_rng(1)
    nodes = [f"n{i}" for i in range(20_000)]
    edges = [
        (nodes[i], nodes[int(j)], float(random.random()) + 0.01)
        for i in range(len(nodes))
        for j in random.integers(0, len(nodes), 10)
        if i != j
    ]
    graph = Graph.of_edges(edges, nodes=nodes)
    seeds = {node: {f"l{k}": 0.25 for k in random.integers(0, 5000, 4)} for node in nodes[::4]}
    return Contest(
        ours=lambda: modified_adsorption(graph, seeds, keep_top=50),
        units=graph.matrix.nnz * 10,
        unit="edges",
        note="20,000 nodes, 5,000 labels, 50 kept per node",
    )


@bench("morphs of 4,000 words", peer="Morfessor", target=5.0)
def morphs() -> Contest:
    import morfessor

    counts = index().native.counts()
    words = [index().native.word(int(word)) for word in np.argsort(-counts, kind="stable")[:6000] if word]
    words = sorted(word for word in words if word.isalpha())[:4000]
    ones = np.ones(len(words), np.int64)
    morfessor.utils.show_progress_bar = False

    def theirs() -> float:
        model = morfessor.BaselineModel()
        model.load_data([(1, tuple(word)) for word in words])
        model.train_batch()
        return float(model.get_cost())

    def alike(one: float, other: float) -> None:
        assert abs(one - other) < 0.01 * other, "descriptions of different length"

    return Contest(
        ours=lambda: native_text.learn_morphs(words, ones)[1],
        theirs=theirs,
        agree=alike,
        units=len(words),
        unit="words",
        repeat=1,
        note="lengths of the descriptions agree within 1 %",
    )


@bench("memory")
def memory() -> dict[str, str]:
    lines, built = text(), index()
    words = [word for word in built.words() if built.count(word) >= 5]
    jobs = {
        "index of the text": lambda: CorpusIndex.build(lines),
        f"profiles of {len(words):,} words": lambda: Profiles.of(ContextSpace(built), words),
    }
    return {name: f"{peak_memory(job) / 2**20:.0f} MiB" for name, job in jobs.items()}


@cache
def sentences() -> list[str]:
    return text()[:10_000]


@bench("a pass of vectors, 10,000 lines, one thread", peer="gensim Word2Vec, CBOW, one negative")
def vectors_pass() -> Contest:
    """Another objective than the peer's: a network of 100 hidden units reads a window of ten words, where the peer sums
    them. Both replace one word per token and have vectors of 50 dimensions."""
    from gensim.models import Word2Vec

    from dragoman.semantics.embeddings import VectorSettings, train_vectors

    lines = sentences()
    split = [line.split() for line in lines]
    settings = VectorSettings(passes=1, curriculum=())
    return Contest(
        ours=lambda: train_vectors(lines, settings, threads=1),
        theirs=lambda: Word2Vec(
            split, vector_size=50, window=5, min_count=2, negative=1, epochs=1, workers=1, sg=0, seed=1
        ),
        units=sum(map(len, split)),
        unit="tokens",
        note="the peer has no hidden layer",
    )


@bench("mutual information of words by sentence pairs, 30,000 pairs", peer="product of scipy's sparse matrices")
def mutual_information() -> Contest:
    from dragoman._native import semantics as native

    lines = text()[:60_000]
    sides = [[line.split()[:100] or ["x"] for line in lines[start::2]] for start in (0, 1)]
    encoded, matrices = [], []
    for side in sides:
        ids = {word: number for number, word in enumerate(sorted({word for line in side for word in line}))}
        flat = np.array([ids[word] for line in side for word in line], np.uint32)
        ends = np.cumsum([len(line) for line in side], dtype=np.int64)
        rows = np.repeat(np.arange(len(side)), [len(line) for line in side])
        matrix = csr_matrix((np.ones(len(flat)), (rows, flat.astype(np.int64))), shape=(len(side), len(ids)))
        matrix.data[:] = 1
        encoded.append((flat, ends, np.ones(len(ids), np.uint8)))
        matrices.append(matrix)
    first, second = encoded

    def theirs() -> Any:
        return matrices[0].sign().T.tocsr() @ matrices[1].sign()

    return Contest(
        ours=lambda: native.count_together(first[0], first[1], second[0], second[1], first[2], second[2], threads=1),
        theirs=theirs,
        units=len(sides[0]),
        unit="pairs",
    )
