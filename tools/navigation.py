"""The order of the documentation: sections, and within them the pages that come first.

A hook of mkdocs. Titles are those of the pages. A page that is not named here stands in the section of its folder, in
the order in which the front page links them, and a new one at the end, so that it is never lost.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"

SECTIONS: dict[str, list[str]] = {
    "Start": ["index", "tutorial", "peers"],
    "How to": [
        "how-to/corpora", "how-to/clean", "how-to/preprocess",
        "how-to/train", "how-to/translate", "how-to/scale", "how-to/serve", "how-to/documents", "how-to/learn",
        "how-to/tune",
        "how-to/moses",
        "how-to/score", "how-to/compare", "how-to/correlate", "how-to/assess", "how-to/assess-serve",
        "how-to/similarity",
        "how-to/align", "how-to/expressions", "how-to/language-models", "how-to/deep-syntax",
        "how-to/translation-tables",
        "how-to/sparse-features", "how-to/feature-rich", "how-to/combine", "how-to/select-data",
        "how-to/unknown-words", "how-to/paraphrases", "how-to/profiles", "how-to/vectors", "how-to/substitution",
        "how-to/annotate", "how-to/syntax",
        "how-to/functions", "how-to/entailment",
        "how-to/synthetic-corpus", "how-to/",
    ],
    "Concepts": [
        "concepts/reversible-text", "concepts/alignment-models", "concepts/phrase-extraction",
        "concepts/phrase-decoder", "concepts/joint-model", "concepts/tuning", "concepts/forest", "concepts/lm-bounds",
        "concepts/hierarchical-rules", "concepts/hierarchical-decoding",
        "concepts/left-to-right-decoding", "concepts/natural-logic", "concepts/direct-assessment", "concepts/",
    ],
    "Experiments": ["experiments/multi30k/index", "experiments/"],
    "Reference": [
        "reference/commands", "reference/python/dragoman", "reference/python/", "formats", "reference/",
        "reference/metrics/", "glossary",
    ],
    "Project": ["architecture", "reliability", "scale", ""],
}  # fmt: skip
"""Sections by title; a name is a page, or with `/` at its end all pages of a folder that are not named before."""


TITLES = {"index.md": "Welcome", "experiments/p13/index.md": "MERT: searches and windows"}
"""Where the title of a page is not what people look for."""


def ordered(pages: list[str]) -> dict[str, list[str]]:
    """The pages (`how-to/train.md`) by section, each once; what no section claims is in the last one."""
    exact = {f"{name}.md" for names in SECTIONS.values() for name in names}
    linked = re.findall(r"\]\(([^)#]+\.md)", (DOCS / "index.md").read_text("utf-8"))
    left = sorted(pages, key=lambda page: (linked.index(page) if page in linked else len(linked), page))
    found: dict[str, list[str]] = {}
    folders = sorted((name for names in SECTIONS.values() for name in names if name.endswith("/")), key=len)
    owner = {page: max((each for each in folders if page.startswith(each)), key=len, default="") for page in left}
    for title, names in SECTIONS.items():
        found[title] = []
        for name in names:
            if f"{name}.md" in left:
                found[title].append(f"{name}.md")
            elif name.endswith("/") or not name:
                found[title] += [page for page in left if owner[page] == name and page not in exact]
    return found


def on_files(files: Any, config: Any) -> Any:
    """Give mkdocs the order; the pages that are made by other hooks are among the files by now."""
    pages = [file.src_uri for file in files.documentation_pages()]
    config["nav"] = [
        {section: [{TITLES[page]: page} if page in TITLES else page for page in found]}
        for section, found in ordered(pages).items()
        if found
    ]
    return files
