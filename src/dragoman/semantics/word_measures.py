"""How alike two words are, by any of the ways there are: one name each, so that they can be compared.

| name | what it looks at |
|---|---|
| `profile` | profiles of the words, as they were built |
| `concept` | the nearest groups of a thesaurus that the words are in (Mohammad and Hirst 2006) |
| `proportional`, `filtered` | the nearest senses: profiles divided by a thesaurus (Marton, Mohammad and Resnik 2009) |
| `lsa`, `glsa` | vectors of reduced dimension, from sentences or from profiles |
| `path`, `resnik`, `lin`, `jiang-conrath`, `lesk` | WordNet |

A measure says nothing (None) of words that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dragoman.errors import SettingError
from dragoman.semantics.association import Association
from dragoman.semantics.concepts import ConceptMatrix, SenseProfiles
from dragoman.semantics.profiles import Profiles
from dragoman.semantics.reduced import ReducedVectors
from dragoman.semantics.thesaurus import Thesaurus
from dragoman.semantics.wordnet import WordNet
from dragoman.semantics.wordnet_measures import WORDNET_MEASURES, InformationContent, WordNetMeasures

__all__ = ["WORD_MEASURES", "WordMeasure", "word_measure"]

WordMeasure = Callable[[str, str], float | None]

WORD_MEASURES = ("profile", "concept", "proportional", "filtered", "lsa", "glsa", *WORDNET_MEASURES)

_DIMENSIONS = 100
_MOST_WORDS = 5000


def word_measure(
    name: str,
    profiles: Profiles,
    *,
    thesaurus: Thesaurus | None = None,
    bootstrap: bool = True,
    words: Iterable[str] = (),
) -> WordMeasure:
    """A measure by its name; greater is more alike.

    Those by senses need a `thesaurus`; without `bootstrap` an ambiguous member counts for all its groups. `words` are
    those that will be asked for, which reduced vectors are made of besides the most frequent ones.
    """
    index = profiles.space.index

    def known(similarity: Callable[[str, str], float]) -> WordMeasure:
        return lambda first, second: similarity(first, second) if first in index and second in index else None

    if name == "profile":
        sign = -1.0 if profiles.similarity_settings.is_distance else 1.0
        return known(lambda first, second: sign * profiles.similarity(first, second))
    if name in ("concept", "proportional", "filtered"):
        if thesaurus is None:
            raise SettingError(f"{name} looks at senses, and there is no thesaurus", remedy="name one: wordnet, say")
        matrix = ConceptMatrix.base(profiles.space, thesaurus)
        return _by_sense(name, matrix.bootstrap() if bootstrap else matrix, profiles, known)
    if name in ("lsa", "glsa"):
        vectors = _vectors(name, profiles, [word for word in dict.fromkeys(words) if word in index])
        return lambda first, second: (
            vectors.similarity(first, second) if first in vectors and second in vectors else None
        )
    if name in WORDNET_MEASURES:
        return _by_wordnet(name, profiles)
    raise SettingError(f"measure {name!r}", remedy=f"choose from {', '.join(WORD_MEASURES)}")


def _by_sense(
    name: str, matrix: ConceptMatrix, profiles: Profiles, known: Callable[[Callable[[str, str], float]], WordMeasure]
) -> WordMeasure:
    if name != "concept":
        senses = SenseProfiles(
            matrix, kind=name, association=profiles.association, similarity=profiles.similarity_settings
        )
        sign = -1.0 if profiles.similarity_settings.is_distance else 1.0
        return known(lambda first, second: sign * senses.similarity(first, second).value)

    def concept(first: str, second: str) -> float | None:
        pair = matrix.similarity(first, second, association=profiles.association)
        return None if pair is None else pair.value

    return concept


def _vectors(name: str, profiles: Profiles, words: list[str]) -> ReducedVectors:
    index = profiles.space.index
    if name == "glsa":
        chosen = list(dict.fromkeys([*profiles.phrases[:_MOST_WORDS], *words]))
        return ReducedVectors.glsa(
            profiles.space, chosen, association=Association(measure="ppmi"), dimensions=_DIMENSIONS
        )
    sentences = (index.sentence(number).split() for number in range(index.sentences))
    return ReducedVectors.lsa(sentences, dimensions=_DIMENSIONS, most_words=_MOST_WORDS, words=words)


def _by_wordnet(name: str, profiles: Profiles) -> WordMeasure:
    wordnet = WordNet.find()
    information = None
    if name in ("resnik", "lin", "jiang-conrath"):
        index = profiles.space.index
        words = (word for number in range(index.sentences) for word in index.sentence(number).split())
        information = InformationContent.of(wordnet, words)
    measures = WordNetMeasures(wordnet, information)
    return lambda first, second: measures.similarity(first, second, name)
