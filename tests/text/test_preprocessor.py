from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dragoman.bundle import Bundle, writing_bundle
from dragoman.errors import FormatError, LengthMismatch, SettingError
from dragoman.files import read_lines
from dragoman.text.placeholders import KINDS
from dragoman.text.prepared import Prepared, Protected, is_mask
from dragoman.text.preprocessor import Preprocessing, Preprocessor
from dragoman.text.tags import is_tag
from tests.peers import peer
from tests.text import nasty

CORPUS = ["The house is the big house.", "We see a house and Berlin.", "In Berlin the houses are big!", "A b c xyz"]

SETTINGS = [
    Preprocessing(language="en", case="keep"),
    Preprocessing(language="en", case="truecase", split=True, terms=("é", "Mr."), patterns=("x+",)),
    Preprocessing(language="fr", case="lowercase", escape=True, aggressive_dash_splits=True, protect=tuple(KINDS)),
    Preprocessing(language="de", case="truecase", pieces="subwords", subwords=60, split=True, breaks="paragraph"),
    Preprocessing(language="zh", case="keep", normalize=False, split=True, protect=()),
]


@cache
def preprocessor(number: int) -> Preprocessor:
    if SETTINGS[number].pieces == "subwords":
        peer("sentencepiece")
    return Preprocessor.train(SETTINGS[number], CORPUS)


@cache
def plain(language: str) -> Preprocessor:
    return Preprocessor(Preprocessing(language=language, case="keep"))


def check_structure(prepared: Prepared) -> None:
    raw, at = prepared.raw, 0
    for sentence in prepared.sentences:
        start, end = sentence.span
        assert at <= start < end <= len(raw)
        assert not raw[at:start].strip()
        at = end
        assert len(sentence.tokens) == len(sentence.spans) == len(sentence.word_of)
        assert len(sentence.words) == len(sentence.word_spans)
        assert all(start <= first <= last <= end for first, last in (*sentence.spans, *sentence.word_spans))
        assert all(token and not token.isspace() and " " not in token for token in sentence.tokens)
        for index, kept in sentence.protected.items():
            assert sentence.words[index] == kept.mask
            assert kept.text == raw[kept.span[0] : kept.span[1]]
            assert sentence.word_spans[index] == kept.span
        assert sum(map(is_mask, sentence.words)) == len(sentence.protected)
        assert len({kept.mask for kept in sentence.protected.values()}) == len(sentence.protected)
    assert not raw[at:].strip()


@pytest.mark.slow
@given(raw=nasty.texts, number=st.integers(0, len(SETTINGS) - 1))
@settings(max_examples=500)
def test_restoring_what_was_prepared_is_the_identity(raw: str, number: int) -> None:
    prepared = preprocessor(number).prepare(raw)
    check_structure(prepared)
    assert preprocessor(number).restore(prepared.tokens, prepared) == raw


@pytest.mark.slow
@given(raw=st.text(nasty.characters, max_size=40), number=st.integers(0, len(SETTINGS) - 1))
@settings(max_examples=200)
def test_the_identity_holds_for_any_characters(raw: str, number: int) -> None:
    prepared = preprocessor(number).prepare(raw)
    check_structure(prepared)
    assert preprocessor(number).restore(prepared.tokens, prepared) == raw


@st.composite
def translations(draw: st.DrawFn) -> tuple[int, Prepared, list[list[str]], list[list[tuple[int, int]]] | None]:
    """A prepared text with tokens that a bad model might give: lost, doubled, foreign masks, in any order."""
    number = draw(st.integers(0, len(SETTINGS) - 1))
    prepared = preprocessor(number).prepare(draw(nasty.texts))
    targets: list[list[str]] = []
    alignments: list[list[tuple[int, int]]] = []
    for sentence in prepared.sentences:
        pool = [*sentence.tokens, "wort", "▁stück", ".", "⟦tag:7⟧", "/"]
        target = draw(st.lists(st.sampled_from(pool), max_size=8))
        targets.append(target)
        pair = st.tuples(st.integers(0, len(sentence.tokens)), st.integers(0, len(target)))
        alignments.append(draw(st.lists(pair, max_size=6)))
    return number, prepared, targets, draw(st.sampled_from([None, alignments]))


