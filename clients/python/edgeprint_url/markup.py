"""URLs and markup with a base, signed if there is a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from .signing import signed
from .urls import Pairs, Parameters, dense, pairs, resized, target


@dataclass(frozen=True)
class ImageSet:
    """Parameters, and the widths in pixels or the densities at which they are offered."""

    parameters: Parameters = ()
    widths: Sequence[int] | None = None
    densities: Sequence[str | int | float | Decimal] | None = None

    def candidates(self) -> list[tuple[Pairs, str]]:
        """The parameters of each URL, and what describes it."""
        base = pairs(self.parameters)
        if self.widths:
            return [(resized(base, width), f" {width}w") for width in self.widths]
        if self.densities:
            return [(dense(base, density), f" {density}x") for density in self.densities]
        return [(base, "")]


@dataclass(frozen=True)
class Source(ImageSet):
    """A ``<source>`` of a picture."""

    media: str | None = None
    type: str | None = None
    sizes: str | None = None
    width: str | int | None = None
    height: str | int | None = None


@dataclass(frozen=True)
class Image(ImageSet):
    """The ``<img>`` of a picture."""

    sizes: str | None = None
    attributes: Mapping[str, str | int | None] = field(default_factory=dict)


class Edgeprint:
    """Builds URLs and markup.

    ``base`` is the beginning of all URLs, such as ``https://img.example.com``. With ``key``, all of them are signed. ``exp``,
    ``scope`` and ``form`` are as in ``target``, and those of a call count before those of the client.
    """

    def __init__(
        self, *, base: str = "", key: str | None = None, exp: int | None = None, scope: str | None = None, form: str = "plain"
    ) -> None:
        self._base = base.removesuffix("/")
        self._key = key
        self._exp = exp
        self._scope = scope
        self._form = form

    def url(
        self,
        subject: str,
        parameters: Parameters = (),
        *,
        exp: int | None = None,
        scope: str | None = None,
        form: str | None = None,
    ) -> str:
        """The URL of an image."""
        made = target(
            subject,
            parameters,
            exp=self._exp if exp is None else exp,
            scope=self._scope if scope is None else scope,
            form=form or self._form,
        )
        return self._base + (signed(self._key, made) if self._key is not None else made)

    def srcset(self, subject: str, images: ImageSet, *, exp: int | None = None, scope: str | None = None) -> str:
        """The value of a ``srcset`` attribute."""
        return ", ".join(
            self.url(subject, parameters, exp=exp, scope=scope) + descriptor for parameters, descriptor in images.candidates()
        )

    def picture(
        self,
        subject: str,
        image: Image,
        sources: Iterable[Source] = (),
        *,
        exp: int | None = None,
        scope: str | None = None,
    ) -> str:
        """The markup of an ``<img>``, or with sources a ``<picture>``."""
        made = [
            _tag("source", {
                "media": each.media,
                "type": each.type,
                "srcset": self.srcset(subject, each, exp=exp, scope=scope),
                "sizes": each.sizes,
                "width": each.width,
                "height": each.height,
            })
            for each in sources
        ]
        parameters, _ = image.candidates()[-1 if image.widths else 0]
        img = _tag("img", {
            "src": self.url(subject, parameters, exp=exp, scope=scope),
            "srcset": self.srcset(subject, image, exp=exp, scope=scope) if image.widths or image.densities else None,
            "sizes": image.sizes,
            **image.attributes,
        })
        return f"<picture>{''.join(made)}{img}</picture>" if made else img


def _tag(name: str, attributes: Mapping[str, str | int | None]) -> str:
    def escaped(value: str | int) -> str:
        return str(value).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")

    given = "".join(f' {attribute}="{escaped(value)}"' for attribute, value in attributes.items() if value is not None)
    return f"<{name}{given}>"
