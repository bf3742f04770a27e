"""Templates and imported features of a bundle: how they are written down, with what they need, and read again.

The manifest has an entry for each template: its name, every option that is not as usual, and for a resource the name of
a file in the folder `templates`. Resources that several templates share lie there once. Features in Python modules have
an entry with module, class and options; the module itself stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dragoman.errors import BundleError, DragomanError, SettingError, UntrustedCode
from dragoman.features.imported import ImportedFeature
from dragoman.features.resources import RESOURCES, SMALL, ResourceOptions, make_resources, missing_resources
from dragoman.features.template import Domains, Template
from dragoman.features.template_specs import TemplateSpec
from dragoman.files import require_file
from dragoman.imported import Imported
from dragoman.settings import declared

__all__ = [
    "FOLDER",
    "features_settings",
    "given_files",
    "made_templates",
    "read_features",
    "read_templates",
    "require_trust",
    "resources_of",
    "usual_min_count",
    "write_templates",
]

FOLDER = "templates"
"""Folder of the bundle that holds their resources."""


def usual_min_count(pairs: int) -> int:
    """How often the bitext must have a rule that `filtered` gives a feature: 51 times, or 10 in a small bitext."""
    return 10 if pairs < SMALL else 51


# Making


def resources_of(templates: Iterable[Template]) -> dict[str, Any]:
    """Resources that templates hold, by option, the first of each."""
    found: dict[str, Any] = {}
    for template in templates:
        for option in declared(type(template)):
            if option in RESOURCES:
                found.setdefault(option, getattr(template, option))
    return found


def made_templates(
    planned: Sequence[TemplateSpec],
    *,
    known: Mapping[str, Any],
    text: Callable[[int], Sequence[str]] | None = None,
    resource_options: ResourceOptions | None = None,
) -> list[Template]:
    """Templates with known resources, or else with those made from text: `text(side)` gives tokenised lines."""
    filled = [spec.filled(known) for spec in planned]
    if wanted := missing_resources(filled):
        if text is None:
            raise SettingError(
                f"templates need {', '.join(wanted)}", remedy="give text to make them from, or files that hold them"
            )
        made = make_resources(wanted, text, resource_options)
        filled = [spec.filled(made) for spec in filled]
    return [spec.make() for spec in filled]


def given_files(planned: Iterable[TemplateSpec]) -> dict[str, Path]:
    """Files of resources that specifications name; one that is missing is told now."""
    found = {
        f"{spec.prefix}.{option}": Path(spec.options[option])
        for spec in planned
        for option in RESOURCES
        if isinstance(spec.options.get(option), str | Path)
    }
    for path in found.values():
        require_file(path)
    return found


# Writing and reading


def write_templates(templates: Iterable[Template], folder: Path) -> list[dict[str, Any]]:
    """Write the resources of templates into `folder`, and give the entries for the manifest."""
    files: dict[str, Any] = {}
    entries = []
    for template in templates:
        entry: dict[str, Any] = {"name": template.name}
        for name, option in declared(type(template)).items():
            value = getattr(template, name)
            if name in RESOURCES:
                entry[name] = f"{FOLDER}/{_write_resource(name, value, template.prefix, files, folder)}"
            elif isinstance(value, Domains):
                default = value.names[0] if value.default is None else value.default
                entry[name] = {**value.to_dict(), "default": default}
            elif value != option.default:
                entry[name] = option.dump(value)
        entries.append(entry)
    return entries


def _write_resource(option: str, value: Any, prefix: str, files: dict[str, Any], folder: Path) -> str:
    """The name of the file that holds a resource, written if it is not there yet."""
    resource = RESOURCES[option]
    value = resource.read(Path(value)) if isinstance(value, str | Path) else value
    for name in (resource.file, f"{prefix}.{resource.file}"):
        if name not in files:
            folder.mkdir(exist_ok=True)
            resource.write(value, folder / name)
            files[name] = value
        if files[name] is value or files[name] == value:
            return name
    raise AssertionError("prefixes are unique")


def read_templates(entries: Sequence[Mapping[str, Any]], file: Callable[[str], Path], *, where: str) -> list[Template]:
    """Templates from entries of a manifest; `file` says where a file is."""
    resources: dict[str, Any] = {}
    found = []
    for entry in entries:
        try:
            options: dict[str, Any] = {}
            for option, value in entry.items():
                if option in RESOURCES:
                    if value not in resources:
                        resources[value] = RESOURCES[option].read(file(value))
                    options[option] = resources[value]
                elif isinstance(value, Mapping):
                    options[option] = Domains.from_dict(value)
                elif option != "name":
                    options[option] = value
            found.append(TemplateSpec(entry["name"], options).make())
        except BundleError:
            raise
        except (DragomanError, KeyError, TypeError, AttributeError) as error:
            raise BundleError(
                f"damaged: template {entry!r} is not usable ({error})",
                where=where,
                remedy="copy or train the model again",
            ) from None
    return found


def _feature_entries(features: Iterable[ImportedFeature]) -> list[dict[str, Any]]:
    """Entries of the manifest for imported features."""
    return [{"module": each.module, "class": each.attribute, "options": dict(each.options)} for each in features]


def read_features(entries: Sequence[Mapping[str, Any]], *, where: str) -> tuple[ImportedFeature, ...]:
    """Imported features from entries of a manifest; nothing is imported yet."""
    try:
        return tuple(ImportedFeature(entry["module"], entry["class"], dict(entry["options"])) for entry in entries)
    except (SettingError, KeyError, TypeError, AttributeError) as error:
        raise BundleError(
            f"damaged: its features are not usable ({error})", where=where, remedy="copy or train the model again"
        ) from None


def require_trust(features: Sequence[Imported], *, trusted: bool, where: str) -> None:
    """Refuse to import features unless the caller has said that their code may run."""
    if features and not trusted:
        raise UntrustedCode(
            f"uses features in Python code: {', '.join(map(str, features))}",
            where=where,
            remedy="look at that code, and if you trust it say trust_features=True (--trust-features)",
        )


def features_settings(
    templates: Sequence[Template], imported: Sequence[ImportedFeature], files: Path
) -> dict[str, Any]:
    """Write what templates need into a bundle, and give what its manifest says of templates and features."""
    return {"templates": write_templates(templates, files / FOLDER), "features": _feature_entries(imported)}
