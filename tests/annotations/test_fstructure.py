"""F-structures: Prolog of XLE, JSON lines, the view of CoNLL-U, and what is wrong with bad files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dragoman.annotations import conllu, fstructure_files, xle
from dragoman.annotations.fstructure import FStructure, SemanticForm, Substructure, of_sentence
from dragoman.annotations.functions import cases
from dragoman.errors import FormatError, InputError

XLE = """% -*- coding: utf-8 -*-
fstructure('Hillary liked being president.',
  % Properties:
  ['markup_free_sentence'('Hillary liked being president.'), 'xle_version'('XLE 2.6')],
  % Choices:
  [choice([A1,A2], 1)],
  % Equivalences:
  [define(CV_001, or(A1,A2)), select(A2, 1)],
  % Constraints:
  [cf(1,eq(attr(var(0),'PRED'),semform('like',2,[var(1),var(2)],[]))),
   cf(CV_001,eq(attr(var(0),'SUBJ'),var(1))),
   cf(1,eq(attr(var(0),'XCOMP'),var(2))),
   cf(A1,eq(attr(var(0),'TENSE'),'pres')),
   cf(A2,eq(attr(var(0),'TENSE'),'past')),
   cf(1,eq(attr(var(0),'ADJUNCT'),var(5))),
   cf(1,in_set(var(6),var(5))),
   cf(1,eq(attr(var(6),'PRED'),semform('at',9,[],[]))),
   cf(1,eq(attr(var(1),'PRED'),semform('Hillary',1,[],[]))),
   cf(1,eq(attr(var(1),'NUM'),'sg')),
   cf(1,eq(attr(var(2),'PRED'),semform('be',3,[],[]))),
   cf(1,eq(attr(var(2),'SUBJ'),var(4))),
   cf(1,eq(var(4),var(1))),
   cf(1,eq(attr(var(2),'SAYS'),'it''s')),
   cf(1,subsume(var(3),var(0)))
  ],
  % C-Structure:
  [cf(1,subtree(1,'ROOT',-,2)), cf(1,surfaceform(3,'liked',1,5))]).
