"""Write a bill of materials (CycloneDX 1.5) beside a wheel: what it needs at run time, as installed here.

    python tools/sbom.py dist/dragoman.cdx.json [--extra server ...]

Everything is read from the metadata of installed packages: no network, nothing guessed. Packages that dragoman can do
without are listed if their extra is named. The native code has no parts of others: what it is built with (nanobind) is
listed as such.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

BUILT_WITH = ("nanobind", "scikit-build-core")


def needed(package: str, extras: Sequence[str] = ()) -> Iterator[str]:
    """Names of the packages that a package needs, those of its extras among them if they are asked for."""
    for text in metadata.requires(package) or ():
        wanted = Requirement(text)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield wanted.name


def closure(package: str, extras: Sequence[str]) -> dict[str, metadata.Distribution]:
    """All installed packages that a package needs, directly or not."""
    found: dict[str, metadata.Distribution] = {}
    pending = list(needed(package, extras))
    while pending:
        name = pending.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system or version of Python
            continue
        pending += needed(name)
    return dict(sorted(found.items()))


def component(name: str, made: metadata.Distribution, *, scope: str) -> dict[str, Any]:
    """A package as CycloneDX has it."""
    entry: dict[str, Any] = {
        "type": "library",
        "name": name,
        "version": made.version,
        "purl": f"pkg:pypi/{name}@{made.version}",
        "bom-ref": f"{name}@{made.version}",
        "scope": scope,
    }
    about = made.metadata
    licence = next((about[field] for field in ("License-Expression", "License") if field in about), "")
    if not licence:  # older packages say it in another way
        classes = [each for each in about.get_all("Classifier") or () if each.startswith("License :: ")]
        licence = classes[0].rpartition(" :: ")[2] if classes else ""
    if licence and len(licence) < 80 and "\n" not in licence:
        entry["licenses"] = [{"license": {"name": licence}}]
    return entry


def bill(extras: Sequence[str]) -> dict[str, Any]:
    """The whole of it."""
    version = metadata.version("dragoman")
    components = [component(name, made, scope="required") for name, made in closure("dragoman", extras).items()]
    components += [component(name, metadata.distribution(name), scope="excluded") for name in BUILT_WITH]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "dragoman",
                "version": version,
                "purl": f"pkg:pypi/dragoman@{version}",
                "bom-ref": f"dragoman@{version}",
            }
        },
        "components": components,
    }


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--extra", action="append", default=[])
    given = parser.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(bill(given.extra), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
