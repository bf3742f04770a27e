"""Limits: what one request, one client and all of them together may ask of the server.

Every number in a request has a bound that keeps the server usable for others, and every refusal says which one it was.
Nobody is limited in how often they ask unless the operator says so: most servers run for one person on their machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.settings import Settings, setting

__all__ = ["Limits"]


@dataclass(frozen=True, kw_only=True)
class Limits(Settings):
    """Bounds of requests."""

    name = "limits"

    max_characters: int = setting(20_000, "Characters of one text.", least=1, most=10**8)
    max_texts: int = setting(1000, "Texts of one request.", least=1, most=10**6)
    max_tokens: int = setting(2000, "Tokens of one text.", least=1, most=10**6)
    max_nbest: int = setting(50, "Translations of one text that may be asked for.", least=1, most=1000)
    max_bytes: int = setting(4 * 2**20, "Bytes of a request, files included.", least=1024, most=2**31)
    waiting: int = setting(5000, "Texts that may wait to be translated; more are refused (503).", least=1, most=10**7)
    arrival: float = setting(20.0, "Seconds that a request may take to arrive (408).", above=0, most=3600)
    timeout: float = setting(20.0, "Seconds that a request may take; then it is given up (504).", above=0, most=3600)
    document_timeout: float = setting(300.0, "The same for a document.", above=0, most=86400)
    rate: int = setting(0, "Requests of a client within a minute (429); 0 for any number.", least=0, most=10**6)
