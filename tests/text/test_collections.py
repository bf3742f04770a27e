"""Corpora from raw archives, on small files made by hand; no network."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import lzma
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import (
    DragomanError,
    FileError,
    FormatError,
    InputError,
    MissingDependency,
    SettingError,
    UnknownName,
    Unreachable,
)
from dragoman.files import read_lines
from dragoman.pipeline.describe import describe
from dragoman.progress import Progress
from dragoman.text.apt import Apt
from dragoman.text.catalog import COLLECTIONS, Order, get_corpus, read_card
from dragoman.text.debian import paragraphs, read_stanzas
from dragoman.text.heldout import leak_key
from dragoman.text.libreoffice import read_page

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
ZAHLEN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]


def in_words(number: int, words: list[str]) -> str:
    return " ".join(words[int(digit)] for digit in str(number))


def test_stanzas(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(
        "A: 1\nB: two\n three\n  four\n\u00a0x: y\n\n\nA: 2\n".replace("\u00a0x: y\n", " \u00a0\n")
    )
    assert list(read_stanzas(tmp_path / "file")) == [{"A": "1", "B": "two\nthree\n four\n\u00a0"}, {"A": "2"}]


@pytest.mark.parametrize(("text", "line"), [("A: 1\n\n continued\n", 3), ("A: 1\nno field here\n", 2)])
def test_broken_stanzas_are_refused_with_their_line(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(FormatError) as caught:
        list(read_stanzas(tmp_path / "file"))
    assert caught.value.where == f"{tmp_path / 'file'}, line {line}"


def test_paragraphs_lists_and_verbatim_lines() -> None:
    description = (
        "short\nFirst line\nsecond line.\n.\nFeatures:\n * one\n   goes on\n - two\n  1. inner\nAfter.\n.\n  c\n  d"
    )
    assert paragraphs(description) == [
        "short",
        "First line second line.",
        "Features:",
        "* one goes on",
        "- two",
        "1. inner",
        "After.",
        "c",
        "d",
    ]


@given(st.text(alphabet="ab .*-o1)\n\t\u00a0", max_size=60))
def test_paragraphs_lose_no_word(description: str) -> None:
    words = [word for line in description.split("\n")[1:] if line.strip() not in {"", "."} for word in line.split()]
    found = paragraphs(description)
    assert found[0] == description.split("\n")[0]
    assert " ".join(found[1:]).split() == words


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 400), st.integers(0, 60), st.binary(max_size=8))
def test_damaged_indices_give_data_or_a_typed_error(tmp_path: Path, start: int, length: int, junk: bytes) -> None:
    text = "Package: a\nDescription-md5: 1\nDescription-en: größer\n text\n .\n  * item\n\n".encode() * 4
    (tmp_path / "index").write_bytes(text[:start] + junk + text[start + length :])
    with contextlib.suppress(DragomanError):
        for stanza in read_stanzas(tmp_path / "index"):
            assert all(isinstance(paragraph, str) for value in stanza.values() for paragraph in paragraphs(value))


def debian_archive(folder: Path, *, packages: int = 400) -> Path:
    """An archive of descriptions; every source package has two packages, which share a paragraph."""
    english, german, index = [], [], []
    for i in range(packages):
        source = f"source{i // 2}"
        name = f"package{i}"
        original = [
            f"tool number {in_words(i, NUMBERS)}",
            f" It was built from source {in_words(i // 2, NUMBERS)} long ago.",
            " .",
            " This is shared by all of them.",
            " .",
            f"  * it has {in_words(i, NUMBERS)} wheels",
            f"    and version {i}",
        ]
        translation = [
            f"Werkzeug Nummer {in_words(i, ZAHLEN)}",
            f" Es wurde vor langer Zeit gebaut aus Quelle {in_words(i // 2, ZAHLEN)}.",
            " .",
            " Das haben sie alle gemeinsam.",
            " .",
            f"  * es hat {in_words(i, ZAHLEN)} Räder",
            f"    und Version {i}",
        ]
        if i % 10 == 3:
            translation = translation[:4]  # not the same number of paragraphs: not used
        if i % 10 == 7:
            translation = []  # not translated: monolingual
        digest = hashlib.md5("\n".join(original).encode()).hexdigest()
        english.append(
            "\n".join(
                [f"Package: {name}", f"Description-md5: {digest}", f"Description-en: {original[0]}", *original[1:]]
            )
        )
        if translation:
            german.append(
                "\n".join(
                    [
                        f"Package: {name}",
                        f"Description-md5: {digest}",
                        f"Description-de: {translation[0]}",
                        *translation[1:],
                    ]
                )
            )
        index.append(f"Package: {name}\nSource: {source} (1.{i})\nVersion: 1\nDescription: {original[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "host_dists_x_main_i18n_Translation-en").write_text("\n\n".join(english) + "\n")
    (folder / "host_dists_x_main_i18n_Translation-de.xz").write_bytes(lzma.compress("\n\n".join(german).encode()))
    (folder / "host_dists_x_main_binary-amd64_Packages.gz").write_bytes(gzip.compress("\n\n".join(index).encode()))
    return folder


def lines(path: Path) -> list[str]:
    return list(read_lines(path))


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("debian")
    get_corpus("debian", folder / "out", Order(languages=("en-de",), origin=debian_archive(folder / "lists")))
    return folder / "out"


def test_debian_pairs_are_translations(debian: Path) -> None:
    translate = dict(zip(NUMBERS, ZAHLEN, strict=True))
    for part in ("train", "dev", "test"):
        suffix = ".gz" if part == "train" else ""
        english, german = lines(debian / f"{part}.en{suffix}"), lines(debian / f"{part}.de{suffix}")
        assert len(english) == len(german) > 20
        for source, target in zip(english, german, strict=True):
            numbers = [translate[word.strip(".")] for word in source.split() if word.strip(".") in translate]
            assert numbers == [word.strip(".") for word in target.split() if word.strip(".") in ZAHLEN]
    pairs = list(zip(lines(debian / "train.en.gz"), lines(debian / "train.de.gz"), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert any(source.startswith("* it has") and "and version" in source for source, _ in pairs)


def test_debian_held_out_sets_do_not_leak(debian: Path) -> None:
    train, mono = lines(debian / "train.en.gz"), lines(debian / "mono.en.gz")
    held = lines(debian / "dev.en") + lines(debian / "test.en")
    keys = [leak_key(text) for text in held]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {leak_key(text) for text in train + mono}
    assert "This is shared by all of them." in train
    assert "This is shared by all of them." not in held
    sources = [{int(name[7:]) // 2 for name in lines(debian / f"{part}.package")} for part in ("dev", "test")]
    assert not sources[0] & sources[1]
    assert len(set(mono)) == len(mono)
    assert not set(mono) & set(train)
    assert any("seven" in text for text in mono)


def test_the_record_of_a_corpus(debian: Path) -> None:
    card = read_card(debian)
    assert (card["collection"], card["languages"], card["seed"]) == ("debian", ["en", "de"], 1)
    assert card["command"] == "dragoman corpus get debian en-de --seed 1"
    assert [origin["what"] for origin in card["origins"]] == ["Translation-en", "Translation-de.xz", "Packages.gz"]
    assert card["files"]["dev.en"]["segments"] == len(lines(debian / "dev.en"))
    assert card["files"]["dev.en"]["sha256"] == hashlib.sha256((debian / "dev.en").read_bytes()).hexdigest()
    assert card["license"] in (debian / "README.md").read_text()
    assert "host" not in (debian / "corpus.toml").read_text(), "mirrors are nobody's business"
    assert describe(debian, verify=True)["languages"] == ["en", "de"]


def test_where_most_of_a_language_is(tmp_path: Path) -> None:
    """Debian has Chinese under codes with a region, and hardly any under `zh`."""
    folder = debian_archive(tmp_path / "archive", packages=60)
    german = lzma.decompress((folder / "host_dists_x_main_i18n_Translation-de.xz").read_bytes()).decode()
    (folder / "Translation-zh").write_text(german.replace("Description-de", "Description-zh"))
    card = get_corpus("debian", tmp_path / "corpus", Order(languages=("en-zh",), origin=folder))
    assert any("the archive has more in zh_CN and zh_TW" in remark for remark in card.notes)


def test_a_changed_corpus_is_noticed(debian: Path, tmp_path: Path) -> None:
    shutil.copytree(debian, tmp_path / "copy")
    (tmp_path / "copy" / "dev.en").write_text("changed\n")
    with pytest.raises(FormatError, match="checksum"):
        describe(tmp_path / "copy", verify=True)


def test_the_same_seed_gives_the_same_corpus(debian: Path, tmp_path: Path) -> None:
    order = Order(languages=("en-de",), origin=debian.parent / "lists")
    again = get_corpus("debian", tmp_path / "again", order)
    assert again.files == tomllib.loads((debian / "corpus.toml").read_text())["files"]
    other = get_corpus("debian", tmp_path / "again", Order(languages=("en-de",), origin=order.origin, seed=2))
    assert other.files["test.en"]["sha256"] != again.files["test.en"]["sha256"]


@pytest.mark.parametrize("languages", [("de-en",), ("en",), ("en-de", "en-fr"), ("en-../x",)])
def test_wrong_pairs_are_refused(languages: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(SettingError):
        get_corpus("debian", tmp_path / "out", Order(languages=languages, origin=tmp_path))
    assert not (tmp_path / "out").exists()


def test_what_is_not_a_corpus_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.tex").write_text("x")
    with pytest.raises(FileError, match=r"has thesis.tex in it, which was not made by this command"):
        get_corpus("debian", tmp_path / "precious", Order(languages=("en-de",), origin=tmp_path))
    with pytest.raises(SettingError, match="as large as it is"):
        get_corpus("debian", tmp_path / "x", Order(languages=("en-de",), size=10))
    with pytest.raises(UnknownName, match="did you mean 'debian'"):
        get_corpus("debain", tmp_path / "x", Order(languages=("en-de",)))


def test_missing_and_foreign_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such folder"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-de",), origin=tmp_path / "nowhere"))
    folder = debian_archive(tmp_path / "lists", packages=4)
    with pytest.raises(FileError, match="no Translation-fr index"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-fr",), origin=folder))
    (folder / "Translation-fr").write_text("Package: x\nDescription-md5: 0\n")
    with pytest.raises(FormatError, match="without Description-fr"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-fr",), origin=folder))
    (folder / "Translation-fr").write_text("Package: x\nDescription-md5: 0\nDescription-fr: y\n")
    with pytest.raises(InputError, match="no description is in both"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-fr",), origin=folder))
    assert not (tmp_path / "out").exists()


def help_page(language: str, number: int) -> str:
    words = {"en-US": NUMBERS, "de": ZAHLEN, "fr": [f"{word}-fr" for word in ZAHLEN]}[language]
    text = {"en-US": "Choose page", "de": "Wählen Sie Seite", "fr": "Choisissez la page"}[language]
    key = {"en-US": "Ctrl", "de": "Strg", "fr": "Contrôle"}[language]
    return f"""<!DOCTYPE html><html lang="{language}"><head><title>x</title></head><body>