@pytest.mark.slow
@given(translations())
@settings(max_examples=500)
def test_protected_spans_come_back_exactly_once(
    case: tuple[int, Prepared, list[list[str]], list[list[tuple[int, int]]] | None],
) -> None:
    number, prepared, targets, alignments = case
    text = preprocessor(number).restore(targets, prepared, alignments)
    # The text of spans may occur in ordinary words, too, so count with marks that occur nowhere else.
    assume(not re.search("[\ue000-\uf8ff]", prepared.raw))
    marked = _with_marked_spans(prepared)
    again = preprocessor(number).restore(targets, marked, alignments)
    # What has no words, or the words of the source, stays as it is, with the letters of its spans.
    if all(target and tuple(target) != each.tokens for target, each in zip(targets, prepared.sentences, strict=True)):
        # A pair of tags may be split.
        for mark, kept in zip(MARKS, _spans(prepared), strict=False):
            assert again.count(mark) == 1 or (is_tag(kept) and again.count(mark) > 1)
        assert re.sub("[\ue000-\uf8ff]", "", again) == text
    assert not prepared.raw.strip() or text.strip()
    assert "⟦tag:7⟧" not in text or "⟦tag:7⟧" in prepared.raw


def _spans(prepared: Prepared) -> list[Protected]:
    return [kept for sentence in prepared.sentences for kept in sentence.protected.values()]


MARKS = [chr(point) for point in range(0xE000, 0xF8FF)]


def _with_marked_spans(prepared: Prepared) -> Prepared:
    """The same, with a private character in each protected text, where it does not change what a tag is."""
    marks = iter(MARKS)
    sentences = []
    for sentence in prepared.sentences:
        kept = {}
        for index, span in sentence.protected.items():
            at = 2 if span.text.startswith(("</", "<!", "<?")) else 1
            kept[index] = replace(span, text=f"{span.text[:at]}{next(marks)}{span.text[at:]}")
        sentences.append(replace(sentence, protected=kept))
    return replace(prepared, sentences=tuple(sentences))


def restored(raw: str, target: str, alignment: str | None = None, source: str = "en", goal: str = "de") -> str:
    prepared = plain(source).prepare(raw)
    assert len(prepared.sentences) == 1
    links = None
    if alignment is not None:
        links = [[(int(a), int(b)) for a, b in (link.split("-") for link in alignment.split())]]
    return plain(goal).restore([target.split()], prepared, links)


@pytest.mark.parametrize(
    ("raw", "target", "expected"),
    [
        ("Click <b>here</b>.", "Klick ⟦tag:0⟧ hier ⟦tag:1⟧ .", "Klick <b>hier</b>."),
        ("<b>(really)</b>", "⟦tag:0⟧ ( wirklich ) ⟦tag:1⟧", "<b>(wirklich)</b>"),
        ("a<sub>2</sub> b", "b a ⟦tag:0⟧ 2 ⟦tag:1⟧", "b a<sub>2</sub>"),
        ('The "%s" file', 'Datei " ⟦printf:0⟧ "', 'Datei "%s"'),
        ('Open "%s".', "⟦printf:0⟧ öffnen .", "%s öffnen."),
        ("file%s.txt is gone", "weg ist Datei ⟦printf:0⟧ .txt", "weg ist Datei%s.txt"),
        ("%d files", "Dateien : ⟦printf:0⟧ .", "Dateien: %d."),
        ("See  {x}  now", "jetzt ⟦brace:0⟧ sehen", "jetzt  {x}  sehen"),
        ("and/or", "und / oder", "und/oder"),
        ("TCP / IP", "TCP / IP .", "TCP / IP."),
        ("R&D costs 5 €", "F&E kostet 5 €", "F&E kostet 5 €"),
        ("Say [X1X] & [X0X]", "⟦mask:1⟧ & ⟦mask:0⟧ sagen", "[X0X] & [X1X] sagen"),
        ("a ||| b [c]", "[ c ] ||| a", "[c] ||| a"),
    ],
)
def test_spacing(raw: str, target: str, expected: str) -> None:
    assert restored(raw, target) == expected


