"""Explanations: the numbers add up, 80 columns hold them, and the page is whole, escaped and without scripts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from dragoman.errors import SettingError
from dragoman.features.template_specs import TEMPLATES
from dragoman.search.concerns import CONCERNS, concern_of, meaning_of
from dragoman.search.explanation import WIDTH, Explanation
from dragoman.search.translation import SentenceTranslation
from tests.search.setting import Setting

VOID = {"meta", "rect", "line", "path"}


class Balanced(HTMLParser):
    """Complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def translations(tmp_path_factory: pytest.TempPathFactory) -> list[SentenceTranslation]:
    setting = Setting(tmp_path_factory.mktemp("explanation"), "hier-mslr-bidirectional-fe")
    lines = [*setting.sentences[:4], "the <flurbish> house & a " + "very" * 30]
    return setting.decoder().translate(lines, forests=True)


def test_the_numbers_add_up_to_the_score(translations: list[SentenceTranslation]) -> None:
    for translation in translations:
        [sentence] = translation.explain().sentences
        assert sum(sentence.totals) == pytest.approx(translation.score)
        assert [row.total for row in sentence.rows[:-1]] == pytest.approx(
            [phrase.score for phrase in translation.phrases]
        )


def test_eighty_columns_hold_it(translations: list[SentenceTranslation]) -> None:
    for translation in translations:
        text = str(translation.explain(nbest=3))
        assert max(map(len, text.splitlines())) <= WIDTH
        assert "numbers are weight times value" in text
        assert "Was it translated like this before? (phrase" in text
        assert "next best, and how much less they score" in text
    assert "numbers" not in str(translations[0].explain(legend=False))


def test_alternatives_are_other_translations_of_the_same_words(translations: list[SentenceTranslation]) -> None:
    rows = [row for each in translations for row in each.explain().sentences[0].rows]
    offered = [row for row in rows if row.alternatives]
    assert offered
    for row in offered:
        assert all(text != row.target and gap >= -1e-9 for text, gap in row.alternatives)
    without = translations[0].without_forest().explain()
    assert not any(row.alternatives for row in without.sentences[0].rows)


def test_the_page_is_whole_and_escaped(translations: list[SentenceTranslation], tmp_path: Path) -> None:
    why = Explanation(translations, source="<b>raw</b> & more", text='"quoted" <i>', nbest=[], legend=True)
    why.save(tmp_path / "why.html")
    page = (tmp_path / "why.html").read_text("utf-8")
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert "<script" not in page
    assert "&lt;b&gt;raw&lt;/b&gt; &amp; more" in page
    assert "<flurbish>" not in page
    assert "prefers-color-scheme:dark" in page
    assert 'class="chip more" tabindex="0"' in page
    assert meaning_of("phrase") in page
    translations[0].explain().save(tmp_path / "why.svg")
    assert (tmp_path / "why.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(SettingError, match="5 sentences in one SVG"):
        why.save(tmp_path / "why.svg")
    with pytest.raises(SettingError, match=r"name it \.svg or \.html"):
        why.save(tmp_path / "why.png")


def test_every_feature_has_a_concern_and_a_meaning(translations: list[SentenceTranslation]) -> None:
    for name in translations[0].features:
        assert concern_of(name).name != "other", name
        assert meaning_of(name.partition(".")[0]) != meaning_of("never heard of it")
    assert concern_of("rule:a>b").name == "sparse"
    assert all(meaning_of(family) for family in TEMPLATES)
    assert len({concern.name for concern in CONCERNS}) == len(CONCERNS)
