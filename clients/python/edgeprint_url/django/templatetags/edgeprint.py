"""Filters and tags for Django's templates, after ``{% load edgeprint %}``.

    {{ "photos/cat.jpg"|edgeprint:"w=400&fit=cover&h=300" }}
    {% edgeprint_url photo.name w=400 %}
    {% edgeprint_srcset photo.name widths="320,640,1280" %}
    {% edgeprint_img photo.name widths="320,640" sizes="50vw" alt=photo.title loading="lazy" %}

``edgeprint_url.django`` is one of ``INSTALLED_APPS``, and ``settings.EDGEPRINT`` has the arguments of ``Edgeprint``.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from edgeprint_url import Edgeprint, Image, ImageSet, Value

register = template.Library()

# Names of attributes of <img>, which are no parameters. Their width and height are img_width and img_height.
_ATTRIBUTES = ("alt", "class", "id", "loading", "decoding", "fetchpriority", "crossorigin", "referrerpolicy", "style", "title")


def edgeprint(subject: str, parameters: str = "") -> str:
    """The URL of an image; parameters are joined by ``&``, and not encoded."""
    pairs = [each.partition("=") for each in parameters.split("&") if each]
    return _images().url(subject, [(name, value) for name, _, value in pairs])


def edgeprint_url(subject: str, **parameters: Value) -> str:
    """The URL of an image."""
    return _images().url(subject, parameters)


def edgeprint_srcset(subject: str, widths: str = "", densities: str = "", **parameters: Value) -> str:
    """The value of a ``srcset`` attribute."""
    return _images().srcset(subject, ImageSet(parameters, *_sets(widths, densities)))


def edgeprint_img(subject: str, widths: str = "", densities: str = "", sizes: str | None = None, **given: Any) -> SafeString:
    """The markup of an ``<img>``."""
    attributes = {name: given.pop(name) for name in _ATTRIBUTES if name in given}
    for side in ("width", "height"):
        attributes[side] = given.pop(f"img_{side}", None)
    return mark_safe(_images().picture(subject, Image(given, *_sets(widths, densities), sizes, attributes)))


def _images() -> Edgeprint:
    return Edgeprint(**getattr(settings, "EDGEPRINT", {}))


def _sets(widths: str, densities: str) -> tuple[list[int] | None, list[str] | None]:
    """Lists of numbers that are joined by commas."""
    return [int(each) for each in widths.split(",") if each] or None, [each for each in densities.split(",") if each] or None


register.filter("edgeprint", edgeprint)
for tag in (edgeprint_url, edgeprint_srcset, edgeprint_img):
    register.simple_tag(tag)
