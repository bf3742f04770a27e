"""Strings that break text tools: every script, every quote, dots, digits, addresses, marks that rules use inside."""

from __future__ import annotations

from hypothesis import strategies as st

FRAGMENTS = (
    *"aSsxé中가カんßΣ٣½№",
    *".,'\"`-:;!?()[]{}<>|&%/\\@#_^~*+=$€¿¡„“”‘’«»…—–´º。，１．",
    *" \t\n\r\u00a0\u3000\u2028\x85\x01\x1c\x00\u200b\ufeff\ufffc\u093c\u094d",
    "..", "...", "''", "``", "--", "@-@", "  ", "x.", "Mr.", "No.", "U.S.", "e.g.", "5", "12", "1,000", "3.14",
    "I'm", "l'", "d'", "9'", "'s", "'t", "n't", "EU:n", "e'", "li", "mail", "nº\u00a0", "\u00a0ºC", "\u00a0cm",
    "&amp;", "&lt;", "&#124;", "&bar;", "DOTMULTI", "DOTDOTMULTI", "DOT", "MULTI", "THISISPROTECTED000",
    "THISISPROTECTEDX", "https://a.org/b_(c)?d=e&f=%20g", "www.x.de", "me@x.org", "@you", "#tag", "\U0001f600",
    "<b>", "</b>", '<a href="x y">', "<br/>", "<!-- c -->", "%s", "%1$s", "%-5.2f", "%%", "{name}", "{0:>3}", "${x}",
    "{n, plural, one {# a} other {# b}}", "[X12X]", "⟦url:0⟧", "⟦", "⟧", "▁", "▁a",
)  # fmt: skip

characters = st.characters(exclude_categories=["Cs"])
fragments = st.sampled_from(FRAGMENTS)
texts = st.lists(st.one_of(fragments, fragments, characters), max_size=16).map("".join)
tokens = st.lists(st.one_of(fragments, st.text(characters, min_size=1, max_size=4)), max_size=10)
