"""How two words are related: the same, synonyms, opposites, one above the other, and how alike that makes them.

Aligning asks which word of the text speaks of the same thing as a word of the hypothesis, not whether it says the same
of it. So opposites are as alike as synonyms, and two different numbers are alike because both are numbers: what the
difference means is decided later (MacCartney et al. 2006). WordNet says most of it; names, countries with those who
live there, numbers and spelling say the rest. Paraphrases and vectors of words can be brought along (`with_files`).

    >>> relations = WordRelations(None)
    >>> relations.of(ComparedWord("sold", "sell", "VERB"), ComparedWord("sells", "sell", "VERB"))
    WordRelation(kind='same', similarity=1.0, distance=0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from dragoman.annotations.graphs import GraphNode
from dragoman.entailment.quantities import Quantity, quantity_of
from dragoman.metrics.lexical import paraphrase_lexicon
from dragoman.semantics.vectors import WordVectors
from dragoman.semantics.wordnet import WordNet

__all__ = ["UNRELATED", "ComparedWord", "WordRelation", "WordRelations", "initials_match", "jaro_winkler"]

COARSE = {"PROPN": "NOUN", "AUX": "VERB", "SYM": "NUM"}
"""Parts of speech that count as another one when words are compared."""
_WORDNET_POS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
_MASCULINE = frozenset(["he", "him", "his", "himself"])
_FEMININE = frozenset(["she", "her", "hers", "herself"])
_PLURAL = frozenset(["they", "them", "their", "theirs", "themselves", "we", "us", "our"])
_PERSON_FILE = 18
"""WordNet's lexicographers keep nouns for people in this file."""

SynsetId = tuple[str, int]


class ComparedWord(NamedTuple):
    """What is compared of a word: form, lemma and universal part of speech."""

    form: str
    lemma: str
    pos: str

    @classmethod
    def of(cls, node: GraphNode) -> ComparedWord:
        return cls(node.word.lower(), node.lemma.lower(), node.pos)


class WordRelation(NamedTuple):
    """The first relation that holds, how alike it makes two words (0 to 1), and steps in the hierarchy."""

    kind: str
    similarity: float
    distance: int = 0


UNRELATED = WordRelation("none", 0.0)


class _Senses(NamedTuple):
    """What WordNet knows of a lemma."""

    synsets: dict[SynsetId, None]
    above: dict[SynsetId, int]
    """Hypernyms of its senses, with steps."""
    parents: frozenset[SynsetId]
    opposites: frozenset[str]
    derived: frozenset[str]
    person: bool
    wholes: frozenset[SynsetId]
    """What its senses are parts of: countries of cities."""
    implied: frozenset[SynsetId]
    """What its senses entail or cause: who is killed dies."""


_NOTHING = _Senses({}, {}, frozenset(), frozenset(), frozenset(), False, frozenset(), frozenset())


