"""Checks and fixes, one by one, and the account of a cleaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import SettingError, UnknownName
from dragoman.executors import LocalExecutor, ProcessExecutor
from dragoman.text.checks import CHECKS, FIXES, CleaningLimits, word_count
from dragoman.text.cleaning import Cleaning, clean
from dragoman.text.corpus import Bitext, SegmentPair
from dragoman.text.scripts import script_share, scripts_of

LONG = "word " * 20


@pytest.mark.parametrize(
    ("check", "source", "target", "removed"),
    [
        ("empty", "", "x", True),
        ("empty", "x", " \u3000", True),
        ("empty", "x", "y", False),
        ("control", "a\x07b", "x", True),
        ("control", "x", "\x92tis", True),
        ("control", "x", "caf\ufffd", True),
        ("control", "a\tb", "soft\u00adhyphen, ‘quotes’", False),
        ("identical", "Same  text", "same text", True),
        ("identical", "STRASSE", "straße", True),
        ("identical", "same text", "other text", False),
        ("length", "one two", LONG, True),
        ("length", "one two", "one two three", False),
        ("ratio", "one two", LONG, True),
        ("ratio", "one", "eins zwei drei vier fünf", False),  # five times, but only four words more
        ("ratio", "one two three four five six seven", LONG[:95], False),  # 19 words: less than three times
        ("symbols", "12-34 (56)", "no", True),
        ("symbols", "version 12", "no", False),
        ("symbols", "मैं हूँ", "I am", False),  # vowel signs are marks
        ("script", "ein Haus", "один дом", True),
        ("script", "ein Haus", "a house", False),
        ("script", "2 + 2", "= 4", False),  # no letters, no opinion
        ("script", "ein Haus (дом)", "a house (дом)", False),
        ("untranslated", "the quick brown fox jumps", "the quick brown fox springt", False),  # 4 of 5
        ("untranslated", "the quick brown fox", "The quick, brown fox ja", True),
        ("untranslated", "!!", "?!", False),
        ("marker", "* item", "— Teil", False),
        ("marker", "* item", "Teil", True),
        ("marker", "2) item", "(2) Teil", False),
        ("marker", "o item", "oh nein", True),
        ("language", "Das Haus ist sehr alt und schön.", "La maison est très vieille et belle.", True),
        ("language", "Das Haus ist sehr alt und schön.", "The house is very old and beautiful.", False),
        ("language", "42", "!", False),
        ("duplicate", "a", "b", False),
    ],
)
def test_checks(check: str, source: str, target: str, removed: bool) -> None:
    limits = CleaningLimits(languages=("de", "en"), max_words=10 if check == "length" else 150)
    assert CHECKS.get(check)(limits)(source, target) is removed


@pytest.mark.parametrize(
    ("check", "verdicts"),
    [
        ("duplicate", [False, False, True, False, False]),
        ("duplicate-source", [False, True, True, False, False]),
        ("duplicate-target", [False, False, True, True, False]),
    ],
)
def test_duplicates(check: str, verdicts: list[bool]) -> None:
    seen = CHECKS.get(check)(CleaningLimits())
    pairs = [("a", "b"), ("a", "c"), ("a", "b"), ("d", "b"), ("ab", "")]
    assert [seen(*pair) for pair in pairs] == verdicts
    assert not CHECKS.get(check)(CleaningLimits())("a", "b"), "every cleaning starts afresh"


@pytest.mark.parametrize(
    ("fix", "before", "after"),
    [
        ("whitespace", " a \u00a0 b\t\u2028c\r", "a b c"),
        ("nfc", "cafe\u0301", "café"),
        ("printable", "\ufeffa\x07b\u00adc", "abc"),
        ("printable", "a\tb", "a\tb"),
    ],
)
def test_fixes(fix: str, before: str, after: str) -> None:
    assert FIXES.get(fix)(before) == after


@given(st.text())
def test_fixes_are_done_once(text: str) -> None:
    for name in FIXES:
        mended = FIXES.get(name)(text)
        assert FIXES.get(name)(mended) == mended


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("ein Haus", 2), ("größer als – ja", 4), ("我是学生", 2), ("我是 Linux 用户", 3), ("ไทย", 2)],
)
def test_words_in_every_script(text: str, words: int) -> None:
    assert word_count(text) == words


def test_scripts() -> None:
    assert scripts_of("sr_Latn") == scripts_of("sr@latin-Latn") == ("Latin",)
    assert script_share("ru")("дом house") == pytest.approx(3 / 8)
    assert script_share("ja")("日本語とカナ") == 1
    assert script_share("de")("Straße “ja” µm") == 1
    with pytest.raises(UnknownName, match="xyz-Latn"):
        scripts_of("xyz")


@pytest.mark.parametrize("settings", [{"max_words": 0}, {"max_ratio": 0.5}, {"min_script": 2.0}, {"min_words": -1}])
def test_impossible_limits_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        CleaningLimits(**settings)  # type: ignore[arg-type]


def test_unknown_rules_are_refused_before_reading() -> None:
    with pytest.raises(UnknownName, match="did you mean 'length'"):
        Cleaning(Bitext.of([]), checks=["lenght"])
    for check in ("script", "language"):
        with pytest.raises(SettingError, match="languages"):
            Cleaning(Bitext.of([]), checks=[check])
    with pytest.raises(UnknownName, match="'tlh'"):
        Cleaning(Bitext.of([]), checks=["language"], limits=CleaningLimits(languages=("en", "tlh")))


PAIRS = [
    ("ein  Haus", "a house"),
    ("", "x"),
    ("gleich", "gleich"),
    ("ein Haus", "a house"),
    ("Cafe\u0301 auf", "open cafe"),
]


def test_the_account_adds_up() -> None:
    cleaning = Cleaning(Bitext.of(PAIRS))
    assert [tuple(pair) for pair in cleaning] == [("ein Haus", "a house"), ("Café auf", "open cafe")]
    report = cleaning.report
    assert (report.pairs, report.kept) == (5, 2)
    assert report.fixed == {"nfc": 1, "whitespace": 1}
    assert {name: removal.count for name, removal in report.removed.items() if removal.count} == {
        "empty": 1,
        "identical": 1,
        "duplicate": 1,
    }
    assert [example.line for example in report.removed["duplicate"].examples] == [4]
    assert [tuple(pair) for pair in cleaning] == [("ein Haus", "a house"), ("Café auf", "open cafe")]  # and again
    assert cleaning.report.pairs == 5


@given(st.lists(st.tuples(st.text(max_size=6), st.text(max_size=6)), max_size=12))
def test_every_pair_is_kept_or_counted_once(pairs: list[tuple[str, str]]) -> None:
    rejected: list[SegmentPair] = []
    checks = [name for name in CHECKS if name != "language"]  # the one check that is slow
    cleaning = Cleaning(
        Bitext.of(pairs),
        checks=checks,
        limits=CleaningLimits(languages=("de", "ja")),
        rejected=rejected.append,
        examples=1,
    )
    kept = list(cleaning)
    report = cleaning.report
    assert report.pairs == len(pairs) == len(kept) + len(rejected)
    assert sum(removal.count for removal in report.removed.values()) == len(rejected)
    assert [pair.metadata["line"] for pair in rejected] == sorted(pair.metadata["line"] for pair in rejected)
    again = Cleaning(kept, checks=checks, limits=CleaningLimits(languages=("de", "ja")))
    assert list(again) == kept, "what is clean stays"


def test_files_of_kept_and_rejected_pairs(tmp_path: Path) -> None:
    outputs = [tmp_path / "kept.de", tmp_path / "kept.en.gz"]
    report = clean(Bitext.of(PAIRS), outputs, rejected=tmp_path / "rejected.tsv")
    assert [tuple(pair) for pair in Bitext.open(*outputs)] == [("ein Haus", "a house"), ("Café auf", "open cafe")]
    assert [(pair.source, pair.metadata) for pair in Bitext.open(tmp_path / "rejected.tsv")] == [
        ("", {"line": "2", "check": "empty"}),
        ("gleich", {"line": "3", "check": "identical"}),
        ("ein Haus", {"line": "4", "check": "duplicate"}),
    ]
    assert json.loads(json.dumps(report.to_dict()))["removed"]["empty"]["count"] == 1


def test_real_text_is_mostly_clean(data: Path) -> None:
    """The ready-made Debian bitext was cleaned by similar checks; few of its pairs are removed."""
    folder = data / "debian" / "en-de"
    bitext = Bitext.open(folder / "dev.en", folder / "dev.de", languages=("en", "de"))
    report = clean(bitext)
    assert report.kept > 0.99 * report.pairs > 1000


def test_cleaning_is_the_same_wherever_it_is_done() -> None:
    pairs = [
        SegmentPair(f"  das  Haus {number % 7}", f"the house {number % 7}", ("a  house",), {"number": number})
        for number in range(20)
    ]
    pairs += [SegmentPair("", "empty"), SegmentPair("???", "!!!"), SegmentPair("gut", "good", (), {"kept": True})]
    found = []
    for executor in (LocalExecutor(), LocalExecutor(threads=3), ProcessExecutor(threads=2)):
        rejected: list[SegmentPair] = []
        cleaning = Cleaning(pairs, checks=("empty", "symbols", "duplicate"), rejected=rejected.append)
        kept = list(cleaning.apart(executor, size=3))
        found.append((kept, rejected, cleaning.report))
    assert found[0] == found[1] == found[2]
    kept, rejected, report = found[0]
    assert [pair.metadata for pair in kept] == [{"number": number} for number in range(7)] + [{"kept": True}]
    assert kept[0].references == ("a house",)
    assert {name: removal.count for name, removal in report.removed.items()} == {
        "empty": 1,
        "symbols": 1,
        "duplicate": 13,
    }
    assert report.fixed == {"nfc": 0, "whitespace": 20}
    assert [pair.metadata["line"] for pair in rejected] == list(range(8, 23))
