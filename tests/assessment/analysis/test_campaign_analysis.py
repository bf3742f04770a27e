"""From campaign to report: a simulated crowd judges, and the analysis finds the planted order and clickers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats
from typer.testing import CliRunner

from dragoman.assessment.analysis.campaign_analysis import analyse
from dragoman.assessment.analysis.pictures import assessor_picture, pace_picture, ranking_picture
from dragoman.assessment.analysis.report import analysis_document
from dragoman.assessment.campaign import Campaign
from dragoman.assessment.campaign_folder import create_campaign_folder, write_judgements
from dragoman.assessment.design.tasks import Design, build_tasks
from dragoman.assessment.exchange.importing import read_results
from dragoman.assessment.protocol import get_protocol
from dragoman.assessment.ratings import Ratings, join
from dragoman.assessment.simulation.assessors import simulate
from dragoman.assessment.web.store import Store, database_url
from dragoman.cli import app
from dragoman.drawing import Dot, Label, Line
from dragoman.errors import SettingError
from dragoman.evaluation.report import write_report
from tests.assessment.crowd import CAREFUL, campaign, judged

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a judged campaign: three systems twelve points apart, two people for each task."""
    folder = tmp_path_factory.mktemp("study") / "news"
    made = campaign(tasks=8, judgements=2)
    create_campaign_folder(made, folder, server="https://x.org")
    judgements, kinds = judged(made, step=12)
    write_judgements(folder / "judgements.jsonl", judgements)
    return folder, kinds


@pytest.mark.slow
def test_planted_order_and_clickers_are_found(study: tuple[Path, dict[str, str]]) -> None:
    folder, kinds = study
    found = analyse(read_results(folder))
    ranking = found.rankings[0]
    assert [one.system for one in ranking.systems] == ["S0", "S1", "S2"]
    assert ranking.clusters == (("S0",), ("S1",), ("S2",))
    kept = {one.assessor: one.kept for one in found.quality}
    careful = [name for name, kind in kinds.items() if kind == "conscientious"]
    careless = [name for name, kind in kinds.items() if kind in ("random", "constant")]
    assert careless
    assert sum(kept[name] for name in careful) >= len(careful) - 1
    assert sum(kept[name] for name in careless) <= 1
    assert found.kept_judgements < found.judgements == 1600
    assert {row.found.kind for row in found.agreement} == {"intra", "inter"}
    assert "adequacy" in found.one_versus_rest
    json.dumps(found.to_dict())


