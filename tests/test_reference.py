"""The site: generated references are complete, all pages are reachable, the order has no holes."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from dragoman.cli.anywhere import ANYWHERE
from tools import navigation, reference_pages

DOCS = Path(__file__).parent.parent / "docs"
LINK = re.compile(r"\]\(([^)#]+\.md)")


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return reference_pages.pages()


def test_all_commands_and_options_are_there_with_a_sentence(generated: dict[str, str]) -> None:
    page = generated["reference/commands.md"]
    sections = dict(re.findall(r"^## dragoman ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.S | re.M))
    found = dict(reference_pages.commands())
    assert set(sections) == set(found)
    for name, command in found.items():
        assert command.help, f"dragoman {name} says nothing about itself"
        for parameter in command.params:
            if parameter.name != "help":
                where = page if parameter.opts[0] in ANYWHERE else sections[name]
                assert parameter.opts[0] in where or not parameter.opts[0].startswith("-")
                assert parameter.help, f"dragoman {name} {parameter.opts[0]} has no help"


def test_all_rooms_have_a_page() -> None:
    rooms = {path.parent.name for path in (DOCS.parent / "src" / "dragoman").glob("*/__init__.py")}
    assert set(reference_pages.ROOMS) == rooms - {"cli"}, "commands have a page of their own"


@pytest.mark.parametrize("room", ["", *reference_pages.ROOMS])
def test_all_that_a_room_exports_is_there(room: str, generated: dict[str, str]) -> None:
    page = generated[f"reference/python/{room or 'dragoman'}.md"]
    module = import_module(f"dragoman.{room}" if room else "dragoman")
    assert module.__doc__
    for name in module.__all__:
        assert f"\n## {name}\n" in page
        thing = getattr(module, name)
        assert not callable(thing) or thing.__doc__, f"{module.__name__}.{name} says nothing about itself"


def test_every_page_has_its_place(generated: dict[str, str]) -> None:
    pages = [*(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")), *generated]
    placed = [page for found in navigation.ordered(pages).values() for page in found]
    assert sorted(placed) == sorted(pages), "each page in one section"
    named = {name for names in navigation.SECTIONS.values() for name in names if name and not name.endswith("/")}
    assert {f"{name}.md" for name in named} <= set(pages), "no page that is gone"
    lost = navigation.ordered([*pages, "how-to/new.md", "stray.md"])
    assert "how-to/new.md" in lost["How to"]
    assert "stray.md" in lost["Project"]


def test_every_page_is_reachable_from_the_index() -> None:
    seen, left = set[Path](), [DOCS / "index.md"]
    while left:
        page = left.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        left += [(page.parent / link).resolve() for link in LINK.findall(page.read_text("utf-8"))]
    missing = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {
        str(page.relative_to(DOCS)) for page in seen if page.is_relative_to(DOCS)
    }
    assert missing == set(), "link them from the index, or from a page that it links"
