"""Ask whether known weaknesses are in what dragoman needs at run time, as installed here, with all its extras.

    python -m tools.audit

`pip-audit` has no advisories of its own: it asks the service of PyPI. Where that does not answer (no network, a mirror
that has packages only), nothing can be known; this says so and is no failure. Known weaknesses are one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from importlib import metadata

from tools.sbom import closure

SERVICE = "https://pypi.org/pypi/pip/json"
"""What the service says of one package that certainly exists."""


def service_answers(address: str = SERVICE, *, seconds: float = 5) -> bool:
    """Whether advisories can be asked for."""
    try:
        with urllib.request.urlopen(address, timeout=seconds) as answer:
            return "vulnerabilities" in json.load(answer)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def main() -> int:
    """Ask, and print what is known; 1 if something is."""
    extras = metadata.metadata("dragoman").get_all("Provides-Extra") or []
    needed = closure("dragoman", extras)
    if not service_answers():
        print("not audited: the service that knows of weaknesses (pypi.org) does not answer here", file=sys.stderr)
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.writelines(f"{name}=={found.version}\n" for name, found in needed.items() if name != "dragoman")
        file.flush()
        command = [sys.executable, "-m", "pip_audit", "--requirement", file.name, "--no-deps", "--disable-pip"]
        run = subprocess.run(
            [*command, "--progress-spinner", "off", "--format", "json"], capture_output=True, text=True, check=False
        )
    if not run.stdout.strip():
        print(f"not audited: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return 0
    packages = json.loads(run.stdout)["dependencies"]
    weak = [package for package in packages if package.get("vulns")]
    for package in weak:
        for one in package["vulns"]:
            mended = ", ".join(one["fix_versions"]) or "no release yet"
            print(f"{package['name']} {package['version']}: {one['id']}, mended in {mended}", file=sys.stderr)
    unknown = sum("skip_reason" in package for package in packages)
    print(f"{len(packages) - unknown} packages audited, {unknown} unknown, {len(weak)} with known weaknesses")
    return int(bool(weak))


if __name__ == "__main__":
    raise SystemExit(main())
