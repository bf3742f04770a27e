"""Control of raw text: what is asked for is in the output, whatever the text, and what became of it is told."""

from __future__ import annotations

import random
import re
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dragoman
from dragoman.cli import app
from dragoman.cli.translate import _lattices
from dragoman.errors import InputError, LengthMismatch, SettingError
from dragoman.pipeline.control import Control, with_prefix
from dragoman.pipeline.model import Model
from dragoman.search.glossary import Glossary, Term
from dragoman.search.lattice import Lattice
from dragoman.search.letters import LetterTable
from tests.pipeline.conftest import SMALL, Sides


def test_terms_are_used_and_told(model: Model, bitext: Sides) -> None:
    glossary = Glossary.parse(["house|houses\tGemäuer", "old\turalt|betagt", "dog\tKöter\tsoft"])
    texts = ["The house is old.", "The dog sees the houses.", "Nothing here."]
    found = model.translate(texts, control=Control(glossary))
    assert "Gemäuer" in found[0].text
    assert "uralt" in found[0].text or "betagt" in found[0].text
    for each in found:
        for use in each.terms:
            assert use.used or not use.hard
            assert not use.used or use.used in each.text
    assert [(use.source, use.hard) for use in found[0].terms] == [("house", True), ("old", True)]
    assert {use.source for use in found[1].terms} == {"dog", "houses"}
    assert found[2].terms == ()
    assert found[0].to_dict()["terms"][0]["used"] == "Gemäuer"
    for candidate in found[0].nbest(5):
        assert "Gemäuer" in candidate.text


@pytest.mark.slow
def test_hard_terms_are_never_missed(model: Model, bitext: Sides) -> None:
    choose = random.Random(5)
    sources = list(bitext[0])[:200]
    vocabulary = sorted({word.strip(".,") for line in sources for word in line.split() if word.strip(".,").islower()})
    for number in range(15):
        terms = choose.sample(vocabulary, 8)
        glossary = Glossary(Term((word,), (f"Begriff{number}", "Wort Gruppe"), hard=True) for word in terms)
        for found in model.translate(choose.sample(sources, 20), control=Control(glossary)):
            assert all(use.used and use.used in found.text for use in found.terms), found.text


@pytest.fixture(scope="module")
def models(model: Model, bitext: Sides, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    """A model of raw text for each kind of rules that can be told something."""
    made = {"phrase": model}
    for kind in ("hiero", "lr-hiero", "gappy"):
        output = tmp_path_factory.mktemp("kinds") / kind
        recipe = SMALL.changed([f"kind={kind}"])
        made[kind] = dragoman.train(*bitext, output=output, languages=("en", "de"), recipe=recipe)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["phrase", "hiero", "lr-hiero", "gappy"])
def test_random_glossaries_are_heeded_by_every_kind(models: dict[str, Model], bitext: Sides, kind: str) -> None:
    choose = random.Random(f"glossary {kind}")
    sources = list(bitext[0])[:200]
    used = 0
    for number in range(10):
        terms = []
        texts = choose.sample(sources, 15)
        vocabulary = sorted({word for line in texts for word in re.findall(r"\b[a-z]{2,}\b", line)})
        for word in choose.sample(vocabulary, 6):
            targets = choose.sample([f"Begriff{number}", "Wort Gruppe", "Ünding", "A-B"], choose.choice((1, 2)))
            terms.append(Term((word,), tuple(targets), hard=choose.random() < 0.7))
        for text, found in zip(texts, models[kind].translate(texts, control=Control(Glossary(terms))), strict=True):
            wanted = {term.sources[0]: term for term in terms}
            for use in found.terms:
                term = wanted[use.source.lower()]
                assert use.hard == term.hard
                assert use.used in ("", *term.targets), (text, found.text)
                if use.hard:
                    assert use.used, (text, found.text)
                if use.used:
                    assert use.used in found.text, (text, found.text)
                used += bool(use.used)
            for word, term in wanted.items():
                if term.hard and re.search(rf"\b{word}\b", text):
                    assert any(target in found.text for target in term.targets), (word, text, found.text)
    assert used > 30


