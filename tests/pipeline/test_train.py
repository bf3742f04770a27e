from __future__ import annotations

import gzip
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import dragoman
from dragoman.bundle import Bundle
from dragoman.errors import DragomanError, FileError, InputError, LengthMismatch, SettingError, UnknownName
from dragoman.grammar.limits import HieroLimits, PhraseLimits
from dragoman.grammar.table import RuleTable
from dragoman.metrics.report import score
from dragoman.pipeline.model import Model
from dragoman.pipeline.preflight import Preflight, resolve_languages
from dragoman.pipeline.recipe import Recipe
from dragoman.progress import Progress
from dragoman.search.settings import PhraseSettings
from dragoman.text.corpus import Bitext
from tests.pipeline.conftest import SMALL, Sides, sides


def write(folder: Path, name: str, texts: Sides) -> tuple[Path, Path]:
    for side, language in zip(texts, ("en", "de"), strict=True):
        (folder / f"{name}.{language}").write_text("".join(f"{line}\n" for line in side), "utf-8")
    return folder / f"{name}.en", folder / f"{name}.de"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, bitext: Sides) -> tuple[Path, Path]:
    return write(tmp_path_factory.mktemp("text"), "train", bitext)


def content(model: Model) -> dict[str, bytes]:
    """Every file of a bundle that does not tell the time."""
    names = [name for name in Bundle.open(model.path).sizes if name != "report.json"]
    return {name: (model.path / name).read_bytes() for name in names}


def test_files_and_segments_and_threads_give_the_same_model(
    model: Model, files: tuple[Path, Path], tmp_path: Path
) -> None:
    again = dragoman.train(*files, output=tmp_path / "m", recipe=SMALL.to_dict(), threads=1)
    assert again.languages == ("en", "de")  # from the names of the files
    assert content(again) == content(model)
    assert [entry["path"] for entry in again.bundle.provenance["inputs"]] == [str(file) for file in files]
    assert not list(tmp_path.glob(".*"))  # stages were cleared away


def test_stages_are_kept_and_only_what_changed_is_done_again(files: tuple[Path, Path], tmp_path: Path) -> None:
    first = dragoman.train(*files, output=tmp_path / "a", recipe=SMALL, cache=tmp_path / "cache")
    assert not any(facts.get("kept") for facts in first.report["stages"].values())
    changed = replace(SMALL, order=2)
    second = dragoman.train(*files, output=tmp_path / "b", recipe=changed, cache=tmp_path / "cache")
    kept = {name for name, facts in second.report["stages"].items() if facts.get("kept")}
    assert kept == {"prepare", "alignment", "table"}
    third = dragoman.train(*files, output=tmp_path / "c", recipe=SMALL, cache=tmp_path / "cache")
    assert all(facts.get("kept") for facts in third.report["stages"].values())
    assert content(third) == content(first)


def test_a_dev_set_is_held_out_and_reported(model: Model) -> None:
    facts = model.report["stages"]["prepare"]
    assert facts["dev_held_out"] == 40
    assert facts["pairs"] <= 360
    assert any("held out" in note for note in model.report["notes"])
    assert model.report["stages"]["tuning"]["dev_bleu"] > 10
    assert all(facts["processor_seconds"] >= 0 for facts in model.report["stages"].values())


def test_sizes_are_told_before_the_work(files: tuple[Path, Path], tmp_path: Path) -> None:
    told: list[Preflight] = []
    dev = sides(20, start=9000)

    def stop(sizes: Preflight) -> None:
        told.append(sizes)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dragoman.train(*files, output=tmp_path / "m", recipe=SMALL, dev=dev, started=stop)
    assert told[0].train.segments == 400
    assert told[0].dev is not None
    assert told[0].dev.segments == 20
    assert told[0].memory_needed > 2**20
    assert not (tmp_path / "m").exists()


def test_progress_is_reported(files: tuple[Path, Path], tmp_path: Path) -> None:
    seen: list[Progress] = []
    dragoman.train(*files, output=tmp_path / "m", recipe=SMALL, progress=seen.append)
    assert {"training", "reading", "extracting"} <= {each.stage for each in seen}


def test_further_text_mixed_in_or_apart(files: tuple[Path, Path], tmp_path: Path) -> None:
    extra = tmp_path / "more.de.gz"
    with gzip.open(extra, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in sides(300, start=20_000).target)
    cache = tmp_path / "cache"
    mixed = dragoman.train(*files, output=tmp_path / "m", recipe=SMALL, lm_text=[extra], cache=cache)
    assert sum(mixed.report["stages"]["language model"]["mixture"]["weights"]) == pytest.approx(1)
    recipe = replace(SMALL, extra_text="separate", classes=20)
    apart = dragoman.train(*files, output=tmp_path / "a", recipe=recipe, lm_text=[extra], cache=cache)
    assert {"lm", "lm_extra", "lm_classes"} <= set(apart.decoder.feature_names)
    assert apart.translate("The house is old.").text


