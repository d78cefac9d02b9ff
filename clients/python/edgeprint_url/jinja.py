"""Filters for Jinja: ``{{ "photos/cat.jpg" | edgeprint(w=400, fit="cover", h=300) }}``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .markup import Edgeprint
from .templates import Numbers, image, image_set, named, subject_of

if TYPE_CHECKING:
    from jinja2 import Environment


def install(environment: Environment, images: Edgeprint) -> None:
    """Adds the filters ``edgeprint``, ``edgeprint_srcset`` and ``edgeprint_img`` to an environment.

    Without a subject, they give an empty text.
    """
    from jinja2 import StrictUndefined, Undefined
    from markupsafe import Markup

    def defined(given: dict[str, Any]) -> dict[str, Any]:
        # Using a strict one is an error.
        return {
            name: None if isinstance(value, Undefined) and not isinstance(value, StrictUndefined) else value
            for name, value in given.items()
        }

    def url(subject: object, **parameters: Any) -> str:
        path = subject_of(subject)
        return images.url(path, named(defined(parameters))) if path else ""

    def srcset(subject: object, widths: Numbers = None, densities: Numbers = None, **parameters: Any) -> str:
        path = subject_of(subject)
        return images.srcset(path, image_set(defined(parameters), widths, densities)) if path else ""

    def img(
        subject: object,
        *,
        alt: object,
        widths: Numbers = None,
        densities: Numbers = None,
        sizes: str | None = None,
        **given: Any,
    ) -> Markup:
        path = subject_of(subject)
        every = {**defined(given), "alt": alt}
        return Markup(images.picture(path, image(every, widths, densities, sizes)) if path else "")

    environment.filters.update(edgeprint=url, edgeprint_srcset=srcset, edgeprint_img=img)
