"""Request targets: paths and queries, encoded as the server's own builder encodes them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Union
from urllib.parse import quote

Scalar = Union[str, int, float, bool, Decimal, None]
# A list or tuple stands for the parameter several times, None for no parameter.
Value = Union[Scalar, Sequence[Scalar]]
# In the order of the steps, not encoded: a mapping, or pairs where names repeat between others.
Parameters = Union[Mapping[str, Value], Iterable[tuple[str, Value]]]
Pairs = list[tuple[str, str]]

_RESERVED = {"sig", "exp", "scope", "url", "url64", "enc"}
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"-?(?=[\d.])\d{0,9}(?:\.\d+)?", re.ASCII)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_URL = re.compile(r"https?://|data:", re.IGNORECASE)


class RequestError(ValueError):
    """A request that cannot be built."""

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{parameter} {reason}")
        #: The parameter at fault, or ``path``.
        self.parameter = parameter


def target(
    subject: str,
    parameters: Parameters = (),
    *,
    exp: int | None = None,
    scope: str | None = None,
    form: str = "plain",
    remote: bool = True,
) -> str:
    """The path and query of a request, not signed.

    ``subject`` is ``SOURCE/PATH``, not encoded, or the absolute URL of an image elsewhere, which ``form="base64"`` writes as
    ``url64``, and which ``remote=False`` refuses. ``exp`` is in seconds since 1970.

    Raises RequestError for paths without a source, dot segments, control characters, text that is not Unicode, values without a
    text, and names that the builder writes itself.
    """
    is_remote = _URL.match(subject) is not None
    query: list[str] = []
    if is_remote:
        if not remote:
            raise RequestError("url", "cannot be that of another server: remote is not enabled")
        _check(subject, "url")
        query.append("url64=" + _base64url(subject.encode()) if form == "base64" else "url=" + _value(subject))
    for name, value in pairs(parameters):
        if name in _RESERVED:
            raise RequestError(name, "cannot be given as a parameter: it is generated")
        if not value:
            raise RequestError(name, "has no value")
        _check(name, "name")
        _check(value, name)
        query.append(f"{_value(name)}={_value(value)}")
    if scope is not None:
        _check(scope, "scope")
        query.append("scope=" + _value(scope))
    if exp is not None:
        if not 0 <= exp < 10**12:
            raise RequestError("exp", "must be a time in seconds since 1970")
        query.append(f"exp={int(exp)}")
    path = "/fetch" if is_remote else _path(subject)
    return path + ("?" + "&".join(query) if query else "")


def pairs(parameters: Parameters) -> Pairs:
    """The pairs of a mapping or of pairs, as text."""
    items: Iterable[tuple[str, Value]] = parameters.items() if isinstance(parameters, Mapping) else parameters
    result: Pairs = []
    for name, value in items:
        # Other objects, such as lazy texts, are values as well.
        every = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        result += [(name, text_of(each)) for each in every if each is not None]
    return result


def resized(parameters: Pairs, width: int) -> Pairs:
    """The pairs for another width; ``h`` beside ``w`` is scaled alike."""
    values = dict(parameters)
    result = _assigned(parameters, "w", str(width))
    if values.get("w", "").isdecimal() and values.get("h", "").isdecimal():
        height = (2 * int(values["h"]) * width + int(values["w"])) // (2 * int(values["w"]))
        result = _assigned(result, "h", str(max(1, height)))
    return result


def dense(parameters: Pairs, density: Scalar) -> Pairs:
    """The pairs for a density."""
    return _assigned(parameters, "dpr", text_of(density))


@dataclass(frozen=True)
class Entry:
    """A parameter that a scope permits.

    ``values`` are texts, numbers, and ranges as pairs with both ends included; ``None`` permits every value.
    """

    name: str
    values: Sequence[Scalar | tuple[Scalar, Scalar]] | None = None
    required: bool = False


def scope_text(entries: Iterable[Entry]) -> str:
    """The value of ``scope``: the parameters that a signature permits.

    Raises RequestError for the ends of ranges that are not numbers, or not below 10⁹.
    """

    def end(value: Scalar) -> str:
        # The server would read the range as a text.
        number = text_of(value)
        if not _NUMBER.fullmatch(number):
            raise RequestError("scope", f"has a range with {number}, which is no number below 10^9")
        return number

    def text(entry: Entry) -> str:
        values = ["*"] if entry.values is None else [
            "-".join(map(end, each)) if isinstance(each, (tuple, list)) else _separators(text_of(each))
            for each in entry.values
        ]
        return f"{_separators(entry.name)}{'!' if entry.required else ''}:{'|'.join(values)}"

    return ",".join(map(text, entries))


def mark_text(text: str) -> str:
    """The first part of ``watermark`` for a text."""
    return "text:" + text.replace("%", "%25").replace(",", "%2C")


def mark_path(subject: str) -> str:
    """The first part of ``watermark`` or ``mask`` for an image, ``SOURCE/PATH``."""
    return _path(subject)[1:].replace(",", "%2C")


def _assigned(parameters: Pairs, name: str, value: str) -> Pairs:
    """Replaces a parameter where it stands, or inserts it: ``w`` behind a preset, whose steps come first."""
    names = [each for each, _ in parameters]
    if name in names:
        return [(each, value if each == name else old) for each, old in parameters]
    place = len(names) if name != "w" else names.index("preset") + 1 if "preset" in names else 0
    return [*parameters[:place], (name, value), *parameters[place:]]


def text_of(value: Scalar) -> str:
    """A value as text: numbers without an exponent, and with the six decimal places that the server reads."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (float, Decimal)):
        text = f"{value:.6f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text
    return str(value)


def _check(text: str, parameter: str) -> None:
    if _CONTROLS.search(text):
        raise RequestError(parameter, "has a control character")
    if _SURROGATES.search(text):
        raise RequestError(parameter, "is not valid Unicode")


def _path(subject: str) -> str:
    _check(subject, "path")
    if any(segment in (".", "..") for segment in re.split(r"[/\\]", subject)):
        raise RequestError("path", "has a dot segment")
    if subject in ("", "/") or subject.startswith("//"):
        raise RequestError("path", "must begin with the name of a source")
    return quote(subject if subject.startswith("/") else "/" + subject, safe="/!$&'()*+,;=:@")


def _value(text: str) -> str:
    return quote(text, safe=",:")


def _separators(text: str) -> str:
    return re.sub(r"[%,|:!*-]", lambda found: f"%{ord(found[0]):02X}", text)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
