"""Signatures: HMAC-SHA256 as unpadded base64url."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

_KEY = re.compile(r"(?:[0-9A-Fa-f]{2}){16,128}")


def signature(key: str, target: str) -> str:
    """The value of ``sig`` for a path and query: over all of it, or with ``scope`` over the path, ``scope`` and ``exp``.

    ``key`` has hexadecimal digits, as in ``signing.keys``; ValueError for other texts.
    """
    if not _KEY.fullmatch(key):
        raise ValueError("A key has 32 to 256 hexadecimal digits.")
    path, _, query = target.partition("?")
    pairs = query.split("&")
    if any(pair.startswith("scope=") for pair in pairs):
        pairs = [pair for pair in pairs if pair.startswith(("scope=", "exp="))]
    code = hmac.digest(bytes.fromhex(key), f"{path}?{'&'.join(pairs)}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(code).decode().rstrip("=")


def signed(key: str, target: str) -> str:
    """The target with its signature at the end."""
    return f"{target}{'&' if '?' in target else '?'}sig={signature(key, target)}"
