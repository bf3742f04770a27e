"""Readers of bitexts: what they take, what they refuse and where; damaged files never surprise them."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import DragomanError, EncodingError, FormatError, InputError, LengthMismatch
from dragoman.text.corpus import Bitext
from dragoman.text.documents import Units

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header creationtool="hand" srclang="de-DE" adminlang="en"><note>a note</note></header>
<body>
<tu tuid="1"><prop type="document">letter</prop>
  <tuv xml:lang="en-GB"><seg>the house</seg></tuv>
  <tuv xml:lang="de-DE"><seg>das Haus</seg></tuv>
  <tuv xml:lang="fr"><seg>la maison</seg></tuv></tu>
<tu><tuv xml:lang="DE-de"><seg>ein <bpt i="1">&lt;b&gt;</bpt>großes<ept i="1">&lt;/b&gt;</ept
> <hi>Haus</hi><ph x="2"/>!</seg></tuv>
  <!-- a comment -->
  <tuv xml:lang="en-GB"><seg>a <bpt i="1">&lt;b&gt;</bpt>big<ept i="1">&lt;/b&gt;</ept
> <hi>house</hi><ph x="2"/>!</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>seul</seg></tuv></tu>
</body></tmx>
"""


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def sides(bitext: Bitext) -> list[tuple[str, ...]]:
    return [tuple(pair) for pair in bitext]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_plain_pairs_however_packed(tmp_path: Path, pack: type[bytes]) -> None:
    source, target = write(tmp_path, "x.de", pack("a\nß\n".encode())), write(tmp_path, "x.en", pack(b"b\nss"))
    assert sides(Bitext.open(source, target)) == [("a", "b"), ("ß", "ss")]


@pytest.mark.parametrize(
    ("source", "target", "counts", "line"),
    [
        ("a\nb\nc\n", "a\n", "3 lines, {target} has 1 line:", 2),
        ("a\n", "a\nb\nc\n", "1 line, {target} has 3 lines:", 2),
        ("", "a\n", "0 lines, {target} has 1 line:", 1),
        ("a\n", "", "1 line, {target} has 0 lines:", 1),
    ],
)
def test_unequal_files_are_named_with_counts(tmp_path: Path, source: str, target: str, counts: str, line: int) -> None:
    paths = write(tmp_path, "x.de", source), write(tmp_path, "x.en", target)
    with pytest.raises(LengthMismatch) as caught:
        sides(Bitext.open(*paths))
    assert f"{paths[0]} has {counts.format(target=paths[1])} line {line} has no partner" in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "what"), [(b"a\nb\xff\n", "0xff"), (b"a\nb\x00\n", "NUL"), (b"a\nb\xed\xa0\x80\n", "surrogate")]
)
@pytest.mark.parametrize("name", ["x.txt", "x.tsv", "x.jsonl"])
def test_what_is_not_text_is_refused_with_file_and_line(tmp_path: Path, raw: bytes, what: str, name: str) -> None:
    lines = {
        "x.txt": raw,
        "x.tsv": raw.replace(b"\n", b"\tx\n"),
        "x.jsonl": b'{"source": "", "target": ""}\n' + raw[2:],
    }
    path = write(tmp_path, name, lines[name])
    with pytest.raises(EncodingError, match=what) as caught:
        sides(Bitext.open(path, path) if name == "x.txt" else Bitext.open(path))
    assert caught.value.where == f"{path}, line 2"


def test_tsv_columns_by_number_and_name(tmp_path: Path) -> None:
    bare = write(tmp_path, "bare.tsv", "1\tde eins\ten one\n2\tde zwei\ten two\n")
    assert sides(Bitext.open(bare, fields=(3, 2))) == [("en one", "de eins"), ("en two", "de zwei")]
    assert next(iter(Bitext.open(bare, fields=(2, 3)))).metadata == {"1": "1"}
    named = write(tmp_path, "named.tsv", "id\tde\ten\n7\teins\tone\n")
    assert sides(Bitext.open(named, fields=("de", "en"))) == [("eins", "one")]
    with pytest.raises(FormatError, match="no column is called 'fr'; it has id, de, en"):
        sides(Bitext.open(named, fields=("fr", "en")))
    with pytest.raises(FormatError, match="no field 4 of 3"):
        sides(Bitext.open(named, fields=(1, 4)))


@pytest.mark.parametrize("line", ["only one", "a\tb\tc"])
def test_tsv_with_a_wrong_number_of_fields(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, "x.tsv", f"a\tb\n{line}\n")
    with pytest.raises(FormatError, match="fields where the first line has 2") as caught:
        sides(Bitext.open(path))
    assert caught.value.where == f"{path}, line 2"


