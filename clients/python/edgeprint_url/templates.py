"""What the filters and tags of Django and Jinja have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from .markup import Image, ImageSet

Numbers = Union[str, Sequence[Any], None]

# Attributes of <img>, besides those that begin with data_ or aria_; all other names are parameters.
_ATTRIBUTES = {
    "alt", "class", "id", "width", "height", "loading", "decoding", "fetchpriority", "crossorigin", "referrerpolicy", "style",
    "title",
}
_PREFIXES = ("data_", "aria_", "data-", "aria-")
# Parameters whose names cannot be written in templates.
_NAMES = {"min_w": "min-w", "min_h": "min-h", "wait_store": "wait-store"}


def subject_of(value: object) -> str:
    """The path or URL of an image, which may be a file of a model; empty for a missing one."""
    return str(value) if value else ""


def named(parameters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Parameters with their own names, without those whose values are empty texts, as of missing variables."""
    return [(_NAMES.get(name, name), value) for name, value in parameters.items() if value is not None and value != ""]


def image_set(parameters: Mapping[str, Any], widths: Numbers, densities: Numbers) -> ImageSet:
    """A set of images; numbers are a list, or joined by commas."""
    return ImageSet(named(parameters), *_sizes(widths, densities))


def image(given: Mapping[str, Any], widths: Numbers, densities: Numbers, sizes: str | None) -> Image:
    """An image whose attributes are given among its parameters."""
    attributes: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for name, value in given.items():
        if name in _ATTRIBUTES:
            attributes[name] = value
        elif name.startswith(_PREFIXES):
            attributes[name.replace("_", "-")] = value
        else:
            parameters[name] = value
    return Image(named(parameters), *_sizes(widths, densities), sizes or None, attributes)


def _sizes(widths: Numbers, densities: Numbers) -> tuple[list[int] | None, list[Any] | None]:
    return [int(each) for each in _numbers(widths)] or None, _numbers(densities) or None


def _numbers(text: Numbers) -> list[Any]:
    if not isinstance(text, str):
        return list(text or ())
    return [each.strip() for each in text.split(",") if each.strip()]
