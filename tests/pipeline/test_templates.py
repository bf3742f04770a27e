"""Sparse templates and Python features in recipes and bundles."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.bundle import Bundle
from dragoman.errors import (
    BundleError,
    DragomanError,
    FileError,
    InputError,
    MissingDependency,
    SettingError,
    UnknownName,
    UntrustedCode,
)
from dragoman.features.imported import ImportedFeature
from dragoman.features.template import Domains
from dragoman.features.template_specs import template
from dragoman.features.weights import Weights
from dragoman.files import read_lines
from dragoman.lm.classes import ClassMap
from dragoman.pipeline.describe import describe
from dragoman.pipeline.model import Model
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.stored_templates import read_templates, usual_min_count, write_templates
from dragoman.pipeline.tune import prepared_dev, tune_model
from dragoman.text.corpus import Bitext, SegmentPair
from dragoman.text.source_text import SourceText, with_domains
from dragoman.tuning import tune, usual_tuner
from dragoman.tuning.families import DENSE, family
from dragoman.tuning.online import Online
from tests.pipeline.conftest import SMALL, Sides, sides

RICH = replace(
    SMALL,
    tuner="auto",
    templates=("extended+filtered", "idf"),
    template_classes=20,
    template_min_count=3,
    iterations=2,
    nbest=20,
)
FEATURES = """
from dragoman.features.base import RuleFeature
from dragoman.grammar.extraction_features import ExtractionFeature

class Late(ExtractionFeature):
    columns = ("late",)
    def values(self, pair, occurrences):
        return [[each.source[0] / len(pair.source)] for each in occurrences]

class LongWords(RuleFeature):
    def __init__(self, limit=12):
        self.limit = limit
    def rule(self, sentence, option, fire):
        fire("long_words", sum(len(word) > self.limit for word in option.target))

class Nothing:
    pass
"""


@pytest.fixture(scope="module")
def rich(bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model with templates over classes, words and frequencies, tuned online."""
    output = tmp_path_factory.mktemp("rich") / "en-de"
    return dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=RICH)


@pytest.fixture(scope="module")
def own_features(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a module with features, on the path."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "features_of_mine.py").write_text(FEATURES)
    sys.path.insert(0, str(folder))
    return "features_of_mine"


def copied(model: Model, folder: Path) -> Model:
    return dragoman.load(shutil.copytree(model.path, folder / "m"))


# Training and bundles


def test_training_learns_sparse_weights(rich: Model) -> None:
    facts = rich.report["stages"]["tuning"]
    assert facts["tuner"] == "online"
    assert facts["families"]["rule_class"] > 10
    assert facts["families"]["rule"] > 10
    assert sum(facts["families"].values()) == facts["weights"] == sum(map(bool, rich.weights.values()))
    found = {each.prefix for each in rich.decoder.templates}
    assert {"rule_class", "boundary", "function_words", "orient", "idf", "jump"} <= found
    assert (rich.path / "templates" / "target.classes.tsv").is_file()


def test_a_loaded_model_scores_as_the_trained_one(rich: Model, heldout: Sides) -> None:
    again = dragoman.load(rich.path)
    again.bundle.verify()
    assert again.weights == rich.weights
    for first, second in zip(rich.translate(heldout.source), again.translate(heldout.source, threads=3), strict=True):
        assert first.text == second.text
        assert second.score == pytest.approx(first.score, abs=1e-6)
        for sentence in second.sentences:
            assert sentence.rescore() == pytest.approx(sentence.score, abs=1e-6)
    fired = again.translate(heldout.source[0]).sentences[0].features
    assert any(name.startswith("boundary:") for name in fired)
    assert any(name.startswith("idf:") for name in fired)


def test_threads_change_nothing_and_stages_are_kept(rich: Model, bitext: Sides, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    again = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=RICH, threads=1, cache=cache)
    for name in Bundle.open(rich.path).sizes:
        if name != "report.json":
            assert (again.path / name).read_bytes() == (rich.path / name).read_bytes(), name
    other = replace(RICH, templates=("extended", "idf"), tuner="none")
    second = dragoman.train(*bitext, output=tmp_path / "o", languages=("en", "de"), recipe=other, cache=cache)
    kept = {name for name, facts in second.report["stages"].items() if facts.get("kept")}
    assert kept == {"prepare", "language model", "alignment", "table", "templates"}
    assert "rule" not in {each.prefix for each in second.decoder.templates}
    assert not any(":" in name for name in second.weights)


def test_a_killed_job_makes_classes_again(bitext: Sides, tmp_path: Path) -> None:
    script = (
        "import sys, time, dragoman\n"
        "from dataclasses import replace\n"
        "from dragoman.pipeline import stages\n"
        "from tests.pipeline.test_templates import RICH\n"
        "from tests.pipeline.conftest import sides\n"
        "def hang(work, out, **inputs):\n"
        "    (out / 'target.classes.tsv').write_text('half')\n"
        "    print('hanging', flush=True)\n"
        "    time.sleep(60)\n"
        "stages.template_resources = replace(stages.template_resources, function=hang)\n"
        f"dragoman.train(*sides(400), output={str(tmp_path / 'm')!r}, languages=('en', 'de'), recipe=RICH)\n"
    )
    home = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=home) as job:
        assert job.stdout is not None
        assert job.stdout.readline().strip() == "hanging"
        job.send_signal(signal.SIGKILL)
    assert not (tmp_path / "m").exists()
    model = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=RICH)
    kept = {name for name, facts in model.report["stages"].items() if facts.get("kept")}
    assert kept == {"prepare", "language model", "alignment", "table"}
    assert len(ClassMap.read(model.path / "templates" / "target.classes.tsv")) > 10