def test_french_spacing_belongs_to_the_language() -> None:
    assert restored("Name: %s", "Nom : ⟦printf:0⟧", goal="fr") == "Nom : %s"
    assert restored("%s: no", "⟦printf:0⟧ : non", goal="fr") == "%s : non"
    assert restored("%s : non", "⟦printf:0⟧ : no", source="fr", goal="en") == "%s: no"
    assert restored("the {x}", "l' ⟦brace:0⟧", goal="fr") == "l'{x}"


def test_a_lost_mask_goes_where_its_neighbours_went() -> None:
    raw = "the red <b>house</b> is %s"  # the red ⟦tag:0⟧ house ⟦tag:1⟧ is ⟦printf:0⟧
    links = "0-0 1-2 3-1 5-3"
    assert restored(raw, "das Haus rot ist", links) == "das <b>Haus</b> rot ist %s"
    assert restored(raw, "⟦tag:0⟧ das ⟦tag:0⟧ Haus rot ist", "0-1 2-2 3-3 1-4 5-5") == "das <b>Haus</b> rot ist %s"
    assert restored(raw, "das Haus rot ist ⟦printf:0⟧ ⟦printf:0⟧ ⟦url:3⟧", links).count("%s") == 1


def test_tags_of_a_pair_keep_their_order() -> None:
    assert restored("a <b>c</b> d", "⟦tag:1⟧ x ⟦tag:0⟧ y") == "<b>x</b> y"
    assert restored("a <b>c</b> d", "x") in ("x <b></b>", "<b>x</b>", "<b></b> x", "x<b></b>")


def test_nothing_is_never_the_answer() -> None:
    assert restored("Hello", "") == "Hello"
    assert restored("%s", "") == "%s"
    english = plain("en")
    for raw in ("", "  \n "):
        assert english.restore([], english.prepare(raw)) == raw


def test_lines_and_paragraphs_stay() -> None:
    splitting = Preprocessor(Preprocessing(case="keep", split=True))
    raw = "  One. Two.\n\n\t<p>Three</p> \r\n"
    prepared = splitting.prepare(raw)
    assert [len(tokens) for tokens in prepared.tokens] == [2, 2, 3]
    targets = [["Eins", "."], ["Zwei", "."], ["⟦tag:0⟧", "Drei", "⟦tag:1⟧"]]
    assert splitting.restore(targets, prepared) == "  Eins. Zwei.\n\n\t<p>Drei</p> \r\n"


def test_sentences_are_found_across_tags() -> None:
    splitting = Preprocessor(Preprocessing(case="keep", split=True))
    raw = "<p><b>It is over.</b> Go to %s. <i>Now</i> wait.</p> <p>Next.</p>\n<hr>\nEnd"
    texts = [raw[slice(*sentence.span)] for sentence in splitting.prepare(raw).sentences]
    assert texts == ["<p><b>It is over.</b>", "Go to %s.", "<i>Now</i> wait.</p>", "<p>Next.</p>", "<hr>", "End"]