def test_json_fields(tmp_path: Path) -> None:
    path = write(tmp_path, "x.jsonl", '{"translation": {"de": "eins", "en": "one"}, "id": 3}\n\n')
    assert sides(Bitext.open(path, languages=("de", "en"))) == [("eins", "one")]
    assert sides(Bitext.open(path, fields=("translation.en", "translation.de"))) == [("one", "eins")]
    assert next(iter(Bitext.open(path, languages=("de", "en")))).metadata == {"id": 3}
    by_code = write(tmp_path, "y.jsonl", '{"de": "eins", "en": "one"}\n')
    assert sides(Bitext.open(by_code, languages=("de", "en"))) == [("eins", "one")]
    with pytest.raises(FormatError, match="name two of these: de, en"):
        sides(Bitext.open(by_code))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"source": "a"}', "'target' is missing"),
        ('{"source": "a", "target": 3}', "'target' is not text"),
        ('{"source": "a", "target": "b", "references": "c"}', "not a list of texts"),
        ('{"source": "\\ud800", "target": "b"}', "lone surrogate"),
        ('{"source": "a", "target": "b", "more": [{"\\udfff": 1}]}', "lone surrogate"),
        ('{"source": "\\u0000", "target": "b"}', "NUL"),
        ("[" * 100_000, "nested too deeply"),
        ('{"source": ' + "1" * 10_000 + "}", "not JSON: Exceeds the limit"),
    ],
)
def test_bad_json_lines_are_refused_with_their_line(tmp_path: Path, line: str, what: str) -> None:
    path = write(tmp_path, "x.jsonl", '{"source": "a", "target": "b"}\n' + line + "\n")
    with pytest.raises(DragomanError, match=what) as caught:
        sides(Bitext.open(path))
    assert caught.value.where == f"{path}, line 2"


def test_escaped_backslashes_and_surrogate_pairs_are_text(tmp_path: Path) -> None:
    path = write(tmp_path, "x.jsonl", r'{"source": "\\ud800 \\u0000", "target": "\ud83d\ude00"}')
    assert sides(Bitext.open(path)) == [(r"\ud800 \u0000", "😀")]


def test_tmx_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "memory.tmx", TMX)
    assert sides(Bitext.open(path)) == [("das Haus", "the house"), ("ein großes Haus!", "a big house!")]
    assert sides(Bitext.open(path, languages=("en", "de"))) == [
        ("the house", "das Haus"),
        ("a big house!", "ein großes Haus!"),
    ]
    assert sides(Bitext.open(path, languages=("fr", "de"))) == [("la maison", "das Haus")]
    assert next(iter(Bitext.open(path))).metadata == {"id": "1", "document": "letter"}
    with pytest.raises(InputError, match="no unit has da and fi; its languages are DE-de, de-DE, en-GB, fr"):
        sides(Bitext.open(path, languages=("da", "fi")))


def test_tmx_inline_tags_can_be_kept(tmp_path: Path) -> None:
    path = write(tmp_path, "memory.tmx", TMX)
    assert sides(Bitext.open(path, markup="keep"))[1] == (
        'ein <b>großes</b> Haus<ph x="2"/>!',
        'a <b>big</b> house<ph x="2"/>!',
    )


def test_an_exact_code_wins_over_a_region(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "x.tmx",
        '<tmx version="1.1"><header srclang="*all*"/><body><tu><tuv lang="en-US"><seg>color</seg></tuv>'
        '<tuv lang="EN"><seg>colour</seg></tuv><tuv lang="de_AT"><seg>Farbe</seg></tuv></tu></body></tmx>',
    )
    assert sides(Bitext.open(path, languages=("en", "de"))) == [("colour", "Farbe")]
    assert sides(Bitext.open(path, languages=("en-us", "de-at"))) == [("color", "Farbe")]
    assert sides(Bitext.open(path)) == [("color", "Farbe")]  # the first language, then the first that is another


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso-8859-1"])
def test_tmx_in_a_name_space_and_any_encoding(tmp_path: Path, encoding: str) -> None:
    name = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = TMX.replace('"UTF-8"', f'"{name}"').replace(
        '<tmx version="1.4">', '<tmx xmlns="http://x/tmx" version="1.4">'
    )
    path = write(tmp_path, "x.tmx.gz", gzip.compress(text.encode(encoding)))
    assert sides(Bitext.open(path))[1] == ("ein großes Haus!", "a big house!")


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        (TMX.replace('</tuv></tu>\n<tu><tuv xml:lang="fr">', "</tu>\n<tu>"), "not XML", 14),
        ("<html>\n<p/></html>", "root is <html>", 1),
        ("", "not XML", 1),
        (TMX[:500], "not XML", 11),
        (TMX.replace("<seg>das Haus</seg>", ""), "a variant without a segment", 6),
        (TMX.replace("das Haus", "das &#xD800;"), "not XML", 8),
    ],
)
def test_malformed_memories_are_refused_with_their_line(tmp_path: Path, text: str, what: str, line: int) -> None:
    path = write(tmp_path, "x.tmx", text)
    with pytest.raises(FormatError, match=what) as caught:
        sides(Bitext.open(path))
    assert caught.value.where == f"{path}, line {line}"


