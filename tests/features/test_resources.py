"""What templates need: made from text, written, read again; and specifications that leave it out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import FormatError, SettingError, UnknownName
from dragoman.features.frequencies import InverseFrequencies
from dragoman.features.imported import ImportedFeature
from dragoman.features.resources import RESOURCES, ResourceOptions, make_resources, missing_resources
from dragoman.features.template import Domains
from dragoman.features.template_sets import preset, template_specs
from dragoman.features.template_specs import TEMPLATES, TemplateSpec, split_specs
from dragoman.lm.classes import ClassMap
from tests.conformance import check_settings

TEXT = (
    ["the old dog sleeps .", "the dog sees 12 cats .", "a cat sleeps ."],
    ["der Hund .", "der Hund schläft", "das"],
    ["0-0 2-1 4-2", "1-1 0-0", ""],
)


def test_every_missing_option_can_be_made() -> None:
    made = make_resources(RESOURCES, TEXT.__getitem__, ResourceOptions(classes=2))
    assert set(made) == set(RESOURCES)
    for name in TEMPLATES:
        spec = TemplateSpec(name).filled({**made, "domains": Domains(("a", "b")), "languages": ("en", "de")})
        assert spec.make().name == name
    assert made["source_words"] == ("dog", "sleeps", "the", "a", "cat", "cats", "old", "sees")
    assert made["frequent"] == ("Hund", "der", ".", "das", "schläft")
    assert made["source"]["dog"] == pytest.approx(math.log(3 / 2))
    assert made["target"].unseen == pytest.approx(math.log(3))
    assert isinstance(made["target_classes"], ClassMap)


@pytest.mark.parametrize("name", list(TEMPLATES))
def test_options_of_every_template(name: str) -> None:
    others = {"domains": Domains(("a", "b")), "languages": ("en", "de")}
    given = {option: others.get(option, Path("x")) for option in TemplateSpec(name).missing}
    check_settings(TEMPLATES.get(name), **given)


def test_only_what_is_missing_is_made_and_only_from_its_side() -> None:
    asked: list[int] = []

    def text(side: int) -> list[str]:
        asked.append(side)
        return TEXT[side]

    wanted = missing_resources(template_specs(["boundary", "rule", "shape"]))
    assert list(make_resources(wanted, text, ResourceOptions(classes=2))) == ["target_classes"]
    assert asked == [1]


def test_resources_are_written_and_read(tmp_path: Path) -> None:
    for option, value in make_resources(RESOURCES, TEXT.__getitem__, ResourceOptions(classes=2)).items():
        resource = RESOURCES[option]
        resource.write(value, tmp_path / resource.file)
        assert resource.read(tmp_path / resource.file) == value
    assert len(list(tmp_path.iterdir())) == len(RESOURCES)


@pytest.mark.parametrize("text", ["the\t1.0\n", "<unk>\t1.0\nthe\n", "<unk>\tx\n", "\t1.0\n<unk>\t1\n", "<unk>\tnan\n"])
def test_damaged_frequencies_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "idf.tsv").write_text(text)
    with pytest.raises(FormatError, match=r"idf\.tsv"):
        InverseFrequencies.read(tmp_path / "idf.tsv")


def test_sets_and_specifications_together() -> None:
    found = {spec.prefix: spec for spec in template_specs(["extended+filtered", "rule:min_count=3"], min_count=7)}
    assert found["rule"].options == {"min_count": 3}  # the last one counts
    assert found["orient"].options == {"min_count": 7}
    assert "function_words" in found
    domains = Domains(("news", "web"))
    by_domain = {spec.name: spec.options for spec in template_specs(["domain"], domains=domains)}
    assert by_domain["link"] == {"domains": domains}
    assert by_domain["domain"] == {"domains": domains}
    assert [spec.name for spec in template_specs(["domain:"], domains=domains)] == ["domain"]
    with pytest.raises(SettingError, match="no set of templates is called 'rules'"):
        template_specs(["rules"])
    with pytest.raises(UnknownName):
        template_specs(["rules:min_count=2"])
    with pytest.raises(SettingError, match="needs target_classes"):
        template_specs(["boundary"])[0].make()
    assert [each.name for each in preset("extended", source_classes="a", target_classes="b")][5] == "boundary"
    made = make_resources(["frequent", "source", "target"], TEXT.__getitem__, ResourceOptions())
    names = ["rule", "link", "orient", "delete_pos", "delete_head", "idf", "pos_order"]
    assert [each.name for each in preset("wmt13", resources=made)] == names


@given(st.lists(st.sampled_from(["extended", "rule", "rule:min_count=5", "orient:sides=next,classes=2", "jump"])))
def test_lists_of_specifications_are_taken_apart(specs: list[str]) -> None:
    assert split_specs(",".join(specs)) == split_specs(" , ".join(specs)) == specs


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.booleans() | st.integers() | st.floats(-5, 5)))
def test_imported_features_as_text(options: dict[str, bool | int | float]) -> None:
    feature = ImportedFeature("some.module", "Feature", options)
    assert ImportedFeature.parse(str(feature)) == feature
