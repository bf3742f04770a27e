from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import dragoman
from dragoman.errors import SettingError, UnknownName
from dragoman.settings import Settings, check_argument, declared, read_value, setting, split_options


@dataclass(frozen=True, kw_only=True)
class Kitchen(Settings):
    name: ClassVar[str] = "kitchen"

    hob: str = setting("gas", "What burns.", choices=lambda: ("gas", "wood"))
    pots: int = setting(3, "How many pots.", least=1, most=9)
    heat: float = setting(1.0, "How hot.", above=0)
    wait: float = setting(math.inf, "How long.", least=0, most=math.inf)
    salted: bool = setting(False, "Whether there is salt.")
    limit: float | None = setting(None, "Most of it.", least=0)
    herbs: tuple[str, ...] = setting((), "Which herbs.", choices=("dill", "mint"))
    sizes: tuple[int, ...] = setting((1, 2), "Sizes of pots.", least=1)
    prices: Mapping[str, float] = setting(help="Of things.", factory=lambda: {"egg": 1.0}, least=0)
    day: complex = setting(1j, "A type that text cannot say by itself.", parse=complex)
    share: Fraction = setting(Fraction(1, 2), "Another one.", least=0, most=1, parse=Fraction)
    book: tuple[str, ...] | Path = setting(Path("book"), "What is cooked, or where that stands.", parse=Path)
    plates: int = setting(4, "How many plates.", valid=lambda n: n % 2 == 0, wanted="an even number")
    guests: Literal["few", "many"] = setting("few", "How many come.")


def test_what_is_usual_may_be_had() -> None:
    """A default is not checked when a thing is made, so each is checked here, in the type that is declared."""
    for module in pkgutil.walk_packages(dragoman.__path__, "dragoman."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting, classes = [Settings], set[type[Settings]]()
    while waiting:
        below = waiting.pop().__subclasses__()
        classes.update(each for each in below if each.__module__.startswith("dragoman."))
        waiting += below
    assert len(classes) > 50
    for each in classes:
        for name, one in declared(each).items():
            if one.default is not MISSING:
                usual = one.plain(one.default)
                assert one.allows(usual), (each, name)
                assert (usual, type(usual)) == (one.default, type(one.default)), (each, name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("hob=wood", "wood"),
        ("pots=9", 9),
        ("heat=2", 2.0),
        ("wait=inf", math.inf),
        ("salted=Yes", True),
        ("salted=0", False),
        ("limit=none", None),
        ("limit=0.5", 0.5),
        ("herbs=dill, mint", ("dill", "mint")),
        ("herbs=", ()),
        ("sizes=3,4", (3, 4)),
        ("prices=egg=2,salt=3", {"egg": 2.0, "salt": 3.0}),
        ("prices.salt=3", {"egg": 1.0, "salt": 3.0}),
        ("day=2j", 2j),
        ("share=2/3", Fraction(2, 3)),
        ("book=soups.txt", Path("soups.txt")),
        ("guests=many", "many"),
    ],
)
def test_text_is_read_into_the_declared_type(text: str, value: object) -> None:
    made = Kitchen.configured([text])
    assert getattr(made, text.partition("=")[0].partition(".")[0]) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hob=would", "kitchen: hob is 'would'; did you mean 'wood'? it must be one of gas, wood"),
        ("pots=0", "kitchen: pots is 0; it must be a whole number from 1 to 9"),
        ("pots=3.5", "kitchen: pots is '3.5'; it must be a whole number from 1 to 9"),
        ("heat=0", "kitchen: heat is 0.0; it must be a number above 0"),
        ("heat=nan", "kitchen: heat is nan; it must be a number above 0"),
        ("heat=inf", "kitchen: heat is inf; it must be a number above 0"),
        ("salted=ture", "kitchen: salted is 'ture'; it must be true or false"),
        ("limit=-1", "kitchen: limit is -1.0; it must be a number of at least 0, or none"),
        ("herbs=dill,mud", "kitchen: herbs is ('dill', 'mud'); it must be a list, each one of dill, mint"),
        ("prices.egg=-1", "kitchen: prices is {'egg': -1.0}; it must be a table of names, each a number of at least 0"),
        ("day=monday", "kitchen: day is 'monday'; it must be a complex"),
        ("share=3/2", "kitchen: share is Fraction(3, 2); it must be a Fraction from 0 to 1"),
        ("plates=3", "kitchen: plates is 3; it must be an even number"),
        ("guests=none", "kitchen: guests is 'none'; it must be one of few, many"),
        ("prices=3", "kitchen: prices is '3'; it must be a table of names, each a number of at least 0"),
        ("prices==3", "kitchen: prices is '=3'; it must be a table of names, each a number of at least 0"),
        ("prices=egg=", "kitchen: prices is 'egg='; it must be a table of names, each a number of at least 0"),
        ("pots", "kitchen: 'pots' sets nothing; write it like name=value"),
    ],
)
def test_one_form_of_error(text: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        Kitchen.configured([text])
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["pot=3", "pots.blue=3"])
def test_unknown_names_get_a_suggestion(text: str) -> None:
    with pytest.raises(UnknownName, match="did you mean 'pots'"):
        Kitchen.configured([text])


