from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.grammar.phrases import extract
from tests.commands import Run
from tests.semantics.test_oov import LINKS, MONO, SOURCE, TARGET

BANKS = "money bank loan\nloan money\nboat bank shore\nshore boat\nThe 42 bank !\n"


def test_profiles(run: Run) -> None:
    Path("text").write_text(BANKS)
    facts = json.loads(run("profiles", "build", "text", "-o", "p", "--min-count", "1", "--json"))
    assert (facts["words"], facts["tokens"]) == (6, 12)
    found = json.loads(run("profiles", "nearest", "p", "loan", "-k", "1", "--contexts", "--json"))["words"]["loan"]
    assert found[0]["contexts"]
    assert "bank" in run("profiles", "nearest", "p", "loan")
    assert "does not occur" in run("profiles", "nearest", "p", "42", code=2)
    Path("pairs").write_text("bank\tloan\t3\nboat\tshore\t4\nmoney\tboat\t1\nx\ty\t2\n")
    report = json.loads(run("profiles", "evaluate", "p", "pairs", "--unknown", "skip", "--json"))["files"]["pairs"]
    assert (report["known"], report["total"]) == (3, 4)
    assert "Spearman" in run("profiles", "evaluate", "p", "pairs")
    assert "association" in run("profiles", "build", "text", "-o", "q", "--association", "x", code=2)


def test_paraphrases(run: Run) -> None:
    Path("text").write_text("she declined to give details\nhe declined to provide details\n")
    found = json.loads(run("paraphrase", "text", "text", "to give", "--min-score", "0", "--json"))["phrases"]
    assert found["to give"][0]["phrase"] == "to provide"
    assert found["to give"][0]["sentences"] == [{"sentence": 1, "text": "he declined to provide details"}]
    run("paraphrase", "text", "text", "to give", "-o", "out", "--min-score", "0")
    assert Path("out").read_text().startswith("to give ||| to provide ||| ")
    assert "to provide" in run("paraphrase", "text", "text", "to give", "--min-score", "0")
    assert "no phrase" in run("paraphrase", "text", "text", code=2)
    assert "no pivot language" in run("paraphrase", "pivot", "a", code=2)
    assert "LANGUAGE=TABLE" in run("paraphrase", "pivot", "a", "--pivot", "x", code=2)
    extract(["a b", "c b"], ["x y", "x y"], ["0-0 1-1"] * 2, "t.table")
    pivots = json.loads(run("paraphrase", "pivot", "a", "--pivot", "p=t.table", "--json"))["phrases"]
    assert pivots["a"]["paraphrases"][0]["phrase"] == "c"
    assert "paraphrases" in run("paraphrase", "pivot", "--pivot", "p=t.table", "-o", "table.txt")
    assert "a |||  ||| c ||| 0.5 ||| p:x=0.5" in Path("table.txt").read_text().splitlines()


def test_tables_are_augmented_by_paraphrases(run: Run) -> None:
    extract(SOURCE, TARGET, LINKS, "t.table")
    Path("paraphrases").write_text("gebäude ||| haus ||| 0.5\nbau ||| nichts ||| 0.5\n")
    made = json.loads(run("paraphrase", "augment", "t.table", "paraphrases", "-o", "new.table", "--json"))
    assert (made["new"], made["rules"]) == (1, made["before"] + 1)
    assert "1 new rules" in run("paraphrase", "augment", "t.table", "paraphrases", "-o", "new.table")
    for wrong in ("a ||| b", "a ||| b ||| 2", "a ||| b ||| x"):
        Path("paraphrases").write_text(f"{wrong}\n")
        assert "line 1" in run("paraphrase", "augment", "t.table", "paraphrases", "-o", "new.table", code=2)


def test_sense_tags(run: Run) -> None:
    Path("es").write_text("la forma\nde esta forma\nla forma\n")
    Path("en").write_text("the form\nin this way\nthe form\n")
    Path("links").write_text("0-0 1-1\n0-0 1-1 2-2\n0-0 1-1\n")
    found = json.loads(run("paraphrase", "tag", "es", "en", "links", "forma", "--json"))["phrases"]["forma"]
    assert [(each["line"], each["start"], each["tag"]) for each in found] == [
        (1, 1, "form"),
        (2, 2, "way"),
        (3, 1, "form"),
    ]
    shown = run("paraphrase", "tag", "es", "en", "links", "forma")
    assert shown.index("form ") < shown.index("way")


def test_forms(run: Run) -> None:
    extract(["das haus", "die tür"], ["the house", "the door"], ["0-0 1-1"] * 2, "t.table")
    Path("text").write_text("das haus\ndie tür\n" * 5)
    Path("test").write_text("die haustür\n")
    found = json.loads(run("oov", "forms", "t.table", "text", "haustür", "--no-morphs", "--json"))["words"]["haustür"]
    assert (found[0]["target"], found[0]["kind"], found[0]["reason"]) == ("house door", "compound", "haus + tür")
    run("oov", "forms", "t.table", "text", "--file", "test", "--no-morphs", "-o", "oov.tsv")
    assert Path("oov.tsv").read_text().startswith("haustür\thouse door\t")
    assert "haus + tür" in run("oov", "forms", "t.table", "text", "haustür", "--no-morphs")
    assert "no unknown word" in run("oov", "forms", "t.table", "text", code=2)