class WordRelations:
    """Relations between words, each pair looked up once.

    Without WordNet only forms, numbers, names and spelling are known. `distributional` gives the similarity of two
    lemmas by their contexts, from 0 to 1; `paraphrases` has for a word, lower-cased, all that may stand for it; of each
    lemma the `senses` most frequent senses count.
    """

    def __init__(
        self,
        wordnet: WordNet | None,
        distributional: Callable[[str, str], float] | None = None,
        *,
        paraphrases: Mapping[str, frozenset[str]] | None = None,
        senses: int = 4,
    ) -> None:
        self.wordnet, self.distributional, self.senses = wordnet, distributional, senses
        self.paraphrases = paraphrases or {}
        self.of = lru_cache(maxsize=200_000)(self._of)
        self._known = lru_cache(maxsize=100_000)(self._looked_up)
        self._stems = lru_cache(maxsize=100_000)(self._base_forms)

    @classmethod
    def find(cls) -> WordRelations:
        """With the WordNet of this machine."""
        return cls(WordNet.find())

    def with_files(self, *, vectors: Path | str = "", paraphrases: Path | str = "") -> WordRelations:
        """The same with word vectors (format of word2vec) and paraphrases (two words a line) from files."""
        if not vectors and not paraphrases:
            return self
        return WordRelations(
            self.wordnet,
            _cosines(str(vectors)) if vectors else self.distributional,
            paraphrases=paraphrase_lexicon(str(paraphrases)) if paraphrases else self.paraphrases,
            senses=self.senses,
        )

    def _of(self, first: ComparedWord, second: ComparedWord) -> WordRelation:
        """How `second`, of the text, is related to `first`, of the hypothesis."""
        coarse = COARSE.get(first.pos, first.pos), COARSE.get(second.pos, second.pos)
        same_pos = coarse[0] == coarse[1]
        if first.form == second.form or (first.lemma == second.lemma and same_pos):
            return WordRelation("same", 1.0)
        if same_pos and not self._stems(first.form, first.pos).isdisjoint(self._stems(second.form, second.pos)):
            return WordRelation("same", 1.0)
        found = self._first(first, second)
        if not same_pos and found.kind not in ("form", "derived", "demonym", "pronoun"):
            return found._replace(similarity=0.8 * found.similarity)
        return found

    def _first(self, first: ComparedWord, second: ComparedWord) -> WordRelation:
        quantities = quantity_of(first.lemma, first.pos), quantity_of(second.lemma, second.pos)
        if quantities[0] is not None and quantities[1] is not None and quantities[0] == quantities[1]:
            return WordRelation("same", 1.0)
        ours, theirs = self._known(first.lemma, first.pos), self._known(second.lemma, second.pos)
        if not ours.synsets.keys().isdisjoint(theirs.synsets):
            return WordRelation("synonym", 0.95)
        if second.lemma in ours.opposites or first.lemma in theirs.opposites:
            return WordRelation("antonym", 0.95)
        if first.lemma == second.lemma:
            return WordRelation("form", 0.90)
        if second.lemma in ours.derived or first.lemma in theirs.derived:
            return WordRelation("derived", 0.90)
        if _headed(second, first):
            return WordRelation("hyponym", 0.90, 1)
        down = _steps(theirs.above, ours.synsets)
        if down is not None and down <= 5:
            return WordRelation("hyponym", 0.90 * 0.95 ** (down - 1), down)
        if not theirs.implied.isdisjoint(ours.synsets):
            return WordRelation("implied", 0.85)
        if _same_name(first, second):
            return WordRelation("name", 0.90)
        if _same_country(first, second):
            return WordRelation("demonym", 0.90)
        if not theirs.wholes.isdisjoint(ours.synsets):
            return WordRelation("part", 0.80)
        if _alike_in_kind(quantities):
            return WordRelation("number", 0.70)
        if _headed(first, second):
            return WordRelation("hypernym", 0.70, 1)
        up = _steps(ours.above, theirs.synsets)
        if up is not None and up <= 3:
            return WordRelation("hypernym", 0.70 * 0.9 ** (up - 1), up)
        if not ours.wholes.isdisjoint(theirs.synsets):
            return WordRelation("whole", 0.60)
        if self._paraphrased(first, second):
            return WordRelation("paraphrase", 0.80)
        if min(len(first.form), len(second.form)) >= 4 and jaro_winkler(first.form, second.form) >= 0.85:
            return WordRelation("spelling", 0.70)
        near = self.distributional(first.lemma, second.lemma) if self.distributional is not None else 0.0
        if near > 0.3:
            return WordRelation("distributional", 0.7 * near)
        if self._pronoun_for(first, second) or self._pronoun_for(second, first):
            return WordRelation("pronoun", 0.40)
        return UNRELATED

    def _paraphrased(self, first: ComparedWord, second: ComparedWord) -> bool:
        """Whether a table has one word for the other, as they stand or by their lemmas."""
        known = self.paraphrases.get(first.form, ()), self.paraphrases.get(first.lemma, ())
        return second.form in known[0] or second.lemma in known[1]

    def _base_forms(self, form: str, pos: str) -> frozenset[str]:
        """What a form may be a form of by WordNet's rules, for lemmas that a lemmatiser got wrong."""
        letter = _WORDNET_POS.get(pos)
        if self.wordnet is None or letter is None or pos == "PROPN":
            return frozenset()
        return frozenset(self.wordnet.morphy(form, letter))

    def sisters(self, first: ComparedWord, second: ComparedWord) -> bool:
        """Whether two nouns are different kinds of one thing, neither of them above the other (cat, dog)."""
        ours, theirs = self._known(first.lemma, first.pos), self._known(second.lemma, second.pos)
        apart = ours.synsets.keys().isdisjoint(theirs.synsets) and not ours.parents.isdisjoint(theirs.parents)
        return apart and _steps(theirs.above, ours.synsets) is None and _steps(ours.above, theirs.synsets) is None

    def above(self, first: ComparedWord, second: ComparedWord) -> bool:
        """Whether the second of two nouns is a more general one, however far above (robin, bird)."""
        nouns = first.pos == second.pos == "NOUN"
        ours, theirs = self._known(first.lemma, first.pos), self._known(second.lemma, second.pos)
        return nouns and _steps(ours.above, theirs.synsets) is not None

    def is_person(self, lemma: str) -> bool:
        """Whether the most frequent sense of a noun is a person."""
        return self._known(lemma.lower(), "NOUN").person

    def is_collocation(self, phrase: str) -> bool:
        """Whether WordNet has these words as one noun."""
        return " " in phrase and self.wordnet is not None and bool(self.wordnet.offsets(phrase, "n"))

    def _looked_up(self, lemma: str, pos: str) -> _Senses:
        letter = _WORDNET_POS.get(pos)
        if self.wordnet is None or letter is None:
            return _NOTHING
        places = [(letter, offset) for offset in self.wordnet.offsets(lemma, letter)[: self.senses]]
        synsets = [self.wordnet.synset(*place) for place in places]
        opposites: set[str] = set()
        derived: set[str] = set()
        parents: set[SynsetId] = set()
        wholes: set[SynsetId] = set()
        implied: set[SynsetId] = set()
        for synset in synsets:
            own = [at for at, each in enumerate(synset.lemmas, start=1) if each.lower() == lemma]
            for pointer in synset.pointers:
                concerns = pointer.source == 0 or pointer.source in own
                if pointer.relation == "!" and (concerns or letter == "a"):
                    opposites.update(self._lemmas(pointer.part_of_speech, pointer.offset))
                elif pointer.relation == "&" and letter == "a":
                    opposites.update(self._opposites_of(pointer.part_of_speech, pointer.offset))
                elif pointer.relation in ("+", "\\", "<") and concerns:
                    derived.update(self._lemmas(pointer.part_of_speech, pointer.offset, pointer.target))
                elif pointer.relation in ("@", "@i"):
                    parents.add((pointer.part_of_speech, pointer.offset))
                elif pointer.relation in ("*", ">"):
                    implied.add((pointer.part_of_speech, pointer.offset))
                elif pointer.relation in ("#p", "#m"):
                    wholes.add((pointer.part_of_speech, pointer.offset))
        person = bool(synsets) and synsets[0].lexicographer == _PERSON_FILE
        above = self._above(places)
        return _Senses(
            dict.fromkeys(places),
            above,
            frozenset(parents),
            frozenset(opposites),
            frozenset(derived),
            person,
            frozenset(self._above(sorted(wholes)) | dict.fromkeys(wholes, 0)) if wholes else frozenset(),
            frozenset(implied),
        )

    def _lemmas(self, pos: str, offset: int, target: int = 0) -> list[str]:
        assert self.wordnet is not None
        found = self.wordnet.synset(pos, offset).lemmas
        return [found[target - 1].lower()] if target else [each.lower() for each in found]

    def _opposites_of(self, pos: str, offset: int) -> set[str]:
        """Opposites of the adjective that another is similar to: ponderous is to light what heavy is."""
        assert self.wordnet is not None
        pointers = self.wordnet.synset(pos, offset).pointers
        return {lemma for p in pointers if p.relation == "!" for lemma in self._lemmas(p.part_of_speech, p.offset)}

    def _above(self, places: list[SynsetId]) -> dict[SynsetId, int]:
        assert self.wordnet is not None
        found: dict[SynsetId, int] = {}
        level, steps = dict.fromkeys(places), 0
        while level:
            steps += 1
            higher: dict[SynsetId, None] = {}
            for place in level:
                for pointer in self.wordnet.synset(*place).pointers:
                    above = (pointer.part_of_speech, pointer.offset)
                    if pointer.relation in ("@", "@i") and above not in found:
                        found[above] = steps
                        higher[above] = None
            level = higher
        return found

    def _pronoun_for(self, pronoun: ComparedWord, other: ComparedWord) -> bool:
        """Whether a pronoun may stand for a noun or name: by number, and by gender where nouns have one."""
        if pronoun.pos != "PRON" or other.pos not in ("NOUN", "PROPN"):
            return False
        form = pronoun.form
        if form in _MASCULINE | _FEMININE:
            return other.pos == "PROPN" or self.is_person(other.lemma)
        if form in ("it", "its", "itself"):
            return not self.is_person(other.lemma)
        return form in _PLURAL and (other.form != other.lemma or other.pos == "PROPN")


