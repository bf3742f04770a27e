"""What the languages share: choice among synonyms, and putting clauses together into sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from dragoman.text.synthetic.abstract import COMMA, CONJUNCTION, STOP, AbstractSentence, Clause, Nominal
from dragoman.text.synthetic.grammar.production import HEAD, Bound, Leaf, Part, Tree, Word, bind, build, template

__all__ = ["Realizer", "Style"]


class Style:
    """Which of several equivalent ways is taken; the same for the same key within one sentence.

    The first way is the usual one (three times out of four) unless `free`, for further references.
    """

    def __init__(self, random: Callable[[], float], *, free: bool = False) -> None:
        self._random, self._free = random, free
        self._taken: dict[int, int] = {}

    def pick(self, key: int, ways: int) -> int:
        if ways == 1:
            return 0
        if key not in self._taken:
            draw = self._random()
            self._taken[key] = int(draw * ways) if self._free or draw >= 0.75 else 0
        return self._taken[key]


class Realizer:
    """A language: productions (`templates`) and what fills their slots (methods `slot_<name>`)."""

    templates: ClassVar[dict[str, str]]
    quotes = ('"', '"')
    quote_tags = ("``", "''")
    colon_tag = ":"
    stop_tag = "."
    comma_tag = ","
    productions: ClassVar[dict[str, Bound]]

    def __init_subclass__(cls) -> None:
        fillers = {name.removeprefix("slot_"): getattr(cls, name) for name in dir(cls) if name.startswith("slot_")}
        cls.productions = {form: bind(template(text), fillers) for form, text in cls.templates.items()}

    def __init__(self, style: Style) -> None:
        self.style = style
        self.verbal: list[Leaf] = []
        """The words of the verb in the clause at hand."""

    def realize(self, sentence: AbstractSentence) -> Tree:
        """The tree of a whole sentence, with punctuation."""
        key, main, other = sentence.key, sentence.main, sentence.other
        if sentence.kind == "plain":
            tree = self.clause(main)
            tree.parts.append(self.stop("?" if main.form in ("yesno", "wh") else ".", key + STOP))
            return tree
        assert other is not None
        if sentence.kind == "quote":
            return self.quote(sentence)
        if sentence.kind == "coordinated":
            first, second = self.clause(main), self.clause(other)
            second.relation = "conj"
            word = Leaf("cc", self.coordinator(sentence.coordinator), (key + CONJUNCTION,))
            second.parts.insert(0, word)
            tree = Tree(HEAD, "S", [first, self.comma(key + COMMA), second])
        else:
            tree = self.with_subordinate(main, other, before=sentence.kind == "before", key=key)
        tree.parts.append(self.stop(".", key + STOP))
        return tree

    def with_subordinate(self, main: Clause, other: Clause, *, before: bool, key: int) -> Tree:
        tree = self.clause(main)
        clause = self.subordinate(other)
        tree.parts[:] = [clause, self.comma(key + COMMA), *tree.parts] if before else [*tree.parts, clause]
        return tree

    def subordinate(self, clause: Clause) -> Tree:
        tree = self.clause(clause)
        tree.relation, tree.role = "advcl", "ARGM-ADV"
        return tree

    def quote(self, sentence: AbstractSentence) -> Tree:
        assert sentence.other is not None
        key = sentence.key
        tree, said = self.clause(sentence.main), self.clause(sentence.other)
        said.relation, said.role = "ccomp", "ARG1"
        mark = "?" if sentence.other.form in ("yesno", "wh") else "."
        opening, closing = self.quotes
        said.parts[:] = [
            Leaf("punct", Word(opening, opening, "PUNCT", self.quote_tags[0]), (key + 6,)),
            *said.parts,
            self.stop(mark, key + STOP),
            Leaf("punct", Word(closing, closing, "PUNCT", self.quote_tags[1]), (key + 7,)),
        ]
        tree.parts += [Leaf("punct", Word(":", ":", "PUNCT", self.colon_tag), (key + COMMA,)), said]
        return tree

    def comma(self, key: int, *, soft: bool = False) -> Leaf:
        return Leaf("punct", Word(",", ",", "PUNCT", self.comma_tag, soft=soft), (key,))

    def stop(self, mark: str, key: int) -> Leaf:
        return Leaf("punct", Word(mark, mark, "PUNCT", self.stop_tag), (key,))

    def clause(self, clause: Clause) -> Tree:
        """The tree of a clause, from the template of its form."""
        outer, self.verbal = self.verbal, []
        tree = build(self.productions[clause.form], self, clause)
        self.finish(clause, tree)
        self.verbal = outer
        return tree

    def finish(self, clause: Clause, tree: Tree) -> None:
        """Name the predicate of a finished clause."""
        raise NotImplementedError

    def coordinator(self, words: tuple[str, str]) -> Word:
        raise NotImplementedError

    def nominal(self, nominal: Nominal, case: str, relation: str, role: str = "") -> Part:
        raise NotImplementedError
