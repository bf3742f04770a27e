"""How good profiles, paraphrases and translations of unknown words are on the embedded corpus, whose lexicon is known.

Its nouns have classes (people, animals, drinks, ...), which decide what is said of them, and some German nouns have a
synonym. A word that is used like another is of its class; a synonym is not told from other words of the class.
"""

from __future__ import annotations

from statistics import fmean

import pytest

from dragoman.grammar.phrases import extract
from dragoman.grammar.table import RuleTable
from dragoman.semantics.cooccurrence import ContextSpace, promiscuous
from dragoman.semantics.distributional import Paraphraser
from dragoman.semantics.forms import FormTranslations
from dragoman.semantics.oov import evaluate_translations, find_unknown_words, gold_lexicon, graph_translations
from dragoman.semantics.profiles import Profiles
from dragoman.text import synthetic
from dragoman.text.compounds import CompoundModel
from dragoman.text.index import CorpusIndex
from dragoman.text.morphs import Morphs
from dragoman.text.synthetic.lexicon import lexicon

pytestmark = pytest.mark.slow

Bitext = tuple[list[str], list[str], list[str]]

ENGLISH: dict[str, set[str]] = {}
GERMAN: dict[str, set[str]] = {}
for _noun in (*lexicon().nouns, *lexicon().compounds):
    for _form in (_noun.english, _noun.english_plural):
        ENGLISH.setdefault(_form, set()).update(_noun.classes)
    for _german in _noun.german:
        for _spelling in filter(None, (_german.lemma, _german.plural)):
            GERMAN.setdefault(_spelling.lower(), set()).update(_noun.classes)


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    """German, English and links between them."""
    items = list(synthetic.pair("en-de").generate(4000, seed=5))
    german, english = (
        [" ".join(getattr(item, side).tokens).lower() for item in items] for side in ("target", "source")
    )
    links = [" ".join(f"{j}-{i}" for i, j in (link.split("-") for link in item.pharaoh.split())) for item in items]
    return german, english, links


@pytest.fixture(scope="module")
def index(bitext: Bitext) -> CorpusIndex:
    return CorpusIndex.build(bitext[0])


@pytest.fixture(scope="module")
def table(bitext: Bitext, tmp_path_factory: pytest.TempPathFactory) -> RuleTable:
    german, english, links = (side[:500] for side in bitext)
    return extract(german, english, links, tmp_path_factory.mktemp("quality") / "few.table").table


def agreement(found: dict[str, list[str]], classes: dict[str, set[str]], of: dict[str, set[str]]) -> float:
    """The share of words whose first proposals are nouns of a class of theirs."""
    return fmean(fmean(bool(classes.get(each, set()) & of[word]) for each in given) for word, given in found.items())


def test_neighbors_are_of_the_same_class(index: CorpusIndex) -> None:
    stop = promiscuous(index, window=3, threshold=400)
    profiles = Profiles.of(
        ContextSpace(index, window=3, stoplist=stop),
        [word for word in index.words() if index.count(word) >= 5],
        association="ppmi",
    )
    nouns = [word for word in GERMAN if index.count(word) >= 20]
    near = {word: [neighbor.phrase for neighbor in profiles.nearest(word, k=3)] for word in nouns}
    chance = agreement({word: list(profiles.phrases) for word in nouns}, GERMAN, GERMAN)
    found = agreement(near, GERMAN, GERMAN)
    assert found > max(0.4, 5 * chance), (found, chance)
    places = []
    for noun in lexicon().nouns:
        forms = [german.lemma.lower() for german in noun.german]
        if len(forms) > 1 and min(map(index.count, forms)) >= 5:
            ranked = [neighbor.phrase for neighbor in profiles.nearest(forms[1], k=len(profiles))]
            places.append((ranked.index(forms[0]) if forms[0] in ranked else len(ranked)) / len(profiles))
    assert len(places) >= 5
    assert fmean(places) < 0.2, "synonyms are near"


def test_paraphrases_are_of_the_same_class(index: CorpusIndex) -> None:
    stop = promiscuous(index, window=3, threshold=400)
    paraphraser = Paraphraser(ContextSpace(index, window=3, stoplist=stop), min_score=0.1, max_length=1, k=3)
    nouns = [word for word in GERMAN if index.count(word) >= 30][:60]
    found = {word: [entry.phrase for entry in paraphraser.paraphrases(word)] for word in nouns}
    found = {word: phrases for word, phrases in found.items() if phrases}
    assert len(found) > 0.5 * len(nouns)
    assert agreement(found, GERMAN, GERMAN) > 0.6, agreement(found, GERMAN, GERMAN)


def test_unknown_words_get_translations_of_their_class(bitext: Bitext, index: CorpusIndex, table: RuleTable) -> None:
    words = list(find_unknown_words(bitext[0], table).words)
    made = graph_translations(ContextSpace(index, window=4), table, words)
    nouns = [word for word in words if word in GERMAN and index.count(word) >= 5]
    first = {word: [made.lexicon[word][0].target] for word in nouns if word in made.lexicon}
    assert len(first) > 30
    labels = sorted({rule.target_text for rule in table if len(rule.source) == 1})
    chance = agreement(dict.fromkeys(first, labels), ENGLISH, GERMAN)
    found = agreement(first, ENGLISH, GERMAN)
    assert found > max(0.25, 4 * chance), (found, chance)


def test_forms_find_right_translations(bitext: Bitext, table: RuleTable) -> None:
    """Inflected forms and compounds of known words: of those whose right translation the table has, most get it."""
    words = list(find_unknown_words(bitext[0], table).words)
    gold = gold_lexicon(*bitext, words)
    known = {rule.target_text for rule in table if len(rule.source) == 1}
    reachable = {word: right & known for word, right in gold.items() if right & known and word.isalpha()}
    assert len(reachable) > 50
    forms = FormTranslations(
        table, compounds=CompoundModel.train(bitext[0], preset="wmt13"), morphs=Morphs.train(bitext[0])
    )
    report = evaluate_translations(forms.lexicon(reachable), reachable)
    assert report.reciprocal_rank > 0.3, report
    graph = graph_translations(ContextSpace(CorpusIndex.build(bitext[0]), window=4), table, list(reachable))
    assert evaluate_translations(graph.lexicon, reachable).recall > 0.1