def marked(text: str, choose: random.Random, *, order: bool) -> tuple[str, list[str], list[str]]:
    """A text with random markup; with what must be in the translation, and what must be there once, as it is: each of
    these ends in a word of its own, so that nothing else can write it."""
    words = text.rstrip(".").split()
    wanted: list[str] = []
    kept: list[str] = []
    parts: list[str] = []
    at = 0
    while at < len(words):
        size = min(choose.choice((1, 1, 2)), len(words) - at)
        here, kind = " ".join(words[at : at + size]), choose.random()
        if kind < 0.2:
            wanted.append(choose.choice(["Begriff", "Zwei Worte", "Ö &amp; Co", "42"]))
            parts.append(f'<n translation="{wanted[-1]}">{here}</n>')
        elif kind < 0.3:
            kept.append(f"{here} Zq{len(kept)}q")
            parts.append(f'<x translate="no">{kept[-1]}</x>')
        elif order and kind < 0.4:
            parts.append(f"<zone>{here}</zone>")
        elif order and kind < 0.5 and parts:
            parts.append(f"<wall/> {here}")
        else:
            parts.append(here)
        at += size
    return " ".join(parts) + ".", wanted, kept


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["phrase", "hiero", "lr-hiero", "gappy"])
def test_random_markup_is_heeded_by_every_kind(models: dict[str, Model], bitext: Sides, kind: str) -> None:
    choose = random.Random(f"markup {kind}")
    control = Control(markup="exclusive")
    asked = 0
    for text in list(bitext[0])[:150]:
        line, wanted, kept = marked(text, choose, order=kind == "phrase")
        found = models[kind].translate(line, control=control).text
        for target in set(wanted):  # of words of the target the casing is that of the model
            assert found.lower().count(unescape(target).lower()) >= wanted.count(target), (line, found)
        for span in kept:
            assert found.count(span) == found.count(span.split()[-1]) == 1, (line, found)
        assert not re.search("</?(n|x|zone|wall)", found), (line, found)
        asked += len(wanted) + len(kept)
    assert asked > 100


def test_markup_is_heeded(model: Model) -> None:
    exclusive = Control(markup="exclusive")
    found = model.translate('The <n translation="Gemäuer">house</n> is old.', control=exclusive)
    assert "Gemäuer" in found.text
    assert found.source == 'The <n translation="Gemäuer">house</n> is old.'
    kept = model.translate('The <x translate="no">Old  House, Ltd.</x> is old.', control=exclusive)
    assert kept.text.count("Old  House, Ltd.") == 1
    plain = model.translate("The house is old.")
    assert model.translate("The house is old.", control=exclusive).text == plain.text
    zone = model.translate("<zone>The house</zone> <wall/> is old.", control=exclusive)
    assert zone.text
    with pytest.raises(InputError, match="character 5: broken markup"):
        model.translate('The <n translation="x">house', control=exclusive)
    with pytest.raises(InputError, match="whole words"):
        model.translate('The ho<n translation="x">use</n> is.', control=exclusive)
    with pytest.raises(InputError, match="in no sentence or in several"):
        model.translate('The <n translation="x">house is old.\nThe cat</n> sleeps.', control=exclusive)
    with pytest.raises(SettingError, match="markup is"):
        Control(markup="perhaps")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["phrase", "hiero", "lr-hiero", "gappy"])
def test_random_terms_come_exactly_once(models: dict[str, Model], bitext: Sides, kind: str) -> None:
    """Terms of one word and of several stand anywhere, twice even, and come out as often as they went in."""
    choose = random.Random(f"terms {kind}")
    terms = ("Blue Cat", "Zqorp", "NT\\AUTHORITY", "Ü-42/b")
    control = Control(keep=terms, keep_patterns=(r"ID-\d+q",))
    texts = []
    for text in list(bitext[0])[:150]:
        parts = text.split()
        for _ in range(choose.randint(1, 4)):
            parts.insert(choose.randint(0, len(parts) - 1), choose.choice((*terms, f"ID-{choose.randint(1, 99)}q")))
        texts.append(" ".join(parts))
    for text, found in zip(texts, models[kind].translate(texts, control=control), strict=True):
        for term in (*terms, *re.findall(r"ID-\d+q", text)):
            assert found.text.count(term) == text.count(term), (text, found.text)


def test_a_text_never_becomes_blank(model: Model) -> None:
    """Not even if unknown words are dropped and there are no others: then it stays as it is."""
    texts = ["Quux", "  Quux frobnicates.\n", "<b>Quux</b>", "Quux {name}", "The house. Quux frob."]
    found = model.translate(texts, unknown="drop")
    assert [each.sentences[0].target for each in found[:3]] == [(), (".",), ()]
    assert found[0].text == "Quux"
    assert found[2].text == "<b>Quux</b>"
    assert all(each.text.strip() for each in found)
    assert found[3].text.count("{name}") == 1
    assert found[0].nbest(1)[0].text == "Quux"


def test_what_is_kept_comes_once(model: Model) -> None:
    control = Control(keep=("Blue Cat", "NT AUTHORITY\\СИСТЕМА"), keep_patterns=(r"ID-\d+",))
    found = model.translate("The Blue Cat sees NT AUTHORITY\\СИСТЕМА and ID-77.", control=control)
    for text in ("Blue Cat", "NT AUTHORITY\\СИСТЕМА", "ID-77"):
        assert found.text.count(text) == 1