"""


def test_prolog_is_read() -> None:
    structure = xle.parse(XLE)
    assert structure.name == "Hillary liked being president."
    assert structure.predicate(structure.root) == "like"
    assert structure.get(0, "TENSE") == "past"  # the reading that the file selects
    assert structure.get(0, "SUBJ") == Substructure(1)
    assert structure.get(2, "SUBJ") == Substructure(1)  # the same one, by equality
    assert structure.get(2, "SAYS") == "it's"
    assert [(case.function, structure.predicate(case.dependent)) for case in cases(structure)] == [
        ("SUBJ", "Hillary"),
        ("XCOMP", "be"),
        ("ADJUNCT", "at"),
        ("SUBJ", "Hillary"),
    ]
    assert str(structure.predicates().tree()) == "like\n  hillary\n  be\n  at"


def test_without_a_selection_the_first_reading_counts() -> None:
    assert xle.parse(XLE.replace(", select(A2, 1)", "")).get(0, "TENSE") == "pres"


def test_a_coordination_keeps_its_conjunction() -> None:
    structure = xle.parse(
        "fstructure('a and b', [], [], [], [cf(1,eq(attr(var(0),'PRED'),semform('go',1,[],[]))),"
        "cf(1,eq(attr(var(0),'SUBJ'),var(1))), cf(1,eq(attr(var(1),'COORD-FORM'),'and')),"
        "cf(1,in_set(var(2),var(1))), cf(1,in_set(var(3),var(1))),"
        "cf(1,eq(attr(var(2),'PRED'),semform('a',1,[],[]))), cf(1,eq(attr(var(3),'PRED'),semform('b',1,[],[])))], [])."
    )
    assert [(case.function, case.dependent) for case in cases(structure)] == [("SUBJ", 2), ("SUBJ", 3)]
    assert str(structure.predicates().tree()) == "go\n  and\n    a\n    b"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (XLE.replace("[var(1),var(2)],[]))),", "[var(1),var(2)],[])),"), 12, "unbalanced|no constraint"),
        (XLE.replace("'sg')),", "'sg)),"), None, "."),
        (XLE.rstrip()[:-3], None, "unbalanced"),
        ("fstructure('x', [", 1, "ends"),
        ("fstructure('x', [], [], [], 'no', []).", None, "not a list"),
        ("other('x').", None, "not a term fstructure"),
        ("fstructure('x', [], [], [], [], []).", None, "no f-structure"),
        (
            "fstructure('x', [], [choice([A1],1)], [define(B, B)], [cf(B,eq(attr(var(0),'A'),'b'))], []).",
            None,
            "by itself",
        ),
        ("[" * 2000, 1, "deep"),
    ],
)
def test_bad_prolog_is_refused_with_its_line(text: str, line: int | None, what: str) -> None:
    with pytest.raises(FormatError, match=what) as found:
        xle.parse(text, name="file.pl")
    assert "file.pl" in found.value.where
    assert line is None or "line" in found.value.where or "constraint" in found.value.what


def test_unbalanced_brackets_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "one.pl"
    path.write_text("fstructure('x', [],\n [],\n [], [cf(1,eq(attr(var(0),'A'),'b')\n], []).\n", "utf-8")
    with pytest.raises(FormatError, match=r"one.pl, line 4: .*unbalanced since line 3"):
        list(fstructure_files.read(path))


def test_json_lines_come_back(tmp_path: Path) -> None:
    given = [xle.parse(XLE)]
    assert fstructure_files.write(given, tmp_path / "f.jsonl") == 1
    assert list(fstructure_files.read(tmp_path / "f.jsonl")) == given
    (tmp_path / "f.jsonl").write_text('{"nodes": [[["SUBJ", {"node": 7}]]]}\n', "utf-8")
    with pytest.raises(FormatError, match=r"line 1: SUBJ of f-structure 0 is 7"):
        list(fstructure_files.read(tmp_path / "f.jsonl"))
    for bad in ('{"nodes": 3}', '{"nodes": [[["A", {"bag": []}]]]}', '{"root": 5, "nodes": [[]]}'):
        with pytest.raises(InputError):
            FStructure.from_dict(__import__("json").loads(bad))


def test_cycles_are_allowed() -> None:
    structure = FStructure.from_dict(
        {
            "nodes": [
                [["PRED", {"pred": "man"}], ["ADJUNCT", {"set": [1]}]],
                [["PRED", {"pred": "sleep"}], ["SUBJ", {"node": 0}]],
            ]
        }
    )
    assert [case.function for case in cases(structure)] == ["ADJUNCT", "SUBJ"]
    assert str(structure.predicates().tree()) == "man\n  sleep"
    assert "[0]" in str(structure)


def test_a_dependency_tree_as_an_f_structure() -> None:
    lines = [
        "1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_",
        "2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_",
        "3\toften\toften\tADV\t_\t_\t2\tadvmod\t_\t_",
        "4\tloudly\tloudly\tADV\t_\t_\t2\tadvmod\t_\t_",
    ]
    structure = of_sentence(next(conllu.parse(lines)))
    assert structure.get(0, "PRED") == SemanticForm("bark")
    assert structure.get(0, "advmod") == frozenset([Substructure(2), Substructure(3)])
    assert structure.get(1, "Number") == "Plur"


def test_damaged_prolog_never_crashes() -> None:
    rng = random.Random(1)
    refused = 0
    for _ in range(300):
        text = list(XLE)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 8)] = rng.choice(["", "(", ")", "[", "]", "'", ",", ".", "var(9)", "\\", "|"])
        try:
            xle.parse("".join(text))
        except FormatError:
            refused += 1
    assert refused > 100
