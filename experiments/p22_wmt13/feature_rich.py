"""The systems of the experiment: the recipe `wmt13` of each direction, and what is changed of it.

Text, alignment and table of a variant come from the stages of training, kept in the cache; its weights are tuned online
on the dev set with several seeds, and the epoch is chosen on held-out text. Captions have no second dev set: the last
pairs of their training text are held out; descriptions cut theirs off the dev set.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dragoman
from dragoman.pipeline.model import Model
from dragoman.pipeline.named_recipes import open_recipe
from dragoman.pipeline.recipe import Recipe
from dragoman.pipeline.tune import tune_model
from dragoman.seeds import stream
from dragoman.text.tokenizer import Tokenizer
from dragoman.tuning.families import Selection
from dragoman.tuning.online import Online
from experiments.parsers import RememberingAnnotator, parser
from experiments.recipes import Systems, texts

__all__ = ["SETS", "FeatureRich", "Variant", "sparse", "variants"]

SETS = ("multi30k en-de", "multi30k de-en", "debian en-de", "debian de-en")
FURTHER = 30_000
"""Lines of the other collection that the second language model is made from."""
Texts = tuple[list[str], list[str]]


@dataclass(frozen=True)
class Variant:
    """What differs from the recipe: settings of training, of the tuner, and which text there is."""

    recipe: tuple[str, ...] = ()
    tuner: tuple[str, ...] = ()
    second_model: bool = True
    text: str = "all"
    seeds: bool = False
    """Whether it is tuned with several seeds, and not only with the first."""


def templates_of(name: str) -> list[str]:
    """The sparse templates of a set's recipe, one by one."""
    specs = recipe_of(name).template_specs(0)
    options = [",".join(f"{option}={value}" for option, value in spec.options.items()) for spec in specs]
    return [f"{spec.name}:{told}" if told else spec.name for spec, told in zip(specs, options, strict=True)]


def recipe_of(name: str) -> Recipe:
    return open_recipe("wmt13-into-german" if name.endswith("-de") else "wmt13-from-german")


def variants(name: str) -> dict[str, Variant]:
    """All that is measured on a set, by name."""
    own = templates_of(name)

    def templates(*out: str, more: Iterable[str] = ()) -> tuple[str, ...]:
        kept = [spec for spec in own if spec.partition(":")[0] not in out]
        return (f"templates={','.join([*kept, *more])}",)

    ordered = "pos_order" in own
    return {
        "dense": Variant(("templates=",), seeds=True),
        "feature-rich": Variant(seeds=True),
        "BLEU+1": Variant(tuner=("sentence_metric=bleu+1",), seeds=True),
        "lambda 0.1": Variant(tuner=("l1_families.orient=0.1",)),
        "lambda 1": Variant(tuner=("l1=1", "l1_families.orient=1")),
        "lambda 10": Variant(tuner=("l1=10", "l1_families.orient=10")),
        "no compounds": Variant(("source_pieces=words", "target_pieces=words")),
        "no second model": Variant(second_model=False),
        "no counts of rules": Variant(("rule_counts=false",)),
        "no tags and heads": Variant(templates("delete_pos", "delete_head", "pos_order")),
        "no inverse frequencies": Variant(templates("idf")),
        "no words": Variant(templates("rule", "link")),
        "no orientation": Variant(templates("orient")),
        "no order of tags" if ordered else "order of tags": Variant(
            templates("pos_order") if ordered else templates(more=["pos_order"])
        ),
        "classes": Variant(templates(more=["extended"])),
        "a quarter, chosen": Variant(text="chosen"),
        "a quarter, at random": Variant(text="random"),
    }