def _steps(above: dict[SynsetId, int], synsets: dict[SynsetId, None]) -> int | None:
    if len(synsets) > len(above):
        return min((steps for place, steps in above.items() if place in synsets), default=None)
    return min((above[place] for place in synsets if place in above), default=None)


def _headed(special: ComparedWord, general: ComparedWord) -> bool:
    """Whether one is the other with a modifier before it: green tea is tea."""
    return special.pos == general.pos == "NOUN" and special.lemma.endswith(f" {general.lemma}")


def _same_name(first: ComparedWord, second: ComparedWord) -> bool:
    """A part of a name for the whole, or its initials."""
    if "PROPN" not in (first.pos, second.pos):
        return False
    ours, theirs = first.form.split(), second.form.split()
    if len(ours) == len(theirs) == 1:
        return False
    if set(ours) <= set(theirs) or set(theirs) <= set(ours):
        return True
    return initials_match(ours, theirs)


@cache
def _countries() -> Mapping[str, frozenset[int]]:
    """Names of countries and of what is of them, lower-cased, with the line of the shipped list they are in."""
    file = resources.files("dragoman.entailment") / "markers" / "demonyms.tsv"
    found: dict[str, frozenset[int]] = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines()):
        for name in line.lower().split("\t"):
            found[name] = found.get(name, frozenset()) | {number}
    return found


