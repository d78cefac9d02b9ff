"""Response headers: ``Cache-Status`` (RFC 9211) and ``Server-Timing`` (W3C Server Timing)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# The kinds of bare items (RFC 9651 §3.3), which no two begin alike but display strings, which are none of ours.
_KINDS: list[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str | int | float | bool]]] = [
    ("token", re.compile(r"[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*", re.ASCII), lambda found: found[0]),
    ("string", re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"'), lambda found: re.sub(r"\\(.)", r"\1", found[1])),
    ("decimal", re.compile(r"-?\d{1,12}\.\d{1,3}", re.ASCII), lambda found: float(found[0])),
    ("integer", re.compile(r"-?\d{1,15}", re.ASCII), lambda found: int(found[0])),
    ("boolean", re.compile(r"\?([01])"), lambda found: found[1] == "1"),
    ("bytes", re.compile(r":[A-Za-z0-9+/=]*:"), lambda found: found[0]),
    ("date", re.compile(r"@-?\d{1,15}", re.ASCII), lambda found: found[0]),
]
_PARAMETER = re.compile(r"; *([a-z*][a-z0-9_\-.*]*)(=?)")
# A comma before another member, or the end.
_SEPARATOR = re.compile(r"[ \t]*(?:,[ \t]*(?=.)|\Z)")
_WORD = r"[A-Za-z0-9_!#$%&'*+\-.^`|~]+"
_NAME = re.compile(_WORD)
_DETAIL = re.compile(rf'[ \t]*;[ \t]*({_WORD})[ \t]*(?:=[ \t]*(?:({_WORD})|"((?:[^"\\]|\\.)*)"))?')
# Empty members are skipped (RFC 9110 §5.6.1); a malformed one ends at the next comma that is not within quotes.
_EMPTY = re.compile(r"[ \t,]*")
_END = re.compile(r"[ \t]*(?:,|\Z)")
_MALFORMED = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^,])*')


@dataclass(frozen=True)
class CacheStatus:
    """What a cache says of a response (RFC 9211 §2)."""

    cache: str
    hit: bool = False
    fwd: str | None = None
    fwd_status: int | None = None
    ttl: int | None = None
    stored: bool | None = None
    collapsed: bool | None = None
    key: str | None = None
    detail: str | None = None


_TYPES = {
    "hit": ("boolean",), "fwd": ("token",), "fwd-status": ("integer",), "ttl": ("integer",), "stored": ("boolean",),
    "collapsed": ("boolean",), "key": ("string",), "detail": ("token", "string"),
}


@dataclass(frozen=True)
class Metric:
    """A stage of a response; ``duration`` is in milliseconds."""

    name: str
    duration: float | None = None
    description: str | None = None


def cache_status(value: str | None) -> list[CacheStatus]:
    """Reads ``Cache-Status``: the cache nearest to the origin first; empty if the field is missing or malformed."""
    text = (value or "").strip(" ")
    members: list[CacheStatus] = []
    at = 0
    while at < len(text):
        name = _item(text, at)
        if name is None:
            return []
        kind, cache, at = name
        found: dict[str, str | int | float | bool] = {}
        while parameter := _PARAMETER.match(text, at):
            item: tuple[str, str | int | float | bool, int] | None = ("boolean", True, parameter.end())
            if parameter[2]:
                item = _item(text, parameter.end())
            if item is None:
                return []
            type, content, at = item
            if type in _TYPES.get(parameter[1], ()):
                found[parameter[1].replace("-", "_")] = content
        if kind in ("token", "string"):
            members.append(CacheStatus(str(cache), **found))  # type: ignore[arg-type] # _TYPES has checked them.
        separator = _SEPARATOR.match(text, at)
        if separator is None:
            return []
        at = separator.end()
    return members


def server_timing(value: str | None) -> list[Metric]:
    """Reads ``Server-Timing``: the stages in their order."""
    text = value or ""
    metrics: list[Metric] = []
    at = _end(_EMPTY, text, 0)
    while at < len(text):
        start = at
        seen: dict[str, str] = {}
        name = _NAME.match(text, at)
        if name:
            at = name.end()
            while detail := _DETAIL.match(text, at):
                at = detail.end()
                content = detail[2] if detail[3] is None else re.sub(r"\\(.)", r"\1", detail[3])
                if content is not None:
                    seen.setdefault(detail[1].lower(), content)
        end = _END.match(text, at)
        if name and end:
            metrics.append(Metric(name[0], _number(seen.get("dur")), seen.get("desc")))
            at = end.end()
        else:
            at = _end(_MALFORMED, text, start)
        at = _end(_EMPTY, text, at)
    return metrics


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _item(text: str, at: int) -> tuple[str, str | int | float | bool, int] | None:
    """The type, value and end of a bare item."""
    for kind, pattern, value in _KINDS:
        if found := pattern.match(text, at):
            return kind, value(found), found.end()
    return None


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d+(?:\.\d+)?", text, re.ASCII) else None
