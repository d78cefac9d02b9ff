"""URLs and markup with a base, signed if there is a key."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from .signing import signed
from .urls import Pairs, Parameters, RequestError, dense, pairs, resized, target, text_of


@dataclass(frozen=True)
class ImageSet:
    """Parameters, and the widths in pixels or the densities at which they are offered.

    Widths replace ``w`` and drop ``dpr``, and scale ``h``, which must have a ``w`` beside it. A height that only a preset states
    is not scaled: each width is then another crop.
    """

    parameters: Parameters = ()
    widths: Sequence[int] | None = None
    densities: Sequence[str | int | float | Decimal] | None = None

    def __post_init__(self) -> None:
        # An iterator could be read only once.
        if isinstance(self.parameters, Iterator):
            object.__setattr__(self, "parameters", tuple(self.parameters))

    def candidates(self) -> list[tuple[Pairs, str]]:
        """The parameters of each URL, and what describes it.

        Raises RequestError for a height that widths cannot scale.
        """
        base = pairs(self.parameters)
        if self.widths:
            # A density would multiply the widths, and a height alone would bound them.
            values = dict(base)
            if "h" in values and "w" not in values:
                raise RequestError("h", "must have a w beside it, from which widths scale it")
            if "h" in values and values["w"].isdecimal() and int(values["w"]) == 0:
                raise RequestError("w", "must be at least 1")
            base = [(name, value) for name, value in base if name != "dpr"]
            return [(resized(base, width), f" {width}w") for width in self.widths]
        if self.densities:
            return [(dense(base, density), f" {text_of(density)}x") for density in self.densities]
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

    ``base`` is the beginning of all URLs, such as ``https://img.example.com``, and ``prefix`` that of the site in the server's
    configuration, such as ``/blog``, which signatures cover. With ``key``, all URLs are signed. ``exp``, ``scope`` and ``form``
    are as in ``target``, and those of a call count before those of the client.

    A signature permits what the server's ``remote.allow`` does not, so with ``key`` the URLs of other servers are refused unless
    ``remote`` is True.
    """

    def __init__(
        self,
        *,
        base: str = "",
        prefix: str = "",
        key: str | None = None,
        exp: int | None = None,
        scope: str | None = None,
        form: str = "plain",
        remote: bool | None = None,
    ) -> None:
        if prefix and (not prefix.startswith("/") or prefix.endswith("/")):
            raise RequestError("prefix", "must begin with a slash, and not end with one")
        self._base = base.removesuffix("/")
        self._prefix = prefix
        self._remote = key is None if remote is None else remote
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
        made = self._prefix + target(
            subject,
            parameters,
            exp=self._exp if exp is None else exp,
            scope=self._scope if scope is None else scope,
            form=form or self._form,
            remote=self._remote,
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
    given = "".join(f' {attribute}="{_escaped(value)}"' for attribute, value in attributes.items() if value is not None)
    return f"<{name}{given}>"


def _escaped(value: object) -> str:
    # Texts that template engines mark as safe are escaped already, but not necessarily for an attribute.
    text = value.__html__() if hasattr(value, "__html__") else html.escape(str(value), quote=False)
    return str(text).replace('"', "&quot;")
