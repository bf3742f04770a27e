from __future__ import annotations

import math
import shutil
import struct
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.stats import spearmanr

from dragoman.errors import DragomanError, FormatError, InputError, MissingDependency, SettingError
from dragoman.semantics.association import Association
from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles, claim_terms, split_by_sense
from dragoman.semantics.cooccurrence import ContextSpace, wording
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.similarity import Similarity
from dragoman.semantics.thesaurus import Thesaurus
from dragoman.semantics.word_pairs import evaluate_pairs, read_pairs
from dragoman.semantics.wordnet import WordNet
from dragoman.semantics.wordnet_measures import InformationContent, WordNetMeasures, overlap
from tests.peers import peer
from tests.semantics.test_wordnet import REAL
from tests.tiny_wordnet import write_wordnet

BANKS = ["money bank loan", "loan money", "boat bank shore", "shore boat"]
GROUPS = Thesaurus({"FIN": ["bank", "loan"], "RIVER": ["bank", "shore"]})


def by_context(space: ContextSpace, row: csr_matrix) -> dict[str, float]:
    return dict(sorted(space.spell_row(csr_matrix(row)).items()))


def test_concept_matrix_worked_example() -> None:
    """Two groups that share an ambiguous word, as in Mohammad and Hirst (2006)."""
    space = ContextSpace.of(BANKS, window=5)
    base = ConceptMatrix.base(space, GROUPS)
    assert by_context(space, base.matrix[0]) == {"bank": 1, "boat": 1, "loan": 1, "money": 3, "shore": 1}
    assert by_context(space, base.matrix[1]) == {"bank": 1, "boat": 3, "loan": 1, "money": 1, "shore": 1}
    better = base.bootstrap()
    assert by_context(space, better.matrix[0]) == {"bank": 1, "loan": 1, "money": 3}
    assert by_context(space, better.matrix[1]) == {"bank": 1, "boat": 3, "shore": 1}
    for concepts, kept in ((base, {"boat", "loan", "money", "shore"}), (better, {"loan", "money"})):
        names, rows = SenseProfiles(concepts, kind="filtered").counts("bank")
        assert names == ("FIN", "RIVER")
        assert set(by_context(space, rows[0])) == kept
    pair = base.similarity("bank", "loan")
    assert pair is not None
    assert (round(pair.value, 9), *pair[1:]) == (1, "FIN", "FIN")
    assert base.similarity("bank", "boat") is None
    assert base.bootstrap(on_tie="skip").matrix.sum() <= better.matrix.sum()


def test_hybrid_worked_example() -> None:
    """Worked example for Marton, Mohammad and Resnik (2009): contexts money, boat, bond, fish."""
    bank, atm = csr_matrix([[100.0, 80, 70, 77]]), csr_matrix([[120.0, 0, 90, 0]])
    concepts = csr_matrix([[1000.0, 32, 705, 0], [5, 863, 0, 948]])

    def cosine(row: csr_matrix) -> float:
        return float(Similarity().pairs(csr_matrix(row), atm)[0])

    parts = split_by_sense(bank, concepts, kind="proportional")
    assert parts.toarray()[0] == pytest.approx([99.5025, 2.8603, 70, 0], abs=1e-4)
    assert parts.toarray()[1] == pytest.approx([0.4975, 77.1397, 0, 77], abs=1e-4)
    assert np.asarray(parts.sum(0)).ravel() == pytest.approx(bank.toarray().ravel())
    filtered = split_by_sense(bank, concepts, kind="filtered")
    assert filtered.toarray().tolist() == [[100, 80, 70, 0], [100, 80, 0, 77]]
    mixed = split_by_sense(bank, concepts, kind="proportional", weight=0.6)
    assert mixed.toarray()[0] == pytest.approx([99.7015, 33.7162, 70, 30.8], abs=1e-4)
    found = [cosine(bank), cosine(parts[0]), cosine(parts[1]), cosine(filtered[0]), cosine(filtered[1])]
    assert found == pytest.approx([0.7393, 0.9993, 0.0037, 0.8359, 0.5354], abs=1e-4)
    assert cosine(mixed[0]) == pytest.approx(0.9359, abs=1e-4)
    none = split_by_sense(bank, concepts, kind="proportional", weight=0)
    assert [cosine(none[0]), cosine(none[1])] == pytest.approx([0.7393, 0.7393], abs=1e-4)
    unseen = split_by_sense(csr_matrix([[0.0, 0, 0, 8]]), csr_matrix([[1.0, 0, 0, 0]] * 2), kind="proportional")
    assert unseen.toarray()[:, 3].tolist() == [4, 4]