def test_large_text_gets_a_model_over_classes(bitext: Sides, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(name: str, classes: int) -> Model:
        recipe = replace(SMALL, classes=classes, class_order=3)
        return dragoman.train(*bitext, output=tmp_path / name, languages=("en", "de"), recipe=recipe)

    assert "lm_classes" not in trained("small", -1).weights
    monkeypatch.setattr("dragoman.pipeline.stages.CLASSES_FROM", 300)
    assert "lm_classes" in trained("large", -1).weights
    assert "lm_classes" not in trained("none", 0).weights


def test_tokenized_text_is_left_alone(tmp_path: Path) -> None:
    source = [f"das haus nr{i % 7} ist gro&szlig; &quot; x|y" for i in range(60)]
    target = [f"the house nr{i % 7} is big &quot; x|y" for i in range(60)]
    recipe = replace(SMALL, tokenized=True, dev_size=0)
    model = dragoman.train(source, target, output=tmp_path / "m", languages=("de", "en"), recipe=recipe)
    assert model.translate(source[3]).text == target[3]
    assert model.translate("DAS ist <b> %d").text == "DAS is <b> %d"


def test_a_killed_job_loses_its_current_stage_only(files: tuple[Path, Path], tmp_path: Path) -> None:
    script = (
        "import sys, time, dragoman\n"
        "from dataclasses import replace\n"
        "from dragoman.pipeline import stages\n"
        "from tests.pipeline.conftest import SMALL\n"
        "def hang(work, out, **inputs):\n"
        "    (out / 'half').write_text('done')\n"
        "    print('hanging', flush=True)\n"
        "    time.sleep(60)\n"
        "stages.table = replace(stages.table, function=hang)\n"
        f"dragoman.train({str(files[0])!r}, {str(files[1])!r}, output={str(tmp_path / 'm')!r}, recipe=SMALL)\n"
    )
    home = Path(__file__).parents[2]
    job = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=home)
    assert job.stdout is not None
    assert job.stdout.readline().strip() == "hanging"
    with pytest.raises(FileError, match="another job"):
        dragoman.train(*files, output=tmp_path / "m", recipe=SMALL)
    job.send_signal(signal.SIGKILL)
    job.wait()
    job.stdout.close()
    assert not (tmp_path / "m").exists()
    started = time.perf_counter()
    model = dragoman.train(*files, output=tmp_path / "m", recipe=SMALL)
    assert time.perf_counter() - started < 60
    kept = {name for name, facts in model.report["stages"].items() if facts.get("kept")}
    assert kept == {"prepare", "language model", "alignment"}
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda t: ((["a"] * 12, ["b"] * 11), {}), LengthMismatch, "12 source segments, 11"),
        (lambda t: ((["a"] * 3, ["b"] * 3), {}), InputError, "3 sentence pairs"),
        (lambda t: (([""] * 30, ["b"] * 30), {}), InputError, "source side is empty"),
        (lambda t: ((["a b c"] * 30, ["b"] * 30), {"recipe": Recipe(tuner="mira")}), InputError, "too few"),
        (lambda t: ((t / "no.de", t / "no.en"), {}), FileError, "no such file"),
        (lambda t: ((["a"] * 30, None), {}), SettingError, "one side only"),
        (lambda t: ((["a b"] * 30, ["b"] * 30), {"dev": ([], [])}), InputError, "dev set is empty"),
        (lambda t: ((["a b"] * 30, ["b"] * 30), {"output": t / "file"}), FileError, "not a folder"),
    ],
)
def test_bad_input_is_told_before_work(make: object, error: type[DragomanError], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    texts, options = make(tmp_path)  # type: ignore[operator]
    options = {"output": tmp_path / "m", "languages": ("de", "en"), "recipe": SMALL, **options}
    with pytest.raises(error, match=message):
        dragoman.train(*texts, **options)
    assert not (tmp_path / "m").exists()


def test_files_of_different_lengths_are_refused_with_their_lengths(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("x\n" * 20)
    (tmp_path / "a.de").write_text("x\n" * 19)
    with pytest.raises(LengthMismatch, match="19"):
        dragoman.train(tmp_path / "a.en", tmp_path / "a.de", output=tmp_path / "m")


def test_a_disk_that_is_too_small_is_told(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil
    from collections import namedtuple

    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, 1))
    with pytest.raises(SettingError, match="of disk"):
        dragoman.train(*files, output=tmp_path / "m", recipe=SMALL)


def test_recipes_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    recipe = Recipe(order=4, count_bins=(1, 2), tuner="none")
    recipe.save(path)
    assert Recipe.load(path) == recipe
    for text, error, message in (
        ("ordre = 5", UnknownName, "did you mean 'order'"),
        ("order = 'five'", SettingError, "whole number"),
        ("order = 0", SettingError, "at least 1"),
        ("order = ", DragomanError, "not TOML"),
        ("symmetrize = 'grow'\naligner = 'guess'", SettingError, "one of bayes"),
        ("reordering = 'sideways'", SettingError, "reordering"),
        ("clean = ['nonsense']", SettingError, "nonsense"),
        ("case = 'upper'", SettingError, "case"),
        ("search = {pop_limit = 0}", SettingError, "pop_limit is 0"),
        ("pop_limit = 1", UnknownName, "did you mean 'search.pop_limit'"),
        ("search = {pop_limits = 1}", UnknownName, "did you mean 'pop_limit'"),
        ("kind = 'phrases'", SettingError, "did you mean 'phrase'"),
    ):
        path.write_text(text)
        with pytest.raises(error, match=message):
            Recipe.load(path)
    with pytest.raises(FileError):
        Recipe.load(tmp_path / "none.toml")
    with pytest.raises(SettingError, match="sets nothing"):
        Recipe().changed(["order"])
    with pytest.raises(SettingError, match="whole number"):
        Recipe().changed(["order=x"])
    changed = Recipe(search={"beam": 5}).changed(["search.pop_limit=7", "search.unknown=drop", "order=3"])
    assert changed == Recipe(search={"beam": 5, "pop_limit": 7, "unknown": "drop"}, order=3)
    assert changed.search_settings == PhraseSettings(beam=5, pop_limit=7, unknown="drop")


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (("c.en", "c.qsv"), ("en", "qsv")),
        (("c.tok.de.gz", "c.tok.pt_BR"), ("de", "pt_BR")),
        (("a.txt", "b.txt"), ("en", "de")),
        (("c.src", "c.tgt"), ("en", "de")),
        (("one.en", "other.fr"), ("en", "de")),
    ],
)
def test_languages_from_names_or_from_the_text(
    names: tuple[str, str], languages: tuple[str, str], bitext: Sides, tmp_path: Path
) -> None:
    for name, side in zip(names, bitext, strict=True):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(tmp_path / name, "wt", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in side)
    found, note = resolve_languages(Bitext.open(*(tmp_path / name for name in names)), None)
    assert found == languages
    assert bool(note) == (names[0].partition(".")[0] != "c" or names[0] == "c.src")
    assert resolve_languages(Bitext.open(*(tmp_path / name for name in names)), ("a", "b")) == (("a", "b"), "")


