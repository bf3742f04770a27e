"""Meaning: index, profiles, nearest neighbours and paraphrases over 2.3 million tokens of package descriptions."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bench.contest import DATA, Contest, bench, peak_memory
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
    figures = {}
    for phrase in ("utility", "a collection of", "is designed to", "library", "graphical user interface"):
        with Clock() as clock:
            found = paraphraser.paraphrases(phrase)
        figures[f"{phrase} ({index().count(phrase):,} times)"] = f"{clock}, {len(found)} found"
    return figures


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


@bench("memory")
def memory() -> dict[str, str]:
    lines, built = text(), index()
    words = [word for word in built.words() if built.count(word) >= 5]
    jobs = {
        "index of the text": lambda: CorpusIndex.build(lines),
        f"profiles of {len(words):,} words": lambda: Profiles.of(ContextSpace(built), words),
    }
    return {name: f"{peak_memory(job) / 2**20:.0f} MiB" for name, job in jobs.items()}