def test_unknown_words(run: Run) -> None:
    extract(SOURCE, TARGET, LINKS, "t.table")
    Path("mono").write_text("\n".join(MONO) + "\n")
    Path("test").write_text("ein gebäude\n")
    assert run("oov", "find", "t.table", "test") == "gebäude\n"
    found = json.loads(run("oov", "translate", "t.table", "mono", "test", "--min-count", "1", "--json"))["words"]
    assert found["gebäude"][0]["target"] == "house"
    reason = found["gebäude"][0]["because"][0]
    assert reason["neighbor"] in reason["sentence"].split()
    run("oov", "translate", "t.table", "mono", "test", "--min-count", "1", "-o", "oov.tsv")
    made = json.loads(run("oov", "augment", "t.table", "oov.tsv", "-o", "new.table", "--json"))
    assert made["rules"] == made["before"] + made["new"]
    Path("target").write_text("a house\n")
    Path("links").write_text("0-0 1-1\n")
    report = json.loads(run("oov", "evaluate", "oov.tsv", "test", "target", "links", "--json"))
    assert report == {"mrr": 1.0, "recall": 1.0, "words": 1, "covered": 1}
    assert "already" in run("oov", "augment", "new.table", "oov.tsv", "-o", "x.table", code=2)


def test_senses_and_other_measures(run: Run) -> None:
    Path("text").write_text(BANKS)
    run("profiles", "build", "text", "-o", "p", "--min-count", "1")
    Path("senses").write_text("FINANCE\tbank\nFINANCE\tloan\nRIVER\tbank\nRIVER\tshore\n")
    found = json.loads(run("profiles", "senses", "p", "bank", "loan", "--thesaurus", "tsv=senses", "--json"))["words"]
    assert {use["sense"]: set(use["contexts"]) - {"the"} for use in found["bank"]} == {
        "FINANCE": {"money", "loan"},
        "RIVER": {"boat", "shore"},
    }
    assert sum(use["share"] for use in found["bank"]) == pytest.approx(1)
    assert "RIVER" in run("profiles", "senses", "p", "bank", "--thesaurus", "tsv=senses")
    assert "--thesaurus" in run("profiles", "senses", "p", "bank", "--thesaurus", "", code=2)
    Path("pairs").write_text("Bank\tloan\t3\nboat\tshore\t4\nmoney\tboat\t1\nloan\tboat\t2\n")
    for measure in ("profile", "concept", "proportional", "filtered", "lsa", "glsa"):
        options = ("--measure", measure, "--thesaurus", "tsv=senses", "--json")
        report = json.loads(run("profiles", "evaluate", "p", "pairs", *options))["files"]["pairs"]
        assert report["known"] == (1 if measure == "concept" else 4), measure
    assert "thesaurus" in run("profiles", "evaluate", "p", "pairs", "--measure", "concept", code=2)
    assert "choose from" in run("profiles", "evaluate", "p", "pairs", "--measure", "x", code=2)


def test_paraphrases_of_a_whole_vocabulary(run: Run) -> None:
    Path("text").write_text("she declined to give details\nhe declined to provide details\n")
    options = ("--all", "--max-phrase", "2", "--min-count", "1", "--min-score", "0", "--stoplist", "100")
    run("paraphrase", "text", "text", *options, "-o", "out")
    lines = Path("out").read_text().splitlines()
    assert any(line.startswith("to give ||| to provide ||| ") for line in lines)
    assert any(line.startswith("give ||| provide ||| ") for line in lines)


def test_pivots_by_the_tag_alone_and_in_a_sentence(run: Run) -> None:
    extract(["a b", "c b", "d b", "c e"], ["x y", "x y", "x y", "x z"], ["0-0 1-1"] * 4, "t.table")
    found = json.loads(run("paraphrase", "pivot", "a", "--tag-pairs", "t.table", "--tag", "x", "--json"))["phrases"][
        "a"
    ]
    assert [entry["phrase"] for entry in found["paraphrases"]] == ["c", "d"]
    Path("text").write_text("d b\nd b\nd b\nc e\n")
    run("lm", "estimate", "text", "-o", "lm.bin", "--order", "2")
    asked = ("paraphrase", "pivot", "a", "--pivot", "p=t.table", "--json")
    ranked = json.loads(run(*asked, "--lm", "lm.bin", "--context", "a b"))["phrases"]["a"]["paraphrases"]
    assert ranked[0]["phrase"] == "d"
    assert json.loads(run(*asked))["phrases"]["a"]["paraphrases"][0]["phrase"] == "c"
    assert "go together" in run(*asked, "--context", "a b", code=2)
    assert "no 'a'" in run(*asked, "--lm", "lm.bin", "--context", "b b", code=2)
    assert "without a tag" in run("paraphrase", "pivot", "a", "--tag-pairs", "t.table", code=2)


def test_graphs_and_labels_in_files(run: Run) -> None:
    extract(SOURCE, TARGET, LINKS, "t.table")
    Path("mono").write_text("\n".join(MONO) + "\n")
    Path("test").write_text("ein gebäude\n")
    options = ("--min-count", "1", "-o", "graph", "--seeds", "seeds")
    facts = json.loads(run("oov", "graph", "t.table", "mono", "test", *options, "--json"))
    assert facts["edges"] == len(Path("graph").read_text().splitlines())
    run("oov", "propagate", "graph", "seeds", "-o", "labels", "--json")
    labels = [line.split("\t") for line in Path("labels").read_text().splitlines() if line.startswith("gebäude\t")]
    values = {label: float(value) for _, label, value in labels}
    run("oov", "translate", "t.table", "mono", "test", "--min-count", "1", "-o", "oov.tsv")
    first, *_ = Path("oov.tsv").read_text().splitlines()
    assert float(first.split("\t")[2]) == pytest.approx(values[first.split("\t")[1]] / sum(values.values()))
    assert "labels over" in run("oov", "propagate", "graph", "seeds", "-o", "labels")
    Path("seeds").write_text("gebäude\thouse\t-1\n")
    assert "line 1" in run("oov", "propagate", "graph", "seeds", "-o", "labels", code=2)