@pytest.mark.parametrize(
    ("raw", "target", "expected"),
    [
        ("The house is big.", "das haus ist groß .", "Das haus ist groß."),
        ("the house", "das haus", "das haus"),
        ("THE HOUSE", "das haus ⟦url:9⟧", "DAS HAUS"),
        ("The end. The house", "ende . das haus", "Ende. Das haus"),
        ("The file: not found", "datei : weg", "Datei: weg"),
        ("<b>The</b> house", "⟦tag:0⟧ das ⟦tag:1⟧ haus", "<b>Das</b> haus"),
        ("%s is gone", "⟦printf:0⟧ ist weg", "%s ist weg"),
    ],
)
def test_case_follows_the_source(raw: str, target: str, expected: str) -> None:
    source = preprocessor(1)
    goal = Preprocessor(Preprocessing(language="de", case="lowercase"))
    prepared = source.prepare(raw)
    words = iter(target.split())
    # One target for the whole text, given to its sentences in order.
    targets = [[next(words) for _ in range(len(target.split()) // len(prepared.sentences))] for _ in prepared.sentences]
    assert goal.restore(targets, prepared) == expected


def test_truecasing_looks_behind_tags() -> None:
    assert preprocessor(1).prepare("<b>The</b> house").tokens == (("⟦tag:0⟧", "the", "⟦tag:1⟧", "house"),)


def test_subwords_keep_offsets_and_masks() -> None:
    cutting = preprocessor(3)
    prepared = cutting.prepare("Housesbig %s Housesbig")
    (sentence,) = prepared.sentences
    assert "⟦printf:0⟧" in sentence.tokens
    assert len(sentence.tokens) > len(sentence.words) == 3
    spelled = "".join(prepared.raw[start:end] for start, end in sentence.spans)
    assert spelled == "Housesbig%sHousesbig"
    target = ["▁gro", "ß", "⟦printf:0⟧", "▁haus"]
    assert cutting.restore([target], prepared) == "Groß %s haus"
    alignment = [(0, 0), (len(sentence.tokens) - 1, 2)]
    assert cutting.restore([["▁gro", "ß", "▁haus"]], prepared, [alignment]) == "Groß %s haus"


@pytest.mark.slow
@pytest.mark.parametrize("raw", ["<b>x</b> " * 5000, "= " * 20000, "Hello world. " * 5000, "%s" * 9000, "<b>" * 9000])
def test_long_texts_take_linear_time(raw: str) -> None:
    lower = Preprocessor(Preprocessing(case="lowercase", split=True))
    prepared = lower.prepare(raw)
    start = time.process_time()
    text = lower.restore([["w"] * len(tokens) for tokens in prepared.tokens], prepared)
    assert time.process_time() - start < 5
    assert all(text.count(span) == raw.count(span) for span in {kept.text for kept in _spans(prepared)})


def test_batches_are_single_texts_in_order() -> None:
    english = preprocessor(1)
    raws = [f"Text {i} has <b>{i}</b>. And more at http://x.org/{i}!" for i in range(50)]
    batch = english.prepare_all(raws, threads=2)
    assert batch == [english.prepare(raw) for raw in raws]
    tokens = [[["ein", "⟦url:0⟧"], ["zwei"]] for _ in raws]
    assert english.restore_all(tokens, batch, threads=2) == [
        english.restore(target, prepared) for target, prepared in zip(tokens, batch, strict=True)
    ]


def test_masks_of_a_target_are_named_after_its_source() -> None:
    source, target = plain("en").prepare("%s of %d at http://a.org"), plain("de").prepare("%d: %s, http://b.org")
    assert target.tokens == (("⟦printf:0⟧", ":", "⟦printf:1⟧", ",", "⟦url:0⟧"),)
    matched = target.matched_to(source)
    assert matched.tokens == (("⟦printf:1⟧", ":", "⟦printf:0⟧", ",", "⟦url:1⟧"),)
    assert plain("de").restore(matched.tokens, matched) == target.raw


def test_masks_that_a_translation_lacks_teach_nothing() -> None:
    """`dpkg -l` was written as words: no other code may become these words, nor go away."""
    source, target = (
        plain("en").prepare("<b>%s</b> runs `dpkg -l` and `ls`."),
        plain("de").prepare("%s: „dpkg -l“, `ls`"),
    )
    matched = target.matched_to(source)
    parted = source.parted_from(matched)
    assert [word for word in parted.tokens[0] if word.startswith("⟦")] == [
        *("⟦tag:0⟧", "⟦printf:0⟧", "⟦tag:1⟧", "⟦lone:0⟧", "⟦code:1⟧")
    ]
    assert plain("en").restore(parted.tokens, parted) == source.raw
    assert source.parted_from(source) == source
    english = Preprocessor(Preprocessing(language="en", case="keep", split=True))
    two, one = english.prepare("See `a`. See `b`."), plain("de").prepare("Siehe a und `b`.")
    assert [text[1] for text in two.parted_from(one.matched_to(two)).tokens] == ["⟦lone:0⟧", "⟦code:0⟧"]


@pytest.mark.slow
def test_it_lives_in_a_bundle(tmp_path: Path) -> None:
    for number in range(len(SETTINGS)):
        ours = preprocessor(number)
        with writing_bundle(tmp_path / f"model{number}", kind="example") as files:
            (files / "source").mkdir()
            ours.save(files / "source")
        again = Preprocessor.load(Bundle.open(tmp_path / f"model{number}").path / "source")
        assert again.settings == ours.settings
        for raw in ("The House <b>is</b>  BIG: é Mr. xx.", CORPUS[0]):
            assert again.prepare(raw) == ours.prepare(raw)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[[", "damaged"),
        ("format = 9\n", "preprocessor format 9"),
        ("format = 1\nflavour = 3\n", "has no setting 'flavour'"),
        ("format = 1\nsubwords = true\n", "subwords is True"),
        ("format = 1\nterms = [1]\n", "terms is"),
        ("format = 1\ncase = 'upper'\n", "case is 'upper'"),
    ],
)
def test_damaged_settings_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "preprocessor.toml").write_text(content)
    with pytest.raises(FormatError, match=message):
        Preprocessor.load(tmp_path)


def test_impossible_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="truecasing needs a model"):
        Preprocessor(Preprocessing())
    with pytest.raises(SettingError, match="subwords need a model of pieces"):
        Preprocessor(Preprocessing(case="keep", pieces="subwords"))
    with pytest.raises(SettingError, match="case is 'upper'"):
        Preprocessing(case="upper")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="settings are missing"):
        Preprocessor.load(tmp_path)
    english = plain("en")
    with pytest.raises(LengthMismatch, match="2 translations for 1 sentences"):
        english.restore([["a"], ["b"]], english.prepare("a"))
    with pytest.raises(LengthMismatch, match="1 alignments for 2 prepared texts"):
        english.restore_all([[["a"]], [["b"]]], english.prepare_all(["a", "b"]), [[[]]])


