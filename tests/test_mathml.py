from __future__ import annotations

import pytest

from tests.peers import peer


def test_formulas_become_mathml() -> None:
    errors = peer("latex2mathml.exceptions")
    from tools.mathml import on_page_content

    page = (
        '<p>where <span class="arithmatex">\\(a &lt; b_1\\)</span> and</p>\n'
        '<div class="arithmatex">\\[\n\\frac{m}{t}\n\\]</div><code>\\(x\\)</code>'
    )
    found = on_page_content(page)
    assert found.count("<math") == 2
    assert 'display="inline"' in found
    assert 'display="block"' in found
    assert "&#x0003C;" in found
    assert "<mfrac>" in found
    assert "<code>\\(x\\)</code>" in found
    with pytest.raises(errors.DoubleSubscriptsError):
        on_page_content('<span class="arithmatex">\\(a_b_c\\)</span>')
