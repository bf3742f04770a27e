"""A certificate must state the model's own problem: every option left out, made cheaper or made up is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.features.language_model import LanguageModel
from dragoman.search.certificate import Certificate, StatedOption
from dragoman.search.exact import bounded_models, optimize_forest
from dragoman.search.forest_certificate import ForestCertificate
from dragoman.search.hiero import HieroDecoder
from dragoman.search.left_to_right import LeftToRightDecoder
from dragoman.search.phrase import PhraseDecoder
from dragoman.search.proven import ProvenDecoder
from dragoman.search.settings import ExactSettings, HieroSettings
from dragoman.search.stated_problem import verified
from tests.search.hiero_setting import WEIGHTS, grammar, language_model, random_grammar
from tests.search.setting import Setting
from tests.search.test_left_to_right import SMALL
from tests.search.test_left_to_right import decoder as left_to_right


def proved(decoder: PhraseDecoder, line: str) -> Certificate:
    proof = decoder.optimize([line], ExactSettings(epsilon=1e-9))[0].proof
    assert proof is not None
    given = proof.certificate
    assert isinstance(given, Certificate)
    return given


def answered(given: Certificate, decoder: PhraseDecoder) -> Certificate:
    """The same problem with an answer and a bound that fit it, so that nothing but the problem is wrong."""
    verdict = given.verify(decoder.language_models)
    return replace(given, score=verdict.score, bound=verdict.bound)


@pytest.fixture(scope="module", params=["", "hier-mslr-bidirectional-fe"])
def setting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(tmp_path_factory.mktemp("stated"), request.param)


@pytest.fixture(scope="module", params=["columns alone", "templates"])
def decoder(request: pytest.FixtureRequest, setting: Setting) -> PhraseDecoder:
    plain = setting.decoder(distortion_limit=3, option_limit=4, max_phrase_length=3)
    if request.param == "columns alone":
        return plain
    return plain.with_features(["rule", "orient"], {**plain.weights, "orient:M": 0.2, "orient:S": -0.3})


def without(given: Certificate, number: int) -> Certificate:
    """An option left out, and numbers of the others as they are then; features with states can be stated no more."""
    rest = tuple(option for at, option in enumerate(given.options) if at != number)
    steps = tuple(at - (at > number) for at in given.derivation)
    return replace(given, options=rest, derivation=steps, features=())


def planted(given: Certificate) -> Mapping[str, Certificate]:
    """Problems that are not the model's."""
    unused = next(at for at in range(len(given.options)) if at not in given.derivation)
    option = given.options[unused]
    cheaper = replace(option, score=option.score - 5)
    made_up = StatedOption(0, 1, ("nowhere",), option.score, option.previous, option.next)
    others = given.options[:unused], given.options[unused + 1 :]
    jumps, lm = given.jumps, given.language_models[0]
    found = {
        "option of the model is not stated": without(given, unused),
        "in the model, not": replace(given, options=(*others[0], cheaper, *others[1])),
        "the model has no option": replace(given, options=(*given.options, made_up), features=()),
        "the distortion limit is 3 in the model, not 2": replace(given, jumps=replace(jumps, limit=2)),
        "of the kind jump in the model, not window": replace(given, jumps=replace(jumps, kind="window")),
        "does not charge the last jump": replace(given, jumps=replace(jumps, final_jump=True)),
        "the weight of jumps is": replace(given, jumps=replace(jumps, weight=jumps.weight + 1)),
        "the weight of 'lm' is": replace(given, language_models=(replace(lm, weight=lm.weight / 2),)),
        "the language model 'lm' is not stated": replace(given, language_models=()),
    }
    if option.previous:
        dearer = replace(option, next=tuple(score - 1 for score in option.next))
        found["the orders of"] = replace(given, options=(*others[0], dearer, *others[1]))
        found["the reordering is hierarchical in the model, not phrase"] = replace(given, reordering="phrase")
    if given.features:
        feature = given.features[0]
        states = tuple((after, scores, end - 1) for after, scores, end in feature.states)
        found["is another one in the model"] = replace(given, features=(replace(feature, states=states),))
        found["is not stated"] = replace(given, features=())
    return found


def test_of_phrases(decoder: PhraseDecoder, setting: Setting) -> None:
    line = min(setting.sentences, key=lambda line: len(line.split()))
    given = proved(decoder, line)
    verdict = verified(given, decoder)
    assert verdict.valid, verdict
    for message, other in planted(given).items():
        lie = answered(other, decoder)
        problems = verified(lie, decoder).problems
        assert message in " ".join(problems), (message, problems)


def test_a_planted_answer_is_accepted_only_where_its_problem_is_not_compared(setting: Setting) -> None:
    """Without its competitors any answer wins: the proof is sound, and says nothing of the model."""
    decoder = setting.decoder(distortion_limit=3, option_limit=4, max_phrase_length=3)
    given = proved(decoder, sorted(setting.sentences, key=lambda line: len(line.split()))[5])
    place, best, rival = next(
        (place, given.options[number], option)
        for place, number in enumerate(given.derivation)
        for option in given.options
        if (option.start, option.end) == (given.options[number].start, given.options[number].end)
        and option.target != given.options[number].target
    )
    lie = without(given, given.options.index(best))
    worse = lie.options.index(rival)
    steps = tuple(worse if at == place else step for at, step in enumerate(lie.derivation))
    lie = answered(replace(lie, derivation=steps), decoder)
    assert lie.verify(decoder.language_models).valid
    assert lie.score < given.score
    assert not verified(lie, decoder).valid


