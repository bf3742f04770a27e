"""Write the Unicode ranges that the metric tokenizers need: punctuation, numbers, symbols.

The ranges come from the `regex` package, because that is what other scorers ask, and equal scores need equal classes.

python tools/unicode_classes.py
"""

from __future__ import annotations

from pathlib import Path

import regex

TARGET = Path(__file__).parent.parent / "native" / "metrics" / "unicode_classes.hpp"
CLASSES = {"kPunctuation": r"\p{P}+", "kNumber": r"\p{N}+", "kSymbol": r"\p{S}+"}


def ranges(pattern: str) -> list[tuple[int, int]]:
    """First and last code points of each run that the pattern matches."""
    text = "".join(chr(code) if not 0xD800 <= code <= 0xDFFF else " " for code in range(0x110000))
    return [(found.start(), found.end() - 1) for found in regex.finditer(pattern, text)]


def main() -> None:
    """Write the header."""
    lines = [
        "#pragma once",
        "// Written by tools/unicode_classes.py; do not edit. First and last code points of each range.",
        "#include <array>",
        "#include <cstdint>",
        "",
        "namespace dragoman::metrics::unicode {",
        "",
        "struct Range {",
        "  std::uint32_t first, last;",
        "};",
        "// clang-format off",
    ]
    for name, pattern in CLASSES.items():
        found = ranges(pattern)
        lines.append(f"inline constexpr std::array<Range, {len(found)}> {name}Ranges{{{{")
        row = "   "
        for first, last in found:
            cell = f" {{{first:#x}, {last:#x}}},"
            if len(row) + len(cell) > 118:
                lines.append(row)
                row = "   "
            row += cell
        lines += [row, "}};"]
    lines += ["// clang-format on", "", "}  // namespace dragoman::metrics::unicode", ""]
    TARGET.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
