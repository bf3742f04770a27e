"""The API against its own description: whatever is sent, the answer is one that was promised, and never a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error, positive_data_acceptance
from schemathesis.core.result import Ok

from tests.assessment.web.house import House, make_campaign, open_house

FEW = settings(max_examples=12, suppress_health_check=list(HealthCheck), database=None)
AnyCase = Case[Any]
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(make_campaign(items=3, tasks=3), tmp_path_factory.mktemp("api")) as house:
        yield house


def try_everything(place: House, check: Callable[[AnyCase], None]) -> int:
    """Run a check on cases of every operation, well and badly formed; the number of operations."""
    bearer = {"Authorization": f"Bearer {place.access.organizer}"}
    description = schemathesis.openapi.from_url(f"{place.url}/openapi.json", headers=bearer)
    operations = [found.ok() for found in description.get_all_operations() if isinstance(found, Ok)]
    for operation in operations:
        for mode in MODES:
            try:
                FEW(given(operation.as_strategy(generation_mode=mode))(lambda case: check(case)))()
            except Unsatisfiable:  # nothing can be wrong with an operation that takes nothing
                assert mode is GenerationMode.NEGATIVE
    return len(operations)


def test_answers_are_as_described(place: House) -> None:
    anna = place.assessor().begin()
    cookies = dict(anna.client.cookies)
    headers = {"X-Form-Token": anna.work()["form_token"], "Authorization": f"Bearer {place.access.organizer}"}

    def check(case: AnyCase) -> None:
        # A well-formed judgement of an item that does not exist is still refused: data alone cannot be accepted.
        case.call_and_validate(cookies=cookies, headers=headers, excluded_checks=[positive_data_acceptance])

    assert try_everything(place, check) == 10


def test_strangers_are_refused_whatever_they_send(place: House) -> None:
    before = [one.to_dict() for one in place.store.judgements()]

    def check(case: AnyCase) -> None:
        answer = case.call()
        case.validate_response(answer, checks=[not_a_server_error])
        assert 400 <= answer.status_code < 500

    try_everything(place, check)
    assert [one.to_dict() for one in place.store.judgements()] == before
