"""Synthetic pairs: streams that do not depend on how they are asked for, and gold that can be trusted."""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from pathlib import Path

import pytest

from dragoman.annotations import brackets, conllu, frames
from dragoman.errors import SettingError, UnknownName
from dragoman.files import read_lines
from dragoman.text import synthetic
from dragoman.text.synthetic import SyntheticItem, export
from dragoman.text.synthetic.lexicon import lexicon
from tests.peers import peer

PAIRS = list(synthetic.PAIRS)
SIZE = 1500


@pytest.fixture(scope="module", params=PAIRS)
def items(request: pytest.FixtureRequest) -> list[SyntheticItem]:
    return list(synthetic.pair(request.param).generate(SIZE, seed=11, references=3))


@pytest.mark.parametrize("name", PAIRS)
def test_item_i_depends_on_seed_and_i_only(name: str) -> None:
    pair = synthetic.pair(name)
    few, many = list(pair.generate(20, seed=5)), list(pair.generate(40, seed=5))
    assert [item.to_dict() for item in few] == [item.to_dict() for item in many[:20]]
    assert [item.to_dict() for item in pair.generate(5, seed=5, start=30)] == [item.to_dict() for item in many[30:35]]
    assert pair.item(7, seed=5).to_dict() == many[7].to_dict()
    assert [i.source.text for i in pair.generate(20, seed=6)] != [i.source.text for i in few]


def test_both_pairs_say_english_the_same_way() -> None:
    """The stream is keyed by the pair; the grammar of English is one."""
    words = [{word for item in synthetic.pair(name).generate(300) for word in item.source.tokens} for name in PAIRS]
    assert len(words[0] & words[1]) > 0.5 * len(words[0])


@pytest.mark.slow
def test_tokens_are_what_moses_makes_of_the_text(items: list[SyntheticItem]) -> None:
    moses = peer("sacremoses")
    german = any("Der" in item.target.tokens for item in items)
    for side, language in (("source", "en"), ("target", "de" if german else "qsv")):
        tokenizer = moses.MosesTokenizer(language)
        for item in items[:400]:
            sentence = getattr(item, side)
            assert tuple(tokenizer.tokenize(sentence.text, escape=False)) == sentence.tokens


@pytest.mark.slow
def test_trees_frames_and_offsets_fit_the_tokens(items: list[SyntheticItem]) -> None:
    """Building the annotated sentence checks trees and spans; what it cannot check is checked here."""
    for item in items[:600]:
        for side in (item.source, item.target):
            sentence = side.annotated
            assert sentence.words == side.tokens
            assert all(sentence.text[token.start : token.end] == token.text for token in sentence)
            assert list(sentence.constituents.leaves()) == list(range(len(side)))
            assert "dep" not in sentence.dependencies.labels, side.text
            assert sentence.frames
            for frame in sentence.frames:
                assert sentence.pos[frame.predicate] in ("VERB", "AUX")
                for argument in frame.arguments:
                    assert not argument.start <= frame.predicate < argument.end


@pytest.mark.slow
def test_roles_correspond_across_the_pair(items: list[SyntheticItem]) -> None:
    """A clause has the same core arguments on both sides."""
    for item in items[:600]:
        core = [
            sorted(
                sorted(role for role in frame.roles() if role in ("ARG0", "ARG1", "ARG2"))
                for frame in side.annotated.frames
            )
            for side in (item.source, item.target)
        ]
        assert core[0] == core[1], item


@pytest.mark.slow
def test_alignment_is_sorted_and_covers_every_content_word(items: list[SyntheticItem]) -> None:
    content = {"NOUN", "VERB", "ADJ", "PROPN", "NUM", "ADV"}
    for item in items[:800]:
        assert list(item.alignment) == sorted(set(item.alignment))
        linked = [{link[at] for link in item.alignment} for at in (0, 1)]
        for side, seen in zip((item.source, item.target), linked, strict=True):
            assert max(seen) < len(side)
            for at, pos in enumerate(side.annotated.pos):
                assert pos not in content or at in seen, (item, side.tokens[at])


@pytest.mark.slow
def test_names_and_numbers_are_linked_to_themselves(items: list[SyntheticItem]) -> None:
    for item in items:
        for source, target in item.alignment:
            word = item.source.tokens[source]
            if word[0].isdigit() and item.target.tokens[target][0].isdigit():
                assert word.replace(",", "") == item.target.tokens[target].replace(".", "").replace(",", "")


@pytest.mark.slow
def test_lengths_are_natural_and_duplicates_rare(items: list[SyntheticItem]) -> None:
    lengths = [len(item.source) for item in items]
    assert 10 <= sum(lengths) / len(lengths) <= 14
    assert max(lengths) > 24
    assert max(lengths) <= 40
    assert len({item.source.text for item in items}) > 0.99 * len(items)


@pytest.mark.slow
def test_a_test_set_has_some_unknown_words() -> None:
    made = synthetic.splits("en-de", train=2000, test=400)
    known = {token for item in made.train for token in item.source.tokens}
    rates = Counter(token in known for item in made.test for token in item.source.tokens)
    assert 0.001 < rates[False] / rates.total() < 0.05


