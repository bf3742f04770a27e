"""Tokenised lines in, CoNLL-U out, by a pipeline of spaCy 2 or 3 that lives in an environment of its own.

    python -m venv OLD && OLD/bin/pip install 'spacy<3' 'numpy<2' en-ud-model-sm
    dragoman annotate text.en --tokenized --with "command:OLD/bin/python tools/spacy_conllu.py en_ud_model_sm"

It imports nothing of dragoman, so that packages which our own environment cannot hold may be used all the same.
"""

import sys

import spacy
from spacy.tokens import Doc


def main() -> None:
    """Annotate standard input by the pipeline that the first argument names."""
    pipeline = spacy.load(sys.argv[1])
    for line in sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]:
        document = Doc(pipeline.vocab, words=line.split(" "))
        for token in document:
            token.is_sent_start = token.i == 0
        for _, step in pipeline.pipeline:
            document = step(document)
        root = next((token.i for token in document if token.head.i == token.i), 0)
        rows = []
        for token in document:
            head, label = (token.head.i + 1, token.dep_ or "dep")
            if token.head.i == token.i:
                head, label = (0, "root") if token.i == root else (root + 1, "dep")
            tags = [token.lemma_ or token.text, token.pos_ or "X", token.tag_ or "_", "_"]
            rows.append("\t".join([str(token.i + 1), token.text, *tags, str(head), label, "_", "_"]))
        sys.stdout.buffer.write(("\n".join(rows) + "\n\n").encode("utf-8"))


if __name__ == "__main__":
    main()