def test_reports(study: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    found = analyse(read_results(study[0]))
    document = analysis_document(found, name="<b>news</b> | study")
    page = document.html()
    assert "<b>news</b>" not in page
    assert page.count("<svg") == 3
    text = document.markdown()
    assert text.startswith(r"# \<b\>news\</b\> \| study")
    widths = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| ")]
    assert min(widths) >= 2
    pictures = ["ranking-1", "assessors", "pace"]
    for suffix, beside in ((".html", []), (".tex", []), (".md", pictures), (".json", pictures)):
        written = write_report(document, found.to_dict(), tmp_path / f"report{suffix}")
        assert [file.name for file in written] == [f"report{suffix}", *(f"report.{name}.svg" for name in beside)]
        assert min(file.stat().st_size for file in written) > 1000


def test_pictures(study: tuple[Path, dict[str, str]]) -> None:
    """A line stands above the first system of each cluster but the best; verdicts have marks of their own."""
    found = analyse(read_results(study[0]))
    ranking = ranking_picture(found.rankings[0])
    labels = {shape.text: shape.y for shape in ranking.shapes if isinstance(shape, Label)}
    rules = [shape.y1 for shape in ranking.shapes if isinstance(shape, Line) and shape.dashed and shape.y1 == shape.y2]
    assert [sum(labels[name] < y for name in ("S0", "S1", "S2")) for y in rules] == [1, 2]
    for picture in (assessor_picture(found.quality), pace_picture(found.quality)):
        dots = {shape.note.partition(":")[0] for shape in picture.shapes if isinstance(shape, Dot) and shape.note}
        crosses = {shape.note.partition(":")[0] for shape in picture.shapes if isinstance(shape, Line) and shape.note}
        assert dots == {one.assessor for one in found.quality if one.kept}
        assert crosses == {one.assessor for one in found.quality if not one.kept}


@pytest.mark.slow
def test_commands(study: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    folder = str(study[0])
    status = json.loads(RUNNER.invoke(app, ["assess", "status", folder, "--json"]).stdout)
    assert status["judgements"] == status["wanted"] == 1600
    assert all(task["finished"] == 2 for task in status["tasks"])
    assert "100%" in RUNNER.invoke(app, ["assess", "status", folder]).stdout
    csv_file, lines = tmp_path / "news.csv", tmp_path / "news.jsonl"
    for path, form in ((csv_file, "csv"), (lines, "jsonl")):
        run = RUNNER.invoke(app, ["assess", "export", folder, "-f", form, "-o", str(path)])
        assert run.exit_code == 0, run.output
    assert read_results(csv_file).ratings == read_results(lines).ratings == read_results(study[0]).ratings
    for form in ("judgements", "appraise-scores", "appraise", "pearmut", "mturk", "links"):
        run = RUNNER.invoke(app, ["assess", "export", folder, "-f", form])
        assert run.exit_code == 0, run.output
        assert len(run.stdout) > 100
    report = tmp_path / "out.html"
    segments = tmp_path / "segments.tsv"
    arguments = ["assess", "analyse", str(csv_file), "--report", str(report), "--segment-scores", str(segments)]
    run = RUNNER.invoke(app, [*arguments, "--min-judgements", "3"])
    assert run.exit_code == 0, run.output
    assert "S0" in run.stdout
    assert "<svg" in report.read_text("utf-8")
    rows = segments.read_text("utf-8").splitlines()
    assert rows[0].split("\t")[-2:] == ["judgements", "sd"]
    assert all(int(row.split("\t")[7]) >= 3 for row in rows[1:])
    run = RUNNER.invoke(app, ["assess", "analyse", folder, "--test", "welch", "--raw", "--json"])
    assert run.exit_code == 0, run.exception
    found = json.loads(run.stdout)
    assert found["settings"]["test"] == "welch"
    for wrong in (["--test", "oracle"], ["--gain", "A:B"], ["--report", "x.pdf"]):
        assert RUNNER.invoke(app, ["assess", "analyse", folder, *wrong]).exit_code != 0


@pytest.mark.slow
def test_import_adds_what_is_new(study: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    made = Campaign.read(study[0])
    create_campaign_folder(made, folder, server="")
    source = study[0] / "judgements.jsonl"
    run = RUNNER.invoke(app, ["assess", "import", str(folder), str(source), str(source)])
    assert run.exit_code == 0, run.output
    assert len(read_results(folder).ratings) == 1600


@pytest.mark.slow
def test_what_the_server_collected_is_read(tmp_path: Path) -> None:
    """The folder's database, or one that is named, with judgements that were imported beside it."""
    made = campaign(tasks=1, items=20)
    judgements, _ = judged(made)
    mine = [replace(one, assessor="anna") for one in judgements]
    for number, url in enumerate(("", f"sqlite:///{tmp_path}/elsewhere.sqlite")):
        folder = tmp_path / f"study{number}"
        create_campaign_folder(made, folder, server="")
        store = Store(url or database_url(folder), made)
        seat = store.admit(worker="anna", token="secret")
        assert store.claim(seat) == made.tasks[0].id
        for one in mine[:7]:
            store.save(seat, [one], key=one.item)
        store.close()
        more = ["--database", url] if url else []
        status = json.loads(RUNNER.invoke(app, ["assess", "status", str(folder), "--json", *more]).stdout)
        assert status["assessors"] == {"anna": 7}
        write_judgements(folder / "judgements.jsonl", judgements)
        run = RUNNER.invoke(app, ["assess", "export", str(folder), *more])
        assert len(run.stdout.splitlines()) == 1 + 7 + len(judgements)


@pytest.mark.slow
def test_rehearsal(study: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "trial.csv"
    arguments = ["assess", "rehearse", str(study[0]), "-o", str(path), "--quality", "S2=90", "--quality", "S0=20"]
    run = RUNNER.invoke(app, arguments)
    assert run.exit_code == 0, run.output
    assert [one.system for one in analyse(read_results(path)).rankings[0].systems] == ["S2", "S1", "S0"]
    for wrong in ("S9=3", "S1=high"):
        assert isinstance(RUNNER.invoke(app, [*arguments[:3], "--quality", wrong]).exception, SettingError)


@pytest.mark.slow
def test_plan_command() -> None:
    run = RUNNER.invoke(app, ["assess", "plan", "--difference", "10", "--pay", "2", "--simulate", "4"])
    assert run.exit_code == 0, run.output
    assert "tasks of 100 items" in run.stdout
    assert "simulated crowds" in run.stdout
    found = json.loads(RUNNER.invoke(app, ["assess", "plan", "--judgements", "500", "--json"]).stdout)
    assert (found["judgements"], found["tasks"]) == (500, 21)


@pytest.mark.slow
def test_every_protocol_is_analysed() -> None:
    parts = []
    for name in ("adequacy", "fluency", "esa", "likert-adequacy", "ranking"):
        made = campaign(name, judgements=3)
        judgements, _ = judged(made)
        parts.append(join(made, judgements))
    found = analyse(sum(parts, Ratings()))
    assert {one.protocol for one in found.rankings} == {"adequacy", "fluency", "esa", "likert-adequacy"}
    assert found.combined["cs-en"]["S0"]["S2"][0] == "adequacy"
    preferred = found.preferences[0]
    assert list(preferred.wins) == ["S0", "S1", "S2"]
    assert preferred.intra is not None
    assert preferred.inter is not None
    assert {one.system for one in found.errors} == {"S0", "S1", "S2"}
    assert found.errors[0].per_output["major"] < found.errors[2].per_output["major"]
    assert {row.found.categories for row in found.agreement if row.protocol == "likert-adequacy"} == {5}
    text = analysis_document(found).markdown()
    for title in ("Systems by ranking", "Marked errors", "Who is better than whom"):
        assert title in text


def test_similarity_gives_segment_scores() -> None:
    from dragoman.assessment.design.pool import Gold, SystemOutput

    pairs = [SystemOutput("sts", f"second {at}", "", f"first {at}", "", "en", "sts", at) for at in range(60)]
    gold = [Gold(float(at % 6), f"gold {at}", reference=f"gold first {at}", accepted=(0.0,)) for at in range(18)]
    protocol = get_protocol("similarity")
    tasks = build_tasks(pairs, protocol, Design(items=75, judgements=5), gold=gold)
    made = Campaign("sts", tuple(tasks), {"similarity": protocol})
    judgements, kinds = simulate(made, {"sts": 50.0, "": 0.0}, spread=25, seed=3)
    found = analyse(join(made, judgements), least=3)
    assert found.rankings == ()
    assert len(found.segments) == 60
    kept = {one.assessor: one.kept for one in found.quality}
    assert all(kept[name] for name, kind in kinds.items() if kind == "conscientious")
    assert not any(kept[name] for name, kind in kinds.items() if kind == "random")


def test_the_gate_discards_what_the_stopped_did() -> None:
    from dragoman.assessment.design.pool import Gold, SystemOutput

    pairs = [SystemOutput("sts", f"second {at}", "", f"first {at}", "", "en", "sts", at) for at in range(20)]
    gold = [Gold(5.0, f"gold {at}", reference="x", accepted=(4.0, 5.0)) for at in range(5)]
    protocol = get_protocol("similarity")
    tasks = build_tasks(pairs, protocol, Design(judgements=2), gold=gold)
    made = Campaign("sts", tuple(tasks), {"similarity": protocol}, gate={"entry": 2, "tries": 3})
    judgements, _ = simulate(made, {"sts": 50.0, "": 0.0}, seed=3, population=CAREFUL)
    spoilt = [
        replace(one, score=0.0 if one.assessor == "worker1" else 5.0) if made.item(one.item).kind == "gold" else one
        for one in judgements
    ]
    found = join(made, spoilt)
    assert {one.assessor for one in found.ratings if one.kind == "system"} == {"worker2"}
    assert "stopped worker1" in found.problems[0]
    assert len(join(replace(made, gate={"entry": 2, "tries": 3, "discard": False}), spoilt).ratings) == 50


def test_problems_are_told() -> None:
    made = campaign(tasks=1)
    judgements, _ = judged(made)
    flat = [replace(one, score=50.0, assessor="flo") for one in judgements]
    found = analyse(join(made, [*judgements, *flat, *flat]), test="none")
    assert any("first counts" in one for one in found.warnings)
    assert any("flo gave one score" in one for one in found.warnings)
    empty = analyse(Ratings())
    assert analysis_document(empty).markdown().startswith("# Assessment")


def test_genuine_crowd_ratings(data: Path) -> None:
    """Two genuine workers of a WMT campaign: one scores degraded copies reliably lower, one does not."""
    path = data / "wmt" / "crowd-batch" / "ratings.tsv"
    found = analyse(read_results(path))
    kept = {one.assessor: one for one in found.quality}
    assert (kept["W1"].kept, kept["W2"].kept) == (False, True)
    lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    scores = {(who, kind, system, segment): int(score) for who, _, _, _, _, system, segment, kind, _, score, _ in lines}
    for name in ("W1", "W2"):
        damaged = {key[2:]: score for key, score in scores.items() if key[:2] == (name, "cal")}
        original = [scores[name, "system", *place] for place in damaged]
        expected = stats.ttest_rel(original, list(damaged.values()), alternative="greater").pvalue
        assert kept[name].p_paired == pytest.approx(expected)
    assert found.differences["adequacy, all, same assessor"].mean == pytest.approx(14.65)
