"""Torture: damaged files, absurd command lines and kills, for as long as you like, counted.

    python tools/torture.py --seconds 120
    python tools/torture.py --inputs 100

Everything starts from things made here: a small model, tables, language models, texts in several formats. Files are
damaged at random (bits, bytes, pieces, ends) and read in a child process; the program is called with values that nobody
would choose; training is killed and continued. What may happen is that nothing changes, or an error of ours in one
line. What must not happen is counted: other results without an error from a file that has a checksum, any other
exception, a crash, a hang. The same seed gives the same inputs in the same order; with `--inputs`, exactly the same
ones, however fast the machine is.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).parent.parent / "native" / "fuzz" / "seeds"
OUTCOMES = ("same", "clean error", "other result", "silent change", "traceback", "crash", "hang")
WRONG = ("silent change", "traceback", "crash", "hang")
PATIENCE = 20
"""Seconds of processor time that one input may take."""

Read = Callable[[Path], object]
Tally = Counter[str]


@dataclass(frozen=True)
class Bound:
    """How much is tried: until a moment, or so many inputs."""

    until: float = float("inf")
    inputs: float = float("inf")

    def allows(self, tried: int) -> bool:
        return tried < self.inputs and time.monotonic() < self.until


@dataclass(frozen=True)
class Subject:
    """A file or the folder that it belongs to, how that is read, and whether damage to it must be noticed."""

    name: str
    file: Path
    read: Read
    checked: bool = False
    """Whether it has a checksum, so that another result without an error is wrong."""
    root: Path | None = None
    """The folder that is read as a whole, if the file is part of one."""


def sentences(size: int) -> tuple[list[str], list[str]]:
    """The two sides of a small bitext."""
    from dragoman.text import synthetic

    items = list(synthetic.pair("en-de").generate(size, seed=4))
    return [item.source.text for item in items], [item.target.text for item in items]


def make_model(output: Path) -> None:
    """A model of two hundred pairs."""
    from dragoman.pipeline.train import train

    source, target = sentences(220)
    train(
        source[:200],
        target[:200],
        dev=(source[200:], target[200:]),
        languages=("en", "de"),
        output=output,
        force=True,  # whoever was killed may have been done
        recipe={"aligner": "fast", "order": 3, "iterations": 1, "nbest": 20, "search": {"pop_limit": 40}},
    )


def subjects(folder: Path) -> Iterator[Subject]:
    """Everything that is damaged: the files of a model, binary files, and texts."""
    from dragoman._native.common import Vocabulary
    from dragoman.align.formats import read_pharaoh
    from dragoman.annotations import brackets, conllu
    from dragoman.forest.store import read_forests
    from dragoman.grammar.dynamic import DynamicTable
    from dragoman.grammar.moses import import_moses
    from dragoman.grammar.table import RuleTable
    from dragoman.lm import NgramModel
    from dragoman.pipeline.model import Model
    from dragoman.pipeline.parts import read_weights
    from dragoman.pipeline.recipe import Recipe
    from dragoman.text.corpus import Bitext
    from dragoman.text.index import CorpusIndex
    from dragoman.text.wmt import read_wmt

    source, target = sentences(40)

    def translate(path: Path) -> object:
        return [(each.text, round(each.score, 6)) for each in Model.open(path).translate(source[:3], threads=1)]

    def table(path: Path) -> object:
        opened = RuleTable.open(path)
        rules = [str(rule) for rule, _ in zip(opened, range(500), strict=False)]
        DynamicTable(opened).save(folder / "saved")
        return rules, opened.info()["rules"], [str(rule) for rule in opened.lookup("a")]

    def moses(path: Path) -> object:
        return [str(rule) for rule in import_moses(path, folder / "imported").table]

    def forests(path: Path) -> object:
        return [[each.score for each in forest.kbest(3)] for forest in read_forests(path)]

    def index(path: Path) -> object:
        opened = CorpusIndex.open(path)
        found = [opened.sentence(number) for number in range(min(opened.sentences, 100))]
        return found, [opened.count(word) for word in ("a", "b")], [str(each) for each in opened.occurrences("a b")]

    def model(path: Path) -> object:
        return NgramModel.load(path).score(["a b c", "b z a"], threads=1).tolist()

    def words(path: Path) -> object:
        found = Vocabulary.load(path)
        return [found.word(number) for number in range(min(len(found), 100))]

    def pairs(path: Path) -> object:
        return [(pair.source, pair.target) for pair in Bitext.open(path)]

    make_model(folder / "model")
    for file in sorted(path for path in (folder / "model").rglob("*") if path.is_file()):
        if file.name not in ("SHA256SUMS", "report.json"):
            yield Subject("model", file, translate, checked=True, root=folder / "model")
    readers: dict[str, Read] = {
        "fuzz_table": table,
        "fuzz_lm_binary": model,
        "fuzz_corpus_index": index,
        "fuzz_forest": forests,
        "fuzz_binary_file": words,
    }
    for name, read in readers.items():
        for file in sorted((SEEDS / name).iterdir()):
            yield Subject("binary file", file, read, checked=True)
    for file in sorted((SEEDS / "fuzz_arpa").iterdir()):
        yield Subject("text file", file, model)
    yield Subject("text file", SEEDS / "fuzz_moses" / "phrase_table", moses)
    both = list(zip(source, target, strict=True))
    texts: dict[str, tuple[str, Read]] = {
        "pairs.tsv": ("".join(f"{a}\t{b}\n" for a, b in both), pairs),
        "pairs.jsonl": ("".join(json.dumps({"source": a, "target": b}) + "\n" for a, b in both), pairs),
        "pairs.tmx": (
            '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>'
            + "".join(
                f'<tu><tuv xml:lang="en"><seg>{a}</seg></tuv><tuv xml:lang="de"><seg>{b}</seg></tuv></tu>'
                for a, b in both[:5]
            )
            + "</body></tmx>",
            pairs,
        ),
        "set.sgm": (
            '<!-- c -->\n<srcset setid="s" srclang="en"><doc docid="d">'
            + "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(source[:5], 1))
            + "</doc></srcset>",
            lambda path: read_wmt(path),
        ),
        "links": ("0-0 1-1 2-3\n\n0-0\n", lambda path: [str(each) for each in read_pharaoh(path)]),
        "weights.txt": ("lm 0.5\nphrase.ts -0.25\n", lambda path: dict(read_weights(path))),
        "weights.toml": ("[weights]\nlm = 0.5\nphrase.ts = -0.25\n", lambda path: dict(read_weights(path))),
        "recipe.toml": ('order = 3\naligner = "fast"\n[search]\nbeam = 40\n', lambda path: Recipe.load(path).to_dict()),
        "tree": ("(S (NP (D the) (N house)) (V stands))\n", lambda path: [str(each) for each in brackets.read(path)]),
        "tree.conllu": (
            "# sent_id = 1\n1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\thouse\thouse\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
            lambda path: [str(each) for each in conllu.read(path)],
        ),
    }
    for name, (text, read) in texts.items():
        (folder / name).write_text(text, "utf-8")
        yield Subject("text file", folder / name, read)


def damaged(raw: bytes, draw: random.Random, *, text: bool) -> bytes:
    """The bytes with one to three things wrong; mostly, a text stays text and a binary file keeps its size."""
    data = bytearray(raw)
    gentle = draw.random() < 0.7
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at = draw.randrange(len(data)) if data else 0
        kind = draw.randrange(4) if gentle else draw.randrange(8)
        if gentle and text:
            piece = draw.choice(SIGNS).encode()
            data[at : at + draw.randrange(2)] = piece
        elif kind == 0 and data:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1 and data:
            data[at] = draw.randrange(256)
        elif kind == 2:
            data[at : at + 8] = draw.choice((b"\xff" * 8, bytes(8), b"\0\0\0\x80" * 2))[: len(data) - at]
        elif kind == 3:
            other = draw.randrange(max(1, len(data) - 16))
            at = min(at, max(0, len(data) - 16))
            data[at : at + 16] = data[other : other + 16]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            del data[at : at + draw.randrange(1, 64)]
        elif kind == 6:
            data[at:at] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 16)))
        else:
            data[at:at] = data[: draw.randrange(1, 64)]
    return bytes(data)


SIGNS = (*'-09.|<>()[]{}&="\t\n \u00e9', "", "1e400", "nan", "|||", "99999999999")
"""What is put into texts."""


def in_child(read: Read, path: Path, *, verify: bool) -> tuple[str, str]:
    """What reading comes to in a process of its own, and the result or what was said."""
    from dragoman.bundle import verify_when_opened
    from dragoman.errors import DragomanError

    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(30 * PATIENCE)  # what waits for something takes no time of the processor
        verify_when_opened(verify)
        try:
            said = "result", repr(read(path))
        except DragomanError as error:
            said = "clean error", str(error)
        except MemoryError:
            said = "clean error", "no memory"
        except BaseException:
            said = "traceback", traceback.format_exc()
        with os.fdopen(send, "w", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(said))
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, encoding="utf-8") as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return ("hang" if number in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM) else "crash"), signal.Signals(
            number
        ).name
    outcome, said_text = json.loads(text)
    return outcome, said_text


def torture_files(folder: Path, bound: Bound, draw: random.Random, complain: Callable[[str], None]) -> dict[str, Tally]:
    """Damage files."""
    found: dict[str, Tally] = {}
    everything = list(subjects(folder))
    whole = {}
    for number, subject in enumerate(everything):
        outcome, whole[number] = in_child(subject.read, subject.root or subject.file, verify=True)
        if outcome != "result":
            raise SystemExit(f"{subject.file} cannot be read before anything was done to it: {whole[number]}")
    work = folder / "damaged"
    while bound.allows(sum(sum(tally.values()) for tally in found.values())):
        number = draw.randrange(len(everything))
        subject = everything[number]
        verify = draw.random() < 0.5
        shutil.rmtree(work, ignore_errors=True)
        if subject.root is not None:
            shutil.copytree(subject.root, work, copy_function=os.link)
            broken = work / subject.file.relative_to(subject.root)
            broken.unlink()
        else:
            work.mkdir()
            broken = work / subject.file.name
        raw = damaged(subject.file.read_bytes(), draw, text=not subject.checked)
        broken.write_bytes(raw)
        outcome, said = in_child(subject.read, work if subject.root is not None else broken, verify=verify)
        if outcome == "result":
            outcome = "same" if said == whole[number] else "other result"
            if outcome == "other result" and subject.checked and verify:
                outcome = "silent change"
        checked = "" if not subject.checked else ", verified" if verify else ", --no-verify"
        found.setdefault(f"{subject.name}{checked}", Counter())[outcome] += 1
        if outcome in WRONG:
            complain(f"{outcome}: {subject.file} ({len(raw)} bytes{checked})\n{said[-1500:]}")
            kept = Path(tempfile.gettempdir()) / f"torture-{os.getpid()}-{sum(sum(t.values()) for t in found.values())}"
            shutil.copyfile(broken, kept)
            complain(f"kept as {kept}")
    return found


ODD = ("-1", "0", "1e20", "99999999999999999999", "nan", "inf", "", " ", "\u0308", "a" * 5000, "-", "missing/file")
"""Values that nobody would choose; none that could harm the machine if a check were missing."""


def command_lines(folder: Path, draw: random.Random) -> Iterator[list[str]]:
    """Calls of all commands, each with something odd about it."""
    import typer

    from dragoman.cli import app

    places = {"model": folder / "model", "table": folder / "model" / "table.rules", "text": folder / "pairs.tsv"}
    found: list[tuple[list[str], Any]] = []

    def walk(command: Any, path: list[str]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, [*path, name])
        if not hasattr(command, "commands") and path[0] not in ("demo", "corpus", "assess"):
            found.append((path, command))

    walk(typer.main.get_command(app), [])
    while True:
        path, command = draw.choice(found)
        arguments: list[str] = []
        for parameter in command.params:
            option = bool(getattr(parameter, "opts", None)) and parameter.opts[0].startswith("-")
            if option and not parameter.required and draw.random() < 0.8:
                continue
            value = draw.choice(ODD) if draw.random() < 0.6 else str(draw.choice(list(places.values())))
            if "--output" in parameter.opts and draw.random() < 0.8:
                value = str(folder / "out" / "file")
            if not option:
                arguments.append(value)
            elif getattr(parameter, "is_flag", False):
                arguments.append(parameter.opts[0])
            else:
                arguments += [parameter.opts[0], value]
        yield [*path, *arguments]


def load_everything() -> None:
    """Import all of the program, so that its children need not: that is most of what a call costs."""
    import pkgutil

    import dragoman
    from dragoman.errors import DragomanError

    for module in pkgutil.walk_packages(dragoman.__path__, "dragoman."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError, DragomanError):  # what needs a package that is not there
                importlib.import_module(module.name)


def call(arguments: Sequence[str], folder: Path) -> tuple[int, str]:
    """The program in a child process, with nothing to read: how it ended (as `waitpid` says), and what it said."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(30 * PATIENCE)  # what waits for something takes no time of the processor
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((nowhere, nowhere, send)):
            os.dup2(descriptor, number)
        os.chdir(folder)
        sys.argv = ["dragoman", *arguments]
        code = 70
        try:
            from dragoman.cli import main as program

            program()
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 1 if leaving.code else 0
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)
    os.close(send)
    with os.fdopen(receive, encoding="utf-8", errors="replace") as file:
        said = file.read()
    return os.waitpid(child, 0)[1], said


