"""The sparse templates by name, and sets of them as the papers used them.

>>> template("rule:min_count=51").prefix
'rule'
>>> template("shape:parts=source+target").parts
('source', 'target')
>>> [each.name for each in preset("sparse")]
['rule', 'link', 'delete', 'orient']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any

from dragoman.errors import SettingError
from dragoman.features.template import Classes, Domains, Template, Words
from dragoman.registry import Registry

__all__ = ["PRESETS", "TEMPLATES", "preset", "template"]

_LEXICAL, _MEASURES, _CONTEXT = (f"dragoman.features.{module}" for module in ("lexical", "measures", "context"))

TEMPLATES = Registry[Template](
    "template",
    {
        "boundary": f"{_CONTEXT}:Boundaries",
        "class_ngram": f"{_CONTEXT}:ClassNgrams",
        "delete": f"{_LEXICAL}:Deletions",
        "delete_class": f"{_LEXICAL}:DeletionClasses",
        "delete_head": f"{_MEASURES}:HeadDeletions",
        "delete_pos": f"{_MEASURES}:TaggedDeletions",
        "domain": f"{_CONTEXT}:DomainRules",
        "domain_adjacent": f"{_CONTEXT}:AdjacentDomain",
        "function_words": f"{_MEASURES}:FunctionWords",
        "idf": f"{_MEASURES}:Idf",
        "insert": f"{_LEXICAL}:Insertions",
        "insert_class": f"{_LEXICAL}:InsertionClasses",
        "jump": f"{_CONTEXT}:Jumps",
        "link": f"{_LEXICAL}:Links",
        "link_class": f"{_LEXICAL}:LinkClasses",
        "orient": f"{_CONTEXT}:Orientations",
        "orient_class": f"{_CONTEXT}:OrientationClasses",
        "pos_order": f"{_CONTEXT}:TagOrder",
        "punctuation": f"{_MEASURES}:Punctuation",
        "rule": f"{_LEXICAL}:Rules",
        "rule_class": f"{_LEXICAL}:RuleClasses",
        "shape": f"{_MEASURES}:Shape",
        "target_class": f"{_LEXICAL}:TargetClasses",
        "target_ngram": f"{_CONTEXT}:TargetNgrams",
    },
)

PRESETS = ("sparse", "wmt13", "extended", "filtered", "domain")
"""Sets of templates: lexicalised without filters (2013), the same with two orientations (2013), over classes and
shapes, lexicalised for frequent rules, and lexicalised with domains (all 2014)."""


def template(spec: str, /, **options: Any) -> Template:
    """A template by its name, with options in the text (`rule:min_count=51`) or by keyword."""
    name, _, rest = spec.partition(":")
    found = TEMPLATES.get(name)
    known = {option.name: option for option in fields(found)}
    given = dict(options)
    for item in filter(None, rest.split(",")):
        key, equals, text = item.partition("=")
        if key not in known:
            raise SettingError(f"`{name}` has no option {key!r}", remedy=f"it has {', '.join(known)}")
        given[key] = _value(name, key, text, known[key].default) if equals else True
    if unknown := sorted(set(given) - set(known)):
        raise SettingError(f"`{name}` has no option {unknown[0]!r}", remedy=f"it has {', '.join(known)}")
    missing = [key for key, option in known.items() if option.default is MISSING and key not in given]
    if missing:
        raise SettingError(f"`{name}` needs {', '.join(missing)}", remedy=f"give {missing[0]}=…")
    return found(**given)


def _value(name: str, key: str, text: str, default: object) -> object:
    if key == "domains":
        return Domains.parse(text)
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise SettingError(f"`{name}`: {key}={text}", remedy="write true or false")
        return text.lower() == "true"
    if isinstance(default, int):
        if not text.lstrip("-").isdigit():
            raise SettingError(f"`{name}`: {key}={text}", remedy="write a whole number")
        return int(text)
    return tuple(text.split("+")) if isinstance(default, tuple) else text


def preset(
    name: str,
    *,
    source_classes: Classes | None = None,
    target_classes: Classes | None = None,
    function_words: tuple[Words, Words] | None = None,
    min_count: int = 51,
    domains: Domains | None = None,
) -> list[Template]:
    """Templates of one or more sets, joined by `+`: `extended+filtered`.

    `min_count` is that of lexicalised rules and orientations in `filtered` and `domain`; the authors took 51 for
    bitexts of millions of sentences. A template of two sets is taken from the last one.
    """
    found: dict[str, Template] = {}
    for part in name.split("+"):
        if part not in PRESETS:
            raise SettingError(f"no set of templates is called {part!r}", remedy=f"choose from {', '.join(PRESETS)}")
        if part == "domain" and domains is None:
            raise SettingError("the set `domain` needs domains", remedy="give domains=Domains(...)")
        if part == "extended":
            chosen = _extended(source_classes, target_classes, function_words)
        elif part in ("filtered", "domain"):
            chosen = _filtered(min_count, domains if part == "domain" else None)
        else:
            chosen = [template("rule"), template("link" if part == "sparse" else "link:unit=clique"),
                      template("delete"), template("orient" if part == "sparse" else "orient:classes=2")]  # fmt: skip
        found |= {each.prefix: each for each in chosen}
    return list(found.values())


def _filtered(min_count: int, domains: Domains | None) -> list[Template]:
    chosen = [
        template("rule", min_count=min_count, domains=domains),
        template("link", domains=domains),
        template("orient", min_count=min_count, domains=domains),
    ]
    if domains is not None:
        chosen += [template("domain", domains=domains), template("domain_adjacent", domains=domains)]
    return chosen


def _extended(
    source: Classes | None, target: Classes | None, function_words: tuple[Words, Words] | None
) -> Sequence[Template]:
    if source is None or target is None:
        raise SettingError("the set `extended` needs classes", remedy="give source_classes= and target_classes=")
    both = {"source_classes": source, "target_classes": target}
    chosen = [
        template("rule_class", **both),
        template("target_class", target_classes=target),
        template("link_class", **both),
        template("delete_class", source_classes=source),
        template("punctuation"),
        template("boundary", target_classes=target),
        template("shape"),
        template("orient_class", **both),
        template("jump"),
    ]
    if function_words is not None:
        words = {"source_words": function_words[0], "target_words": function_words[1]}
        chosen.insert(5, template("function_words", **words))
    return chosen
