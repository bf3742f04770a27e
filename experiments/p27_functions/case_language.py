"""F-structures of a language that marks case, made up: what case alone can tell, and what syncretism takes away."""

from __future__ import annotations

from dragoman.annotations.fstructure import Attribute, FStructure, SemanticForm, Substructure
from dragoman.seeds import stream

__all__ = ["case_language"]

_CASES = {"SUBJ": "nom", "OBJ": "acc", "OBJ-TH": "dat", "ADJ-GEN": "gen"}
_MERGED = {"acc": "nom", "gen": "dat"}


def case_language(sentences: int, *, syncretism: float, seed: int) -> list[FStructure]:
    """Clauses with arguments in their cases and adjuncts without; a share of nouns has one form for two cases.

    Arguments with a form for two cases show the more frequent of them. Adjuncts repeat, arguments do not.
    """
    made = []
    for number in range(sentences):
        random = stream(seed, "case language", number)
        nodes: list[tuple[Attribute, ...]] = [()]
        top = [Attribute("PRED", SemanticForm("verb")), Attribute("TENSE", str(random.choice(["past", "pres"])))]
        for function, chance in (("SUBJ", 0.95), ("OBJ", 0.6), ("OBJ-TH", 0.25)):
            if random.random() < chance:
                case = _CASES[function]
                case = _MERGED.get(case, case) if random.random() < syncretism else case
                noun = [
                    Attribute("PRED", SemanticForm("noun")),
                    Attribute("CASE", case),
                    Attribute("NUM", str(random.choice(["sg", "pl"], p=[0.7, 0.3]))),
                ]
                if random.random() < (0.7 if function == "SUBJ" else 0.5):
                    noun.append(Attribute("SPEC", str(random.choice(["def", "indef"]))))
                if random.random() < 0.2:
                    case = "gen" if random.random() >= syncretism else "dat"
                    nodes.append(
                        (Attribute("PRED", SemanticForm("noun")), Attribute("CASE", case), Attribute("NUM", "sg"))
                    )
                    noun.append(Attribute("ADJ-GEN", Substructure(len(nodes) - 1)))
                nodes.append(tuple(noun))
                top.append(Attribute(function, Substructure(len(nodes) - 1)))
        adjuncts = []
        for _ in range(int(random.integers(0, 3))):
            kind = str(random.choice(["adv", "prep"]))
            nodes.append(
                (Attribute("PRED", SemanticForm("adjunct")), Attribute("ATYPE" if kind == "adv" else "PTYPE", kind))
            )
            adjuncts.append(Substructure(len(nodes) - 1))
        if adjuncts:
            top.append(Attribute("ADJUNCT", frozenset(adjuncts)))
        nodes[0] = tuple(top)
        made.append(FStructure(tuple(nodes), 0, f"clause {number + 1}"))
    return made
