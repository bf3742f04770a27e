"""What people see on standard error."""

from __future__ import annotations

import warnings

import pytest

from dragoman.cli import output


def test_warnings_of_the_library_are_notes(capsys: pytest.CaptureFixture[str]) -> None:
    output.stderr.cache_clear()
    output.set_output(debug=False, quiet=False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            with output.noted_warnings():
                warnings.warn("MERT for 40 features is likely to overfit", UserWarning, stacklevel=1)
    finally:
        output.stderr.cache_clear()
    assert capsys.readouterr().err == "warning: MERT for 40 features is likely to overfit\n"
