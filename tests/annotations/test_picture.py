"""Pictures hold every label, and are well-formed."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from dragoman.annotations import picture
from dragoman.text import synthetic


def test_everything_is_drawn() -> None:
    for item in synthetic.pair("en-de").generate(5, seed=4):
        for side in (item.source.annotated, item.target.annotated):
            for sentence in (side, side.with_layers(constituents=None)):
                svg = picture.draw(sentence).svg()
                texts = {element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("text")}
                assert set(sentence.words) <= texts
                assert set(sentence.dependencies.labels) <= texts
                assert {a.role for frame in sentence.frames for a in frame.arguments} <= texts
