"""Words of a text as similarity looks at them: where they stand, which carry content, and what they come down to.

A sentence that was annotated has its tokens; any other text is cut here, at white space and punctuation, so that
similarity needs no model to start with. Words of function (articles, prepositions, pronouns, auxiliaries) hold a
sentence together and say little of what it is about; which they are is grammar, so the lists are short.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dragoman.annotations.sentence import Sentence, Token
from dragoman.metrics.lexical import is_punctuation
from dragoman.settings import check_argument

__all__ = ["FUNCTION_WORDS", "cut", "function_words", "is_content", "with_tokens"]

_WORD = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S.
    r"|\d+(?:[.,:/]\d+)*"  # 1,650.5
    r"|[^\W_]+(?:-[^\W_]+)*"  # well-known
    r"|['’][^\W\d_]+"  # 's
    r"|\S"
)

_EN = """
a an the this that these those some any no each every all both either neither another such what which whose
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
hers herself it its itself they them their theirs themselves who whom
am is are was were be been being have has had having do does did doing done will would shall should can could
may might must ought 's 're 've 'd 'll 'm 't n't s t don isn aren wasn weren hasn haven hadn doesn didn won
wouldn couldn shouldn
and or but nor so yet if because as until while although though since unless whether than then
of at by for with about against between into through during before after above below to from up down in out
on off over under upon within without toward towards onto per via
again further once here there when where why how not only own same too very just also ever more most
"""
_ES = """
el la los las lo un una unos unas este esta estos estas ese esa esos esas aquel aquella aquellos aquellas
yo me mi mí tú te ti tu tus su sus él ella ello ellos ellas nosotros nos vosotros os usted ustedes se le les
que qué quien quién cual cuál cuyo cuya donde cuando como cómo
es son era eran fue fueron ser sido está están estaba estaban estar estado ha han había habían haber hay he
y e o u ni pero sino si porque pues aunque mientras
de del a al en por para con sin sobre entre hasta desde hacia tras ante bajo contra según durante
no ya muy más menos también tampoco sí
"""

FUNCTION_WORDS: dict[str, frozenset[str]] = {"en": frozenset(_EN.split()), "es": frozenset(_ES.split())}
"""Words of function by language."""


def function_words(language: str) -> frozenset[str]:
    """The words of function of a language; an unknown language is an error."""
    check_argument("language", language, label="words of function", choices=FUNCTION_WORDS)
    return FUNCTION_WORDS[language]


@lru_cache(maxsize=2**16)
def cut(text: str) -> tuple[str, ...]:
    """The words and marks of a text.

    >>> cut("The U.S. well-known Nasdaq isn't at 1,650.5.")
    ('The', 'U.S.', 'well-known', 'Nasdaq', 'isn', "'t", 'at', '1,650.5', '.')
    """
    return tuple(_WORD.findall(text))


def with_tokens(sentence: Sentence) -> Sentence:
    """A sentence with its tokens; one that has none is cut here."""
    if sentence.tokens:
        return sentence
    tokens = tuple(Token(found.group(), found.start(), found.end()) for found in _WORD.finditer(sentence.text))
    return Sentence(sentence.text, tokens, comments=sentence.comments)


def is_content(word: str, language: str) -> bool:
    """Whether a word is neither punctuation nor a word of function."""
    return not is_punctuation(word) and word.lower() not in FUNCTION_WORDS[language]