def torture_commands(folder: Path, bound: Bound, draw: random.Random, complain: Callable[[str], None]) -> Tally:
    """Call the program."""
    tally: Tally = Counter()
    (folder / "out").mkdir(exist_ok=True)
    load_everything()
    for arguments in command_lines(folder, draw):
        if not bound.allows(sum(tally.values())):
            return tally
        status, said = call(arguments, folder / "out")
        outcome = "same" if status == 0 else "clean error"
        if os.WIFSIGNALED(status):
            outcome = "hang" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM) else "crash"
        elif "Traceback" in said or os.waitstatus_to_exitcode(status) not in (0, 1, 2):
            outcome = "traceback"
        tally[outcome] += 1
        if outcome in WRONG:
            complain(f"{outcome}: dragoman {' '.join(each[:60] for each in arguments)}\n{said[-1500:]}")
    return tally


def torture_kills(folder: Path, bound: Bound, draw: random.Random, complain: Callable[[str], None]) -> Tally:
    """Kill training at random moments, let it finish, and compare with one that was left alone."""
    tally: Tally = Counter()
    command = [sys.executable, __file__, "--train"]
    same = ("table.rules", "lm.bin", "weights.txt")
    whole = {name: (folder / "model" / name).read_bytes() for name in same if (folder / "model" / name).exists()}
    while bound.allows(sum(tally.values())):
        output = folder / "killed" / "model"
        shutil.rmtree(output.parent, ignore_errors=True)
        output.parent.mkdir()
        for _ in range(draw.randrange(1, 4)):
            with subprocess.Popen([*command, str(output)], stderr=subprocess.DEVNULL) as run:
                try:
                    run.wait(timeout=draw.uniform(0.5, 12))
                except subprocess.TimeoutExpired:
                    run.kill()
        done = subprocess.run([*command, str(output)], capture_output=True, text=True, check=False)
        fine = done.returncode == 0 and all((output / name).read_bytes() == raw for name, raw in whole.items())
        left = [path.name for path in output.parent.iterdir() if path.name != "model"]
        outcome = "same" if fine and not left else "traceback" if done.returncode else "silent change"
        tally[outcome] += 1
        if outcome != "same":
            complain(f"{outcome} after a kill; left behind: {left}\n{done.stderr[-1500:]}")
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all three, print the table, and return 1 if anything happened that must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120, help="half for files, a quarter each for the others")
    parser.add_argument("--inputs", type=int, help="so many instead, as many for commands, and a kill for each hundred")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("files", "commands", "kills"), action="append")
    parser.add_argument("--train", type=Path, help="only train the model, for those who are going to be killed")
    given = parser.parse_args(arguments)
    if given.train is not None:
        make_model(given.train)
        return 0
    wanted = given.only or ["files", "commands", "kills"]

    def complain(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    rows: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory(prefix="dragoman-torture-") as name:
        folder = Path(name)
        if "files" not in wanted:
            make_model(folder / "model")
            (folder / "pairs.tsv").write_text("a\tb\n")
        shares = {"files": 2, "commands": 1, "kills": 1}
        total = sum(shares[each] for each in wanted)
        for each in wanted:
            bound = Bound(until=time.monotonic() + given.seconds * shares[each] / total)
            if given.inputs is not None:
                bound = Bound(inputs=given.inputs if each != "kills" else given.inputs // 100)
            draw = random.Random(f"{given.seed} {each}")
            if each == "files":
                rows.update(sorted(torture_files(folder, bound, draw, complain).items()))
            elif each == "commands":
                rows["command line"] = torture_commands(folder, bound, draw, complain)
            else:
                rows["kill of training"] = torture_kills(folder, bound, draw, complain)
    width = max(map(len, rows))
    print(f"{'input':{width}}  {'tried':>7}  " + "  ".join(f"{each:>13}" for each in OUTCOMES))
    for label, tally in rows.items():
        counts = "  ".join(f"{tally[each]:13,}" for each in OUTCOMES)
        print(f"{label:{width}}  {sum(tally.values()):7,}  {counts}")
    return int(any(tally[each] for tally in rows.values() for each in WRONG))


if __name__ == "__main__":
    raise SystemExit(main())