def test_weights_of_unknown_families_are_refused(rich: Model, model: Model, tmp_path: Path) -> None:
    rich.with_weights({"lm": 1.0, "rule:never_seen>nie": 0.5, "punctuation": 0.2})
    for wrong in ("ruler:a>b", "rul", "link_class.coarse:1>2"):
        with pytest.raises(UnknownName, match=wrong):
            rich.with_weights({"lm": 1.0, wrong: 0.5})
    with pytest.raises(UnknownName, match="rule:a>b"):
        model.with_weights({"lm": 1.0, "rule:a>b": 0.5})
    mine = copied(rich, tmp_path)
    name = str(mine.bundle.settings["weights"])
    lines = (mine.path / name).read_text("utf-8") + "nonsense:a 1.0\n"
    mine.bundle.replaced(name, "w.txt", lines, settings={**mine.bundle.settings, "weights": "w.txt"}, change="x")
    with pytest.raises(UnknownName, match="nonsense:a"):
        dragoman.load(mine.path)


def test_zero_weights_of_templates_are_not_stored(rich: Model, tmp_path: Path) -> None:
    mine = copied(rich, tmp_path)
    mine.save_weights(rich.weights | {"rule:gone>weg": 0.0, "lm": 0.0})
    stored = Weights.load(next(mine.path.glob("weights*")))
    assert "rule:gone>weg" not in stored
    assert "lm" in stored


def test_a_hundred_thousand_weights_open_quickly(rich: Model, tmp_path: Path) -> None:
    mine = copied(rich, tmp_path)
    many = {f"rule:source{i}>target{i}": (i % 7 - 3.5) / 10 for i in range(100_000)}
    mine.save_weights(rich.weights | many)
    started = time.process_time()
    again = dragoman.load(mine.path)
    assert time.process_time() - started < 2
    assert len(again.weights) >= 100_000
    assert again.translate("The house is old.").text


def test_the_description_counts_weights(rich: Model, model: Model) -> None:
    found = describe(rich.path)
    assert "rule:min_count=3" in found["templates"]
    assert any(spec.startswith("idf:source=templates/") for spec in found["templates"])
    assert found["weights"] == rich.report["stages"]["tuning"]["families"]
    plain = describe(model.path)
    assert "templates" not in plain
    assert set(plain["weights"]) == {"dense"}


def test_manifests_hold_every_option(tmp_path: Path) -> None:
    classes, other = (ClassMap({"<unk>": "0", "a": name}) for name in "12")
    domains = Domains(("news", "web"), "web")
    given = [
        template("rule", min_count=7, domains=domains),
        template("orient:sides=next,classes=2"),
        template("link_class", source_classes=classes, target_classes=classes, unit="clique"),
        template("link_class", label="coarse", source_classes=classes, target_classes=other),
        template("delete_pos", frequent=("the", "a"), tags=("N", "V")),
        template("insert", domains=Domains(("news", "web"), "")),
    ]
    entries = write_templates(given, tmp_path / "templates")
    assert read_templates(entries, tmp_path.joinpath, where="x") == given
    assert len(list((tmp_path / "templates").iterdir())) == 4  # what is equal is written once
    for damaged in ({"name": "ruel"}, {"name": "rule", "size": 3}, {"label": "x"}, {"name": "rule_class"}, "rule"):
        with pytest.raises(BundleError, match="damaged"):
            read_templates([damaged], tmp_path.joinpath, where="x")  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"templates": ("extendet",)}, SettingError, "no set of templates"),
        ({"templates": ("rule:size=1",)}, UnknownName, "rule has no setting 'size'"),
        ({"templates": ("domain",)}, SettingError, "needs domains"),
        ({"domains": ("a b",)}, SettingError, "domains"),
        ({"template_classes": -1}, SettingError, "at least 0"),
        ({"features": ("no colon",)}, SettingError, "my_module:MyFeature"),
        ({"tuner_settings": ("colour=red",)}, UnknownName, "no setting 'colour'"),
    ],
)
def test_recipes_are_checked(changes: dict[str, object], error: type[DragomanError], message: str) -> None:
    with pytest.raises(error, match=message):
        Recipe.from_dict(changes)


