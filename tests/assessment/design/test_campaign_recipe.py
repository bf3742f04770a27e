"""`campaign.toml` makes the same campaign every time, and says in words what is wrong with it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.assessment.access_keys import AccessKeys
from dragoman.assessment.campaign import Campaign, Judgement
from dragoman.assessment.campaign_folder import add_judgements, create_campaign_folder, read_judgements
from dragoman.assessment.design.campaign_recipe import build_campaign, read_campaign_recipe
from dragoman.assessment.design.workload import workload
from dragoman.cli import app
from dragoman.errors import DragomanError, FileError, LengthMismatch, SettingError

LINES = 30


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name in ("src.cs", "ref.en", "a.en", "b.en"):
        lines = (f"{name} segment {at} has some words in it" for at in range(LINES))
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "docs.txt").write_text("".join(f"doc{at // 5}\n" for at in range(LINES)), "utf-8")
    return tmp_path


def recipe(folder: Path, *, top: str = "", testset: str = "", tail: str = "") -> Path:
    path = folder / "campaign.toml"
    path.write_text(
        f"""{top}
[[testsets]]
pair = "cs-en"
source = "src.cs"
reference = "ref.en"
systems = {{ A = "a.en", B = "b.en" }}
{testset}
{tail}
""",
        "utf-8",
    )
    return path


def test_the_smallest_recipe(texts: Path) -> None:
    campaign = build_campaign(read_campaign_recipe(recipe(texts)))
    assert campaign == build_campaign(read_campaign_recipe(recipe(texts)))
    assert campaign.name == "campaign"
    assert list(campaign.protocols) == ["adequacy"]
    shown = Counter((item.system, item.segment) for item in campaign if item.kind == "system")
    assert len(shown) == 2 * LINES
    item = next(item for item in campaign if item.system == "B" and item.segment == 7 and item.kind == "system")
    assert item.source.startswith("src.cs segment 7")
    assert item.reference.startswith("ref.en segment 7")
    assert item.candidates[0].startswith("b.en segment 7")
    assert item.pair == "cs-en"


def test_everything_can_be_set(texts: Path) -> None:
    path = recipe(
        texts,
        top="""name = "news"
protocol = ["adequacy", "fluency"]
seed = 5
language = "de"
consent = "I agree."
assessors = ["anna", "ben", "eva"]
hours = 2.5
tasks_per_assessor = 3
[design]
items = 40
judgements = 2
tasks = 3
sampling = "pool"
controls = ["degraded", "repeat"]
degrade = "replace"
[protocols.adequacy]
going_back = true
[wording.adequacy]
statement = "same meaning"
[gate]
stop = "2/3"
""",
        testset='name = "n13"\ndocuments = "docs.txt"',
    )
    campaign = build_campaign(read_campaign_recipe(path))
    assert len(campaign.tasks) == 6
    assert [task.number for task in campaign.tasks] == [1, 2, 3, 4, 5, 6]
    assert campaign.protocols["adequacy"].going_back
    assert not campaign.protocols["fluency"].going_back
    assert {item.testset for item in campaign} == {"n13"}
    assert campaign.hours == 2.5
    assert Counter(name for task in campaign.tasks for name in task.assessors) == {"anna": 4, "ben": 4, "eva": 4}
    assert all(len(set(task.assessors)) == 2 for task in campaign.tasks)
    found = workload(campaign)
    assert found.judgements == sum(2 * len(task.items) for task in campaign.tasks)
    assert {item.kind for item in campaign} == {"system", "degraded", "repeat"}


def test_documents_tables_ties_and_pairs(texts: Path) -> None:
    found = build_campaign(
        read_campaign_recipe(
            recipe(texts, top='protocol = "esa"\n[design]\ncontext = "document"', testset='documents = "docs.txt"')
        )
    )
    assert max(len(item.context) for item in found) == 4
    (texts / "items.tsv").write_text(
        "system\tcandidate\treference\nA\tx y z w\tr\nA\tu v w x\tr\nB\ta b c d\tr\n", "utf-8"
    )
    (texts / "t.toml").write_text('[[testsets]]\npair = "en"\ntable = "items.tsv"\n', "utf-8")
    table = build_campaign(read_campaign_recipe(texts / "t.toml"))
    assert {(item.system, item.segment) for item in table} == {("A", 0), ("A", 1), ("B", 0)}
    (texts / "tie.toml").write_text(
        '[[testsets]]\npair = "cs-en"\nreference = "ref.en"\nsystems = { T = ["a.en", "b.en"] }\n'
    )
    tie = [
        item.candidates[0][:4]
        for item in build_campaign(read_campaign_recipe(texts / "tie.toml"))
        if item.kind == "system"
    ]
    assert 5 < Counter(tie)["a.en"] < 25
    (texts / "pairs.tsv").write_text("".join(f"one {at}\tother {at}\n" for at in range(8)), "utf-8")
    (texts / "gold.tsv").write_text(
        "expected\tcandidate\treference\treason\n5\tsame\tsame\tequal\n0\tcat\tsea\tno\n", "utf-8"
    )
    (texts / "sts.toml").write_text(
        'protocol = "similarity"\ngold = "gold.tsv"\n[[testsets]]\npairs = "pairs.tsv"\nlanguage = "en"\n', "utf-8"
    )
    sts = build_campaign(read_campaign_recipe(texts / "sts.toml"))
    assert Counter(item.kind for item in sts) == {"system": 8, "gold": 2}
    gold = next(item for item in sts if item.expected == 5)
    assert gold.accepted == (4.0, 5.0, 6.0)


def test_wmt_files_bring_their_documents(tmp_path: Path) -> None:
    body = "".join(
        f'<doc docid="{doc}" genre="news">'
        + "".join(f'<seg id="{at}">{doc} {at} {{}}</seg>' for at in (1, 2))
        + "</doc>\n"
        for doc in ("x", "y")
    )
    for name, tag, attributes in (
        ("src.sgm", "srcset", ""),
        ("ref.sgm", "refset", ' trglang="en" refid="r"'),
        ("a.sgm", "tstset", ' trglang="en" sysid="A"'),
    ):
        content = body.replace("{}", f"{tag} text in some words").replace('genre="news"', 'sysid="A"')
        head = f'<{tag} setid="t" srclang="cs"{attributes}>\n'
        (tmp_path / name).write_text(f"{head}{content}</{tag}>\n", "utf-8")
    (tmp_path / "c.toml").write_text(
        """protocol = "esa"