def test_options_are_those_of_the_table(setting: Setting) -> None:
    """Looked up rule by rule, with nothing of what decoders find options by, whatever the limit."""
    for limit in (1, 3, 20):
        decoder = setting.decoder(option_limit=limit, max_phrase_length=4)
        table = decoder.table_options()
        assert table is not None
        for line in [*setting.sentences[:4], "zzz " + setting.sentences[4]]:
            given = decoder.stated_problem(line)
            assert table.problems(given) == []
            option = given.options[0]
            planted = {
                "are stated, of": replace(given, options=given.options[1:]),
                "by the table, not": replace(
                    given, options=(replace(option, score=option.score + 1), *given.options[1:])
                ),
                "the table has no rule for": replace(
                    given, options=(*given.options, replace(option, target=("made", "up")))
                ),
            }
            for message, other in planted.items():
                assert message in " ".join(table.problems(other)), (message, table.problems(other))
    swapped = setting.decoder(option_limit=1)
    more = setting.decoder(option_limit=2).stated_problem(setting.sentences[0])
    given = swapped.stated_problem(setting.sentences[0])
    second = next(
        option
        for option in more.options
        if option not in given.options and (option.start, option.end) == (given.options[0].start, given.options[0].end)
    )
    table = swapped.table_options()
    assert table is not None
    worse = replace(given, options=(second, *given.options[1:]))
    assert "a rule of the table is not stated" in " ".join(table.problems(worse))
    assert setting.decoder(hard_syntax="match_only").table_options() is None


@pytest.fixture(params=["chart", "left to right"])
def proven(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[ProvenDecoder, str]:
    use = LanguageModel("lm", language_model(7))
    if request.param == "chart":
        rules, words = max(map(random_grammar, range(40)), key=lambda made: len(made[0]) * len(made[1]))
        made = HieroDecoder(grammar(rules, tmp_path / "t"), [use], WEIGHTS, HieroSettings(option_limit=50))
        return made, " ".join(words)
    scored = {"a | A": -0.2, "b | B": -0.3, "c | C": -0.1, "X1 b | B X1": -0.4, "a X1 c | C A X1": -0.2}
    return left_to_right(tmp_path / "t", scored, use, SMALL), "a b b c"


def test_of_forests(proven: tuple[HieroDecoder | LeftToRightDecoder, str]) -> None:
    decoder, line = proven
    proof = decoder.optimize([line], ExactSettings(epsilon=1e-9))[0].proof
    assert proof is not None
    given = proof.certificate
    assert isinstance(given, ForestCertificate)
    assert verified(given, decoder).valid
    unused = next(at for at in range(len(given.edges)) if at not in given.derivation)
    edge = given.edges[unused]
    others = given.edges[:unused], given.edges[unused + 1 :]
    steps = tuple(at - (at > unused) for at in given.derivation)
    planted = {
        "an edge of the model is not stated": replace(given, edges=(*others[0], *others[1]), derivation=steps),
        "scores otherwise in the model": replace(
            given, edges=(*others[0], replace(edge, score=edge.score - 5), *others[1])
        ),
        "the model has no edge": replace(
            given, edges=(*given.edges, replace(edge, target=(*edge.target, "nowhere"), score=-50.0))
        ),
        "nodes, not": replace(given, goal=given.goal + 1),
        "the weight of 'lm' is": replace(
            given, language_models=(replace(given.language_models[0], weight=given.language_models[0].weight / 2),)
        ),
    }
    for message, lie in planted.items():
        assert message in " ".join(verified(lie, decoder).problems), message
    tight = decoder.with_settings(memory=1)
    assert "cannot be found out" in " ".join(verified(given, tight).problems)


def test_of_another_kind(proven: tuple[HieroDecoder | LeftToRightDecoder, str], setting: Setting) -> None:
    decoder, _ = proven
    given = proved(setting.decoder(distortion_limit=2), setting.sentences[0])
    assert "another kind of model" in " ".join(verified(given, decoder).problems)


def test_what_promised_most_at_the_end(proven: tuple[HieroDecoder | LeftToRightDecoder, str]) -> None:
    """Of an optimum, the optimum itself; before that, what the last promise was made for."""
    decoder, line = proven
    forest = decoder.without_language_models().translate([line], forests=True)[0].forest
    models = bounded_models(decoder.language_models, decoder.weights)
    literal = ExactSettings(epsilon=1e-9, prune_every=0, seed_search=False, contexts=1, in_rule=False)
    whole = optimize_forest(forest, models, literal)
    assert whole.last is not None
    assert whole.derivation is not None
    assert whole.last.text == whole.derivation.text
    first = optimize_forest(forest, models, replace(literal, iterations=0))
    assert first.last is not None
    uses = {use.name: use for use in decoder.language_models}
    said = first.last.score + sum(decoder.weights[name] * use.score(first.last.target) for name, use in uses.items())
    assert said == pytest.approx(whole.proof.trace[0][1], abs=1e-6)