def test_settings_of_recipes_as_text(tmp_path: Path) -> None:
    recipe = Recipe().changed(
        ["templates=extended,rule:min_count=5,domains=a+b", "tuner_settings=l1=1,l1_families.rule=2"]
    )
    assert recipe.templates == ("extended", "rule:min_count=5,domains=a+b")
    tuner = recipe.tuning(0)
    assert isinstance(tuner, Online)
    assert (tuner.l1, tuner.l1_families) == (1.0, {"dense": 0.0, "rule": 2.0})
    recipe.save(tmp_path / "r.toml")
    assert Recipe.load(tmp_path / "r.toml") == recipe
    assert Recipe(templates=("filtered",)).template_specs(200)[0].options["min_count"] == usual_min_count(200) == 10
    assert Recipe(templates=("filtered",)).template_specs(10**6)[0].options["min_count"] == 51
    assert getattr(Recipe().tuning(0), "name", "") == "mira"


def test_templates_decide_the_tuner(rich: Model, model: Model, heldout: Sides) -> None:
    source, target = heldout.source[:5], heldout.target[:5]
    for one, recipe in ((rich, RICH), (model, Recipe())):
        expected = usual_tuner(sparse=bool(recipe.template_specs(0)))
        start = {name: value for name, value in one.weights.items() if family(name) == DENSE}
        found = tune_model(one, source, [target], iterations=1, nbest=5, start=start)
        assert found.tuner == getattr(recipe.tuning(0), "name", "") == expected
        tokens, [references] = prepared_dev(one, source, [target])
        assert tune(one.decoder, tokens, references, iterations=1, nbest=5, start=start).tuner == expected
    assert tune_model(rich, source, [target], tuner="mira", iterations=1, nbest=5).tuner == "mira"


def test_missing_class_files_are_told_before_the_work(bitext: Sides, tmp_path: Path) -> None:
    recipe = replace(RICH, templates=(f"boundary:target_classes={tmp_path / 'no.tsv'}",))
    with pytest.raises(FileError, match="no such file"):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    assert not list(tmp_path.iterdir())


# Adding to a model