def sample(path: Path, count: int) -> Sequence[str]:
    lines = list(read_lines(path))
    return lines[:: max(1, len(lines) // count)]


@pytest.mark.slow
def test_real_text_comes_back(data: Path) -> None:
    debian, bible = data / "debian", data / "bible"
    files = [
        ("en", debian / "en-de" / "train.en.gz"),
        ("de", debian / "en-de" / "train.de.gz"),
        ("fr", debian / "en-fr" / "train.fr.gz"),
        ("es", debian / "en-es" / "train.es.gz"),
        ("sw", bible / "sw-en" / "train.sw.gz"),
        ("uk", bible / "uk-en" / "train.uk.gz"),
    ]
    for language, path in files:
        lines = sample(path, 800)
        ours = Preprocessor.train(Preprocessing(language=language, split=True), lines, threads=2)
        batch = ours.prepare_all(lines, threads=2)
        assert ours.restore_all([prepared.tokens for prepared in batch], batch, threads=2) == lines
        # A copy of all but the last token takes the long way back, and still has every protected span.
        shorter = [[tokens[:-1] for tokens in prepared.tokens] for prepared in batch]
        texts = ours.restore_all(shorter, batch, threads=2)
        for text, prepared in zip(texts, batch, strict=True):
            check_structure(prepared)
            assert all(kept.text.rstrip() in text for kept in _spans(prepared))


def test_tokenised_text_is_cut_at_blanks_and_nothing_else() -> None:
    settings = Preprocessing(language="fr", tokenize=False, normalize=False, case="keep", protect=())
    source = Preprocessor(settings)
    prepared = source.prepare("  L&apos; été ?\u00a0!  «oui» <b> %d\t")
    assert prepared.tokens == (("L&apos;", "été", "?\u00a0!", "«oui»", "<b>", "%d"),)
    assert source.restore(prepared.tokens, prepared) == prepared.raw
    target = Preprocessor(replace(settings, language="en"))
    assert target.restore([["so", "?", "(", "yes", ")", "%d"]], prepared) == "  so ? ( yes ) %d\t"
