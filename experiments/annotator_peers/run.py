"""Taggers and parsers trained on the same sentences: ours, UDPipe 1 and spaCy 3.

    python experiments/annotator_peers/run.py --peers build/peers --cache build/annotator-peers --every 20,4,1

All learn from the same share of the training part of English-EWT (`--every 20,4,1`: every twentieth sentence, every
fourth, and all; `every` below the tables says which were run) and annotate the test part with gold tokens, each with
its default settings. Peers are trained from scratch by `peer.py`, which says what these are, in an environment of their
own: `--peers` names its folder, and if there is none, it is made there, which needs a package index. They choose their
best pass on a quarter of the development part; ours does not look at it.
`p LAS` and its kin are those of the difference to ours, by approximate randomization over sentences (two-sided, 10,000
samples). Seconds are of one processor, and memory is the peak of a process that reads the model and annotates.

The first table says where copies and folds of small treebanks come from. A perceptron depends on the order in which it
saw its sentences, and the more, the fewer there are: `copies` are trained on different orders and averaged (McDonald,
Hall and Mann 2010). A parser should learn from tags as bad as those that it will see: `folds` says into how many parts
the treebank is cut, so that each is tagged by a tagger that learnt from the others; with few sentences, a tagger needs
all that ten folds leave it. Both are chosen on the development part, for every twentieth sentence; `p` is that of the
difference to one copy and four folds. Of more sentences, copies are fewer: so many as see 12,000 sentences in all.

`--cache FOLDER` keeps models and what peers made. `--steps 6000` ends spaCy's training after so many batches, of 100
words at first and of 1,000 in the end, instead of 20,000, if 1,600 without a gain do not end it before. With `--small`
synthetic sentences stand in, without peers.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from dragoman.annotations import Sentence, conllu
from dragoman.annotations.annotator import Annotator
from dragoman.annotations.scoring import score
from dragoman.annotations.syntax import Syntax, SyntaxSettings
from dragoman.text import synthetic
from experiments.common import Claim, Table, arguments, dot_plot, publish, spent_before
from experiments.trained_annotators import annotated, figures_of, memory_of, p_value, trained_model

HOME = Path(__file__).parent.parent.parent
UD = Path(os.environ.get("DRAGOMAN_DATA", HOME.parent / "shared" / "data")) / "treebanks" / "ud"
SMALL = 20
"""Copies and folds are compared on every so manieth sentence."""
TRIED = ((1, 4), (1, 10), (4, 10))
"""Copies and folds."""
BEFORE, CHOSEN = TRIED[0], TRIED[-1]
LAYERS = ("UPOS", "XPOS", "features", "lemmas", "UAS", "LAS")
TESTED = ("UPOS", "lemmas", "LAS")
COSTS = ("training, CPU s", "sentences / CPU s", "peak memory, MiB")
PEERS = {"udpipe": "UDPipe 1", "spacy": "spaCy 3"}
PACKAGES = ("ufal.udpipe==1.4.0.1", "spacy==3.8.18")
Parts = dict[str, list[Sentence]]


def parts_of(every: int, small: bool) -> Parts:
    if small:
        made = [item.source.annotated for item in synthetic.pair("en-de").generate(120, seed=1)]
        return {"train": made[:60], "dev": made[60:90], "test": made[90:]}
    steps = {"train": every, "dev": 1, "test": 1}
    return {part: list(conllu.read(UD / f"en_ewt-ud-{part}.conllu.gz"))[::step] for part, step in steps.items()}


def model_of(folder: Path, train: list[Sentence], settings: SyntaxSettings) -> tuple[Annotator, Path, float]:
    """Our model, where it is, and the processor seconds of training."""
    chosen = settings.for_treebank(len(train))
    path = folder / f"ours-{len(train)}-{chosen.copies}-{chosen.folds}"
    model, seconds = trained_model(path, lambda: Syntax.train(train, chosen, threads=1))
    return model, path, seconds


def settings_rows(folder: Path, parts: Parts, epochs: int) -> list[dict[str, Any]]:
    """What copies and folds are worth on the development part."""
    rows, found = [], {}
    for copies, folds in TRIED:
        settings = SyntaxSettings(copies=copies, folds=folds, epochs=epochs)
        model, _, seconds = model_of(folder, parts["train"], settings)
        found[copies, folds], _ = annotated(model, parts["dev"])
        row: dict[str, Any] = {"sentences": len(parts["train"]), "copies": copies, "folds": folds}
        row |= figures_of(score(parts["dev"], found[copies, folds]), LAYERS)
        is_first = (copies, folds) == BEFORE
        row["p"] = math.nan if is_first else p_value(parts["dev"], found[copies, folds], found[BEFORE], "LAS")
        rows.append(row | {"training, CPU s": seconds})
        print(rows[-1], flush=True)
    return rows


def environment(folder: Path) -> Path:
    """The Python of the peers' environment, which is made if it is not there."""
    python = folder.absolute() / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def peer_output(
    folder: Path, python: Path, kind: str, parts: Parts, steps: int
) -> tuple[list[Sentence], dict[str, float]]:
    """The test part as a peer annotates it that learnt from the same sentences, and what that cost."""
    size = len(parts["train"])
    out = folder / (f"{kind}-{size}-{steps}" if kind == "spacy" else f"{kind}-{size}")
    if (out / "figures.json").exists():
        spent_before(json.loads((out / "figures.json").read_text("utf-8"))["training, CPU s"])
    else:
        given = []
        for part, step in (("train", 1), ("dev", 4), ("test", 1)):
            given.append(folder / f"{part}-{size}.conllu")
            conllu.write(parts[part][::step], given[-1])
        command = [python, Path(__file__).parent / "peer.py", kind, *map(Path.resolve, given), out.resolve(), steps]
        subprocess.run([*map(str, command)], check=True)
    return list(conllu.read(out / "test.conllu")), json.loads((out / "figures.json").read_text("utf-8"))