@pytest.mark.slow
def test_splits_share_no_source_and_heldout_does_not_change_with_train() -> None:
    small = synthetic.splits("en-de", train=50, dev=30, test=30, seed=4)
    large = synthetic.splits("en-de", train=500, dev=30, test=30, seed=4)
    assert [i.number for i in small.dev + small.test] == [i.number for i in large.dev + large.test]
    parts = [{item.source.text for item in part} for part in (large.train, large.dev, large.test)]
    assert all(not a & b for a, b in itertools.combinations(parts, 2))
    assert [len(part) for part in (large.train, large.dev, large.test)] == [500, 30, 30]


def test_the_lexicon_is_large() -> None:
    words = lexicon()
    assert len(words) >= 600
    assert len(words.idioms) >= 12
    assert len({noun.english for noun in words.nouns if noun.sense}) >= 15


@pytest.mark.slow
def test_vocabulary_in_use_is_large() -> None:
    lemmas = [set[str](), set[str]()]
    for item in synthetic.pair("en-de").generate(4000, seed=2):
        for found, side in zip(lemmas, (item.source, item.target), strict=True):
            found.update(leaf.word.lemma for leaf in side._leaves)
    assert all(len(found) >= 600 for found in lemmas), [len(found) for found in lemmas]


@pytest.mark.slow
def test_idioms_are_linked_whole_and_are_not_compositional(items: list[SyntheticItem]) -> None:
    """No word of an idiom is linked to its usual translation elsewhere in the corpus."""
    usual: dict[str, Counter[str]] = {}
    for item in items:
        if not item.idioms:
            for source, target in item.alignment:
                word = item.source._leaves[source].word.lemma
                usual.setdefault(word, Counter())[item.target._leaves[target].word.lemma] += 1
    seen = 0
    for item in items:
        for idiom in item.idioms:
            seen += 1
            links = set(itertools.product(idiom.source, idiom.target))
            assert links <= set(item.idiom_links) <= set(item.alignment)
            content = [at for at in idiom.source if item.source.annotated.pos[at] == "NOUN"]
            translations = {item.target._leaves[at].word.lemma for at in idiom.target}
            for at in content:
                common = usual.get(item.source._leaves[at].word.lemma, Counter()).most_common(1)
                assert not common or common[0][0] not in translations, (item, idiom)
    assert seen > 30


def test_the_sense_of_an_ambiguous_word_decides_its_translation(items: list[SyntheticItem]) -> None:
    """One sense, one set of translations; the senses of a word have different ones; a cue is named."""
    translations: dict[tuple[str, str], set[str]] = {}
    for item in items:
        for found in item.ambiguous:
            assert item.source._leaves[found.source].word.lemma == found.word
            assert found.cue != found.source
            assert found.cue is not None or found.sense == "run.move"
            heads = {
                item.target._leaves[at].word.lemma for at in found.target if item.target._leaves[at].word.pos != "AUX"
            }
            translations.setdefault((found.word, found.sense), set()).update(heads)
    words = Counter(word for word, _ in translations)
    assert sum(count > 1 for count in words.values()) >= 8
    for (word, sense), (other, other_sense) in itertools.combinations(translations, 2):
        if word == other and not sense.startswith("know"):
            assert not translations[word, sense] & translations[other, other_sense], (word, sense, other_sense)


@pytest.mark.slow
def test_references_differ_and_mean_the_same(items: list[SyntheticItem]) -> None:
    sizes = Counter(len(item.references) for item in items[:300])
    assert sizes[3] > 60
    for item in items[:300]:
        assert item.references[0] == item.target.text
        assert len(set(item.references)) == len(item.references)


def test_export_writes_parallel_files_that_read_back(tmp_path: Path) -> None:
    pair = synthetic.pair("en-de")
    made = list(pair.generate(40, references=3))
    export.write(pair, {"toy": made}, tmp_path / "out", references=3, annotations=True)
    for name in ("en", "de", "tok.en", "tok.de", "align", "idioms", "ref1.de", "ref2.de", "en.trees"):
        assert len(list(read_lines(tmp_path / "out" / f"toy.{name}"))) == 40, name
    read = list(conllu.read(tmp_path / "out" / "toy.de.conllu"))
    assert [s.dependencies for s in read] == [item.target.annotated.dependencies for item in made]
    assert [s.text for s in read] == [item.target.text for item in made]
    trees = list(brackets.read(tmp_path / "out" / "toy.en.trees"))
    assert [t.constituents for t in trees if t] == [item.source.annotated.constituents for item in made]
    roles = list(frames.read(tmp_path / "out" / "toy.en.frames", frames.PROPBANK))
    assert [[f.roles() for f in s.frames] for s in roles] == [
        [f.roles() for f in item.source.annotated.frames] for item in made
    ]


def test_items_are_plain_values_for_json() -> None:
    [item] = synthetic.pair("en-qsv").generate(1)
    assert json.loads(json.dumps(item.to_dict(annotations=True)))["alignment"] == item.pharaoh


def test_bad_settings_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'en-de'"):
        synthetic.pair("en-dee")
    with pytest.raises(SettingError, match="size"):
        list(synthetic.pair("en-de").generate(-1))
    with pytest.raises(SettingError, match="references"):
        list(synthetic.pair("en-de").generate(1, references=0))


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_generation_is_fast(name: str) -> None:
    """Processor time, with a wide margin for slow machines: the benchmark says how fast it is."""
    pair = synthetic.pair(name)
    list(pair.generate(50))
    start = time.process_time()
    for item in pair.generate(600):
        assert item.source.text
        assert item.target.text
    assert 600 / (time.process_time() - start) > 800
