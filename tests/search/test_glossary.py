"""Glossaries: files, what is wrong with them by line, and the longest match."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FileError, FormatError
from dragoman.search.glossary import Glossary, Term, term_options


def test_a_file_of_terms(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("# ours\nHaus|Hauses\thouse\n\nkleines Haus\tcottage | hut\tsoft\n", "utf-8")
    glossary = Glossary.read(path)
    assert glossary.terms == (
        Term(("Haus", "Hauses"), ("house",), True, 2),
        Term(("kleines Haus",), ("cottage", "hut"), False, 4),
    )
    with pytest.raises(FileError):
        Glossary.read(tmp_path / "none.tsv")


def test_all_that_is_wrong_is_told_by_line() -> None:
    lines = ["a\tA", "b B", "a\tA", "a\tX", "c\tC\tD\tE", "d\tD\tmaybe", "\tE", "f|\tF"]
    with pytest.raises(FormatError) as caught:
        Glossary.parse(lines, name="g.tsv")
    text = str(caught.value)
    assert text.startswith("g.tsv: ")
    for wrong in (
        "line 2: no tab",
        "line 3: 'a' is in line 1",
        "line 4: 'a' contradicts line 1",
        "line 5: 4 columns",
        "line 6: neither hard nor soft: 'maybe'",
        "line 7: a form is empty",
        "line 8: a form is empty",
    ):
        assert wrong in text
    many = [f"x{n} y" for n in range(30)]
    with pytest.raises(FormatError, match="and 20 more"):
        Glossary.parse(many)


def test_the_longest_term_counts() -> None:
    glossary = Glossary.parse(["a\t1", "a b\t2", "b c d\t3", "d\t4"])
    matcher = glossary.matcher(str.split)
    assert [match[:2] for match in matcher.find(["a", "b", "c", "d", "a", "b"])] == [(0, 1), (1, 4), (4, 6)]
    assert [match[:2] for match in matcher.find(["a", "b", "c", "d"], taken=[(2, 3)])] == [(0, 2), (3, 4)]


def test_options_of_terms() -> None:
    [hard] = Glossary.parse(["a\t1"]).matcher(str.split).find(["a"])
    assert term_options(hard, ["x y"])[0].policy == "constraint"
    [soft] = Glossary.parse(["a\t1\tsoft"]).matcher(str.split).find(["a"])
    assert (term_options(soft, ["x"])[0].policy, dict(term_options(soft, ["x"])[0].features)) == (
        "inclusive",
        {"glossary": 1.0},
    )


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=6), st.lists(st.sampled_from("abcd"))
)
def test_matches_never_overlap(forms: list[list[str]], tokens: list[str]) -> None:
    unique = dict.fromkeys(" ".join(form) for form in forms)
    matches = Glossary(Term((form,), ("t",)) for form in unique).matcher(str.split).find(tokens)
    covered = [position for match in matches for position in range(match.start, match.end)]
    assert len(covered) == len(set(covered))
    for match in matches:
        assert " ".join(tokens[match.start : match.end]) in match.term.sources
    # No longer term could take the place of one that was chosen without touching another.
    free = set(range(len(tokens))) - set(covered)
    for form in unique:
        size = len(form.split())
        for start in range(len(tokens) - size + 1):
            if " ".join(tokens[start : start + size]) == form:
                assert not set(range(start, start + size)) <= free
