"""What help calls the value of an option: FILE, NUMBER, NAME=VALUE, and not a type of Python's."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["name_values"]

_BY_TYPE = (("path,path", "FILE FILE"), ("path", "FILE"), ("int", "NUMBER"), ("float", "NUMBER"), ("str", "TEXT"))
_BY_OPTION = {
    "--set": "NAME=VALUE",
    "--weight": "NAME=VALUE",
    "--languages": "FROM-TO",
    "--metric": "METRIC",
    "--aligner": "NAME",
    "--tuner": "NAME",
    "--selector": "NAME",
    "--kind": "NAME",
}


def name_values(command: Any) -> None:
    """Give all options of a command, and of those below it, a word for their value; arguments are their own word."""
    for each in getattr(command, "commands", {}).values():
        name_values(each)
    for parameter in command.params:
        told = parameter.display_type(None).lower()
        if getattr(parameter, "is_flag", False) or not told.startswith("<"):  # help lists choices
            continue
        word = next((word for kind, word in _BY_TYPE if kind in told), "VALUE")
        if word == "FILE" and re.search(r"\bfolder\b", parameter.help or "", re.I):
            word = "FOLDER"
        if parameter.opts[0].startswith("-"):
            if parameter.metavar is None:
                parameter.metavar = _BY_OPTION.get(parameter.opts[0], word)
        else:
            if parameter.metavar is None:
                parameter.metavar = str(parameter.name).upper().replace("_", "-")
            parameter.display_type_rich = lambda ctx: None  # its name and help say what it is