def test_a_prefix_is_there_letter_by_letter(model: Model, bitext: Sides) -> None:
    choose = random.Random(2)
    sources = [line for line in list(bitext[0])[:60] if line.strip()]
    targets = list(bitext[1])[:60]
    prefixes = []
    for target in targets[: len(sources)]:
        kind = choose.randrange(4)
        letters = choose.randrange(1, len(target) + 1)
        prefixes.append(("", target[:letters], "  zwei  Blanks „und“ so", target)[kind])
    found = model.translate(sources, prefix=prefixes)
    for each, prefix in zip(found, prefixes, strict=True):
        assert each.text.startswith(prefix), (prefix, each.text)
    for candidate in found[1].nbest(4):
        assert candidate.text.startswith(prefixes[1])
    with pytest.raises(LengthMismatch):
        model.translate(["a", "b"], prefix=["x"])
    with pytest.raises(InputError, match="blank"):
        model.translate("  ", prefix="x")


def test_order_and_dropped_words(model: Model, bitext: Sides) -> None:
    sources = list(bitext[0])[:60]
    for each in model.translate(sources, control=Control(monotone=True)):
        for sentence in each.sentences:
            starts = [phrase.source_span[0] for phrase in sentence.phrases]
            assert starts == sorted(starts)
    usual = model.translate(sources)
    careful = model.translate(sources, control=Control(no_drop=True))
    assert sum(len(each.dropped_words) for each in careful) == 0
    assert all(each.to_dict()["dropped"] == list(each.dropped_words) for each in usual)


def test_nothing_asked_changes_nothing(model: Model, bitext: Sides) -> None:
    sources = list(bitext[0])[:30]
    assert model.translate(sources) == model.translate(sources, control=Control(), prefix="")


def test_prefixes_replace_what_stands_for_them() -> None:
    assert with_prefix("Das Haus ist alt.", "das  haus", ["das", "Haus"]) == "das  haus ist alt."
    assert with_prefix("Das Haus ist alt.", "Das Haus ", ["das", "Haus"]) == "Das Haus ist alt."
    assert with_prefix("„Ja“ sagt sie", '"Ja" ', ['"', "Ja", '"']) == '"Ja" sagt sie'
    assert with_prefix("", "Das", ["Das"]) == "Das"


def test_lattices_are_translated(model: Model) -> None:
    plain = model.translate("The house is old.")
    words = ["The", "house", "is", "old", "."]
    [single] = model.translate_lattices([Lattice.of_words(words)])
    assert single.text == plain.text
    network = Lattice.of_columns([[(word, 0.0), ("Quux", -60.0)] for word in words])
    [chosen] = model.translate_lattices([network], consensus=5)
    assert chosen.source == " ".join(single.sentences[0].source)
    assert chosen.text == plain.text
    assert len(chosen.nbest(3)) == 3
    assert all(i < 5 for candidate in chosen.nbest(3) for i, _ in candidate.alignment)
    [split] = model.translate_lattices([Lattice.of_words(["house,", "old."])])
    assert "," in split.sentences[0].source
    with pytest.raises(SettingError):
        model.translate_lattices([network], consensus=-1)


def test_reasons_of_a_model(model: Model) -> None:
    found = model.translate("The house is old.")
    [reasons] = found.reasons
    assert len(reasons.phrases) == len(found.sentences[0].phrases)
    assert any(reason.times for reason in reasons.phrases)
    assert "runner-up" in found._repr_html_()


def test_unknown_words_are_asked_about(model: Model) -> None:
    made = model.with_unknown_words(LetterTable({"q": "k"}))
    assert "kuux" in made.translate("The quux is old.").text
    assert "quux" in model.translate("The quux is old.").text


def test_the_command_knows_lattices_and_reasons(model: Model, tmp_path: Path) -> None:
    lines = tmp_path / "lattices"
    lines.write_text("((('The',1,1),),(('house',0.9,1),('horse',0.1,1),),(('is',1,1),),(('old',1,1),),)\n", "utf-8")
    run = CliRunner().invoke(app, ["translate", str(model.path), str(lines), "--lattice", "plf", "--consensus", "5"])
    assert run.exit_code == 0, run.output
    assert run.stdout.strip()
    broken = tmp_path / "broken"
    broken.write_text("((('The',1,0),),)\n", "utf-8")
    with pytest.raises(InputError, match="circle"):
        CliRunner().invoke(app, ["translate", str(model.path), str(broken), "--lattice", "plf"], catch_exceptions=False)
    graph, page = tmp_path / "graph.dot", tmp_path / "why.html"
    command = ["explain", str(model.path), "The house is old.", "--why", "--graph", str(graph), "-o", str(page)]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 0, run.output
    assert "runner-up" in run.stdout
    assert graph.read_text("utf-8").startswith("digraph")
    assert "<details>" in page.read_text("utf-8")


def test_a_lattice_refuses_by_name_what_does_not_go_with_it(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--lattice with --prefix, --terms, --no-drop"):
        _lattices("plf", "probability", Control(keep=("x",), no_drop=True), tmp_path / "prefixes", None, None)
    assert _lattices("plf", "probability", Control(monotone=True), None, None, None) is not None
