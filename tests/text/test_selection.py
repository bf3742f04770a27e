"""Feature decay: the papers' definition by comparing all lines each time, worked examples, what it is good for."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from dragoman.cli import app
from dragoman.errors import DragomanError, FormatError, InputError, SettingError
from dragoman.files import read_lines
from dragoman.text import selection
from dragoman.text.corpus import Bitext, Corpus
from dragoman.text.selection import Coverage, LineSelection, parse_size, read_line_numbers, select_lines


def ngrams(line: str, order: int) -> list[str]:
    """All n-grams of a line, start by start."""
    words = line.split()
    return [
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + order) + 1)
    ]


def eager(
    corpus: Sequence[str], domain: Sequence[str], *, size: int, order: int, decay: float, length_power: float
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Every line scored anew before each pick."""
    features = {ngram for line in domain for ngram in ngrams(line, order)}
    found = [[ngram for ngram in ngrams(line, order) if ngram in features] for line in corpus]
    tokens = sum(len(line.split()) for line in corpus)
    counts = Counter(ngram for line in found for ngram in line)
    picked: Counter[str] = Counter()

    def score(line: int) -> float:
        total = 0.0
        for ngram in found[line]:
            total += math.log(tokens / counts[ngram]) / (1.0 + picked[ngram]) ** decay
        return total / (len(corpus[line].split()) ** length_power or 1.0)

    lines: list[int] = []
    scores: list[float] = []
    while len(lines) < min(size, len(corpus)):
        best = min((line for line in range(len(corpus)) if line not in lines), key=lambda line: (-score(line), line))
        lines.append(best)
        scores.append(score(best))
        picked.update(found[best])
    return tuple(lines), tuple(scores)


LINES = st.lists(st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join), min_size=1, max_size=12)


POWERS = st.sampled_from([(1, 1), (0, 1), (1, 0), (2, 0.5)])


@pytest.mark.slow
@given(LINES, LINES.filter(any), st.integers(1, 14), st.integers(1, 4), POWERS)
def test_the_heap_picks_what_comparing_all_lines_picks(
    corpus: list[str], domain: list[str], size: int, order: int, powers: tuple[float, float]
) -> None:
    decay, length_power = powers
    found = select_lines(corpus, domain, size=size, order=order, decay=decay, length_power=length_power)
    lines, scores = eager(corpus, domain, size=size, order=order, decay=decay, length_power=length_power)
    assert found.lines == lines
    assert found.scores == pytest.approx(scores, rel=1e-12)


def test_worked_examples() -> None:
    found = select_lines(["a b", "b c", "a b c"], ["a b"], size=3, order=2)
    assert found.lines == (0, 2, 1)
    assert found.scores == pytest.approx((1.6764, 0.5588, 0.1412), abs=5e-5)
    found = select_lines(["a b c", "a d", "c d"], ["a b d"], size=3, order=2)
    assert found.lines == (0, 1, 2)
    assert found.scores == pytest.approx((1.7149, 0.9396, 0.3132), abs=5e-5)
    assert found.coverage == (Coverage(1, 3, 3, 3), Coverage(2, 2, 1, 1))


def test_an_ngram_counts_as_often_as_it_stands_there() -> None:
    # Worth of x: ln(6 / 3). The first line has it twice in four tokens, the second once in two.
    found = select_lines(["x x u v", "x w"], ["x"], size=2, order=1, length_power=0)
    assert found.lines == (0, 1)
    assert found.scores == pytest.approx((2 * math.log(2), math.log(2) / 3))  # then divided by 1 + 2
    assert select_lines(["x x u v", "x w"], ["x"], size=1, order=1).scores == pytest.approx((math.log(2) / 2,))


def test_threads_and_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    corpus = [" ".join(rng.choices("abcdefgh", k=rng.randint(0, 9))) for _ in range(3000)]
    once = select_lines(corpus, corpus[:20], size=2000)
    assert select_lines(corpus, corpus[:20], size=2000, threads=3) == once
    monkeypatch.setattr(selection, "_LINES_AT_ONCE", 7)
    assert select_lines(iter(corpus), iter(corpus[:20]), size=2000) == once


