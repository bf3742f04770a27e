"""Reference pages out of the program itself: every command with its options, every name that a room exports.

A hook of mkdocs: the pages are made while the site is built, and cannot be out of date. `tests/test_reference.py` holds
them to be complete, and everything on them to have a sentence.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import re
import typing
from collections.abc import Iterator
from importlib import import_module
from typing import Any

ROOMS = (
    "annotations", "text", "lm", "align", "grammar", "semantics", "neural", "forest", "features", "search",
    "metrics", "entailment", "similarity", "tuning", "evaluation", "assessment", "pipeline", "server",
)  # fmt: skip


# Commands


def commands(command: Any = None, name: str = "") -> Iterator[tuple[str, Any]]:
    """All commands by what people type for them."""
    if command is None:
        from dragoman.cli import program

        command = program()
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, each in command.commands.items():
        yield from commands(each, f"{name} {word}".strip())


def command_page() -> str:
    """All commands, their arguments and options, with defaults."""
    parts = [
        "# Commands",
        "All of `dragoman`, as `--help` says it. Every command also takes `--quiet` (`-q`: no progress and no notes) "
        "and `--debug` (the traceback of an error), before or behind its name; `--json` prints results as JSON "
        "wherever it is offered.",
    ]
    for name, command in commands():
        usage = " ".join(_metavar(each) for each in command.params if not each.opts[0].startswith("-"))
        line = " ".join(f"dragoman {name} {usage} [OPTIONS]".split())
        parts += [f"## dragoman {name}", _text(command.help or ""), f"```\n{line}\n```"]
        rows = [_parameter(each) for each in command.params if each.name not in ("help", "quiet", "debug")]
        parts.append("\n".join(["| argument or option | what | default |", "|---|---|---|", *rows]))
        if command.epilog:
            parts.append(f"`{command.epilog.removeprefix('Example: ')}`")
    return "\n\n".join(parts) + "\n"


def _metavar(parameter: Any) -> str:
    name = parameter.metavar or str(parameter.name).upper().replace("_", "-")
    return name if parameter.required else f"[{name}]"


def _parameter(parameter: Any) -> str:
    option = parameter.opts[0].startswith("-")
    value = f" {parameter.metavar}" if option and parameter.metavar else ""
    words = sorted((*parameter.opts, *parameter.secondary_opts), key=lambda word: word.startswith("--"))
    names = f"`{', '.join(words)}{value}`" if option else ""
    default = parameter.default
    if callable(default) or default is None or default is False or default in ("", [], ()):
        default = "required" if parameter.required else ""
    elif isinstance(default, enum.Enum):
        default = default.value
    shown = f"`{default}`" if default not in ("", "required") else default
    return f"| {names or f'`{_metavar(parameter)}`'} | {_cell(parameter.help or '')} | {shown} |"


def _cell(text: str) -> str:
    return " ".join(_text(text).split()).replace("|", "\\|")


# Python


def room_page(room: str) -> str:
    """What a room exports: signatures and docstrings of its functions, classes and their public methods."""
    module = import_module(f"dragoman.{room}" if room else "dragoman")
    parts = [f"# dragoman{'.' if room else ''}{room}", _text(module.__doc__ or "")]
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            parts += [f"## {name}", _code(f"class {name}{_signature(thing)}"), _text(thing.__doc__ or "")]
            parts += list(_members(name, thing))
        elif callable(thing):
            shown = thing if inspect.isfunction(thing) else import_module("dragoman.align.texts").align_texts
            parts += [f"## {name}", _code(f"{name}{_signature(shown)}"), _text(inspect.getdoc(shown) or "")]
        else:
            listed = f": {', '.join(f'`{each}`' for each in thing)}" if hasattr(thing, "__iter__") else ""
            parts += [f"## {name}", f"A `{type(thing).__name__}`{listed}."]
    return "\n\n".join(parts) + "\n"


def _members(owner: str, cls: type) -> Iterator[str]:
    if dataclasses.is_dataclass(cls):
        fields = [each for each in dataclasses.fields(cls) if not each.name.startswith("_")]
        if fields:
            rows = [
                f"| `{each.name}` | `{_cell(str(each.type))}` | "
                f"{_cell(str(getattr(each.metadata.get('setting'), 'help', '') or ''))} |"
                for each in fields
            ]
            yield "\n".join(["| field | type | what |", "|---|---|---|", *rows])
    for name, member in sorted(vars(cls).items()):
        if name.startswith("_"):
            continue
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(plain, property | functools.cached_property):
            said = inspect.getdoc(plain.fget if isinstance(plain, property) else plain.func)
            yield f"### {owner}.{name}\n\n{_text(said or '')}"
        elif inspect.isfunction(plain):
            yield f"### {owner}.{name}\n\n{_code(name + _signature(plain))}\n\n{_text(inspect.getdoc(plain) or '')}"


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    kept = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    shown = ", ".join(re.sub(r"<factory>|<object object at [^>]*>", "...", str(each)) for each in _starred(kept))
    result = (
        "" if signature.return_annotation is inspect.Signature.empty else f" -> {_name(signature.return_annotation)}"
    )
    return f"({shown.replace(', /*', ', *')}){result if not inspect.isclass(thing) else ''}"


def _starred(parameters: list[inspect.Parameter]) -> Iterator[Any]:
    """Parameters as they are written, with the star before those that must be named."""
    star = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        yield each.replace(annotation=_Named(each.annotation)) if each.annotation is not each.empty else each


class _Named:
    """An annotation whose text is short."""

    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation

    def __repr__(self) -> str:
        return _name(self.annotation)


def _name(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return annotation.__name__
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z_])", "", str(annotation))


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _text(docstring: str) -> str:
    """A docstring as Markdown: examples and indented blocks become code."""
    lines, code = [], False
    for line in inspect.cleandoc(docstring).splitlines():
        inside = line.startswith(("    ", ">>> ", "... ")) or (code and bool(line.strip()))
        if inside != code:
            lines += ["", "```text"] if inside else ["```", ""]
            code = inside
        lines.append(line.removeprefix("    ") if inside else line.replace("<", "&lt;") if "`" not in line else line)
    return "\n".join([*lines, *(["```"] if code else [])])


def pages() -> dict[str, str]:
    """All generated pages by their places."""
    found = {"reference/commands.md": command_page(), "reference/python/dragoman.md": room_page("")}
    return found | {f"reference/python/{room}.md": room_page(room) for room in ROOMS}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those of the site."""
    from mkdocs.structure.files import File

    for place, text in pages().items():
        files.append(File.generated(config, place, content=text))
    return files