@pytest.mark.parametrize("kind", ["hiero", "lr-hiero"])
def test_hierarchical_models_are_trained_by_their_kind(
    kind: str, bitext: Sides, heldout: Sides, tmp_path: Path
) -> None:
    recipe = Recipe(
        kind=kind,
        order=3,
        aligner="fast",
        dev_size=40,
        iterations=2,
        nbest=20,
        rules={"max_symbols": 4},
        rule_classes=True,
        search={"pop_limit": 30, "beam": 30},
    )
    model = dragoman.train(*bitext, output=tmp_path / "model", languages=("en", "de"), recipe=recipe)
    table = RuleTable.open(model.bundle.file("table.rules"))
    assert (table.kind, table.metadata["max_symbols"], table.metadata["max_span"]) == (kind, "4", "10")
    assert "class.hiero1" in model.weights
    assert not any(column.startswith("orientation.") for column in table.columns)
    assert model.report["stages"]["tuning"]["iterations"] >= 1
    again = Model.open(tmp_path / "model")
    found = [each.text for each in again.translate(heldout.source)]
    assert next(iter(score(found, [heldout.target], ["bleu"], confidence=None))).value > 15
    assert Recipe.from_dict(recipe.to_dict()) == recipe


def test_kinds_say_what_fits_them() -> None:
    recipe = Recipe(kind="lr-hiero")
    assert (recipe.limits.kind, recipe.scoring.reordering, recipe.wanted_templates) == ("lr-hiero", None, [])
    assert recipe.learned_pairs(100_000) == 0
    assert Recipe(kind="hiero", max_phrase=8).limits == HieroLimits(max_phrase=8)
    assert Recipe(max_phrase=5).limits == PhraseLimits(max_source=5, max_target=5)
    assert Recipe().changed(["kind=hiero"]).changed(["rules.max_symbols=7"]).limits == HieroLimits(max_symbols=7)
    with pytest.raises(SettingError, match="reordering model of rules of the kind hiero"):
        Recipe(kind="hiero", reordering="msd-bidirectional-fe")
    with pytest.raises(UnknownName, match=r"did you mean 'rules.max_symbols'"):
        Recipe().changed(["max_symbols=7"])
    with pytest.raises(UnknownName, match="has no setting 'gaps'"):
        Recipe(kind="hiero", rules={"gaps": True})
