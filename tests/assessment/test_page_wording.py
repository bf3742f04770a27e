"""Every shipped language says everything that a page needs, and names what it talks about."""

from __future__ import annotations

import pytest

from dragoman.assessment.page_wording import language_name, languages, wording
from dragoman.assessment.protocol import PROTOCOLS, get_protocol
from dragoman.errors import SettingError


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_pages_are_complete(language: str, name: str) -> None:
    protocol = get_protocol(name)
    found = wording(name, language=language, source="de", target="en")
    assert found.language == language
    assert found.title
    assert found.statement
    assert len(found.anchors) == 2
    everything = [found.title, found.lead_in, found.statement, found.source, found.reference, found.candidate]
    assert not any("{" in text for text in everything)
    if protocol.answer == "choices" and protocol.scale:
        assert len(found.labels) == len(protocol.scale.points)
    if protocol.severities:
        assert found.severities is not None
        assert tuple(found.severities) == protocol.severities
        assert found.missing
    first = found.instructions_for(items=100, minutes=30)[0]
    assert "100" in first
    assert "30" in first


def test_languages_not_shipped_are_addressed_in_english() -> None:
    assert wording("fluency", target="fi").statement == "the text is fluent Finnish"
    assert wording("fluency", target="pt-BR").statement == "the text is fluent Portuguese"
    assert language_name("tlh") == "tlh"


def test_overrides() -> None:
    assert wording("adequacy", overrides={"statement": "same in {target}"}, target="de", language="en").statement == (
        "same in German"
    )
    with pytest.raises(SettingError, match="statment"):
        wording("adequacy", overrides={"statment": "x"})
