"""Train a peer on a treebank and annotate another part of it: UDPipe 1 or spaCy 3, from scratch, on gold tokens.

It runs in an environment of its own, so that neither becomes a dependency (`run.py` says how to make it) and imports
nothing of dragoman:

    python peer.py udpipe|spacy TRAIN DEV TEST OUT [STEPS]

All parts are plain CoNLL-U. `OUT` is a folder: `test.conllu` holds the test part as the peer annotated it,
`figures.json` the CPU seconds of training, sentences a CPU second and the peak memory of annotating. UDPipe has its own
settings, with ten passes for the tagger and the parser; spaCy has its small CPU pipeline (a convolutional layer of
width 96 over hashed embeddings that tagger, morphologiser, lemmatiser and parser share, which is what `spacy init
config` writes without vectors) and stops as it does by itself, after 1,600 steps without a gain or after `STEPS`, which
are 20,000 unless told. Both keep what was best on the development part.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PASSES = "iterations=10"
Rows = list[list[str]]


def sentences(path: str) -> Iterator[Rows]:
    """The rows of each sentence: words only, no ranges and no empty nodes."""
    rows: Rows = []
    for line in Path(path).read_text("utf-8").split("\n"):
        cells = line.split("\t")
        if len(cells) == 10 and cells[0].isdigit():
            rows.append(cells)
        elif not line and rows:
            yield rows
            rows = []
    if rows:
        yield rows


def written(parts: list[Rows]) -> str:
    return "".join("".join("\t".join(cells) + "\n" for cells in rows) + "\n" for rows in parts)


def bare(rows: Rows) -> Rows:
    return [[cells[0], cells[1], *"________"] for cells in rows]


def train_udpipe(train: str, dev: str, out: Path) -> None:
    from ufal import udpipe

    def read(path: str) -> Any:
        reader = udpipe.InputFormat.newConlluInputFormat()
        reader.setText(written(list(sentences(path))))
        found, sentence = udpipe.Sentences(), udpipe.Sentence()
        while reader.nextSentence(sentence):
            found.append(sentence)
            sentence = udpipe.Sentence()
        return found

    model = udpipe.Trainer.train("morphodita_parsito", read(train), read(dev), udpipe.Trainer.NONE, PASSES, PASSES)
    (out / "model.udpipe").write_bytes(bytes(model))


def udpipe_rows(test: str, out: Path) -> tuple[float, list[Rows]]:
    from ufal import udpipe

    model = udpipe.Model.load(str(out / "model.udpipe"))
    pipeline = udpipe.Pipeline(model, "conllu", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
    text = written([bare(rows) for rows in sentences(test)])
    started = time.process_time()
    result = pipeline.process(text)
    seconds = time.process_time() - started
    (out / "test.conllu").write_text(result, "utf-8")
    return seconds, list(sentences(str(out / "test.conllu")))


CONFIG = """
[nlp]
lang = "en"
pipeline = ["tok2vec","tagger","morphologizer","trainable_lemmatizer","parser"]
batch_size = 256
[components]
[components.tok2vec]
factory = "tok2vec"
[components.tagger]
factory = "tagger"
[components.tagger.model]
@architectures = "spacy.Tagger.v2"
[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 96
[components.morphologizer]
factory = "morphologizer"
[components.morphologizer.model]
@architectures = "spacy.Tagger.v2"
[components.morphologizer.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 96
[components.trainable_lemmatizer]
factory = "trainable_lemmatizer"
[components.trainable_lemmatizer.model]
@architectures = "spacy.Tagger.v2"
[components.trainable_lemmatizer.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 96
[components.parser]
factory = "parser"
[components.parser.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "parser"
extra_state_tokens = false
hidden_width = 64
maxout_pieces = 2
use_upper = true
[components.parser.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 96
[corpora]
[corpora.train]
@readers = "spacy.Corpus.v1"
path = "{train}"
gold_preproc = true
[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "{dev}"
gold_preproc = true
[training]
seed = 1
max_epochs = 0
max_steps = {steps}
eval_frequency = 200
patience = 1600
[training.batcher]
@batchers = "spacy.batch_by_words.v1"
discard_oversize = false
tolerance = 0.2
[training.batcher.size]
@schedules = "compounding.v1"
start = 100
stop = 1000
compound = 1.001
[training.optimizer]
@optimizers = "Adam.v1"
[training.score_weights]
tag_acc = 0.2
pos_acc = 0.1
lemma_acc = 0.2
dep_las = 0.5
"""


def train_spacy(train: str, dev: str, out: Path, steps: str) -> None:
    import spacy
    from spacy.tokens import Doc, DocBin
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as train_loop
    from spacy.util import load_config_from_str

    blank = spacy.blank("en")
    for name, path in (("train", train), ("dev", dev)):
        kept = DocBin()
        for rows in sentences(path):
            heads = [int(cells[6]) - 1 if cells[6] != "0" else at for at, cells in enumerate(rows)]
            kept.add(
                Doc(
                    blank.vocab,
                    words=[cells[1].replace(" ", "_") for cells in rows],
                    pos=[cells[3] for cells in rows],
                    tags=[cells[4] for cells in rows],
                    morphs=["" if cells[5] == "_" else cells[5] for cells in rows],
                    lemmas=[cells[2] for cells in rows],
                    heads=heads,
                    deps=["ROOT" if cells[7] == "root" else cells[7] for cells in rows],
                    sent_starts=[at == 0 for at in range(len(rows))],
                )
            )
        kept.to_disk(out / f"{name}.spacy")
    text = CONFIG.replace("{train}", str(out / "train.spacy")).replace("{dev}", str(out / "dev.spacy"))
    config = spacy.util.Config(spacy.blank("en").config).merge(
        load_config_from_str(text.replace("{steps}", steps), interpolate=False)
    )
    nlp = init_nlp(config)
    train_loop(nlp, out, stdout=sys.stdout, stderr=sys.stderr)


def spacy_rows(test: str, out: Path) -> tuple[float, list[Rows]]:
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(out / "model-best")
    parts = list(sentences(test))
    made = [
        Doc(
            nlp.vocab,
            words=[cells[1].replace(" ", "_") for cells in rows],
            sent_starts=[at == 0 for at in range(len(rows))],
        )
        for rows in parts
    ]
    started = time.process_time()
    documents = list(nlp.pipe(made))
    seconds = time.process_time() - started
    return seconds, [
        [_cells(cells, token) for cells, token in zip(rows, document, strict=True)]
        for rows, document in zip(parts, documents, strict=True)
    ]


def _cells(given: list[str], token: Any) -> list[str]:
    """The row of a token of spaCy."""
    is_root = token.head.i == token.i
    head, label = ("0", "root") if is_root else (str(token.head.i + 1), token.dep_)
    tags = [token.lemma_ or token.text, token.pos_ or "X", token.tag_ or "_", str(token.morph) or "_"]
    return [*given[:2], *tags, head, label, "_", "_"]


def peak_memory() -> float:
    """Of this process, in MiB. `ru_maxrss` would not do: it starts with what the parent had when it forked."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def annotate(kind: str, test: str, out: Path) -> None:
    """In a process of its own, so that its peak memory is that of annotating."""
    seconds, rows = {"udpipe": udpipe_rows, "spacy": spacy_rows}[kind](test, out)
    (out / "test.conllu").write_text(written(rows), "utf-8")
    found = {
        "sentences / CPU s": len(rows) / seconds,
        "peak memory, MiB": peak_memory(),
    }
    (out / "speed.json").write_text(json.dumps(found), "utf-8")


def main() -> None:
    kind, train, dev, test, place, *more = sys.argv[1:]
    out = Path(place)
    out.mkdir(parents=True, exist_ok=True)
    record = out / "training.json"
    if not record.exists():
        started = time.process_time()
        if kind == "udpipe":
            train_udpipe(train, dev, out)
        else:
            train_spacy(train, dev, out, *(more or ["20000"]))
        record.write_text(json.dumps({"training, CPU s": time.process_time() - started}), "utf-8")
    work = multiprocessing.get_context("spawn").Process(target=annotate, args=(kind, test, out))
    work.start()
    work.join()
    if work.exitcode:
        sys.exit(f"{kind} could not annotate")
    found = json.loads(record.read_text("utf-8")) | json.loads((out / "speed.json").read_text("utf-8"))
    (out / "figures.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