def test_more_than_there_is_gives_all_and_tells_what_shares_nothing() -> None:
    found = select_lines(["x", "", "a", "y"], ["a", "<unk>"], size=10)
    assert found.lines == (2, 0, 1, 3)  # `x` and `y` are not taken for the word `<unk>` of the domain
    assert (found.unrelated, found.corpus, found.domain) == (3, 4, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": 0}, "size is 0"),
        ({"order": 0}, "up to 0 words; choose from 1 to 9"),
        ({"order": 10}, "up to 10 words"),
        ({"decay": -1.0}, "a decay or length power of -1"),
        ({"length_power": math.nan}, "power of nan"),
        ({"domain": ["", " "]}, "the text of the domain is empty"),
        ({"corpus": []}, "nothing to choose from"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    settings: dict[str, object] = {"corpus": ["a"], "domain": ["a"], "size": 1, **changes}
    with pytest.raises((InputError, SettingError), match=message):
        select_lines(**settings)  # type: ignore[arg-type]


def test_sizes() -> None:
    assert [parse_size(text, 30) for text in ("7", " 20x", "1.5x")] == [7, 600, 45]
    for wrong in ("", "x", "-3", "20 x", "3.5", "20%"):
        with pytest.raises(SettingError, match="size is"):
            parse_size(wrong, 30)


def test_line_numbers_come_back_from_their_file(tmp_path: Path) -> None:
    LineSelection((4, 0, 2), (2.5, 1.0, 0.0), 5, 1).write_lines(tmp_path / "lines.gz")
    assert gzip.decompress((tmp_path / "lines.gz").read_bytes()) == b"5\t2.5\n1\t1\n3\t0\n"
    assert read_line_numbers(tmp_path / "lines.gz") == [4, 0, 2]
    mistakes = {"1\n\n0\n": "line 3: '0' is no", "1\nx\n": "line 2: 'x' is no", "\n": "no line numbers"}
    for wrong, message in mistakes.items():
        (tmp_path / "wrong").write_text(wrong)
        with pytest.raises(FormatError, match=message):
            read_line_numbers(tmp_path / "wrong")


def test_places_of_a_stream() -> None:
    assert list(Corpus.of("abcde").at([3, 0, 3])) == ["a", "d"]
    assert [tuple(pair) for pair in Bitext.of([("a", "A"), ("b", "B")]).at((1,))] == [("b", "B")]


@pytest.mark.slow
def test_what_is_chosen_covers_more_than_chance_and_than_static_scores(data: Path) -> None:
    """An eighth of the Debian bitext for its dev set, in bigrams of the dev set (as Green et al. 2013 use it)."""
    folder = data / "debian" / "en-de"

    corpus, domain = ([line.lower() for line in read_lines(folder / name)] for name in ("train.en.gz", "dev.en"))
    size = len(corpus) // 8
    wanted = {ngram for line in domain for ngram in ngrams(line, 2) if " " in ngram}

    def covered(lines: Sequence[int]) -> int:
        return len({ngram for line in lines for ngram in ngrams(corpus[line], 2)} & wanted)

    decayed = select_lines(corpus, domain, size=size, order=2)
    static = select_lines(corpus, domain, size=size, order=2, decay=0)
    chance = random.Random(1).sample(range(len(corpus)), size)
    assert covered(decayed.lines) == decayed.coverage[1].chosen
    assert covered(decayed.lines) > 1.2 * covered(static.lines)
    assert covered(decayed.lines) > 1.5 * covered(chance)


# The command.


@pytest.fixture
def bitext(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"x.de": "a b|b c|a b c|x y", "x.en": "A B|B C|A B C|X Y", "domain": "a b"}.items():
        Path(name).write_text(lines.replace("|", "\n") + "\n")
    return ["x.de", "x.en"]


def select(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["text", "select", *arguments, "--domain-text", "domain"], catch_exceptions=False)


@pytest.mark.slow
def test_pairs_are_written_in_their_order_and_numbers_best_first(bitext: list[str]) -> None:
    asked = [*bitext, "--size", "3x", "--order", "2"]
    run = select(*asked, "-o", "y.de", "-o", "y.en", "--lines", "y.lines", "--json")
    assert json.loads(run.stdout)["chosen"] == 3
    assert Path("y.de").read_text() == "a b\nb c\na b c\n"
    assert Path("y.en").read_text() == "A B\nB C\nA B C\n"
    assert read_line_numbers("y.lines") == [0, 2, 1]
    assert [line.split()[0] for line in select(*asked, "--lines", "-").stdout.splitlines()] == ["1", "3", "2"]


@pytest.mark.slow
def test_one_side_and_one_file_of_both(bitext: list[str]) -> None:
    Path("x.tsv").write_text("a b\tA B\nx y\tX Y\n")
    assert select("x.de", "--size", "1", "-o", "-").stdout == "a b\n"
    assert select("x.tsv", "--size", "1", "-o", "y.tsv").exit_code == 0
    assert Path("y.tsv").read_text() == "a b\tA B\n"


@pytest.mark.slow
def test_the_account_tells_when_too_much_was_asked_for(bitext: list[str]) -> None:
    run = select(*bitext)
    assert "4 of 4 lines chosen by feature-decay for 1 of the domain" in run.stdout
    assert "1 of them share no n-gram with the domain" in run.stderr


@pytest.mark.slow
def test_the_other_selector(bitext: list[str]) -> None:
    assert (
        "2 of 4 lines chosen by cross-entropy" in select(*bitext, "--selector", "cross-entropy", "--size", "2").stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size", "many"], "size is 'many'"),
        (["--selector", "feature-delay"], "did you mean 'feature-decay'?"),
        (["-o", "a", "-o", "b", "-o", "c"], "3 files for two sides"),
        (["-o", "a"], "one file of plain text has one side only"),
        (["--order", "11"], "choose from 1 to 9"),
    ],
)
def test_mistakes_are_told_before_work(bitext: list[str], arguments: list[str], message: str) -> None:
    with pytest.raises(DragomanError) as told:
        select(*bitext, "--lines", "y.lines", *arguments)
    assert message in str(told.value)
    assert not Path("y.lines").exists()
