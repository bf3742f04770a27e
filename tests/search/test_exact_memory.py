"""What exact search takes in memory, as the system counts it, and what it was allowed to take."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import ctypes, gc, json, random, sys
from pathlib import Path

from dragoman.features.language_model import LanguageModel
from dragoman.grammar.rule import Nonterminal, Rule
from dragoman.lm import estimate
from dragoman.search.hiero import HieroDecoder, HieroSettings
from dragoman.search.settings import ExactSettings
from tests.search.exact_instances import Choice, make
from tests.search.hiero_setting import WEIGHTS, grammar

kind, megabytes, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
chance = random.Random(1)
words = [f"w{i}" for i in range(40)]
text = [" ".join(chance.choices(words, k=8)) for _ in range(300)]
use = LanguageModel("lm", estimate(text, order=3).build())
length = 30 if kind == "phrase" else 16
source = [f"s{i}" for i in range(length)]

def some(count: int) -> set[tuple[str, ...]]:
    return {tuple(chance.choices(words, k=chance.randint(1, 3))) for _ in range(count)}

if kind == "phrase":
    spans = [(start, end) for start in range(length) for end in range(start + 1, min(length, start + 3) + 1)]
    choices = {(*span, target): Choice(*span, target, -chance.random()) for span in spans for target in some(8)}
    given = (folder, " ".join(source), list(choices.values()), [(use, 1.0)])
    made = make(*given, distortion=0.1, limit=7, final_jump=True)
    decoder = made.decoder
else:
    one, two = Nonterminal("X", 0), Nonterminal("X", 1)
    sides = [((word,), target) for word in source for target in some(6)]
    sides += [((one, word, two), (two, *target, one)) for word in source for target in some(2)]
    sides += [((one, word), (*target, one)) for word in source for target in some(2)]
    rules = [Rule(*both, {"p": -chance.random(), "q": 0.0}) for both in sides]
    settings = HieroSettings(option_limit=2**31)
    decoder = HieroDecoder(grammar(rules, folder / "table"), [use], WEIGHTS, settings)

def memory(what: str) -> float:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) / 1024

decoder.optimize(source[:2])
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5", "utf-8")
before = memory("VmRSS")
limits = ExactSettings(memory=megabytes * 2**20, time_limit=60, iterations=200, seed_search=kind == "phrase")
proof = decoder.optimize([" ".join(source)], limits)[0].proof
print(json.dumps({"stop": proof.stop, "gap": proof.gap, "taken": memory("VmHWM") - before}))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts memory there")
@pytest.mark.parametrize("kind", ["phrase", "hiero"])
def test_memory_keeps_to_its_limit(kind: str, tmp_path: Path) -> None:
    """Bounds of all sizes: too small for a first bound, for refinement, and sufficient."""
    stops = set()
    for megabytes in (8, 32, 128, 512):
        folder = tmp_path / str(megabytes)
        folder.mkdir()
        command = [sys.executable, "-c", PROGRAM, kind, str(megabytes), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        print(kind, megabytes, found)
        assert found["taken"] <= 1.25 * megabytes + 12, (megabytes, found)
        assert found["gap"] >= 0
        stops.add(found["stop"])
    assert "memory" in stops
    assert stops - {"memory"}, "and the largest suffices"