def test_templates_are_added_tuned_and_saved(model: Model, bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    richer = model.with_templates(["extended", "rule:min_count=2"], text=(bitext.source, bitext.target))
    assert [each.text for each in richer.translate(heldout.source)] == [
        each.text for each in model.translate(heldout.source)
    ]  # what weighs nothing changes nothing
    tuner = Online(batch=10, l1_families={"dense": 0.0, "rule": 0.01})
    result = tune_model(richer, heldout.source, [heldout.target], tuner=tuner, iterations=1, nbest=20)
    tuned = richer.with_weights(result.history[-1].weights)
    saved = tuned.save(tmp_path / "rich", change="tuned with templates")
    again = dragoman.load(tmp_path / "rich")
    again.bundle.verify()
    assert again.weights == tuned.weights
    assert any(name.startswith("rule_class:") for name in again.weights)
    expected = [each.score for each in tuned.translate(heldout.source)]
    assert [each.score for each in again.translate(heldout.source)] == pytest.approx(expected, abs=1e-6)
    assert again.bundle.provenance["changes"][-1]["change"] == "tuned with templates"
    assert again.bundle.provenance["recipe"] == model.bundle.provenance["recipe"]
    assert not dragoman.load(model.path).decoder.templates  # the old one stays as it was
    saved.save_weights(saved.weights | {"lm": 0.7})
    more = again.with_templates(["class_ngram:order=3"])  # classes are there already
    assert more.save().path == again.path
    assert dragoman.load(again.path).decoder.templates[-1].name == "class_ngram"


def test_a_template_with_other_classes_starts_anew(rich: Model) -> None:
    same = rich.with_templates(["jump", "rule:min_count=3"])
    assert same.weights == rich.weights
    assert [each.prefix for each in same.decoder.templates[-2:]] == ["jump", "rule"]
    other = rich.with_templates(["target_class"], target_classes=ClassMap({"<unk>": "0"}))
    assert not any(name.startswith("target_class:") for name in other.weights)
    assert any(name.startswith("boundary:") for name in other.weights)


def test_adding_needs_text_or_files(model: Model, bitext: Sides, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="templates need target_classes"):
        model.with_templates(["boundary"])
    ClassMap({"<unk>": "0", "die": "1"}).write(tmp_path / "classes.tsv")
    for given in (
        model.with_templates(["boundary"], target_classes=tmp_path / "classes.tsv"),
        model.with_templates([f"boundary:target_classes={tmp_path / 'classes.tsv'}"]),
    ):
        saved = given.save(tmp_path / "m", force=True)
        assert (saved.path / "templates" / "target.classes.tsv").read_text("utf-8") == "<unk>\t0\ndie\t1\n"
    (tmp_path / "classes.tsv").unlink()  # the bundle has its own
    assert dragoman.load(tmp_path / "m").translate("The house.").text
    with pytest.raises(SettingError, match="save the whole model"):
        model.with_templates(["jump"]).save_weights({"lm": 1.0})
    with pytest.raises(FileError, match="no such file"):
        model.with_templates(["boundary:target_classes=nowhere.tsv"])
    with pytest.raises(SettingError, match="'rul', which the model does not have"):
        tune_model(
            model.with_templates(["rule"]),
            bitext.source[:5],
            [bitext.target[:5]],
            tuner=Online(l1_families={"rul": 1.0}),
        )


def test_moses_has_what_templates_say_of_rules(rich: Model, tmp_path: Path) -> None:
    written = rich.export_moses(tmp_path / "moses")
    assert written.left_out == ("punctuation", "function_words", "boundary", "orient_class", "jump", "orient")


# Features in Python


def test_python_features_need_trust(model: Model, own_features: str, heldout: Sides, tmp_path: Path) -> None:
    mine = model.with_features([f"{own_features}:LongWords:limit=9"])
    mine = mine.with_weights(model.weights | {"long_words": -0.5}).save(tmp_path / "m")
    with pytest.raises(UntrustedCode, match=r"LongWords:limit=9.*trust_features=True"):
        dragoman.load(tmp_path / "m")
    again = dragoman.load(tmp_path / "m", trust_features=True)
    assert again.imported == (ImportedFeature(own_features, "LongWords", {"limit": 9}),)
    expected = [each.score for each in mine.translate(heldout.source)]
    assert [each.score for each in again.translate(heldout.source)] == pytest.approx(expected, abs=1e-6)
    assert any("long_words" in each.sentences[0].features for each in again.translate(heldout.source))
    assert describe(tmp_path / "m")["features"] == [f"{own_features}:LongWords:limit=9"]
    assert again.export_moses(tmp_path / "moses").left_out == ("LongWords",)


def test_python_features_are_trained_with(bitext: Sides, own_features: str, tmp_path: Path) -> None:
    recipe = replace(SMALL, features=(f"{own_features}:LongWords",))
    with pytest.raises(UntrustedCode):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    found = dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe, trust_features=True)
    assert found.imported[0].attribute == "LongWords"


def test_columns_of_ones_own_are_trained_with_and_need_no_module_later(
    bitext: Sides, own_features: str, tmp_path: Path
) -> None:
    recipe = SMALL.changed([f"extraction_features=unaligned,{own_features}:Late"])
    places: dict[str, Any] = {
        "output": tmp_path / "m",
        "cache": tmp_path / "cache",
        "languages": ("en", "de"),
        "force": True,
    }
    with pytest.raises(UntrustedCode, match="Late"):
        dragoman.train(*bitext, recipe=recipe, **places)
    made = dragoman.train(*bitext, recipe=recipe, trust_features=True, **places)
    assert made.decoder.table is not None
    assert made.decoder.table.columns[-3:] == ("unaligned.source", "unaligned.target", "late")
    assert "late" in dragoman.load(tmp_path / "m").weights
    module = Path(str(sys.modules[own_features].__file__))
    module.write_text(module.read_text() + "\n# changed\n")
    again = dragoman.train(*bitext, recipe=recipe, trust_features=True, **places)
    kept = {name for name, facts in again.report["stages"].items() if facts.get("kept")}
    assert kept == {"prepare", "language model", "alignment"}
    with pytest.raises(UnknownName, match="did you mean 'edge'"):
        SMALL.changed(["extraction_features=edges"])


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("not_installed_at_all:Feature", MissingDependency, "PYTHONPATH"),
        ("{}:Missing", UnknownName, "has no 'Missing'"),
        ("{}:Nothing", SettingError, "derive it"),
        ("{}:LongWords:size=3", SettingError, "cannot be made"),
        ("{}", SettingError, "my_module:MyFeature"),
    ],
)
def test_wrong_python_features(
    model: Model, own_features: str, spec: str, error: type[DragomanError], message: str
) -> None:
    with pytest.raises(error, match=message):
        model.with_features([spec.format(own_features)])


