"""The order of the house: imports and includes go left only, and starting the program is cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import dragoman

SOURCE = Path(dragoman.__file__).parent

NATIVE = SOURCE.parent.parent / "native"

ROOMS = (
    "annotations", "text", "lm", "align", "grammar", "semantics", "neural", "forest", "features", "search",
    "metrics", "entailment", "similarity", "tuning", "evaluation", "assessment", "pipeline", "server", "cli",
)  # fmt: skip
"""Left to right; see `docs/architecture.md`."""

NATIVE_ROOMS = (
    "common", "annotations", "text", "lm", "align", "grammar", "semantics", "neural", "forest", "features", "search",
    "metrics", "similarity", "tuning", "combination", "evaluation", "bindings",
)  # fmt: skip
"""Left to right."""

PYTHON_ROOM_OF = {"common": ROOMS[0], "combination": "tuning"}
"""Where the Python room of a native room has another name; `common` is everybody's."""

BESIDE = {
    "bundle",
    "cache",
    "charts",
    "drawing",
    "errors",
    "executors",
    "files",
    "imported",
    "lazy_names",
    "plain_data",
    "progress",
    "progress_view",
    "registry",
    "remote_files",
    "seeds",
    "settings",
    "version",
}
"""Modules beside the rooms; they import no room, and a new one is listed here and in `docs/architecture.md`."""


def module_name(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in sorted(SOURCE.rglob("*.py"))}


def imported(file: Path) -> set[str]:
    """Modules of dragoman that a file imports anywhere: in functions and for type checkers, too.

    What a package gives by name counts as the package; parts of the native core are `dragoman._native.ROOM`.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = full in MODULES or node.module == "dragoman._native" or full == "dragoman._native"
                found.add(full if is_module else str(node.module))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "_native":
            found.add(f"dragoman._native.{node.attr}")
    return {name for name in found if name.split(".")[0] == "dragoman"}


def room_of(module: str) -> str:
    """The second part of its name; empty for the package itself."""
    return [*module.split("."), ""][1]


def test_the_version_is_the_same_everywhere() -> None:
    from importlib.metadata import version

    citation = (SOURCE.parent.parent / "CITATION.cff").read_text("utf-8")
    assert version("dragoman") == dragoman.__version__
    assert f"\nversion: {dragoman.__version__}\n" in citation


def test_every_folder_and_every_module_has_its_place() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir()} - {"__pycache__", "_native"}
    assert folders <= set(ROOMS)
    assert {path.stem for path in SOURCE.glob("*.py")} == BESIDE | {"__init__", "__main__"}
    listed = (SOURCE.parent.parent / "docs" / "architecture.md").read_text("utf-8")
    assert [name for name in sorted(BESIDE) if f"`{name}`" not in listed] == []
    assert {path.name for path in NATIVE.iterdir()} == {*NATIVE_ROOMS, "tests", "fuzz"}


@pytest.mark.parametrize("room", [room for room in ROOMS if (SOURCE / room).is_dir()])
def test_a_room_imports_only_from_its_left(room: str) -> None:
    others = set(ROOMS[ROOMS.index(room) + 1 :])
    for file in sorted((SOURCE / room).rglob("*.py")):
        assert not {name for name in imported(file) if room_of(name) in others}, file


def test_modules_beside_the_rooms_import_none() -> None:
    for name in sorted(BESIDE):
        assert not {found for found in imported(SOURCE / f"{name}.py") if room_of(found) in ROOMS}, name


def test_nobody_imports_the_package_itself() -> None:
    """It gives names of the rooms to users; to ask it for them from within is to import to the right, unseen."""
    assert [module for module, file in MODULES.items() if "dragoman" in imported(file)] == []


def test_modules_do_not_import_each_other() -> None:
    """Imports inside functions hide cycles from Python, and not from readers."""
    TopologicalSorter({module: imported(file) & set(MODULES) for module, file in MODULES.items()}).prepare()


@pytest.mark.parametrize("room", [room for room in ROOMS if (SOURCE / room).is_dir()])
def test_a_room_uses_native_rooms_of_its_name_or_left_of_it(room: str) -> None:
    for file in sorted((SOURCE / room).rglob("*.py")):
        used = {name.split(".")[2] for name in imported(file) if name.startswith("dragoman._native.")} - {"__file__"}
        places = [ROOMS.index(PYTHON_ROOM_OF.get(name, name)) for name in used]
        assert all(place <= ROOMS.index(room) for place in places), (file, used)


def includes(file: Path) -> set[str]:
    """What a native file includes of ours, as `room/file`."""
    return set(re.findall(r'^ *#include "([^"]+)"', file.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("room", NATIVE_ROOMS)
def test_native_files_include_only_from_their_left(room: str) -> None:
    allowed = set(NATIVE_ROOMS[: NATIVE_ROOMS.index(room) + 1])
    for file in sorted((NATIVE / room).glob("*.?pp")):
        assert {name.split("/")[0] for name in includes(file)} <= allowed, file


def test_native_headers_do_not_include_each_other() -> None:
    headers = {file.relative_to(NATIVE).as_posix(): file for file in NATIVE.rglob("*.hpp")}
    TopologicalSorter({name: includes(file) & set(headers) for name, file in headers.items()}).prepare()


SHARED_CLASS_NAMES: set[str] = set()
"""Names of public classes that may be defined more than once, each with its reason."""


def test_a_class_name_has_one_meaning() -> None:
    """Nor is it the name of a type alias elsewhere, but for the types of options on the command line."""
    classes: dict[str, set[str]] = {}
    aliases: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        module = file.relative_to(SOURCE).as_posix()
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, set()).add(module)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not module.startswith("cli/"):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        aliases.setdefault(target.id, set()).add(module)
    clashes = {
        name: sorted(modules | aliases.get(name, set()))
        for name, modules in classes.items()
        if not name.startswith("_") and len(modules | aliases.get(name, set())) > 1
    }
    assert set(clashes) == SHARED_CLASS_NAMES, clashes


CONTRACTS = (
    *("Aligner", "Annotator", "Decoder", "Executor", "Metric", "PairScorer", "RuleLimits", "Template", "Tuner"),
)
"""Base classes behind a registry."""


def called_with(file: Path, *functions: str) -> Iterator[ast.Call]:
    """Calls of functions by these names in a file."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            yield node


