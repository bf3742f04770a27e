"""Which writing system a language uses, and how much of a text is written in it.

A segment in the wrong script is nearly always a wrong translation, and this is the cheapest test that finds it. The
table has the languages that people train on; for any other, write the script into the code, as in `xyz-Latn`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import regex

from dragoman.errors import UnknownName

__all__ = ["UNSPACED", "script_share", "scripts", "scripts_of", "unspaced_language"]

_LATIN = (
    "ace af ak an ast ay az bcl bm br bs ca ceb co crh cs csb cy da de dsb ee en eo es et eu ext fi fil fj fo fr fur "
    "fuv fy ga gcf gcr gd gl gn gug guw gv ha haw hr hsb ht hu id ig ilo io is it jv kab kik kl ku kw la lb lg li "
    "lij ln lt ltg lv mg mi ms mt nb nds nl nn no nso ny oc om pag pap pcm pl pt qsv qu rm rn ro rw sc scn se sg sk "
    "sl sm sn so sq ss st su sv sw szl tk tl tn to tr ts tw ty vec vi vo wa war wo xh yo za zu zxx"
)
_OTHERS = {
    "Arabic": "ar ary arz azb bal ckb fa ks pnb ps sd sdh ug ur uzs",
    "Armenian": "hy",
    "Bengali": "as bn bpy",
    "Canadian_Aboriginal": "cr iu",
    "Cherokee": "chr",
    "Cyrillic": "ab av ba be bg ce cv kk kv ky mk mn os ru rue sah tg tt udm uk",
    "Devanagari": "awa bho brx doi gom hi kok mai mr ne new sa",
    "Ethiopic": "am ti",
    "Georgian": "ka xmf",
    "Greek": "el grc",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    "Han": "lzh wuu yue zh",
    "Hangul Han": "ko",
    "Han Hiragana Katakana": "ja",
    "Hebrew": "hbo he yi",
    "Kannada": "kn",
    "Khmer": "km",
    "Lao": "lo",
    "Latin Cyrillic": "sh sr uz",
    "Malayalam": "ml",
    "Meetei_Mayek": "mni",
    "Myanmar": "mnw my shn",
    "Ol_Chiki": "sat",
    "Oriya": "or",
    "Sinhala": "si",
    "Syriac": "syc",
    "Tamil": "ta",
    "Telugu": "te",
    "Thaana": "dv",
    "Thai": "th",
    "Tibetan": "bo dz",
    "Tifinagh Latin": "ber tzm",
}
_SCRIPTS = dict.fromkeys(_LATIN.split(), ("Latin",)) | {
    code: tuple(scripts.split()) for scripts, codes in _OTHERS.items() for code in codes.split()
}
_SUBTAGS = {
    "arab": "Arabic", "armn": "Armenian", "beng": "Bengali", "cans": "Canadian_Aboriginal", "cher": "Cherokee",
    "cyrl": "Cyrillic", "deva": "Devanagari", "ethi": "Ethiopic", "geor": "Georgian", "grek": "Greek",
    "gujr": "Gujarati", "guru": "Gurmukhi", "hang": "Hangul", "hani": "Han", "hans": "Han", "hant": "Han",
    "hebr": "Hebrew", "hira": "Hiragana", "kana": "Katakana", "khmr": "Khmer", "knda": "Kannada", "laoo": "Lao",
    "latn": "Latin", "mlym": "Malayalam", "mong": "Mongolian", "mtei": "Meetei_Mayek", "mymr": "Myanmar",
    "olck": "Ol_Chiki", "orya": "Oriya",
    "sinh": "Sinhala", "syrc": "Syriac", "taml": "Tamil", "telu": "Telugu", "tfng": "Tifinagh", "thaa": "Thaana",
    "thai": "Thai", "tibt": "Tibetan",
}  # fmt: skip

_LETTERS = regex.compile(r"\p{L}").findall
_PLAIN_LATIN = "[^\x00-\u024f\u1e00-\u1eff\u2000-\u206f]"
"""What is neither Latin nor common punctuation."""


@cache
def _by_script() -> Any:
    names = sorted(set(_SUBTAGS.values()))
    named = "|".join(rf"(?P<{name}>(?:(?=\p{{L}})\p{{Script={name}}})+)" for name in names)
    return regex.compile(rf"{named}|(?P<other>\p{{L}})")


def scripts(text: str) -> dict[str, int]:
    """How many letters of each script a text has; letters of rare scripts count as `other`.

    >>> scripts("Abc где 中")
    {'Latin': 3, 'Cyrillic': 3, 'Han': 1}
    """
    counts: dict[str, int] = {}
    for match in _by_script().finditer(text):
        counts[match.lastgroup] = counts.get(match.lastgroup, 0) + match.end() - match.start()
    return counts


def scripts_of(language: str) -> tuple[str, ...]:
    """The Unicode names of the scripts a language is written in; a script in the code (`sr-Latn`) decides.

    >>> scripts_of("de-AT"), scripts_of("ja"), scripts_of("sr-Latn")
    (('Latin',), ('Han', 'Hiragana', 'Katakana'), ('Latin',))
    """
    code, *subtags = language.lower().replace("_", "-").replace("@", "-").split("-")
    for subtag in subtags:
        if subtag in _SUBTAGS:
            return (_SUBTAGS[subtag],)
    if code not in _SCRIPTS:
        raise UnknownName(
            f"the script of language {language!r} is not known",
            remedy=f"write it into the code, as in `{code or 'xyz'}-Latn`, or leave this rule out",
        )
    return _SCRIPTS[code]


UNSPACED = ("zh", "ja", "th", "lo", "km", "my", "yue", "wuu", "lzh", "bo", "dz", "shn", "mnw")
"""Languages that are written without blanks between words."""

_UNSPACED_SCRIPTS = {
    "Hiragana": "ja", "Katakana": "ja", "Han": "zh", "Thai": "th", "Lao": "lo", "Khmer": "km", "Myanmar": "my",
    "Tibetan": "bo",
}  # fmt: skip


def unspaced_language(text: str) -> str:
    """The language, of those without blanks between words, that most letters of a text are written in; or none.

    >>> unspaced_language("これは本です"), unspaced_language("这是一本书"), unspaced_language("a book, 本")
    ('ja', 'zh', '')
    """
    counts = scripts(text)
    found = {name: count for name, count in counts.items() if name in _UNSPACED_SCRIPTS}
    if 2 * sum(found.values()) <= sum(counts.values()):
        return ""
    kana = found.get("Hiragana", 0) + found.get("Katakana", 0)
    if 10 * kana > sum(found.values()):
        return "ja"
    return _UNSPACED_SCRIPTS[max(found, key=found.__getitem__)]


@cache
def script_share(language: str) -> Callable[[str], float]:
    """A function that gives the share of a text's letters that are in the language's script (1 when it has none)."""
    scripts = scripts_of(language)
    inside = "".join(rf"\p{{Script={name}}}" for name in scripts)
    expected = regex.compile(f"[{inside}]").findall
    # Nearly all text is as it should be, and looking for one foreign letter is far cheaper than counting all of them.
    plain = re.compile(_PLAIN_LATIN).search if "Latin" in scripts else None
    foreign = regex.compile(rf"(?V1)[\p{{L}}--[{inside}]]").search

    def share(text: str) -> float:
        if (plain is not None and not plain(text)) or not foreign(text):
            return 1.0
        letters = "".join(_LETTERS(text))
        return len(expected(letters)) / len(letters)

    return share
