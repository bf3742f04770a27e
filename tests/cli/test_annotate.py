"""`dragoman annotate`: from a treebank to annotated text, scores and a picture, by commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.align import Alignment
from dragoman.annotations import Sentence, conllu, moses_xml
from dragoman.annotations.annotator import reason
from dragoman.annotations.pattern_syntax import PatternError
from dragoman.cli import app
from dragoman.entailment import load_suite, write_annotated
from dragoman.errors import InputError, SettingError, UnknownName
from dragoman.text import synthetic

RUN = CliRunner()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("annotate")
    treebank = [item.source.annotated for item in synthetic.pair("en-de").generate(60, seed=1)]
    conllu.write(treebank, folder / "train.conllu")
    arguments = ["annotate", "train", str(folder / "train.conllu"), "-o", str(folder / "en"), "--epochs", "2", "--json"]
    result = RUN.invoke(app, [*arguments, "--licence", "MIT", "-l", "en"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["sentences"] == 60
    return folder / "en"


def test_text_becomes_conllu_with_a_sentence_for_each_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The dog sees the cat.\n\nThe cat sleeps.\n")
    out = tmp_path / "out.conllu"
    for _ in range(2):
        arguments = ["annotate", str(tmp_path / "text"), "--with", f"{model}+role-rules", "-o", str(out)]
        result = RUN.invoke(app, [*arguments, "--cache", str(tmp_path / "kept")])
        assert result.exit_code == 0, result.output
        found = list(conllu.read(out))
        assert [sentence.text for sentence in found] == ["The dog sees the cat.", "", "The cat sleeps."]
        assert [reason(sentence) for sentence in found] == [None, "no tokens", None]
        assert found[0].has("pos", "lemmas", "dependencies")


def test_grep_goes_along_the_links_of_pairs(tmp_path: Path) -> None:
    pairs = [pair for pair in load_suite("phenomena") if pair.gold]
    file = str(tmp_path / "pairs.conllu")
    write_annotated(pairs, file)
    arguments = ["annotate", "grep", "{pos:VERB}=here @ {pos:VERB}=there", file, "--aligned", "--json"]
    found = json.loads(RUN.invoke(app, arguments).stdout)
    wanted = 0
    for pair in pairs:
        text = [word for sentence in pair.text for word in sentence.pos]
        links = Alignment.parse(pair.gold).links
        wanted += sum(pair.hypothesis.pos[one] == text[other] == "VERB" for one, other in links)
    assert found["matches"] == wanted > 30
    assert {row["sentence"] for row in found["found"]} <= {pair.id for pair in pairs}
    with pytest.raises(InputError, match="no alignment"):
        RUN.invoke(app, [*arguments[:4], "--json"], catch_exceptions=False)
    write_annotated([pair for pair in load_suite("phenomena") if not pair.gold], file)
    with pytest.raises(InputError, match="no pair has gold links"):
        RUN.invoke(app, arguments, catch_exceptions=False)


def test_training_says_that_no_licence_is_recorded(model: Path, tmp_path: Path) -> None:
    arguments = ["annotate", "train", str(model.parent / "train.conllu"), "--epochs", "1", "-o"]
    said = [
        RUN.invoke(app, [*arguments, str(tmp_path / name), *more]).stderr
        for name, more in (("silent", []), ("stated", ["--licence", "MIT"]))
    ]
    assert ["--licence" in each for each in said] == [True, False]


def test_trees_in_the_form_of_moses(tmp_path: Path) -> None:
    (tmp_path / "text.mrg").write_text("(S (NP (DT a) (NN dog)) (VP (VBZ barks)))\n")
    found = RUN.invoke(app, ["annotate", "trees", str(tmp_path / "text.mrg"), "--form", "constituents"])
    assert found.exit_code == 0, found.output
    assert found.stdout == (
        '<tree label="S"> <tree label="NP"> <tree label="DT"> a </tree> <tree label="NN"> dog </tree> </tree> '
        '<tree label="VP"> <tree label="VBZ"> barks </tree> </tree> </tree>\n'
    )
    out = tmp_path / "out.xml"
    arguments = ["annotate", "trees", str(tmp_path / "text.mrg"), "--form", "constituents", "--relax", "2"]
    assert RUN.invoke(app, [*arguments, "-o", str(out)]).exit_code == 0
    [read] = moses_xml.read(out)
    assert {("NP", 0, 2), ("DT", 0, 1), ("NP+VP", 0, 3), ("DT+NN", 0, 2)} <= set(read.nodes)
    crossing = Sentence.of(list("abc"), dependencies=([2, -1, 1], ["x", "root", "y"]))
    conllu.write([crossing], tmp_path / "crossing.conllu")
    moved = RUN.invoke(app, ["annotate", "trees", str(tmp_path / "crossing.conllu"), "--form", "dependencies"])
    assert moved.exit_code == 0, moved.output
    assert "words of 1 with crossing arcs were put into order" in moved.output
    refused = RUN.invoke(app, [*arguments[:4], "dependencies", "--relax", "2"])
    assert isinstance(refused.exception, SettingError)


def test_processes_write_the_same(model: Path, tmp_path: Path) -> None:
    lines = [item.source.text for item in synthetic.pair("en-de").generate(20, seed=3)]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in [*lines, "", *lines]), "utf-8")
    made = {}
    for on, more in (("local", []), ("processes", ["--cache", str(tmp_path / "kept")])):
        out = tmp_path / f"{on}.jsonl"
        arguments = ["annotate", str(tmp_path / "text"), "-w", f"{model}+role-rules", "-o", str(out), "--on", on]
        result = RUN.invoke(app, [*arguments, "-j", "2", *more])
        assert result.exit_code == 0, result.output
        made[on] = out.read_text("utf-8")
    assert made["processes"] == made["local"]
    gold = str(model.parent / "train.conllu")
    refused = RUN.invoke(app, ["annotate", gold, "-w", "role-rules", "--on", "processes"])
    assert isinstance(refused.exception, SettingError)


def test_json_lines_carry_roles_and_can_be_drawn(model: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The dog sees the cat .\n")
    chain = f"{model}+role-rules"
    result = RUN.invoke(app, ["annotate", str(tmp_path / "text"), "-w", chain, "--json", "--tokenized"])
    assert json.loads(result.stdout)["frames"]
    (tmp_path / "out.jsonl").write_text(result.stdout)
    drawn = RUN.invoke(app, ["annotate", "draw", str(tmp_path / "out.jsonl")])
    assert drawn.stdout.startswith("<svg")
    assert RUN.invoke(app, ["annotate", "draw", "The dog sees the cat .", "-w", chain]).stdout == drawn.stdout


def test_scores(model: Path) -> None:
    gold = str(model.parent / "train.conllu")
    plain = json.loads(RUN.invoke(app, ["annotate", "evaluate", str(model), gold, "--json"]).stdout)
    assert plain["scores"]["LAS"]["f1"] > 0.9
    raw = json.loads(RUN.invoke(app, ["annotate", "evaluate", str(model), gold, "--raw", "--json"]).stdout)
    assert raw["scores"]["words"]["f1"] > 0.98
    assert "LAS" in RUN.invoke(app, ["annotate", "evaluate", str(model), gold]).stdout


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a\n")
    missing = RUN.invoke(app, ["annotate", str(tmp_path / "text"), "--with", "en-ewt"])
    assert isinstance(missing.exception, UnknownName)
    assert "dragoman annotate train" in missing.exception.remedy
    kind = RUN.invoke(app, ["annotate", "train", str(tmp_path / "text"), "-o", str(tmp_path / "m"), "-k", "magic"])
    assert isinstance(kind.exception, SettingError)
    assert not (tmp_path / "m").exists()


def test_grep_finds_sentences_and_points_at_mistakes(model: Path) -> None:
    treebank = str(model.parent / "train.conllu")
    arguments = ["annotate", "grep", "{pos:VERB}=v >nsubj {}=s", treebank]
    lines = RUN.invoke(app, arguments).stdout.splitlines()
    found = json.loads(RUN.invoke(app, [*arguments, "--json"]).stdout)
    counted = json.loads(RUN.invoke(app, [*arguments, "--json", "--count"]).stdout)
    assert len(lines) == found["matches"] == counted["matches"] == len(found["found"]) > 30
    assert set(found["found"][0]["nodes"]) == {"v", "s"}
    assert "found" not in counted
    assert "v=" in lines[0]
    assert found["found"][0]["text"] in lines[0]
    drawn = model.parent / "match.svg"
    RUN.invoke(app, [*arguments, "-o", str(drawn)])
    assert found["found"][0]["nodes"]["s"]["word"] in drawn.read_text()
    assert "=v<" in drawn.read_text()
    with pytest.raises(SettingError, match="one graph"):
        RUN.invoke(app, [*arguments, "--aligned", "-o", str(drawn)], catch_exceptions=False)
    with pytest.raises(PatternError, match="character 13"):
        RUN.invoke(app, ["annotate", "grep", "{pos:VERB} >", treebank], catch_exceptions=False)