def _same_country(first: ComparedWord, second: ComparedWord) -> bool:
    """A country, its other names, what is of it and who lives there."""
    ours, theirs = (
        _countries().get(each.form, frozenset()) | _countries().get(each.lemma, frozenset()) for each in (first, second)
    )
    return not ours.isdisjoint(theirs)


@lru_cache(maxsize=2)
def _cosines(path: str) -> Callable[[str, str], float]:
    """Likeness by the vectors of a file; words without one are unlike."""
    vectors = WordVectors.open(path)
    return lambda first, second: vectors.similarity(first, second) or 0.0


def initials_match(first: list[str], second: list[str]) -> bool:
    """Whether one of two names, given by their words, is the initials of the other.

    >>> initials_match(["un"], ["united", "nations"])
    True
    """
    short, long = sorted((first, second), key=len)
    letters = "".join(short).replace(".", "")
    content = [word for word in long if word not in ("of", "the", "and", "for", "de", "du", "la")]
    return len(short) == 1 and len(letters) > 1 and letters == "".join(word[0] for word in content)


def _alike_in_kind(quantities: tuple[Quantity | None, Quantity | None]) -> bool:
    ours, theirs = quantities
    return ours is not None and theirs is not None and ours.kind == theirs.kind


def jaro_winkler(first: str, second: str) -> float:
    """Similarity of two spellings, letters at the beginning counting more (Winkler 1990).

    >>> round(jaro_winkler("martha", "marhta"), 4)
    0.9611
    """
    if first == second:
        return 1.0
    if not first or not second:
        return 0.0
    reach = max(0, max(len(first), len(second)) // 2 - 1)
    taken = [False] * len(second)
    ours: list[str] = []
    for at, letter in enumerate(first):
        for other in range(max(0, at - reach), min(len(second), at + reach + 1)):
            if not taken[other] and second[other] == letter:
                taken[other] = True
                ours.append(letter)
                break
    if not ours:
        return 0.0
    theirs = [letter for letter, hit in zip(second, taken, strict=True) if hit]
    swapped = sum(one != other for one, other in zip(ours, theirs, strict=True)) / 2
    common = len(ours)
    jaro = (common / len(first) + common / len(second) + (common - swapped) / common) / 3
    prefix = next((at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), 4)
    return jaro + min(prefix, 4, len(first), len(second)) * 0.1 * (1 - jaro)