def system_rows(folder: Path, parts: Parts, epochs: int, python: Path | None, steps: int) -> list[dict[str, Any]]:
    """Ours and the peers on the test part."""
    gold = parts["test"]
    model, path, seconds = model_of(folder, parts["train"], SyntaxSettings(epochs=epochs))
    ours, speed = annotated(model, gold)
    found = {"dragoman": (ours, dict(zip(COSTS, (seconds, speed, memory_of(path, gold)), strict=True)))}
    if python is not None:
        found |= {name: peer_output(folder, python, kind, parts, steps) for kind, name in PEERS.items()}
    rows = []
    for name, (made, costs) in found.items():
        row = {"sentences": len(parts["train"]), "system": name, **figures_of(score(gold, made), LAYERS)}
        row |= {f"p {layer}": math.nan if name == "dragoman" else p_value(gold, ours, made, layer) for layer in TESTED}
        rows.append(row | {cost: costs[cost] for cost in COSTS})
        print(rows[-1], flush=True)
    return rows


def better(t: Table, peer: str, layer: str) -> bool:
    """Whether ours is better for every size of the treebank, and not by chance: p times the number of sizes."""
    pairs = list(zip(t.where(system="dragoman"), t.where(system=peer), strict=True))
    return all(one[layer] > other[layer] and len(pairs) * other[f"p {layer}"] < 0.05 for one, other in pairs)


def cheaper(t: Table, cost: str, sign: int) -> bool:
    """Whether ours costs less (sign -1) or does more (sign 1) than every peer, for every size."""
    ours = {row["sentences"]: row[cost] for row in t.where(system="dragoman")}
    return all(sign * (ours[row["sentences"]] - row[cost]) > 0 for row in t.rows if row["system"] != "dragoman")


def claims_of(peers: list[str], sizes: str) -> list[Claim]:
    """What is claimed of ours beside peers."""
    claims = [
        Claim(f"{what} better than those of {peer}, with {sizes} (p < 0.05, times the number of sizes)", holds)
        for layer, what in (("UPOS", "tags are"), ("lemmas", "lemmas are"), ("LAS", "trees (LAS) are"))
        for peer in peers
        for holds in [lambda t, peer=peer, layer=layer: better(t, peer, layer)]
    ]
    if peers:
        claims += [
            Claim("training takes less processor time than either peer's", lambda t: cheaper(t, COSTS[0], -1)),
            Claim("annotating is faster than either peer's", lambda t: cheaper(t, COSTS[1], 1)),
            Claim("annotating takes less memory than either peer's", lambda t: cheaper(t, COSTS[2], -1)),
        ]
    return claims


def main() -> None:
    options = arguments(
        __doc__, out="docs/experiments/annotator-peers", cache="", peers="", every="20", steps=20_000, small=False
    )
    epochs = 2 if options.small else SyntaxSettings().epochs
    python = environment(Path(options.peers)) if options.peers and not options.small else None
    systems: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(options.cache or place)
        folder.mkdir(parents=True, exist_ok=True)
        settings = settings_rows(folder, parts_of(SMALL, options.small), epochs)
        for every in (1,) if options.small else map(int, options.every.split(",")):
            systems += system_rows(folder, parts_of(every, options.small), epochs, python, options.steps)
    chosen = dict(zip(("copies", "folds"), CHOSEN, strict=True))

    def helps(t: Table) -> bool:
        [before], [now] = t.where(copies=BEFORE[0], folds=BEFORE[1]), t.where(**chosen)
        return bool(now["LAS"] > before["LAS"] and now["p"] < 0.05)

    compared = Table(("sentences", "system"), tuple(systems))
    sizes = " and with ".join(f"{row['sentences']:,} sentences" for row in compared.where(system="dragoman"))
    publish(
        "Annotators and their peers",
        __doc__,
        {
            "Copies and folds, development part": (
                Table(("sentences", "copies", "folds"), tuple(settings)),
                [Claim("four copies and ten folds have better trees (LAS, p < 0.05) than one copy and four", helps)],
            ),
            "Trained on the same sentences, test part": (
                compared,
                claims_of(list(PEERS.values()) if python else [], sizes),
            ),
        },
        pictures={"plot": dot_plot(compared, label=lambda row: f"{row['system']}, {row['sentences']}", figure="LAS")},
        out=options.out,
        settings={
            "every": options.every,
            "steps": options.steps,
            "peers": list(PACKAGES) if python else [],
            "small": options.small,
        },
    )


if __name__ == "__main__":
    main()