def test_invariants_on_random_text() -> None:
    random = Random(2)
    text = [" ".join(random.choice("abcdefghij") for _ in range(8)) for _ in range(300)]
    thesaurus = Thesaurus({"one": "abc", "two": "bcd", "three": "ae"})
    space = ContextSpace.of(text, window=3)
    base = ConceptMatrix.base(space, thesaurus)
    for word in "abcde":
        row = space.count([word]).matrix
        for group in thesaurus.senses(word):
            assert (base.rows_of([group]) - row).min() >= 0
        _, parts = SenseProfiles(base.bootstrap()).counts(word)
        assert np.asarray(parts.sum(0)) == pytest.approx(row.toarray())
    words = Profiles.of(space, list("abcdefghij"))
    filtered = SenseProfiles(base, kind="filtered")
    for first, second in (("a", "b"), ("c", "j"), ("i", "j")):
        assert filtered.similarity(first, second).value == pytest.approx(words.similarity(first, second))
    assert SenseProfiles(base).similarity("i", "j").first == ""
    for threads in (1, 2, 7):
        other = ContextSpace(space.index, window=3, threads=threads)
        assert (ConceptMatrix.base(other, thesaurus).bootstrap().matrix != base.bootstrap().matrix).nnz == 0


def test_terms_of_several_words_take_their_words() -> None:
    space = ContextSpace.of(["the hot dog barked", "the dog barked", "hot dog stand"], window=1)
    claims = claim_terms(space.index, ["hot dog", "dog", "hot dog stand"])
    assert by_context(space, space.count(["dog"], claims=claims).matrix) == {"barked": 1, "the": 1}
    assert by_context(space, space.count(["hot dog"], claims=claims).matrix) == {"barked": 1, "the": 1}
    matrix = ConceptMatrix.base(space, Thesaurus({"FOOD": ["hot dog"], "PET": ["dog"]}))
    assert by_context(space, matrix.matrix[0]) == {"barked": 1, "stand": 1, "the": 1}


def planted(seed: int) -> tuple[list[str], Thesaurus, list[tuple[str, str, float]]]:
    """Words with known senses in a known text: the nearest true senses of two words are how alike they are."""
    random = np.random.default_rng(seed)
    contexts = [f"w{i}" for i in range(200)]
    topics = []
    for number in range(12):
        shares = np.full(200, 1e-9)
        own = random.choice(200, 25, replace=False)
        shares[own] += random.dirichlet(np.ones(25))
        shares[(number % 4) * 20 : (number % 4) * 20 + 20] += 0.04
        topics.append(shares / shares.sum())
    senses: dict[str, list[NDArray[np.float64]]] = {}
    groups: dict[str, list[str]] = {f"g{i}": [] for i in range(12)}
    lines: list[str] = []
    for number in range(50):
        word = f"t{number}"
        for topic in random.choice(12, int(random.integers(1, 4)), replace=False):
            private = random.dirichlet(np.full(200, 0.05))
            shares = 0.75 * topics[topic] + 0.25 * private
            senses.setdefault(word, []).append(shares)
            groups[f"g{topic}"].append(word)
            for _ in range(40):
                around = random.choice(contexts, 6, p=0.7 * shares + 0.3 / 200)
                lines.append(" ".join([*around[:3], word, *around[3:]]))

    def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        return float(a @ b / math.sqrt((a @ a) * (b @ b)))

    pairs = [
        (f"t{i}", f"t{j}", max(cosine(a, b) for a in senses[f"t{i}"] for b in senses[f"t{j}"]))
        for i in range(50)
        for j in range(i)
    ]
    return lines, Thesaurus({name: words for name, words in groups.items() if words}), pairs


@pytest.mark.slow
def test_senses_help_where_words_are_ambiguous() -> None:
    lines, thesaurus, pairs = planted(1)
    space = ContextSpace.of(lines, window=3)
    base = ConceptMatrix.base(space, thesaurus)
    hybrid, words = SenseProfiles(base.bootstrap()), Profiles.of(space, [f"t{i}" for i in range(50)])
    gold = [value for _, _, value in pairs]
    by_word = spearmanr(gold, words.similarities([(a, b) for a, b, _ in pairs])).statistic
    by_sense = spearmanr(gold, [hybrid.similarity(a, b).value for a, b, _ in pairs]).statistic
    by_concept = [base.similarity(a, b) for a, b, _ in pairs]
    alone = spearmanr(gold, [pair.value if pair else 0.0 for pair in by_concept]).statistic
    assert by_sense > max(by_word, alone) + 0.04