def test_nobody_asks_what_class_a_thing_is() -> None:
    """Outside the room of a contract the contract says all that is to be known of a thing; whether it is one of the
    contract at all may be asked."""
    defined: dict[str, tuple[set[str], str]] = {}
    for file in MODULES.values():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = {each.id for base in node.bases for each in ast.walk(base) if isinstance(each, ast.Name)}
                defined[node.name] = bases, room_of(module_name(file))

    def implements(name: str) -> bool:
        bases, _ = defined.get(name, (set(), ""))
        return bool(bases & set(CONTRACTS)) or any(implements(base) for base in bases - {name})

    assert all(implements(name) for name in ("TableDecoder", "PhraseDecoder", "BatchTuner", "Mert", "Bleu"))
    asked = [
        f"{module}, line {call.lineno}: {each.id}"
        for module, file in MODULES.items()
        for call in called_with(file, "isinstance", "issubclass")
        for each in ast.walk(call.args[1])
        if isinstance(each, ast.Name) and implements(each.id) and defined[each.id][1] != room_of(module)
    ]
    assert asked == []


@pytest.mark.parametrize("room", ["features", "search", "metrics", "tuning", "pipeline"])
def test_a_contract_has_all_that_is_asked(room: str) -> None:
    """An attribute that some things behind a contract have and others lack is a member of the contract with a usual
    answer. What comes from other packages (modules, exceptions) is asked as it may be."""
    foreign = {"found", "error", "find_spec(self.module)"}
    asked = [
        f"{file.name}, line {call.lineno}: {ast.unparse(call)}"
        for file in sorted((SOURCE / room).rglob("*.py"))
        for call in called_with(file, "getattr", "hasattr")
        if (len(call.args) == 3 or ast.unparse(call.func) == "hasattr") and ast.unparse(call.args[0]) not in foreign
    ]
    assert asked == []


def test_threads_are_all_cores_unless_somebody_says_otherwise() -> None:
    """`worker_count` alone decides what 0 means."""
    others = [
        f"{module}, line {node.lineno}: {node.name}"
        for module, file in MODULES.items()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for usual in usual_values(node, "threads")
        if ast.unparse(usual) != "0"
    ]
    assert others == []
    stubs = sorted((SOURCE / "_native").glob("*.pyi"))
    assert [found for file in stubs for found in re.findall(r"threads: int = [1-9]", file.read_text("utf-8"))] == []