def test_a_module_that_fails_is_named(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_features.py").write_text("raise ValueError('oh no')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=r"broken_features.*oh no"):
        model.with_features(["broken_features:Any"])


# Domains


def test_domains_from_text_to_translation(bitext: Sides, heldout: Sides, tmp_path: Path) -> None:
    labels = ["web" if number % 3 == 0 else "" for number in range(len(bitext.source))]
    lines = [
        json.dumps({"source": source, "target": target, "domain": label})
        for source, target, label in zip(*bitext, labels, strict=True)
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(lines), "utf-8")
    pairs = Bitext.open(tmp_path / "train.jsonl")
    dev = sides(20, start=9000)
    marked = [SegmentPair(*both, metadata={"domain": "web"}) for both in zip(*dev, strict=True)]
    recipe = replace(RICH, templates=("domain",), domains=("news", "web"))
    found = dragoman.train(pairs, dev=Bitext.of(marked), output=tmp_path / "m", languages=("en", "de"), recipe=recipe)
    assert "domain.web" in found.decoder.rule_columns
    assert "domain.web" not in found.decoder.feature_names
    assert any(name.endswith("@web") for name in found.weights)
    assert "domain:domains=news+web" in describe(tmp_path / "m")["templates"]
    again = dragoman.load(tmp_path / "m")
    text = heldout.source[0]
    web = again.translate(SourceText(text, "web"))
    assert any(name.endswith("@web") for name in web.sentences[0].features)
    assert any(name.endswith("@news") for name in again.translate(text).sentences[0].features)
    with pytest.raises(SettingError, match="no domain 'talk'; choose from news, web"):
        again.translate(SourceText(text, "talk"))
    wrong = replace(recipe, domains=("news",))
    with pytest.raises(InputError, match="domain 'web'"):
        dragoman.train(pairs, output=tmp_path / "w", languages=("en", "de"), recipe=wrong)


def test_domains_by_lines(model: Model, bitext: Sides, tmp_path: Path) -> None:
    texts = ["a", "b", "c"]
    assert list(with_domains(texts, {})) == [SourceText(text) for text in texts]
    for default in ("", "talk"):
        found = list(with_domains(iter(texts), {"web": [2], "news": range(1)}, default=default))
        assert [each.text for each in found] == texts
        assert [each.domain for each in found] == ["news", default, "web"]
    assert next(with_domains(itertools.repeat("a"), {"web": range(10**12)})).text == "a"  # texts may come without end
    with pytest.raises(InputError, match="two domains"):
        list(with_domains([SourceText("a", "web")], {"news": [0]}))
    for wrong, message in (({"web": [3]}, "line 4, but there are 3"), ({"web": [1], "news": [1]}, "two domains")):
        with pytest.raises(InputError, match=message):
            list(with_domains(texts, wrong))
    with pytest.raises(SettingError, match="no templates that tell domains apart"):
        model.translate(SourceText("The house.", "web"))
    with pytest.raises(SettingError, match="set domains="):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=SMALL, domains={"web": [1]})
    recipe = replace(SMALL, domains=("news", "web"), templates=("jump",))  # marked rules, and no template that asks
    dev = sides(20, start=9000)
    plain = dragoman.train(
        *bitext,
        output=tmp_path / "p",
        languages=("en", "de"),
        recipe=recipe,
        dev=dev,
        domains={"web": range(200)},
        dev_domains={"web": [3]},
    )
    assert "domain.web" in plain.decoder.feature_names
    with pytest.raises(SettingError, match="no dev set"):
        dragoman.train(*bitext, output=tmp_path / "m", languages=("en", "de"), recipe=recipe, dev_domains={"web": [1]})
    with pytest.raises(InputError, match="line 401, but there are 400"):
        dragoman.train(
            *bitext,
            output=tmp_path / "m",
            languages=("en", "de"),
            domains={"web": [400]},
            recipe=replace(SMALL, domains=("web",)),
        )


def test_lists_of_words_are_read_again(rich: Model) -> None:
    words = list(read_lines(rich.path / "templates" / "source.function-words.txt"))
    assert 1 < len(words) <= 25
    assert "the" in words
