"""Selection by the difference of cross-entropies, against its definition."""

from __future__ import annotations

import pytest

from dragoman.errors import InputError, SettingError
from dragoman.lm import estimate
from dragoman.lm.selection import select_by_cross_entropy

DOMAIN = ["open the file", "close the file", "open the window now", "rarely the file"]
CORPUS = ["the cat sat", "open the door", "a cat ran", "close the file", "", "the file", "cats sit", "open the file"]


def test_a_line_is_scored_by_two_models_of_equal_text_and_words() -> None:
    """With as many lines as the corpus has, the random part of it is the corpus."""
    domain = DOMAIN * 2
    found = select_by_cross_entropy(CORPUS, domain, size=8, order=2)
    words = ["open", "the", "file", "close", "window", "now", "rarely"]
    inside, outside = (estimate(text, order=2, vocabulary=words).build().score(CORPUS) for text in (domain, CORPUS))
    scores = {at: (inside[at] - outside[at]) / (len(line.split()) + 1) for at, line in enumerate(CORPUS) if line}
    assert found.lines == (*sorted(scores, key=lambda at: (-scores[at], at)), 4)  # what is empty comes last
    assert found.scores[:7] == pytest.approx([scores[at] for at in found.lines[:7]])
    assert {3, 5, 7} == set(found.lines[:3])


def test_words_seen_once_in_the_domain_are_not_told_from_others() -> None:
    plain = select_by_cross_entropy(["rarely", "never"], [*DOMAIN, *DOMAIN[:3]], size=2)
    assert plain.scores[0] == pytest.approx(plain.scores[1])


def test_seed_and_threads() -> None:
    corpus = [f"w{a} w{b} w{a * b % 7}" for a in range(20) for b in range(20)]
    first = select_by_cross_entropy(corpus, corpus[:30], size=50)
    assert select_by_cross_entropy(iter(corpus), iter(corpus[:30]), size=50, threads=3) == first
    assert select_by_cross_entropy(corpus, corpus[:30], size=50, seed=2) != first
    assert (first.corpus, first.domain, len(first.lines), first.unrelated) == (400, 30, 50, 0)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SettingError, match="size is 0"):
        select_by_cross_entropy(CORPUS, DOMAIN, size=0)
    with pytest.raises(InputError, match="text of the domain is empty"):
        select_by_cross_entropy(CORPUS, [" "], size=1)
    with pytest.raises(InputError, match="nothing to choose from"):
        select_by_cross_entropy([], DOMAIN, size=1)
