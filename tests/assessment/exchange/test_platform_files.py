"""Files of other programs: written, filled, read back, the same judgements; damaged ones are refused in words."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman.assessment.campaign import Campaign, ErrorSpan, Judgement
from dragoman.assessment.exchange import appraise, mturk, pearmut
from dragoman.assessment.exchange.importing import open_campaign, read_results
from dragoman.assessment.ratings import Ratings, join, read_ratings, write_ratings
from dragoman.errors import DragomanError, FormatError, InputError
from tests.assessment.crowd import campaign, judged, outputs


def core(found: Ratings) -> set[tuple[str, str, str, float]]:
    return {(one.assessor, one.kind, one.system, one.score) for one in found.ratings}


def pearmut_output(made: Campaign, judgements: list[Judgement]) -> str:
    """What Pearmut writes: a line per document."""
    written = pearmut.pearmut_campaign(made)
    answers = {one.item: one for one in judgements}
    lines = []
    for documents in written["data"]:
        for at, document in enumerate(documents):
            own = [answers[segment["item_id"]] for segment in document]
            annotation = []
            for segment, one in zip(document, own, strict=True):
                system = next(iter(segment["tgt"]))
                length = len(segment["tgt"][system])
                spans = [
                    {"start_i": s.start, "end_i": s.end - 1 if s.start < s.end else length + 3, "severity": s.severity}
                    for s in one.spans
                ]
                annotation.append({system: {"score": one.score, "error_spans": spans, "textfield": None}})
            times = [{"time": 1771315361.5, "action": "load"}, {"time": 1771315371.5, "action": "submit"}]
            entry = {"annotation": annotation, "actions": times, "item": document, "user_id": own[0].assessor}
            lines.append(json.dumps({**entry, "item_i": at}))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_our_own_tables(tmp_path: Path, form: str) -> None:
    made = campaign("esa", pool=outputs(document=5), context="document")
    found = join(made, judged(made)[0])
    path = tmp_path / f"ratings.{form}"
    write_ratings(path, found.ratings)
    assert read_ratings(path).ratings == found.ratings
    assert read_results(path).ratings == found.ratings
    assert any(one.spans for one in found.ratings)


def test_an_item_judged_twice_counts_once() -> None:
    made = campaign()
    judgements, _ = judged(made)
    found = join(made, [*judgements, replace(judgements[0], score=1)])
    assert len(found.ratings) == len(judgements)
    assert "first counts" in found.problems[0]


def test_mturk_round_trip(tmp_path: Path) -> None:
    made = campaign(tasks=2, judgements=2)
    judgements, _ = judged(made)
    table = list(csv.reader(io.StringIO(mturk.mturk_input(made))))
    assert table[0][:7] == ["src", "trg", "item", "sys_id_0", "sid_0", "tst_0", "rid_0"]
    assert table[0][402] == "rid_99"
    assert table[1][:3] == ["cs", "en", "ad"]
    assert {table[1][5 + 4 * at] for at in range(100)} == {"SYSTEM", "REPEAT", "BAD_REF", "REF"}
    groups: dict[tuple[str, str], list[Judgement]] = {}
    for one in judgements:
        groups.setdefault((one.task, one.assessor), []).append(one)
    path = tmp_path / "batch.csv"
    path.write_text(mturk.filled_batch(made, groups), "utf-8")
    found = read_results(path)
    expected = join(made, judgements)
    assert core(found) == core(expected)
    assert [one.partner for one in found.ratings] == [one.partner for one in expected.ratings]
    assert {one.pair for one in found.ratings} == {"cs-en"}


def test_mturk_batches_with_faults(tmp_path: Path) -> None:
    made = campaign(tasks=1)
    judgements, _ = judged(made)
    key = (judgements[0].task, judgements[0].assessor)
    path = tmp_path / "batch.csv"
    path.write_text(mturk.filled_batch(made, {key: judgements[:60]}), "utf-8")
    assert mturk.read_batch(path).ratings == []
    assert "1 incomplete" in mturk.read_batch(path).problems[0]
    assert len(mturk.read_batch(path, partial=True).ratings) == 60
    whole = mturk.filled_batch(made, {key: judgements})
    path.write_text(whole.replace("Submitted", "Rejected"), "utf-8")
    assert "1 rejected" in mturk.read_batch(path).problems[0]
    first = judgements[0]
    for wrong, message in ((f"0_{first.item}_101", "101"), (f"0_{first.item}_5.5", "5.5"), ("0_beef_50", "beef")):
        path.write_text(whole.replace(f"0_{first.item}_{first.score:g}|", f"{wrong}|"), "utf-8")
        with pytest.raises((FormatError, InputError), match=message):
            mturk.read_batch(path)
    path.write_text("HITId,WorkerId\n1,2\n", "utf-8")
    with pytest.raises(FormatError, match="AssignmentStatus"):
        mturk.read_batch(path)


@pytest.mark.parametrize("name", ["adequacy", "esa"])
def test_appraise_round_trip(tmp_path: Path, name: str) -> None:
    made = campaign(name, tasks=2)
    judgements, _ = judged(made)
    batches = appraise.appraise_batches(made)
    assert batches[0]["task"]["sourceLanguage"] == "ces"
    assert batches[0]["task"]["batchSize"] == len(made.tasks[0].items)
    path = tmp_path / "batches.json"
    path.write_text(json.dumps(batches), "utf-8")
    again = open_campaign(path) if name == "esa" else appraise.read_batches(batches, name="x", protocol=name)
    for ours, theirs in zip(made, again, strict=True):
        assert (ours.kind, ours.candidates) == (theirs.kind, theirs.candidates)
        partner = again.item(theirs.partner) if theirs.partner else None
        if ours.partner:
            assert partner is not None
            original = made.item(ours.partner)
            assert (partner.reference or partner.source) in (original.reference, original.source)
            assert ours.kind == "reference" or partner.candidates == original.candidates
    scores = tmp_path / "scores.csv"
    scores.write_text(appraise.appraise_scores(made, judgements), "utf-8")
    found = read_results(scores)
    assert {(one.assessor, one.kind, one.score) for one in found.ratings} == {
        (one.assessor, one.kind, one.score) for one in join(made, judgements).ratings
    }
    assert {one.protocol for one in found.ratings} == {name}
    assert sum(len(one.spans) for one in found.ratings) == sum(len(one.spans) for one in judgements)


def test_appraise_scores_in_their_own_words(tmp_path: Path) -> None:
    """Lines as the program writes them, with and without documents, errors, times and batch numbers."""
    lines = [
        "engdeu0101,newstest.A.en-de,68,TGT,eng,deu,77",
        "engdeu0101,newstest.A.en-de,68,CHK,eng,deu,75,1617030000.5,1617030012.5",
        "engdeu0101,newstest.A.en-de,68,BAD,eng,deu,7,bbc.381790,False,1617030020.0,1617030021.0",
        'engdeu0101,B,69,TGT,eng,deu,50,doc#2,False,"[{""start_i"": 8, ""end_i"": 14, ""severity"": ""minor""}, '
        '{""start_i"": ""missing"", ""end_i"": ""missing"", ""severity"": ""major""}]",1617030030.0,1617030031.0,3,812',
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = read_results(path).ratings
    assert [one.kind for one in found] == ["system", "repeat", "degraded", "system"]
    assert [one.milliseconds for one in found] == [0, 12000, 1000, 1000]
    assert found[1].partner == found[2].partner == found[0].item
    assert found[3].spans == (ErrorSpan(8, 14, "minor"), ErrorSpan(-1, -1, "major"))
    assert (found[3].task, found[3].document, found[3].pair) == ("3", "doc#2", "en-de")
    path.write_text("engdeu0101,A,68,XYZ,eng,deu,77\n", "utf-8")
    with pytest.raises(FormatError):
        appraise.read_scores(path)


@pytest.mark.parametrize("name", ["adequacy", "esa", "likert-adequacy"])
def test_pearmut_round_trip(tmp_path: Path, name: str) -> None:
    made = campaign(
        name, pool=outputs(document=5) if name == "esa" else None, context="document" if name == "esa" else "segment"
    )
    judgements, _ = judged(made)
    path = tmp_path / "output.jsonl"
    path.write_text(pearmut_output(made, judgements), "utf-8")
    found = pearmut.read_annotations(path, campaign=made)
    assert isinstance(found, list)
    assert {(one.item, one.assessor, one.score, one.spans) for one in found} == {
        (one.item, one.assessor, one.score, one.spans) for one in judgements
    }
    assert found[0].submitted.startswith("2026-02-17T")
    assert core(read_results(path, campaign=made)) == core(join(made, judgements))
    alone = read_results(path)
    assert {(one.kind, one.score) for one in alone.ratings} == {
        (one.kind, one.score) for one in join(made, judgements).ratings
    }
    path.write_text("".join(pearmut.pearmut_annotations(made, judgements)), "utf-8")
    back = pearmut.read_annotations(path, campaign=made)
    assert isinstance(back, list)
    assert {(one.item, one.score, one.spans, one.started) for one in back} == {
        (one.item, one.score, one.spans, one.started) for one in judgements
    }
    written = pearmut.pearmut_campaign(made)
    assert written["info"]["protocol"] == ("ESA" if name == "esa" else "DA")
    if name == "likert-adequacy":
        assert written["info"]["sliders"] == [{"name": name, "min": 1, "max": 5, "step": 1}]


def test_pearmut_campaigns_are_taken_over(tmp_path: Path) -> None:
    """The documented form: tasks of documents of segments, several systems, validation, a shared stream."""
    values: dict[str, Any] = {
        "info": {"assignment": "task-based", "protocol": "ESA"},
        "campaign_id": "wmt25_#_en-cs_CZ",
        "data": [
            [
                [{"src": "a", "tgt": {"A": "x", "B": "y"}, "item_id": "d1"}, {"src": "b", "tgt": {"A": "z"}}],
                [{"src": "c", "tgt": {"A": "w"}, "validation": {"A": [{"warning": "no", "score": [70, 80]}]}}],
            ]
        ],
    }
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps(values), "utf-8")
    made = open_campaign(path)
    assert [(item.system, item.kind) for item in made] == [
        ("A", "system"),
        ("B", "system"),
        ("A", "system"),
        ("A", "gold"),
    ]
    gold = made.tasks[0].items[-1]
    assert (gold.expected, gold.accepted[0], gold.accepted[-1]) == (75.0, 70.0, 80.0)
    stream = {**values, "info": {"assignment": "single-stream", "protocol": "DA"}, "data": values["data"][0]}
    assert len(pearmut.read_campaign(stream).tasks) == 2
    written = pearmut.pearmut_campaign(campaign())
    again = pearmut.read_campaign(written)
    assert [item.kind for item in again] == [item.kind for item in campaign()]
    with pytest.raises(FormatError):
        open_campaign(_write(tmp_path / "other.json", '{"some": "thing"}'))
    with pytest.raises(FormatError, match="protocol"):
        pearmut.read_campaign({**values, "info": {"protocol": "XSTS"}})


def _write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_crowd_tables(data: Path) -> None:
    """Two genuine tasks of 100 items: their controls are where the design says, and all find their partners."""
    found = read_results(data / "wmt" / "crowd-batch" / "ratings.tsv").ratings
    assert len(found) == 200
    for hit in ("H1", "H2"):
        rows = {one.item: one for one in found if one.task == hit}
        for one in rows.values():
            if one.kind != "system":
                partner = rows[one.partner]
                assert 41 <= abs(partner.position - one.position) <= 59
                assert abs(partner.position // 10 - one.position // 10) == 5
    assert {one.milliseconds for one in found if one.task == "H1"} == {13760}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "worker\thit\ttype\tscore\nW\tH\tnonsense\t3\n"),
        ("b.tsv", "worker\thit\ttype\tscore\nW\tH\tsystem\t300\n"),
        ("c.tsv", "worker\thit\ttype\tscore\nW\tH\tsystem\n"),
        ("d.csv", "assessor,task,item,kind,score\nA,t,i,system,high\n"),
        ("e.csv", "assessor,task,item,kind,score\nA,t,i,other,3\n"),
        ("f.csv", "assessor,task,item,kind\nA,t,i,system\n"),
        ("g.jsonl", '{"kind": "system", "assessor": 3}\n'),
        ("h.jsonl", '{"item": "i", "task": "t", "assessor": "a", "score": 3}\n'),
        ("i.csv", ""),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(DragomanError, match=r"[a-i]\.(tsv|csv|jsonl)"):
        read_results(_write(tmp_path / name, content))


@pytest.mark.slow
def test_damaged_files_never_crash_a_reader(tmp_path: Path) -> None:
    """Cut and insert bytes anywhere: it reads, or it says what is wrong."""
    made = campaign(pool=outputs(2, 8))
    judgements, _ = judged(made)
    groups = {(judgements[0].task, judgements[0].assessor): judgements}
    wholes = [
        mturk.filled_batch(made, groups),
        appraise.appraise_scores(made, judgements),
        pearmut_output(made, judgements),
        "worker\thit\ttype\tscore\nW\tH\tsystem\t3\n",
        json.dumps(appraise.appraise_batches(made)),
        json.dumps(pearmut.pearmut_campaign(made)),
    ]
    rng = np.random.default_rng(7)
    pieces = [b"", b"0", b'"', b"[", b"}", b"\r", b"\x00", b"\xff", b"\n", b",", b"null", b"|", b"_", b"{", b"-"]
    refused = 0
    for whole in wholes:
        for _ in range(80):
            at, cut = int(rng.integers(0, len(whole))), int(rng.integers(0, 6))
            damage = pieces[int(rng.integers(len(pieces)))]
            path = tmp_path / ("damaged.json" if whole[0] in "[{" and "user_id" not in whole else "damaged.csv")
            path.write_bytes(whole.encode()[:at] + damage + whole.encode()[at + cut :])
            try:
                open_campaign(path) if path.suffix == ".json" else read_results(path, campaign=made)
            except DragomanError:
                refused += 1
    assert refused > 50


def nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value that can be replaced: its container and key."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((value, key), *nodes(value[key]))]


@pytest.mark.slow
def test_foreign_objects_of_the_wrong_shape_are_refused(tmp_path: Path) -> None:
    """Put something else in the place of any value: it reads, or it says what is wrong."""
    made = campaign("esa", pool=outputs(2, 6, document=3), context="document")
    judgements, _ = judged(made)
    rng = np.random.default_rng(3)
    replacements: list[Any] = [None, 3, -1.5, "x", [], {}, [1], {"a": 1}, True, 10**30]
    texts = [
        json.dumps(appraise.appraise_batches(made)),
        json.dumps(pearmut.pearmut_campaign(made)),
        next(pearmut.pearmut_annotations(made, judgements)),
    ]
    for text in texts:
        for _ in range(150):
            value = [json.loads(text)]
            places = nodes(value)
            container, key = places[int(rng.integers(len(places)))]
            container[key] = replacements[int(rng.integers(len(replacements)))]
            path = _write(tmp_path / "shape.json", json.dumps(value[0]))
            for read in (open_campaign, read_results):
                with contextlib.suppress(DragomanError):
                    read(path)
            with contextlib.suppress(DragomanError):
                read_results(path, campaign=made)
