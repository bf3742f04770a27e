"""Sets of sparse templates, as the papers used them.

>>> [each.name for each in preset("sparse")]
['rule', 'link', 'delete', 'orient']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dragoman.errors import SettingError
from dragoman.features.template import Classes, Domains, Template, Words
from dragoman.features.template_specs import TEMPLATES, TemplateSpec

__all__ = ["PRESETS", "preset", "template_specs"]

_SETS = {
    "sparse": ("rule", "link", "delete", "orient"),
    "wmt13": ("rule", "link:unit=clique", "orient:classes=2", "delete_pos", "delete_head", "idf", "pos_order"),
    "extended": (
        "rule_class", "target_class", "link_class", "delete_class", "punctuation", "function_words", "boundary",
        "shape", "orient_class", "jump",
    ),
    "filtered": ("rule", "link", "orient"),
    "domain": ("rule", "link", "orient", "domain", "domain_adjacent"),
}  # fmt: skip
_COUNTED = ("rule", "orient")  # what `filtered` and `domain` filter by count

PRESETS = tuple(_SETS)
"""Sets of templates: lexicalised without filters (2013), the same with tags, heads and inverse frequencies (2013,
for the WMT), over classes and shapes, lexicalised for frequent rules, and lexicalised with domains (all 2014)."""


def template_specs(texts: Iterable[str], *, min_count: int = 51, domains: Domains | None = None) -> list[TemplateSpec]:
    """Templates of specifications and sets, which may be joined by `+`: `extended+filtered`, `orient:classes=2`.

    `min_count` is that of lexicalised rules and orientations in the sets `filtered` and `domain`; the authors took 51
    for bitexts of millions of sentences. Of two templates with one prefix the last one counts. A bare `domain` is the
    set, `domain:` the template.
    """
    found: dict[str, TemplateSpec] = {}
    for text in texts:
        names = text.split("+")
        if ":" in text or (text in TEMPLATES and text not in PRESETS):
            chosen = [TemplateSpec.parse(text).filled({"domains": domains} if domains else {})]
        elif unknown := [name for name in names if name not in PRESETS]:
            remedy = f"choose from {', '.join(PRESETS)}, or from `dragoman list templates`"
            raise SettingError(f"no set of templates is called {unknown[0]!r}", remedy=remedy)
        else:
            chosen = [spec for name in names for spec in _set(name, min_count, domains)]
        found |= {spec.prefix: spec for spec in chosen}
    return list(found.values())


def _set(name: str, min_count: int, domains: Domains | None) -> list[TemplateSpec]:
    if name == "domain" and domains is None:
        raise SettingError("the set `domain` needs domains", remedy="name them, the default first")
    chosen = [TemplateSpec.parse(spec) for spec in _SETS[name]]
    more: dict[str, Any] = {"domains": domains} if name == "domain" else {}
    if name not in ("filtered", "domain"):
        return chosen
    return [TemplateSpec(s.name, more | ({"min_count": min_count} if s.name in _COUNTED else {})) for s in chosen]


def preset(
    name: str,
    *,
    source_classes: Classes | None = None,
    target_classes: Classes | None = None,
    function_words: tuple[Words, Words] | None = None,
    min_count: int = 51,
    domains: Domains | None = None,
    resources: Mapping[str, Any] | None = None,
) -> list[Template]:
    """Templates of one or more sets, joined by `+`: `extended+filtered` (see `template_specs`).

    Without `function_words`, `extended` is without the template of that name. What options of other templates hold
    is in `resources`, by name: for `wmt13` the `frequent` target words, and frequencies of `source` and `target`.
    """
    chosen = template_specs([name], min_count=min_count, domains=domains)
    given: dict[str, Any] = {"source_classes": source_classes, "target_classes": target_classes, **(resources or {})}
    if function_words is not None:
        given |= {"source_words": function_words[0], "target_words": function_words[1]}
    else:
        chosen = [spec for spec in chosen if spec.name != "function_words"]
    known = {key: value for key, value in given.items() if value is not None}
    return [spec.filled(known).make() for spec in chosen]