<h1 id="hd_id1"><a name="x"></a>{text} {in_words(number, words)}
</h1><p id="par_id2" class="paragraph">{text} <span class="menuitem">{in_words(number, words)}</span> &amp; press
<span class="switchinline"><span hidden="true" class="MAC">⌘</span><span id="default">{key}+{number}</span></span>.</p>
<p id="bm_id3">not text</p><p>without identifier</p><p id="par_id4">PRINT {number}</p>
<p id="par_id5">{text} a</p><p id="par_id5">{text} b</p>
{"<p id='par_id6'>only English here</p>" * (language == "en-US")}
<script>x</script></body></html>"""


def help_tree(folder: Path, pages: int) -> Path:
    for language in ("en-US", "de", "fr"):
        package = folder / f"libreoffice-help-{language.lower()}"
        for number in range(pages):
            path = package / f"usr/share/libreoffice/help/{language}/text/swriter/{number:03}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(help_page(language, number), "utf-8")
        terms = package / f"usr/share/doc/{package.name}/copyright"
        terms.parent.mkdir(parents=True)
        terms.write_text("License: MPL-2.0\n")
    return folder


def test_a_help_page() -> None:
    page = read_page(help_page("de", 7).encode(), "x")
    assert page.paragraphs == {
        ("hd_id1", 0): "Wählen Sie Seite sieben",
        ("par_id2", 0): "Wählen Sie Seite sieben & press Strg+7.",
        ("par_id4", 0): "PRINT 7",
        ("par_id5", 0): "Wählen Sie Seite a",
        ("par_id5", 1): "Wählen Sie Seite b",
    }


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 700), st.integers(0, 60), st.binary(max_size=8))
def test_damaged_pages_give_data_or_a_typed_error(start: int, length: int, junk: bytes) -> None:
    raw = help_page("de", 7).encode()
    raw = raw[:start] + junk + raw[start + length :]
    with contextlib.suppress(DragomanError):
        assert all(isinstance(text, str) for text in read_page(raw, "x").paragraphs.values())


@pytest.fixture(scope="module")
def help_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return help_tree(tmp_path_factory.mktemp("help"), 300)


@pytest.mark.slow
def test_help_pages_in_three_languages(help_packages: Path, tmp_path: Path) -> None:
    order = Order(languages=("de", "fr"), origin=help_packages)
    card = get_corpus("libreoffice-help", tmp_path / "out", order)
    assert card.languages == ["en", "de", "fr"]
    assert (tmp_path / "out" / "copyright").read_text() == "License: MPL-2.0\n"
    rows = list(
        zip(*(lines(tmp_path / "out" / f"train.{code}.gz") for code in ("en", "de", "fr", "page")), strict=True)
    )
    assert len(rows) > 200
    for english, german, french, page in rows:
        if not page.endswith("swriter/000"):  # the first page has the paragraphs that all pages repeat
            number = int(page[-3:])
            assert in_words(number, NUMBERS) in english
            assert in_words(number, ZAHLEN) in german
            assert "-fr" in french
    held = {leak_key(text) for part in ("dev", "test") for text in lines(tmp_path / "out" / f"{part}.en")}
    assert len(held) == 200
    assert not held & {leak_key(row[0]) for row in rows}
    assert card.removed["identical"] == 300  # PRINT
    assert card.removed["duplicate"] == 2 * 299


@pytest.mark.slow
def test_help_packages_as_debs(help_packages: Path, tmp_path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no dpkg-deb here")
    for package in help_packages.iterdir():
        tree = tmp_path / "trees" / package.name
        shutil.copytree(package, tree)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN" / "control").write_text(
            f"Package: {package.name}\nVersion: 4:7.4-1\nArchitecture: all\nMaintainer: x <x@x.org>\nDescription: x\n"
        )
        target = tmp_path / f"{package.name}_4%3a7.4-1_all.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, target], check=True, capture_output=True
        )
    from_trees = get_corpus("libreoffice-help", tmp_path / "a", Order(languages=("fr",), origin=help_packages))
    from_debs = get_corpus("libreoffice-help", tmp_path / "b", Order(languages=("fr",), origin=tmp_path))
    assert from_debs.files == from_trees.files
    assert [(origin.what, origin.version) for origin in from_debs.origins] == [
        ("libreoffice-help-en-us", "4:7.4-1"),
        ("libreoffice-help-fr", "4:7.4-1"),
    ]
    torn = tmp_path / "libreoffice-help-fr_4%3a7.4-1_all.deb"
    torn.write_bytes(torn.read_bytes()[:20_000])
    with pytest.raises(FileError, match="damaged"):
        get_corpus("libreoffice-help", tmp_path / "b", Order(languages=("fr",), origin=tmp_path))
    assert read_card(tmp_path / "b")["languages"] == ["en", "fr"], "the old corpus is still there"


@pytest.mark.slow
def test_synthetic_corpora(tmp_path: Path) -> None:
    card = get_corpus("synthetic", tmp_path / "out", Order(languages=("en-de",), size=300, seed=4))
    assert [card.files[f"train.{suffix}"]["segments"] for suffix in ("en", "de", "align")] == [300, 300, 300]
    assert card.files["test.de"]["segments"] == card.files["dev.en"]["segments"] == 100
    assert not set(lines(tmp_path / "out" / "train.en")) & set(lines(tmp_path / "out" / "test.en"))
    assert read_card(tmp_path / "out")["command"] == "dragoman corpus get synthetic en-de --seed 4 --size 300"
    with pytest.raises(UnknownName, match="did you mean 'en-de'"):
        get_corpus("synthetic", tmp_path / "out", Order(languages=("en-da",)))
    with pytest.raises(SettingError, match="size is 0"):
        get_corpus("synthetic", tmp_path / "out", Order(languages=("en-de",), size=0))
    assert (tmp_path / "out" / "train.de").exists()


def fake_apt(folder: Path, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / "apt-get"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


def test_without_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependency, match="--from"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-de",), cache=tmp_path / "cache"))


def test_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'case "$*" in *update*) echo "E: Could not resolve the host" >&2; exit 100;; esac'
    monkeypatch.setenv("PATH", f"{fake_apt(tmp_path / 'bin', script)}:/usr/bin:/bin")
    with pytest.raises(Unreachable, match="Could not resolve the host: the Debian archive did not answer"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-de",), cache=tmp_path / "cache"))
    with pytest.raises(Unreachable):
        get_corpus("libreoffice-help", tmp_path / "out", Order(languages=("de",), cache=tmp_path / "cache"))
    assert not (tmp_path / "out").exists()


def test_apt_works_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = debian_archive(tmp_path / "lists")
    rows = [
        ("Packages", "x", "main", "Debian", "12.0", "$(LANGUAGE)", "host_dists_x_main_binary-amd64_Packages.gz"),
        ("Translations", "x", "main", "Debian", "12.0", "en", "host_dists_x_main_i18n_Translation-en"),
        ("Translations", "x", "main", "Debian", "12.0", "de", "host_dists_x_main_i18n_Translation-de.xz"),
        ("Translations", "x", "contrib", "Debian", "12.0", "de", "host_dists_x_main_i18n_Translation-de.xz"),
        ("Translations", "y", "main", "Other", "1", "en", "nowhere"),
    ]
    (tmp_path / "targets").write_text("".join("\t".join([*row[:6], str(lists / row[6])]) + "\n" for row in rows))
    targets = f'case "$*" in *indextargets*) cat {tmp_path}/targets;; esac'
    script = f'echo "W: by the way" >&2; echo "$*" >> {tmp_path}/calls; {targets}'
    monkeypatch.setenv("PATH", f"{fake_apt(tmp_path / 'bin', script)}:/usr/bin:/bin")
    card = get_corpus("debian", tmp_path / "out", Order(languages=("en-de",), cache=tmp_path / "cache"))
    assert {origin.version for origin in card.origins} == {"Debian 12.0 (x), main"}
    assert len(card.origins) == 3
    assert f"--config-file {tmp_path}/cache/apt.conf" in (tmp_path / "calls").read_text()
    configuration = (tmp_path / "cache" / "apt.conf").read_text()
    assert f'Dir::State "{tmp_path}/cache/state";' in configuration
    assert 'Acquire::Languages "en,de";' in configuration
    with pytest.raises(InputError, match="no descriptions in 'fr'"):
        get_corpus("debian", tmp_path / "out", Order(languages=("en-fr",), cache=tmp_path / "cache"))


def test_packages_are_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = 'for last in "$@"; do :; done\ncase "$*" in *missing*) exit 100;; esac\necho x > "${last}_1.0_all.deb"'
    monkeypatch.setenv("PATH", f"{fake_apt(tmp_path / 'bin', script)}:/usr/bin:/bin")
    apt = Apt(tmp_path / "cache")
    assert [path.name for path in apt.download(["tool"])] == ["tool_1.0_all.deb"]
    with pytest.raises(Unreachable, match="'missing' could not be fetched"):
        apt.download(["missing"])
    with pytest.raises(SettingError, match="quotation mark"):
        Apt(tmp_path / 'say "hi"').download(["tool"])


def test_progress_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        'for argument in "$@"; do case "$argument" in APT::Status-Fd=*) fd="${argument#*=}";; esac; done\n'
        'case "$*" in *update*) echo dlstatus:1:25.5:Retrieving > /proc/self/fd/$fd;; esac'
    )
    monkeypatch.setenv("PATH", f"{fake_apt(tmp_path / 'bin', script)}:/usr/bin:/bin")
    seen: list[Progress] = []
    with pytest.raises(Unreachable):
        Apt(tmp_path / "cache", progress=seen.append).update(["en"])
    assert seen == [Progress("fetching indices", 25.5, 100.0)]


def test_real_apt_accepts_the_configuration(tmp_path: Path) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("no apt here")
    apt = Apt(tmp_path / "cache")
    apt._configure(["en", "de"])
    assert apt.indices() == []  # nothing was fetched, and nothing of the machine's own is seen
    configuration = subprocess.run(
        ["apt-config", "-c", tmp_path / "cache" / "apt.conf", "dump"], check=True, capture_output=True, text=True
    ).stdout
    assert "Post-Invoke-Success::" not in configuration
    assert f'Dir::State "{tmp_path}/cache/state";' in configuration


def test_the_catalogue_describes_itself() -> None:
    for name in COLLECTIONS:
        collection = COLLECTIONS.get(name)
        assert COLLECTIONS.describe(name)
        assert collection.languages
        assert collection.license
        assert collection.example.startswith(name)