class FeatureRich(Systems):
    """Models and tuned weights of the variants."""

    def texts(self, name: str) -> dict[str, Texts]:
        """Train, dev, heldout and test."""
        size, parts = self.options.heldout, dict(texts(name, self.small))
        if self.small or name.startswith("multi30k"):
            train = parts["train"]
            parts |= {"train": (train[0][:-size], train[1][:-size]), "heldout": (train[0][-size:], train[1][-size:])}
        else:
            dev = parts["dev"]
            parts["heldout"] = (
                dev[0][self.options.dev : self.options.dev + size],
                dev[1][self.options.dev : self.options.dev + size],
            )
        sizes = {"train": self.options.train, "dev": self.options.dev, "test": self.options.test}
        return {
            part: (source[: sizes.get(part) or None], target[: sizes.get(part) or None])
            for part, (source, target) in parts.items()
        }

    @cache  # noqa: B019 - one object lives as long as the program
    def source_parser(self, name: str) -> tuple[RememberingAnnotator, dict[str, Any]]:
        """What tags and parses the source side: each sentence once, for all runs."""
        language = "de" if name.endswith("-en") else "en"
        model, figures = parser(
            language,
            self.stages,
            small="source" if self.small else "",
            sentences=self.options.treebank,
            epochs=4,
            cased=name.startswith("debian") and language == "de",
        )
        return RememberingAnnotator(model), figures

    def spent_aside(self, name: str) -> float:
        return self.source_parser(name)[0].seconds

    def further(self, name: str) -> list[Path]:
        """Text of the target language from the other collection."""
        path = Path(self._folder.name) / f"further {name}"
        if not path.is_file():
            if self.small:
                lines = texts(name, True)["train"][1][-100:]
            elif name.startswith("multi30k"):
                side = texts("debian en-de", False)["train"][name.endswith("-de")][:FURTHER]
                tokenizer = Tokenizer(name[-2:])
                lines = [" ".join(tokens).lower() for tokens in tokenizer.tokenize(side)]
            else:
                lines = texts("multi30k en-de", False)["train"][name.endswith("-de")][:FURTHER]
            path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return [path]

    @cache  # noqa: B019
    def trained(self, name: str, variant: Variant) -> Model:
        """The model of a variant, without tuned weights."""
        parts = self.texts(name)
        source, target = parts["train"]
        quick = ["order=3"] if self.small else []
        more: dict[str, Any] = {}
        size = len(source) // 4
        if variant.text == "chosen":
            path = Path(self._folder.name) / f"to translate {name}"
            path.write_text("".join(f"{line}\n" for line in parts["test"][0]), "utf-8")
            quick, more = [*quick, f"select_pairs={size}"], {"domain_text": [path]}
        elif variant.text == "random":
            rows = sorted(stream(22, name).permutation(len(source))[:size].tolist())
            source, target = [source[row] for row in rows], [target[row] for row in rows]
        settings = [
            f"tokenized={'false' if name.startswith('debian') else 'true'}",
            *("tuner=none", "heldout_size=0", f"aligner={self.options.aligner}"),
            *(f"search.pop_limit={self.options.pops}", f"search.beam={self.options.pops}"),
            *quick,
            *variant.recipe,
        ]
        annotator = self.source_parser(name)[0]
        model = dragoman.train(
            source,
            target,
            dev=parts["dev"],
            languages=(name[-5:-3], name[-2:]) if "-" in name[-3:] else ("de", "en"),
            recipe=recipe_of(name).changed(settings),
            lm_text=self.further(name) if variant.second_model else (),
            output=Path(self._folder.name) / f"model-{len(list(Path(self._folder.name).glob('model-*')))}",
            annotator=annotator,
            cache=self.stages,
            **more,
        )
        return model.with_annotator(annotator)

    def tuned(self, name: str, system: str, seed: int = 1) -> dict[str, Any]:
        """What tuning gave, epoch by epoch, and translations of the test set under chosen and last weights."""
        variant = variants(name)[system]
        recipe = recipe_of(name)

        def work() -> dict[str, Any]:
            parts = self.texts(name)
            model = self.trained(name, variant)
            known = {each.prefix for each in model.decoder.templates}
            settings = [*recipe.tuner_settings, *variant.tuner]
            tuner = Online.configured(
                [each for each in settings if "orient" in known or not each.startswith("l1_families.orient")]
            )
            result = tune_model(
                model,
                parts["dev"][0],
                [parts["dev"][1]],
                tuner=tuner,
                iterations=self.options.iterations,
                nbest=self.options.nbest,
                seed=seed,
                heldout=(parts["heldout"][0], [parts["heldout"][1]]),
            )
            found: dict[str, Any] = {
                "dev": [round(100 * each.score, 3) for each in result.history],
                "heldout": [round(100 * (each.heldout or 0.0), 3) for each in result.history],
                "chosen": result.best_iteration,
                "families": dict(Selection.of(result.weights).kept),
                "last families": dict(Selection.of(result.history[-1].weights).kept),
            }
            weights = {"chosen": result.weights, "last": result.history[-1].weights}
            for which, each in weights.items():
                if which == "last" and result.best_iteration == len(result.history) - 1:
                    found["last"] = found["chosen outputs"]
                    continue
                started = time.process_time() - self.spent_aside(name)
                outputs = model.with_weights(each).translate(parts["test"][0], threads=1)
                if which == "chosen":
                    found["seconds"] = round(time.process_time() - self.spent_aside(name) - started, 1)
                found["chosen outputs" if which == "chosen" else "last"] = [one.text for one in outputs]
            return found

        settings = {
            "set": name,
            "recipe": [*recipe.tuner_settings, str(variant)],
            **{option: getattr(self.options, option) for option in ("heldout", "nbest", "pops", "treebank")},
            "seed": seed,
        }
        found: dict[str, Any] = self.remember("tuned", settings, work)
        return found

    def seeds(self, name: str, system: str) -> list[dict[str, Any]]:
        """All runs of a system."""
        count = self.options.seeds if variants(name)[system].seeds else 1
        return [self.tuned(name, system, seed) for seed in range(1, count + 1)]

    def outputs(self, name: str, system: str, which: str = "chosen outputs") -> list[Sequence[str]]:
        return [run[which] for run in self.seeds(name, system)]


def sparse(families: Mapping[str, int]) -> int:
    """Features with a weight that are not dense."""
    return sum(count for family, count in families.items() if family != "dense")