def bomb(depth: int) -> str:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, depth))
    return TMX.replace('<!DOCTYPE tmx SYSTEM "tmx14.dtd">', f'<!DOCTYPE tmx [<!ENTITY e0 "lol">{entities}]>').replace(
        "das Haus", f"&e{depth - 1};"
    )


@pytest.mark.parametrize("depth", [1, 3, 12])
def test_entities_are_not_expanded(tmp_path: Path, depth: int) -> None:
    with pytest.raises(FormatError):
        sides(Bitext.open(write(tmp_path, "x.tmx", bomb(depth))))


def test_nothing_outside_the_file_is_read(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.txt", "do not tell")
    text = TMX.replace(
        '<!DOCTYPE tmx SYSTEM "tmx14.dtd">', f'<!DOCTYPE tmx [<!ENTITY leak SYSTEM "file://{secret}">]>'
    ).replace("das Haus", "&leak;")
    with pytest.raises(FormatError, match="entity"):
        sides(Bitext.open(write(tmp_path, "x.tmx", text)))


@pytest.mark.slow
def test_units_are_thrown_away_after_use(tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="de"><seg>a</seg></tuv><tuv xml:lang="en"><seg>b</seg></tuv></tu>\n<junk/>\n'
    path = write(tmp_path, "big.tmx", f'<tmx version="1.4"><header srclang="de"/><body>{unit * 20_000}</body></tmx>')
    kept = [len(element.getparent()) for _, element in Units(path)]
    assert len(kept) == 20_000
    assert max(kept) < 2000, "the tree is no larger than what the parser reads ahead"


SAMPLES = {
    "x.txt": "eins zwei\nüber\ndrei\n".encode() * 3,
    "x.txt.gz": gzip.compress("eins zwei\nüber\ndrei\n".encode() * 30),
    "x.txt.xz": lzma.compress("eins zwei\nüber\ndrei\n".encode() * 30),
    "x.txt.bz2": bz2.compress("eins zwei\nüber\ndrei\n".encode() * 30),
    "x.tsv": b"source\ttarget\treference\tid\neins\tone\tune\t1\nzwei\ttwo\ttu\t2\n",
    "x.jsonl": b'{"source": "e\\u00fcns", "target": "one", "references": ["une"], "id": {"a": [1, 2.5e3]}}\n' * 3,
    "x.tmx": TMX.encode(),
    "x.tmx.gz": gzip.compress(TMX.encode()),
}
MUTATION = st.one_of(
    st.tuples(st.just("flip"), st.integers(0, 10_000), st.integers(0, 255)),
    st.tuples(st.just("cut"), st.integers(0, 10_000), st.integers(1, 40)),
    st.tuples(st.just("truncate"), st.integers(0, 10_000), st.just(0)),
    st.tuples(st.just("insert"), st.integers(0, 10_000), st.sampled_from(range(9))),
    st.tuples(st.just("repeat"), st.integers(0, 10_000), st.integers(1, 60)),
)
INSERTS = [b"\x00", b"\xff", b"\xed\xa0\x80", b"\t", b"\n", b"<", b"&e;", b"\\ud800", b"\x1f\x8b"]


def damage(data: bytes, mutations: list[tuple[str, int, int]]) -> bytes:
    for kind, place, value in mutations:
        at = place % (len(data) + 1)
        if kind == "flip":
            data = data[:at] + bytes([value]) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at] + data[at + value :]
        elif kind == "truncate":
            data = data[:at]
        elif kind == "insert":
            data = data[:at] + INSERTS[value] + data[at:]
        else:
            data = data[: at + value] + data[at:]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=st.lists(MUTATION, min_size=1, max_size=4))
def test_damaged_files_give_data_or_a_typed_error(
    tmp_path: Path, name: str, mutations: list[tuple[str, int, int]]
) -> None:
    path = write(tmp_path, name, damage(SAMPLES[name], mutations))
    other = write(tmp_path, "other", SAMPLES["x.txt"])
    complaint = str(path)
    try:
        for pair in Bitext.open(path, other) if name.startswith("x.txt") else Bitext.open(path):
            for side in (*pair, *pair.references):
                assert "\x00" not in side
                side.encode("utf-8")
    except DragomanError as error:
        complaint = str(error)
    assert str(path) in complaint, "an error names its file"
