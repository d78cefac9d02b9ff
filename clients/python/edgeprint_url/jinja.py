"""Filters for Jinja: ``{{ "photos/cat.jpg" | edgeprint(w=400, fit="cover", h=300) }}``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .markup import Edgeprint, Image, ImageSet
from .urls import Value

if TYPE_CHECKING:
    from jinja2 import Environment


def install(environment: Environment, images: Edgeprint) -> None:
    """Adds the filters ``edgeprint``, ``edgeprint_srcset`` and ``edgeprint_img`` to an environment."""
    from markupsafe import Markup

    def url(subject: str, **parameters: Value) -> str:
        return images.url(subject, parameters)

    def srcset(
        subject: str, widths: Sequence[int] | None = None, densities: Sequence[str | int | float] | None = None, **parameters: Value
    ) -> str:
        return images.srcset(subject, ImageSet(parameters, widths, densities))

    def img(
        subject: str,
        attributes: dict[str, str | int | None] | None = None,
        widths: Sequence[int] | None = None,
        densities: Sequence[str | int | float] | None = None,
        sizes: str | None = None,
        **parameters: Value,
    ) -> Markup:
        return Markup(images.picture(subject, Image(parameters, widths, densities, sizes, attributes or {})))

    environment.filters.update(edgeprint=url, edgeprint_srcset=srcset, edgeprint_img=img)