def test_numbers_beyond_all_bounds() -> None:
    for wrong in ({"pots": 10**400}, {"heat": 10**400}, {"share": Fraction(10**400)}):
        with pytest.raises(SettingError, match="it must be"):
            Kitchen.from_dict(wrong)


@pytest.mark.parametrize("value", ["3", 3.0, True, None, [3]])
def test_a_value_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(SettingError, match="pots is"):
        Kitchen(pots=value)


def test_numbers_of_numpy_are_numbers() -> None:
    made = Kitchen.from_dict({"pots": np.int64(4), "heat": np.float32(0.5), "sizes": list(np.arange(1, 3))})
    assert (made.pots, made.heat, made.sizes) == (4, 0.5, (1, 2))
    assert [type(value) for value in (made.pots, made.heat)] == [int, float]


def test_plain_values_of_other_types_are_parsed() -> None:
    assert Kitchen.from_dict({"share": "1/3", "book": "soups.txt"}).book == Path("soups.txt")
    assert Kitchen.from_dict({"share": 0.25}).share == Fraction(1, 4)
    with pytest.raises(SettingError, match="day is 'monday'"):
        Kitchen(day="monday")  # type: ignore[arg-type]


def test_text_there_and_back() -> None:
    made = Kitchen(herbs=("mint", "dill"), prices={"egg": 2}, salted=True)
    for name, each in declared(Kitchen).items():
        assert each.read(each.write(getattr(made, name))) == getattr(made, name)
    assert Kitchen(book=("soup", "salad")).book == ("soup", "salad")


def test_a_subclass_may_change_defaults_alone() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Canteen(Kitchen):
        name: ClassVar[str] = "canteen"
        pots: int = 9

    assert list(declared(Canteen)) == list(declared(Kitchen))
    assert Canteen() == Canteen.configured(["pots=9"])
    with pytest.raises(SettingError, match=r"^canteen: pots is 10; it must be a whole number from 1 to 9"):
        Canteen(pots=10)


def test_arguments_are_refused_in_the_same_words() -> None:
    check_argument("share", np.float64(0.5), float, above=0, below=1)
    with pytest.raises(SettingError, match=r"^share is 1; it must be a number between 0 and 1$"):
        check_argument("share", 1, float, above=0, below=1)
    with pytest.raises(SettingError, match=r"^soup: kind is 'hit'; did you mean 'hot'\? it must be one of hot, cold$"):
        check_argument("kind", "hit", label="soup", choices=("hot", "cold"))


def test_undeclared_values_are_read_by_what_they_look_like() -> None:
    read = [read_value(text) for text in ("3", "-0.5", "True", "false", "nan", "yes", "3 eggs", "")]
    assert read == [3, -0.5, True, False, "nan", "yes", "3 eggs", ""]


def test_plain_values_there_and_back() -> None:
    made = Kitchen(herbs=("mint",), heat=3, prices={"egg": 2})
    assert made.heat == 3.0
    assert isinstance(made.heat, float)
    plain = made.to_dict()
    assert plain["herbs"] == ["mint"]
    assert Kitchen.from_dict(plain) == made
    assert made.differences() == {"heat": 3.0, "herbs": ["mint"], "prices": {"egg": 2.0}}


def test_plain_values_name_their_place() -> None:
    with pytest.raises(SettingError, match=r"^kitchen.toml: kitchen: pots is 0"):
        Kitchen.from_dict({"pots": 0}, where="kitchen.toml")
    with pytest.raises(UnknownName, match=r"^kitchen.toml: kitchen has no setting 'hop'"):
        Kitchen.from_dict({"hop": "gas"}, where="kitchen.toml")


def test_changes_go_on_from_what_there_is() -> None:
    made = Kitchen(prices={"salt": 1.0}).changed(["prices.egg=2", "pots=4"], {"sizes": [7]})
    assert made == Kitchen(prices={"salt": 1.0, "egg": 2.0}, pots=4, sizes=(7,))


def test_declarations_can_be_read() -> None:
    known = declared(Kitchen)
    assert list(known)[:2] == ["hob", "pots"]
    assert known["pots"].help == "How many pots."
    assert known["hob"].choices == ("gas", "wood")
    assert known["prices"].default == {"egg": 1.0}


def test_options_of_a_specification() -> None:
    assert list(split_options("a=1, flag,b=x+y")) == ["a=1", "flag=true", "b=x+y"]