def test_readers(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("# remark\nFIN\tBank\nFIN\tloan\nRIVER\tbank\n")
    found = Thesaurus.open(tmp_path / "t.tsv")
    assert (found.senses("bank"), found.members("FIN")) == (("FIN", "RIVER"), ("bank", "loan"))
    assert "BANK" in found
    (tmp_path / "t.dat").write_bytes("ISO8859-1\nmüde|2\n-|schläfrig|matt (ugs.)\n-|überdrüssig\n".encode("latin-1"))
    found = Thesaurus.open(tmp_path / "t.dat", format="mythes")
    assert found.members("müde.1") == ("müde", "schläfrig", "matt")
    assert found.senses("müde") == ("müde.1", "müde.2")
    (tmp_path / "moby").write_text("bank,shore,brink\nloan,credit\n")
    assert Thesaurus.open(tmp_path / "moby", format="moby").members("bank") == ("bank", "shore", "brink")
    folder = tmp_path / "aik"
    folder.mkdir()
    entries = [term + b"\0" + struct.pack(">HH", 0, 0xFFFF) for term in (b"bank", b"sea:shore")]
    (folder / "words.dat").write_bytes(b"".join(entries))
    (folder / "meanings.dat").write_bytes(struct.pack(">HHHH", 0, 1, 0, 0xFFFF))
    assert Thesaurus.open(folder, format="aiksaurus").members("1 bank") == ("bank", "sea shore")
    tiny = Thesaurus.open(write_wordnet(tmp_path), format="wordnet")
    assert set(tiny.senses("house")) & set(tiny.senses("home"))


def test_bad_thesauri(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("no tab\n")
    with pytest.raises(FormatError, match="line 1"):
        Thesaurus.open(tmp_path / "t.tsv")
    with pytest.raises(MissingDependency, match="apt-get install libaiksaurus"):
        Thesaurus.open(tmp_path / "nowhere", format="aiksaurus")
    with pytest.raises(DragomanError, match="mythes-"):
        Thesaurus.open(tmp_path / "nowhere", format="mythes")
    (tmp_path / "t.dat").write_text("UTF-8\nbank|3\n-|x\n")
    with pytest.raises(FormatError, match="line 2"):
        Thesaurus.open(tmp_path / "t.dat", format="mythes")
    with pytest.raises(InputError), pytest.warns(UserWarning, match="empty"):
        Thesaurus({"a": []})
    with pytest.raises(SettingError):
        Thesaurus.open(tmp_path / "t.tsv", format="roget")


def test_overlap_of_definitions() -> None:
    assert overlap(["a", "b", "c", "d"], ["x", "b", "c", "y", "d"]) == 5
    assert overlap(["the", "of", "a"], ["the", "of", "a"]) == 0
    assert overlap([], ["a"]) == 0


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="WordNet is not installed (apt-get install wordnet-base)")
def test_wordnet_measures_equal_nltk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer("nltk.data"), "path", [str(tmp_path)])
    wordnet = WordNet(str(REAL))
    words = ["dog", "cat", "car", "bicycle", "tree", "run", "walk", "bank", "money", "river", "idea", "give"] * 2
    information = InformationContent.of(wordnet, words)
    ours = WordNetMeasures(wordnet, information)
    reader = peer("nltk.corpus.reader.wordnet")
    root = tmp_path / "corpora" / "wordnet"
    root.mkdir(parents=True)
    for file in Path(str(REAL)).iterdir():
        if file.is_file():
            shutil.copyfile(file, root / file.name)
    for name, stand_in in (("lexnames", "".join(f"{n:02d}\tfile{n}\t1\n" for n in range(45))), ("index.sense", "")):
        if not (root / name).exists():  # files that Debian leaves out, that NLTK wants, and that do not matter here
            (root / name).write_text(stand_in)
    with pytest.warns(UserWarning, match="multilingual"):
        theirs = reader.WordNetCorpusReader(peer("nltk.data").FileSystemPathPointer(str(root)), None)
    counts: dict[str, dict[int, float]] = {"n": {0: information.totals["n"]}, "v": {0: information.totals["v"]}}
    for (pos, offset), count in information.counts.items():
        counts[pos][offset] = count
    random, sets = Random(1), [found for word in words for pos in "nv" for found in wordnet.synset_ids(word, pos)]
    checked: Counter[str] = Counter()
    for _ in range(300):
        first, second = random.choice(sets), random.choice(sets)
        if first[0] != second[0]:
            continue
        one, other = (theirs.synset_from_pos_and_offset(*place) for place in (first, second))
        assert ours.of_sets(first, second, "path") == pytest.approx(one.path_similarity(other))
        shared = ours.of_sets(first, second, "resnik")
        assert shared == pytest.approx(max(0.0, one.res_similarity(other, counts)), abs=1e-9)
        if shared and first != second:
            assert ours.of_sets(first, second, "lin") == pytest.approx(one.lin_similarity(other, counts))
            assert ours.of_sets(first, second, "jiang-conrath") == pytest.approx(one.jcn_similarity(other, counts))
            checked[first[0]] += 1
    assert checked["n"] > 10
    assert ours.similarity("car", "bicycle", "lesk") > ours.similarity("car", "idea", "lesk")  # type: ignore[operator]
    assert ours.similarity("dog", "nosuchword") is None


@pytest.mark.slow
def test_word_pairs_of_people(data: Path) -> None:
    """Profiles of a small technical text know half of the words, and rank these better than chance."""
    from dragoman.files import read_lines

    lines = list(wording(read_lines(data / "debian" / "mono.en.gz")))[:60_000]
    profiles = Profiles.train(lines, association=Association(measure="ppmi"), stoplist_least=2)
    pairs = read_pairs(data / "wordsim" / "EN-WS-353-ALL.txt")

    def measure(first: str, second: str) -> float | None:
        known = first.lower() in profiles and second.lower() in profiles
        return profiles.similarity(first.lower(), second.lower()) if known else None

    report = evaluate_pairs(pairs, measure, unknown="skip")
    assert report.spearman > 0.2
    assert 0.2 < report.coverage < 1