def usual_values(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[ast.expr]:
    """The default of an argument, if it has one."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    pairs = [*zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True)]
    for argument, usual in (*pairs, *zip(given.kwonlyargs, given.kw_defaults, strict=True)):
        if argument.arg == name and usual is not None:
            yield usual


def is_number(node: ast.AST) -> bool:
    return ast.unparse(node) == "math.inf" or (isinstance(node, ast.Constant) and isinstance(node.value, (int, float)))


def test_ranges_are_declared() -> None:
    """What must lie between two numbers is a setting, or an argument that `check_argument` looks at: one way to say
    what is wrong with it, and `nan` is refused everywhere."""
    by_hand = [
        f"{module}, line {node.lineno}: {ast.unparse(test)}"
        for module, file in MODULES.items()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.If) and ast.unparse(node.body[0]).startswith("raise SettingError(")
        for test in [node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test]
        if isinstance(test, ast.Compare)
        and all(isinstance(each, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for each in test.ops)
        and sum(map(is_number, [test.left, *test.comparators])) == len(test.comparators)
        and any(isinstance(each, ast.Name) for each in [test.left, *test.comparators])
    ]
    assert by_hand == []


def test_choices_are_declared() -> None:
    """So is what must be one of a few names, which then is refused with the one that was perhaps meant."""
    others = {
        "shallow_trees, level not in LEVELS": "numbers",
        "hiero, kind not in KINDS": "what a table is, which nobody chooses here",
        "explanation, path.suffix not in ('.svg', '.html')": "the end of a name",
        "schema, backend not in {'sqlite', 'postgresql'}": "the beginning of a URL",
    }
    by_hand = {
        f"{file.stem}, {ast.unparse(node.test)}"
        for file in MODULES.values()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.If)
        and ast.unparse(node.body[0]).startswith("raise SettingError(")
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.ops[0], ast.NotIn)
        and isinstance(node.test.left, (ast.Name, ast.Attribute))
        for names in node.test.comparators
        if (isinstance(names, ast.Name) and names.id.isupper())
        or (isinstance(names, (ast.Tuple, ast.List, ast.Set)) and is_written_out(names))
    }
    assert by_hand == set(others)


def is_written_out(node: ast.AST) -> bool:
    """Whether a value stands there as such: numbers, texts, names, and rows of these."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.Starred)):
        skipped = (ast.expr_context, ast.operator, ast.unaryop)
        return all(is_written_out(part) for part in ast.iter_child_nodes(node) if not isinstance(part, skipped))
    if isinstance(node, ast.Call):
        return all(map(is_written_out, [*node.args, *(keyword.value for keyword in node.keywords)]))
    return isinstance(node, (ast.Constant, ast.Name, ast.Attribute, ast.JoinedStr))


def has_table(node: ast.AST) -> bool:
    """Whether somewhere in it six values or more, written out, stand in several lines."""
    return any(
        isinstance(part, (ast.Tuple, ast.List, ast.Set, ast.Dict))
        and part.end_lineno != part.lineno
        and is_written_out(part)
        and sum(isinstance(each, (ast.Constant, ast.Name)) for each in ast.walk(part)) >= 6
        for part in ast.walk(node)
    )


@pytest.mark.parametrize("folder", ["src", "tests", "experiments", "bench", "tools"])
def test_only_tables_have_a_layout_of_their_own(folder: str) -> None:
    """All other code is laid out by the formatter."""
    kept = []
    for file in sorted((NATIVE.parent / folder).rglob("*.py")):
        text = file.read_text("utf-8")
        lines = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# fmt: skip")]
        tables = {
            part.end_lineno
            for node in (ast.walk(ast.parse(text)) if lines else ())
            for part in ([node] if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)) else [])
            + (node.decorator_list if isinstance(node, ast.FunctionDef) else [])
            if has_table(part)
        }
        kept += [f"{file}, line {number}" for number in lines if number not in tables]
    assert kept == []


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list", "--help"]])
def test_starting_imports_nothing_heavy(arguments: list[str]) -> None:
    heavy = ["numpy", "scipy", "lxml", "sacremoses", "regex", "nltk", "matplotlib", "py3langid", "sentencex", "fastapi"]
    script = (
        "import sys\nfrom dragoman.cli import main\n"
        f"sys.argv = ['dragoman', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "room", sorted({file.parent.name for file in NATIVE.glob("*/*.cpp")} - {"bindings", "tests", "fuzz"})
)
def test_a_native_room_has_one_thing_by_each_private_name(room: str) -> None:
    """A first build compiles ten files of a room as one: names in nameless namespaces must not meet there, nor those
    that a file takes from another room."""
    seen: dict[str, set[str]] = {}
    for file in (NATIVE / room).glob("*.cpp"):
        for taken, name in re.findall(r"^using ((?:\w+::)+(\w+));", file.read_text("utf-8"), re.M):
            seen.setdefault(name, set()).add(taken)
        for block in re.findall(r"^namespace \{$(.*?)^\}  // namespace$", file.read_text("utf-8"), re.S | re.M):
            for line in block.splitlines():
                names = re.findall(r"^(?:struct|class|enum class|enum|using) (\w+)", line)
                names += re.findall(r"\b(k[A-Z]\w*)\s*=", line) if line.startswith("const") else []
                names += re.findall(r"^(?! |using|struct|class|template|const)[\w:<>,&*\[\] ]+?[ *&](\w+)\(", line)
                for name in names:
                    seen.setdefault(name, set()).add(file.name)
    assert {name: files for name, files in seen.items() if len(files) > 1} == {}
