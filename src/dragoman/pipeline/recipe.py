"""The recipe: everything that decides what a model becomes, in one value.

A recipe is kept in the bundle it made, read from and written to TOML, and is the same from Python, the command line and
a server. It says nothing about where text lies or how many threads work on it: those change nothing in the result. It
may say where to work (`on`), which changes nothing either, and is not kept. The defaults are measured ones
(`docs/experiments/multi30k`).

    >>> recipe = Recipe(order=4, tuner="none")
    >>> Recipe.from_dict(recipe.to_dict()) == recipe
    True
    >>> recipe.changed(["order=6", "reordering="]).reordering
    ''
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast, get_args

from dragoman.align import ALIGNERS, HEURISTICS
from dragoman.align.grouping import ANCHOR_LINKS
from dragoman.align.symmetrize import USUAL
from dragoman.annotations.phrase_spans import SPAN_LAYERS
from dragoman.errors import SettingError
from dragoman.features.bilingual import BILINGUAL
from dragoman.features.extra_rules import KINDS as EXTRA_KINDS
from dragoman.features.imported import ImportedFeature
from dragoman.features.soft_syntax import SoftSyntax
from dragoman.features.template import Domains
from dragoman.features.template_sets import template_specs
from dragoman.features.template_specs import TemplateSpec, split_specs
from dragoman.files import writing
from dragoman.grammar import EXTRACTION_FEATURES, LIMITS
from dragoman.grammar.augment import POLICIES, parse_split
from dragoman.grammar.extraction_features import ImportedExtractionFeature
from dragoman.grammar.limits import SYSTEMS, RuleLimits
from dragoman.grammar.scoring import SMOOTHING, Scoring, reordering_for
from dragoman.neural.joint_training import JointSettings
from dragoman.pipeline.stored_templates import usual_min_count
from dragoman.plain_data import read_toml
from dragoman.search import DECODERS
from dragoman.search.base import Decoder
from dragoman.search.settings import SearchSettings
from dragoman.semantics.embeddings import VectorSettings
from dragoman.settings import Settings, declared, read_texts, setting
from dragoman.text.checks import CHECKS
from dragoman.text.pieces import Pieces
from dragoman.text.placeholders import KINDS, Finder
from dragoman.text.preprocessing import Case, Preprocessing
from dragoman.text.segmenting import Segmentation
from dragoman.tuning import TUNERS, get_tuner
from dragoman.tuning.base import Tuner
from dragoman.tuning.folds import LEARNER
from dragoman.tuning.online import Online

__all__ = ["Recipe"]

PIECES = ("auto", "words", "subwords", "morphs", "compounds")

FOLDS_FROM = 10_000
"""Pairs from which on folds of the text teach the weights of sparse templates enough to pay."""
FOLDS = 5
"""Parts that the text is cut into."""
FOLD_PAIRS = 30_000
"""Pairs that teach them all they can in a time that people wait."""


def _graph_kinds() -> tuple[str, ...]:
    from dragoman.semantics.graph import GRAPH_KINDS  # needs scipy, which few who load a model do

    return GRAPH_KINDS


@dataclass(frozen=True, kw_only=True)
class Recipe(Settings):
    """How raw text becomes a tuned model."""

    kind: str = setting("phrase", "What kind of model: see `dragoman list decoders`.", choices=lambda: list(DECODERS))

    # Text
    tokenized: bool = setting(False, "The text is tokenised and cased as it should be: leave it as it is.")
    split: bool = setting(True, "Find the sentences within a segment; each is translated by itself.")
    case: str = setting("truecase", "What becomes of capitals.", choices=get_args(Case))
    segment: str = setting(
        "auto",
        "What text without blanks between words is cut into; `auto` is words for languages that are written so.",
        choices=get_args(Segmentation),
    )
    source_pieces: str = setting(
        "auto",
        "What words of the source are cut into; `auto` is morphs for text of under 10,000 lines that has many words "
        "only once, and many more than its translation, and else words.",
        choices=PIECES,
    )
    target_pieces: str = setting(
        "auto", "The same of the target, into which they are put together; `auto` is words.", choices=PIECES
    )
    subwords: int = setting(8000, "Subwords to learn where words are cut into these.", least=8)
    postprocess: str = setting(
        "rules",
        "What gives tokens their case and puts them together after decoding: rules; or, learned from the target side, "
        "a `language-model` that chooses the case, or a `random-field` that restores case and blanks.",
        choices=("rules", "language-model", "random-field"),
    )
    postprocess_lines: int = setting(4000, "Lines that a random field learns from, which is slow.", least=1)
    agreement: str = setting(
        "",
        "A lexicon of inflected forms of the target, by which French adjectives and participles are made to agree "
        "after decoding; `annotate_target` parses them. See `dragoman text inflections`.",
    )
    clean: tuple[str, ...] = setting(
        ("empty", "control", "length", "ratio"), "Checks by which pairs are removed.", choices=lambda: list(CHECKS)
    )
    protect: tuple[str, ...] = setting(tuple(KINDS), "Kinds of spans that are not translated.", choices=KINDS)
    terms: tuple[str, ...] = setting((), "Words and phrases that are not translated.")
    patterns: tuple[str, ...] = setting((), "Regular expressions of what is not translated.")
    max_words: int = setting(100, "Longest side of a pair that is learned from.", least=1)
    dev_size: int = setting(
        0,
        "Pairs held out for tuning if there is no dev set; 0 is a twentieth, in round hundreds, if tuning needs them.",
        least=0,
    )
    heldout_size: int = setting(
        0,
        "Pairs of the dev set that are not tuned on, if there is no held-out set: the iteration that translates them "
        "best is kept.",
        least=0,
    )
    select_pairs: int = setting(
        0,
        "Most pairs of the training text: those that share most with the source side of the dev set and with text of "
        "the domain, by feature decay; 0 for all.",
        least=0,
    )
    select_order: int = setting(5, "Longest n-grams, in words, that they are chosen by.", least=1)
    annotate: str = setting(
        "",
        "What annotates tokens of the source, for templates that look at tags or heads and for rules that fit trees: "
        "model folders and annotators joined by `+`. The model keeps it, unless it runs a command.",
    )
    annotate_target: str = setting("", "The same for the target, where rules or models must fit its trees.")

    # Language models
    order: int = setting(5, "Order of the language model.", least=1)
    lm_prune: tuple[int, ...] = setting((), "Counts up to which n-grams are left out, by order.", least=0)
    extra_text: str = setting(
        "interpolate",
        "What further target text becomes: part of the model, mixed to fit the dev set, or a separate feature.",
        choices=("interpolate", "separate"),
    )
    classes: int = setting(
        -1,
        "Word classes of a second model over classes; 0 for no such model. -1 is none for text of less than 10,000 "
        "lines, which teaches it too little, and else as many as usual: 512, or a tenth of a small vocabulary.",
        least=-1,
    )
    class_order: int = setting(7, "Order of the model over classes.", least=1)

    # Word alignment
    aligner: str = setting("bayes", "Which model aligns words.", choices=lambda: list(ALIGNERS))
    aligner_settings: tuple[str, ...] = setting((), "Settings of the aligner, `name=value`, not as usual.")
    symmetrize: str = setting(USUAL, "How two directions become one.", choices=(*HEURISTICS, "posterior", "agreement"))

    anchors: str = setting(
        "",
        "A file of expressions that belong together, `source<TAB>target`, as `dragoman align mwe extract` writes them.",
    )
    anchor_links: str = setting(
        "hard",
        "Where both sides of an expression occur: their words are linked to each other and to nothing else (`hard`), "
        "as far as the file says that it is probable (`soft`), or as the aligner likes, but all alike (`glued`).",
        choices=ANCHOR_LINKS,
    )
    keep_aligner: bool = setting(False, "Keep the aligner in the model, to align other text with it.")

    # Rules
    max_phrase: int = setting(
        0,
        "Longest phrase, in tokens; 0 is as usual for the kind: 7, or 10 for initial phrases of hierarchical rules.",
        least=0,
    )
    rules: Mapping[str, Any] = setting(
        help="Settings of extraction that are not as usual for the kind: `rules.max_symbols=7`.", factory=dict
    )
    system: str = setting(
        "",
        "Settings of extraction as a paper names them, such as `dc-sl-npr`: rules that fit dependency trees of the "
        "source side, or `chunk`: rules labelled by chunks; `rules` goes before it. The training text must be "
        "annotated. `pb` is phrases.",
        choices=("", *SYSTEMS),
    )
    smoothing: str = setting("kneser-ney", "Of relative frequencies.", choices=SMOOTHING)
    lexical: str = setting("links", "Lexical weights: mean over linked words, or the best.", choices=("links", "best"))
    min_probability: float = setting(1e-4, "Rules that are less probable are left out.", least=0, below=1)
    count_bins: tuple[int, ...] = setting((), "Upper edges of bins of counts, each an indicator feature.", least=1)
    rule_counts: bool = setting(
        False, "Features of how often the text has a rule: the logarithm, and whether it has it only once."
    )
    rule_classes: bool = setting(False, "Indicators of phrases and of rules by their number of nonterminals.")
    reordering: str = setting(
        "auto",
        "Model of lexicalised reordering; empty for none. `auto` is hier-mslr-bidirectional-fe for phrases, and none "
        "for phrases with gaps, which can have one, and for rules that say themselves what is reordered.",
    )
    evidence: bool = setting(False, "Keep which training sentences taught each rule.")
    extraction_features: tuple[str, ...] = setting(
        (),
        "Features of all places where a phrase occurs in the training text, each a column of the table: names of "
        "`dragoman list extraction-features`, or `module:Class:option=value` for those in Python modules.",
        parse=lambda text: tuple(split_specs(text)),
    )

    # Unknown words and phrases
    oov: str = setting(
        "none",
        "Translations for words that the table lacks: by a graph of words that are used alike in text of the source "
        "language, by their form (compounds, stems, spelling, letters), or both.",
        choices=("none", "graph", "forms", "graph+forms"),
    )
    oov_graph: str = setting("tripartite", "Which words the graph joins.", choices=_graph_kinds)
    oov_window: int = setting(4, "Tokens on each side that are the context of a word there.", least=1)
    oov_words: int = setting(10_000, "Most unknown words that are looked at; those of the dev set go first.", least=1)
    paraphrase: bool = setting(
        False, "Translations for phrases that the table lacks, by paraphrases found in text of the source language."
    )
    paraphrase_phrases: int = setting(
        2000, "Most phrases that are looked at; those of the dev set go first, then the most frequent.", least=1
    )
    paraphrase_policy: str = setting(
        "reinforce",
        "How several paraphrases with one translation count together.",
        choices=[policy for policy in POLICIES if policy != "separate"],
    )
    paraphrase_split: str = setting("1+2-6", "Lengths of phrases that are weighed apart.")
    paraphrase_score: float = setting(0.3, "How alike paraphrases are at least.", least=0, most=1)

    # Further features
    templates: tuple[str, ...] = setting(
        ("auto",),
        "Sparse templates, `rule:min_count=10`, and sets of them, `extended+filtered`; see `dragoman list templates`. "
        "`auto` is what is usual for the kind if its weights are learned on folds of the training text, and nothing "
        "else: the set `filtered` for phrases.",
        parse=lambda text: tuple(split_specs(text)),
    )
    template_classes: int = setting(
        0,
        "Word classes of each side for templates; 0 for as many as usual: 512, or a tenth of a small vocabulary.",
        least=0,
    )
    template_min_count: int = setting(
        0,
        "How often the bitext must have a rule for the sets that filter by that; 0 for 51, 10 below 100,000 pairs.",
        least=0,
    )
    domains: tuple[str, ...] = setting(
        (), "Domains that lines of the text may be labelled with; sentences without a label are of the first."
    )
    fold_pairs: int = setting(
        -1,
        "Pairs of the training text, cut into folds, on which the weights of templates are learned, each translated by "
        "models of the others; 0 to learn them on the dev set. -1 is up to 30,000 of 10,000 or more pairs; less text "
        "teaches too little.",
        least=-1,
    )
    fold_passes: int = setting(1, "Passes over them.", least=1)
    fold_settings: tuple[str, ...] = setting(
        (), "Settings of the online tuner that learns there, `name=value`, where they are not as usual."
    )
    syntax: str = setting(
        "",
        "Soft syntactic constraints: labels of phrases and kinds, `NP.VP=.QP+`, `XP2`, `chiang-05`; empty for none. "
        "They are tuned on the dev set, which must be annotated, as what is translated must be.",
    )
    syntax_spans: str = setting(
        "auto", "The layer that phrases are read off for `syntax`.", choices=("auto", *SPAN_LAYERS)
    )
    structure: str = setting(
        "none",
        "Structural distortion of hierarchical rules: 22 features of size and order of gaps, or one of how probable "
        "these are.",
        choices=("none", "coarse", "fine"),
    )
    extra_rules: tuple[str, ...] = setting(
        (), "Rules that are made for each sentence, each kind with a feature of its own.", choices=EXTRA_KINDS
    )
    features: tuple[str, ...] = setting(
        (), "Features in Python modules, `module:Class:option=value`.", parse=lambda text: tuple(split_specs(text))
    )

    # Models of both sides
    joint: bool = setting(
        False,
        "A joint model: a small network that predicts each target word from those before it and from the source "
        "around it. It makes training and translating slower.",
    )
    joint_settings: tuple[str, ...] = setting((), "Settings of the joint model, `name=value`, not as usual.")
    sequence: bool = setting(
        False, "A bilingual n-gram model: a language model of target words with the source words they are linked to."
    )
    sequence_order: int = setting(5, "Order of that model.", least=1)
    vectors: bool = setting(
        False, "Word vectors of both sides in one space: how alike the two sides of a phrase are is a feature."
    )
    vectors_settings: tuple[str, ...] = setting((), "Settings of these vectors, `name=value`, not as usual.")
    context: bool = setting(
        False,
        "How well translations of single words go with the words around them, by mutual information over sentence "
        "pairs: a soft sense of each word.",
    )

    distortion_model: bool = setting(
        False,
        "Discriminative distortion: how far to jump, by the words that are left and entered, and by their tags if the "
        "source side of the training text is annotated.",
    )
    relation_order: bool = setting(
        False,
        "Whether words keep their order, by the path between them in a dependency tree; the source side of the "
        "training text must be annotated, as what is translated must be.",
    )
    future_order: bool = setting(
        True, "Models of order charge the way back to a gap as soon as it is left; only search is changed by that."
    )
    dependency_lm: bool = setting(
        False,
        "A dependency language model: how well target words find heads; the target side of the training text must be "
        "annotated.",
    )
    dependency_window: int = setting(
        4, "Words within which it looks for heads; 0 for any distance, which leaves little to recombine.", least=0
    )

    # Search
    search: Mapping[str, Any] = setting(
        help="Settings of the decoder that are not as usual: `search.pop_limit=100`.", factory=dict
    )

    # Tuning
    tuner: str = setting(
        "auto",
        "A tuner by name, `none`, or `auto`: the usual one with or without templates to learn.",
        choices=lambda: ["none", "auto", *TUNERS],
    )
    tuner_settings: tuple[str, ...] = setting((), "Settings of the tuner, `name=value`.")
    metric: str = setting("bleu", "What tuning makes best.")
    iterations: int = setting(10, "Of tuning.", least=1)
    nbest: int = setting(100, "Translations of each sentence that tuning sees.", least=2)
    seed: int = setting(1, "Random choices follow from it.", least=0)

    # Execution
    on: str = setting(
        "local", "Where to work: local, processes, ray, or ray://HOST:PORT; it changes nothing in the result."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.preprocessing("en", side=0), Finder(terms=self.terms, patterns=self.patterns)
        parse_split(self.paraphrase_split)
        self.template_specs(0), self.imported, self.tuning(0), self.learner, self.joint_training
        for name in self.extraction_features:
            ImportedExtractionFeature.parse(name) if ":" in name else EXTRACTION_FEATURES.get(name)
        ALIGNERS.get(self.aligner).configured(self.aligner_settings)
        if self.bilingual_models and not self.decoder.takes_bilingual:
            raise SettingError(
                f"recipe: {self.bilingual_models[0]} is true, and the kind is {self.kind}, which cannot ask that model",
                remedy="set kind=phrase, or leave it out",
            )
        if self.system and self.system not in self.limits_type.systems:
            wanted = next(kind for kind in LIMITS if self.system in LIMITS.get(kind).systems)
            raise SettingError(
                f"recipe: the system {self.system} with the kind {self.kind}", remedy=f"set kind={wanted}"
            )
        if self.postprocess != "rules" and self.tokenized:
            raise SettingError(
                f"recipe: postprocess is {self.postprocess}, and text is left as it is (tokenized=true)",
                remedy="leave one of them out",
            )
        if self.agreement and not self.annotate_target:
            raise SettingError(
                "recipe: agreement needs to know which words belong together", remedy="set annotate_target"
            )
        # A wrong setting is told now, not after an hour.
        self.vector_training, self.search_settings, self.scoring.columns(self.limits)

    # What the stages need

    def preprocessing(self, language: str, *, side: int, usual: Pieces = "words") -> Preprocessing:
        """Settings of the preprocessor of one side (0: source); `usual` is what words are cut into by `auto`."""
        pieces = (self.source_pieces, self.target_pieces)[side]
        if pieces == "auto":
            pieces = usual
        settings = Preprocessing(
            language=language,
            case=cast(Case, self.case),
            pieces=cast(Pieces, "marked-compounds" if pieces == "compounds" and side == 1 else pieces),
            subwords=self.subwords,
            split=self.split,
        )
        if self.tokenized:
            return replace(settings, tokenize=False, normalize=False, case="keep", protect=(), split=False)
        return replace(
            settings,
            segment=cast(Segmentation, self.segment),
            protect=self.protect,
            terms=self.terms,
            patterns=self.patterns,
        )

    @property
    def decoder(self) -> type[Decoder]:
        """The decoder class of this kind of model."""
        return DECODERS.get(self.kind)

    @cached_property
    def search_settings(self) -> SearchSettings:
        """Settings of the decoder."""
        return self.decoder.settings_type.from_dict({**self.limits.search, **self.search})

    @cached_property
    def scoring(self) -> Scoring:
        """How counts become columns of the table."""
        return Scoring(
            smoothing=self.smoothing,
            lexical=self.lexical,
            min_probability=self.min_probability,
            count=self.rule_counts,
            unique=self.rule_counts,
            count_bins=self.count_bins,
            rule_classes=self.rule_classes,
            reordering=reordering_for(self.reordering, self.limits_type),
        )

    @property
    def limits_type(self) -> type[RuleLimits]:
        """What can be chosen about the rules of the decoder."""
        return LIMITS.get(self.decoder.rule_kind)

    @cached_property
    def limits(self) -> RuleLimits:
        """Which rules are taken."""
        kind = self.limits_type
        lengths = kind.lengths(self.max_phrase) if self.max_phrase else {}
        return kind.from_dict({**lengths, **SYSTEMS.get(self.system, {}), **self.rules})

    @property
    def annotated_sides(self) -> tuple[str, ...]:
        """The sides of the training text whose trees extraction needs."""
        return self.limits.annotated_sides

    @property
    def model_sides(self) -> dict[str, str]:
        """Models that are learned from trees or tags, and the side of the training text that must have them."""
        sides = {"relation_order": "source", "distortion_model": "source", "dependency_lm": "target"}
        return {name: side for name, side in sides.items() if getattr(self, name)}

    @property
    def wanted_templates(self) -> list[str]:
        """Sets and specifications of sparse templates, with what is usual in the place of `auto`."""
        named = [name for name in self.templates if name != "auto"]
        return [*(self.decoder.usual_templates if "auto" in self.templates else ()), *named]

    def template_specs(self, pairs: int) -> list[TemplateSpec]:
        """The templates, for a bitext of so many pairs."""
        domains = Domains(self.domains) if self.domains else None
        folded = self.learned_pairs(pairs) > 0
        chosen = self.wanted_templates if folded else [name for name in self.templates if name != "auto"]
        found = template_specs(chosen, min_count=self.template_min_count or usual_min_count(pairs), domains=domains)
        return [*found, *self.syntax_specs]

    @property
    def syntax_specs(self) -> list[TemplateSpec]:
        """Templates of syntax and structure, if there are some: few features, tuned with the dense ones."""
        found = []
        if self.syntax:
            made = SoftSyntax(constraints=self.syntax, spans=self.syntax_spans)
            found.append(TemplateSpec(made.name, {"constraints": made.constraints, "spans": made.spans}))
        if self.structure != "none":
            found.append(TemplateSpec("structure" if self.structure == "fine" else "structure_probability"))
        if self.extra_rules:
            found.append(TemplateSpec("extra", {"kinds": self.extra_rules}))
        return found

    @cached_property
    def imported(self) -> list[ImportedFeature]:
        """The features in Python modules; nothing is imported."""
        return [ImportedFeature.parse(spec) for spec in self.features]

    @property
    def imported_in_extraction(self) -> list[ImportedExtractionFeature]:
        """The features in Python modules that look at occurrences of phrases; nothing is imported."""
        return [ImportedExtractionFeature.parse(spec) for spec in self.extraction_features if ":" in spec]

    @property
    def bilingual_models(self) -> list[str]:
        """Models of both sides that are wanted, by the names of their features."""
        return [name for name in BILINGUAL if getattr(self, name)]

    @cached_property
    def joint_training(self) -> JointSettings:
        """How the joint model is made."""
        return JointSettings.configured([f"seed={self.seed}", *self.joint_settings])

    @cached_property
    def vector_training(self) -> VectorSettings:
        """How vectors are made."""
        return VectorSettings.configured([f"seed={self.seed}", *self.vectors_settings])

    @property
    def enriched(self) -> bool:
        """Whether rules for unknown words and phrases are added to the table."""
        return self.paraphrase or self.oov != "none"

    def learned_pairs(self, pairs: int) -> int:
        """How many of so many pairs templates are learned on, in folds."""
        if self.tuner == "none" or not self.wanted_templates:
            return 0
        if self.fold_pairs < 0:
            return min(pairs, FOLD_PAIRS) if pairs >= FOLDS_FROM else 0
        return min(pairs, self.fold_pairs)

    def folds(self, pairs: int) -> tuple[int, int]:
        """How many folds of so many pairs are learned on, and their size.

        Models of all but one fold must be nearly as good as models of all, so that a fold is a fifth of the text at
        most; large text has fewer and smaller ones, which teach enough, as each costs a table.
        """
        wanted = self.learned_pairs(pairs)
        if not wanted:
            return 0, 0
        count = min(FOLDS, max(1, round(FOLDS * wanted / pairs)))
        return count, max(1, min(pairs // FOLDS, wanted // count))

    @cached_property
    def learner(self) -> Online:
        """The tuner that learns on folds."""
        return Online.configured([*LEARNER, *self.fold_settings])

    def tuning(self, pairs: int) -> Tuner | None:
        """The tuner of the dev set with its settings, if there is to be one, for a bitext of so many pairs."""
        if self.tuner == "none":
            return None
        sparse = len(self.template_specs(pairs)) > len(self.syntax_specs) and not self.learned_pairs(pairs)
        return get_tuner(self.tuner, sparse=sparse, settings=self.tuner_settings)

    def only(self, *names: str) -> dict[str, Any]:
        """Some settings as plain values: what a stage depends on."""
        return {name: each.dump(getattr(self, name)) for name, each in declared(Recipe).items() if name in names}

    # To and from text

    @classmethod
    def elsewhere(cls, name: str) -> str | None:
        """Settings of decoders and of extraction are one step down."""
        decoders = (DECODERS.get(kind).settings_type for kind in DECODERS)
        for table, kinds in (("search", decoders), ("rules", map(LIMITS.get, LIMITS))):
            if any(name in declared(each) for each in kinds):
                return f"{table}.{name}"
        return None

    @classmethod
    def load(cls, path: Path | str) -> Recipe:
        """Read a TOML file; what it does not say is as usual."""
        return cls.from_dict(read_toml(path, remedy="write lines like `order = 5`"), where=str(path))

    def save(self, path: Path | str) -> None:
        """Write a TOML file."""
        import tomli_w

        with writing(path) as file:
            file.write(tomli_w.dumps(self.to_dict()))

    def changed(self, texts: Iterable[str] = (), values: Mapping[str, Any] | None = None) -> Recipe:
        """With `name=value` texts and plain values in place of what it has.

        `search.beam=100` is the decoder's, and `rules.max_symbols=7` extraction's.
        """
        own: list[str] = []
        below: dict[str, list[str]] = {"search": [], "rules": []}
        for text in texts:
            table, dot, rest = text.partition(".")
            if dot and table in below:
                below[table].append(rest)
            else:
                own.append(text)
        made = super().changed(own, values)
        search = read_texts(made.decoder.settings_type, below["search"])
        rules = read_texts(made.limits_type, below["rules"])
        return replace(made, search={**made.search, **search}, rules={**made.rules, **rules})
