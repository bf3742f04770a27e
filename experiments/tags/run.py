"""Tags through a translation, on the help of LibreOffice: are they around the words that translators chose?

Paragraphs that carry inline tags in English and in the translation are paired by page and identifier. The words of all
of them are aligned without their tags; then the English tags are put into the human translation by the word links, and
compared with where the translators have them. `neighbour` puts every tag beside the target of the word next to it, one
tag after the other; `spans` is what models do: a pair goes around the targets of its content. Links are those of the
sampling aligner (`bayes`, seed 1, the usual symmetrization). `p` is that of McNemar's test over segments, of
`spans` against `neighbour`.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.align import ALIGNERS
from dragoman.evaluation.contingency import mcnemar
from dragoman.pipeline.tags import links_with_tags, positions_without_tags
from dragoman.text.apt import Apt
from dragoman.text.libreoffice import read_pages
from dragoman.text.placeholders import KINDS
from dragoman.text.prepared import Prepared
from dragoman.text.preprocessor import Preprocessing, Preprocessor
from dragoman.text.tags import is_tag
from experiments.common import Claim, Table, arguments, dot_plot, grid, record

Link = tuple[int, int]
PAGE = re.compile(r"help/[A-Za-z-]+/(text/.+\.html)$")
TAG = re.compile(r"<[^>]+>")
INLINE = tuple(kind for kind in KINDS if kind not in ("markdown", "path"))
"""What is kept in pages that are HTML."""
SMALL = {
    "de": [
        ("Choose <b>Edit</b> and press <i>Enter</i>.", "Wählen Sie <b>Bearbeiten</b> und drücken Sie <i>Eingabe</i>."),
        ("Press <i>Enter</i>.", "Drücken Sie <i>Eingabe</i>."),
        ("The <b>red</b> house is big.", "Das <b>rote</b> Haus ist groß."),
        ("The house is <b>very big</b>.", "Das Haus ist <b>sehr groß</b>."),
        ("Press <b>Edit</b> now.", "Drücken Sie jetzt <b>Bearbeiten</b>."),
    ]
    * 5
}


def inner(element: Any) -> str:
    """What is inside a paragraph, with inline tags."""
    text = element.text or ""
    for child in element:
        text += etree.tostring(child, encoding="unicode")
    return " ".join(text.split())


def paragraphs(package: Path, code: str) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for name, raw in read_pages(package, code):
        page = PAGE.search(name)
        root = etree.fromstring(raw, etree.HTMLParser(encoding="utf-8", no_network=True)) if page else None
        for element in root.iter("p", "h1", "h2", "h3") if root is not None else ():
            if page and (mark := element.get("id")):
                found.setdefault((str(page[1]), str(mark)), inner(element))
    return found


def pairs(language: str, small: bool) -> list[tuple[str, str]]:
    """Paragraphs with the same inline tags on both sides, without repetitions; and those with none."""
    if small:
        return SMALL[language]
    apt = Apt(None)
    apt.update(["en"])
    codes = ("en-us", language)
    packages = apt.download([f"libreoffice-help-{code}" for code in codes])
    english, other = (paragraphs(package, code) for package, code in zip(packages, codes, strict=True))
    both = {(text, other[key]): None for key, text in english.items() if key in other and text != other[key]}
    return [(a, b) for a, b in both if names(a) == names(b) and max(map(len, (a.split(), b.split()))) < 100]


def names(text: str) -> Counter[str]:
    return Counter((*tag.strip("</>").split(), "")[0] + tag[:2] for tag in TAG.findall(text))


def tokens(text: Prepared) -> tuple[list[str], Sequence[int]]:
    (sentence,) = text.sentences
    places = positions_without_tags(sentence)
    return [sentence.tokens[place] for place in places], places


def spans(text: Prepared) -> Counter[tuple[str, tuple[int, ...]]]:
    """The pairs of a text: name, and the numbers of the words inside."""
    (sentence,) = text.sentences
    opened: list[tuple[str, list[int]]] = []
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    number = 0
    for index in range(len(sentence.words)):
        kept = sentence.protected.get(index)
        if kept is None or not is_tag(kept):
            for _, inside in opened:
                inside.append(number)
            number += 1
        elif kept.text.startswith("</"):
            if opened:
                name, inside = opened.pop()
                found[name, tuple(inside)] += 1
        elif not kept.text.endswith("/>"):
            opened.append((kept.text.strip("<>").split()[0], []))
    return found


def by_neighbour(target: Sequence[str], source: Prepared, links: Sequence[Link]) -> list[str]:
    """Each tag before the target of the next word, or after that of the previous one if it closes a pair."""
    (sentence,) = source.sentences
    targets: dict[int, list[int]] = {}
    for i, j in links:
        targets.setdefault(i, []).append(j)
    before: dict[int, list[str]] = {}
    for index, kept in sorted(sentence.protected.items()):
        if not is_tag(kept):
            continue
        closing = kept.text.startswith("</")
        nearest = sorted(targets, key=lambda word: (abs(word - index), (word > index) == closing))
        place = 0
        if nearest:
            place = max(targets[nearest[0]]) + 1 if nearest[0] < index else min(targets[nearest[0]])
        before.setdefault(place, []).append(kept.mask)
    result = []
    for place in range(len(target) + 1):
        result += before.get(place, [])
        result += target[place : place + 1]
    return result


def well_formed(text: str) -> bool:
    try:
        ET.fromstring(f"<p>{text.replace('&', '&amp;')}</p>")
    except ET.ParseError:
        return False
    return True


class Links:
    """The texts of a language pair and their word links, made once."""

    def __init__(self, small: bool) -> None:
        self.small = small
        self.known: dict[str, list[tuple[Prepared, Prepared, list[Link]]]] = {}

    def of(self, language: str) -> list[tuple[Prepared, Prepared, list[Link]]]:
        if language not in self.known:
            self.known[language] = list(self._aligned(language))
        return self.known[language]

    def _aligned(self, language: str) -> Iterator[tuple[Prepared, Prepared, list[Link]]]:
        texts = pairs(language, self.small)
        sides = [
            Preprocessor(Preprocessing(language=code, case="keep", protect=INLINE)).prepare_all(
                [text[side] for text in texts]
            )
            for side, code in enumerate(("en", language))
        ]
        both = [(a, b) for a, b in zip(*sides, strict=True) if len(a.sentences) == len(b.sentences) == 1]
        lines = [[" ".join(tokens(text[side])[0]).lower() for text in both] for side in (0, 1)]
        aligner = ALIGNERS.get("bayes")()
        aligner.train(*lines)
        for (source, target), found in zip(both, aligner.align(*lines), strict=True):
            yield source, target, links_with_tags(found.links, tokens(source)[1])


def measure(links: Links, language: str, rule: str, before: dict[str, list[bool]]) -> Mapping[str, Any]:
    """How often tags are where translators have them; `before` keeps which segments the first rule had right."""
    restoring = Preprocessor(Preprocessing(language=language, case="keep", protect=INLINE))
    plain = Preprocessor(Preprocessing(language=language, case="keep", protect=INLINE))
    wanted = hit = segments = formed = split = broken = 0
    right: list[bool] = []
    for source, target, found in links.of(language):
        gold = spans(target)
        if not gold:
            continue
        words = tokens(target)[0]
        if rule == "neighbour":
            masked = by_neighbour(words, source, found)
            kept = {each.mask: each.text for each in source.sentences[0].protected.values()}
            text = " ".join(kept.get(word, word) for word in masked)
        else:
            text = restoring.restore([words], source, [found])
        again = plain.prepare(text)
        ours = spans(again) if again.sentences else Counter()
        segments += 1
        formed += well_formed(text)
        broken += not well_formed(text) and well_formed(source.raw)
        right.append(ours == gold)
        wanted, hit = wanted + gold.total(), hit + (ours & gold).total()
        split += ours.total() > gold.total()
    first = before.setdefault(language, right)
    return {
        "segments": segments,
        "well-formed %": 100 * formed / segments,
        "broken though the English is not": broken,
        "all tags as the translator %": 100 * sum(right) / segments,
        "p": mcnemar(right, first) if first is not right else float("nan"),
        "pairs right %": 100 * hit / wanted,
        "segments with a split pair %": 100 * split / segments,
    }


def main() -> None:
    given = arguments(__doc__, out="docs/experiments/tags", small=False)
    links = Links(given.small)
    before: dict[str, list[bool]] = {}
    table = grid(
        lambda language, rule: measure(links, language, rule, before),
        language=["de"] if given.small else ["de", "fr"],
        rule=["neighbour", "spans"],
    )
    figure = "all tags as the translator %"

    def better(table: Table) -> bool:
        return all(
            row[figure] > table.mean(figure, language=row["language"], rule="neighbour") and row["p"] < 0.05
            for row in table.where(rule="spans")
        )

    claims = [
        Claim(
            "what comes out is well-formed wherever the English is, when pairs span their content",
            lambda table: all(row["broken though the English is not"] == 0 for row in table.where(rule="spans")),
        ),
        Claim("more segments have all tags where the translator has them when pairs span their content", better),
    ]
    plot = dot_plot(table, label=lambda row: f"{row['language']} {row['rule']}", figure=figure)
    record(table, claims, plot=plot, out=given.out, settings=vars(given))


if __name__ == "__main__":
    main()
