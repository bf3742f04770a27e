"""Features that see the whole partial translation: what is covered, the option before, and those before that.

A plain state feature keeps what it needs of the past in a state of its own. Here the past is kept for it, as far as it
says that it looks back, and it is called with everything in view, as by the `Featurizable` of Cer, Galley, Jurafsky and
Manning (2010). Looking back costs recombination, for partial translations that differ in what a feature may still see
stay apart:

| `sees` | what it costs |
|---|---|
| `coverage` | nothing beyond the calls: partial translations that cover different words stay apart anyway |
| `previous` | one partial translation for each option that comes last |
| `all` | nothing is recombined any more: the beam is all that keeps search short |

    >>> class Twice(ExtensionFeature):
    ...     "Counts words that follow themselves where options meet."
    ...     sees = frozenset({"previous"})
    ...     def step(self, extension, fire):
    ...         before = extension.previous
    ...         if before is not None and before.target[-1:] == extension.option.target[:1]:
    ...             fire("twice", 1.0)
    >>> from dragoman.features.base import Option, SourceSentence
    >>> one = Option((0, 1), ("a",), ("b",), ())
    >>> feature, fired = Twice(), []
    >>> state = feature.start(SourceSentence(0, ("a", "a")))
    >>> for option in (one, Option((1, 2), ("a",), ("b", "c"), ())):
    ...     state = feature.extend(state, option, lambda name, value: fired.append((name, value)))
    >>> fired
    [('twice', 1.0)]
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from dragoman.errors import SettingError
from dragoman.features.base import Fire, Option, SourceSentence, StateFeature

__all__ = ["SEEN", "Extension", "ExtensionFeature"]

SEEN = frozenset({"coverage", "previous", "all"})
"""What of the past a feature may ask for."""


@dataclass(frozen=True, slots=True)
class Extension:
    """A partial translation on its way: the option that is appended, and what was there before it.

    What a feature did not ask for is not known: `covered` is then None, `previous` is None and `earlier` is empty.
    """

    sentence: SourceSentence
    option: Option
    covered: frozenset[int] | None
    """Source positions that were translated before this option."""
    previous: Option | None
    """The option before this one; None at the beginning, too."""
    earlier: tuple[Option, ...]
    """All options before this one, in the order of the target."""

    @property
    def target(self) -> tuple[str, ...]:
        """The target words before this option, if all options are seen."""
        return tuple(word for option in self.earlier for word in option.target)


@dataclass(frozen=True, slots=True)
class _Past:
    """What is kept of a partial translation; the sentence is the same for all of them."""

    sentence: SourceSentence = field(compare=False, repr=False)
    covered: frozenset[int] | None = None
    previous: Option | None = None
    earlier: tuple[Option, ...] = ()


class ExtensionFeature(StateFeature):
    """A feature of appending an option to all that was translated before; for decoders that go from left to right."""

    sees: ClassVar[frozenset[str]] = frozenset()
    """What of the past it looks at, of `coverage`, `previous` and `all`."""

    @abstractmethod
    def step(self, extension: Extension, fire: Fire) -> None:
        """Fire what appending the option is worth."""

    def end(self, extension: Extension | None, fire: Fire) -> None:
        """Fire what completing the translation is worth; the extension is the last one, if options are seen."""
        return

    def start(self, sentence: SourceSentence) -> Hashable:
        if unknown := self.sees - SEEN:
            what = f"{self} wants to see {', '.join(sorted(unknown))}"
            raise SettingError(what, remedy=f"choose from {', '.join(sorted(SEEN))}")
        return _Past(sentence, frozenset() if "coverage" in self.sees else None)

    def extend(self, state: Hashable, option: Option, fire: Fire) -> Hashable:
        assert isinstance(state, _Past)
        self.step(Extension(state.sentence, option, state.covered, state.previous, state.earlier), fire)
        return _Past(
            state.sentence,
            state.covered | frozenset(range(*option.span)) if state.covered is not None else None,
            option if self.sees & {"previous", "all"} else None,
            (*state.earlier, option) if "all" in self.sees else (),
        )

    def finish(self, state: Hashable, fire: Fire) -> None:
        assert isinstance(state, _Past)
        last = state.previous
        self.end(
            Extension(state.sentence, last, state.covered, None, state.earlier[:-1]) if last is not None else None, fire
        )