[design]
context = "document"
[[testsets]]
pair = "cs-en"
source = "src.sgm"
reference = "ref.sgm"
systems = { A = "a.sgm" }
""",
        "utf-8",
    )
    made = build_campaign(read_campaign_recipe(tmp_path / "c.toml"))
    outputs = [item for item in made if item.kind == "system"]
    assert {item.document for item in outputs} == {"x", "y"}
    assert all(item.source.startswith(f"{item.document} ") and "srcset" in item.source for item in outputs)
    assert all("tstset" in item.candidates[0] for item in outputs)


@pytest.mark.parametrize(
    ("top", "testset", "message"),
    [
        ("protocl = 'x'", "", "did you mean 'protocol'"),
        ("protocol = 'adequate'", "", "did you mean 'adequacy'"),
        ("seed = 'one'", "", "seed"),
        ("[design]\nitems = 'many'", "", "items"),
        ("[design]\nitem = 3", "", "did you mean 'items'"),
        ("[design]\ndegrade = 'sing'", "", "degrade"),
        ("[design]\ncontrols = ['gold']", "", "gold"),
        ("[wording.adequacy]\nstatment = 'x'", "", "statment"),
        ("[protocols.fluency]\ngoing_back = true", "", "not among"),
        ("[gate]\nstop = 'often'", "", "gate"),
        ("assessors = ['a', 'a']", "", "twice"),
        ("assessors = ['a']\n[design]\njudgements = 2", "", "cannot come from 1"),
        ("", "documents = 'nowhere.txt'", "nowhere.txt"),
        ("", "documents = 3", "not the name of a file"),
        ("name = [", "", "not TOML"),
    ],
)
def test_mistakes_are_named(texts: Path, top: str, testset: str, message: str) -> None:
    with pytest.raises(DragomanError, match=message):
        build_campaign(read_campaign_recipe(recipe(texts, top=top, testset=testset)))


def test_files_must_be_parallel(texts: Path) -> None:
    (texts / "b.en").write_text("one line\n", "utf-8")
    with pytest.raises(LengthMismatch, match=r"b\.en: 1"):
        read_campaign_recipe(recipe(texts))
    (texts / "none.toml").write_text("name = 'x'\n", "utf-8")
    with pytest.raises(SettingError, match="no test sets"):
        read_campaign_recipe(texts / "none.toml")


def test_a_folder_of_a_campaign(texts: Path) -> None:
    campaign = build_campaign(read_campaign_recipe(recipe(texts, top='assessors = ["anna", "ben"]')))
    folder = texts / "study"
    access = create_campaign_folder(campaign, folder, server="https://x.org")
    assert Campaign.read(folder) == campaign
    assert AccessKeys.read(folder) == access
    rows = list(csv.DictReader((folder / "links.csv").read_text("utf-8").splitlines()))
    assert [row["who"] for row in rows] == ["anna", "ben", "workers from prolific", "workers from mturk", "organiser"]
    assert rows[0]["link"] == f"https://x.org/t/{access.assessors[0].token}"
    with pytest.raises(FileError, match="already"):
        create_campaign_folder(campaign, folder, server="")
    create_campaign_folder(campaign, folder, server="", force=True)
    first = Judgement(campaign.tasks[0].items[0].id, campaign.tasks[0].id, "anna", score=3)
    assert add_judgements(folder, [first, first]) == 1
    assert add_judgements(folder, [first]) == 0
    assert list(read_judgements(folder / "judgements.jsonl")) == [first]
    with pytest.raises(FileError, match="has judgements"):
        create_campaign_folder(campaign, folder, server="", force=True)


@pytest.mark.slow
def test_dry_run_writes_nothing(texts: Path) -> None:
    path = recipe(texts, top='assessors = ["anna"]')
    before = sorted(texts.iterdir())
    run = CliRunner().invoke(app, ["assess", "new", str(path), "--dry-run"])
    assert run.exit_code == 0, run.output
    assert "anna" in run.output
    assert sorted(texts.iterdir()) == before
    run = CliRunner().invoke(app, ["assess", "new", str(path), "--dry-run", "--json"])
    found = json.loads(run.stdout)
    assert found["systems"][0]["system"] == "A"
    assert found["systems"][0]["segments"] == LINES
    run = CliRunner().invoke(app, ["assess", "new", str(path), "-o", str(texts / "out")])
    assert run.exit_code == 0, run.output
    assert (texts / "out" / "campaign.json").exists()
