"""Filters and tags for Django's templates, after ``{% load edgeprint %}``.

    {{ "photos/cat.jpg"|edgeprint:"w=400&fit=cover&h=300" }}
    {% edgeprint_url photo.name w=400 %}
    {% edgeprint_srcset photo.name widths="320,640,1280" %}
    {% edgeprint_img photo.name widths="320,640" sizes="50vw" alt=photo.title loading="lazy" %}

``edgeprint_url.django`` is one of ``INSTALLED_APPS``, and ``settings.EDGEPRINT`` has the arguments of ``Edgeprint``. Without a
subject, all of them give an empty text. The dash in the name of a parameter is written as ``_``: ``min_w=300``, as is that of the
attributes ``data_x=1`` and ``aria_label="A cat"``. A parameter whose value is empty, as of a missing variable, is left out.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from edgeprint_url import Edgeprint
from edgeprint_url.templates import Numbers, image, image_set, named, subject_of

register = template.Library()


def edgeprint(subject: object, parameters: str = "") -> str:
    """The URL of an image; parameters are joined by ``&``, and not encoded."""
    pairs = [each.partition("=") for each in parameters.split("&") if each]
    path = subject_of(subject)
    # An empty value may be that of a missing variable.
    return _images().url(path, [(name, value) for name, sign, value in pairs if value or not sign]) if path else ""


def edgeprint_url(subject: object, **parameters: Any) -> str:
    """The URL of an image."""
    path = subject_of(subject)
    return _images().url(path, named(parameters)) if path else ""


def edgeprint_srcset(subject: object, widths: Numbers = None, densities: Numbers = None, **parameters: Any) -> str:
    """The value of a ``srcset`` attribute."""
    path = subject_of(subject)
    return _images().srcset(path, image_set(parameters, widths, densities)) if path else ""


def edgeprint_img(
    subject: object,
    *,
    alt: object,
    widths: Numbers = None,
    densities: Numbers = None,
    sizes: str | None = None,
    **given: Any,
) -> SafeString:
    """The markup of an ``<img>``; ``width`` and ``height`` are its attributes, ``w`` and ``h`` those of the URL."""
    path = subject_of(subject)
    return mark_safe(_images().picture(path, image({**given, "alt": alt}, widths, densities, sizes)) if path else "")


def _images() -> Edgeprint:
    return Edgeprint(**getattr(settings, "EDGEPRINT", {}))


register.filter("edgeprint", edgeprint)
for tag in (edgeprint_url, edgeprint_srcset, edgeprint_img):
    register.simple_tag(tag)
