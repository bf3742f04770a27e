"""Human assessment: campaigns designed, collected in a browser, checked for careful work, and analysed."""

from __future__ import annotations

__all__: list[str] = []
