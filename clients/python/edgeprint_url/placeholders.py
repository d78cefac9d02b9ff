"""Placeholders: ThumbHash and BlurHash as pixels, and pixels as a ``data:`` URL."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"


@dataclass(frozen=True)
class Pixels:
    """Four bytes per pixel, row by row, alpha not multiplied in."""

    width: int
    height: int
    rgba: bytes


def thumb_hash(text: str) -> Pixels | None:
    """Decodes a ThumbHash in base64 to at most 32 pixels a side; None for other texts."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) < 5:
        return None
    means = int.from_bytes(data[:3], "little")
    shape = int.from_bytes(data[3:5], "little")
    has_alpha = means >> 23 == 1
    if has_alpha and len(data) < 6:
        return None
    longest, shortest = 5 if has_alpha else 7, max(1, shape & 7)
    columns, rows = (longest, shortest) if shape >> 15 else (shortest, longest)
    nibbles = iter([half for byte in data[6 if has_alpha else 5:] for half in (byte & 15, byte >> 4)])

    def channel(mean: float, columns: int, rows: int, scale: float) -> Callable[[float, float], float]:
        waves = [
            (column, row, (next(nibbles) / 7.5 - 1) * scale * 2)
            for row in range(rows)
            for column in range(columns)
            if (column or row) and column * rows < columns * (rows - row)
        ]
        return lambda x, y: mean + sum(value * cos(pi * column * x) * cos(pi * row * y) for column, row, value in waves)

    try:
        luminance = channel((means & 63) / 63, max(3, columns), max(3, rows), (means >> 18 & 31) / 31)
        # Quantisation makes colours paler: they are saturated by a quarter.
        yellow_blue = channel((means >> 6 & 63) / 31.5 - 1, 3, 3, 1.25 * (shape >> 3 & 63) / 63)
        red_green = channel((means >> 12 & 63) / 31.5 - 1, 3, 3, 1.25 * (shape >> 9 & 63) / 63)
        alpha = channel((data[5] & 15) / 15, 5, 5, (data[5] >> 4) / 15) if has_alpha else lambda x, y: 1.0
    except (StopIteration, RuntimeError):
        return None
    ratio = columns / rows
    width, height = int((32 if ratio > 1 else 32 * ratio) + 0.5), int((32 / ratio if ratio > 1 else 32) + 0.5)

    def color(column: int, row: int) -> tuple[float, ...]:
        x, y = (column + 0.5) / width, (row + 0.5) / height
        light, yellow, green = luminance(x, y), yellow_blue(x, y), red_green(x, y)
        blue = light - 2 / 3 * yellow
        red = (3 * light - blue + green) / 2
        return red, red - green, blue, alpha(x, y)

    return _drawn(width, height, color)


def blur_hash(text: str, width: int = 32, height: int = 32) -> Pixels | None:
    """Decodes a BlurHash to pixels of a size; None for other texts."""
    values = [_DIGITS.find(digit) for digit in text]
    if len(values) < 6 or -1 in values or values[0] > 80:
        return None
    columns, rows = values[0] % 9 + 1, values[0] // 9 + 1
    if len(values) != 4 + 2 * columns * rows:
        return None
    scale = (values[1] + 1) / 166
    mean = 0
    for digit in values[2:6]:
        mean = mean * 83 + digit

    def amplitude(step: int) -> float:
        root = (step - 9) / 9
        return root * abs(root) * scale

    waves = [tuple(_linear(part / 255) for part in (mean >> 16, mean >> 8 & 255, mean & 255))]
    for index in range(6, len(values), 2):
        value = values[index] * 83 + values[index + 1]
        waves.append(tuple(amplitude(step) for step in (value // 361, value // 19 % 19, value % 19)))

    def color(x: int, y: int) -> tuple[float, ...]:
        basis = [cos(pi * x * column / width) * cos(pi * y * row / height) for row in range(rows) for column in range(columns)]
        light = [sum(wave[channel] * each for wave, each in zip(waves, basis)) for channel in range(3)]
        return *(_stored(min(1, max(0, each))) for each in light), 1.0

    return _drawn(width, height, color)


def data_url(picture: Pixels) -> str:
    """A PNG as a ``data:`` URL."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    line = picture.width * 4
    rows = b"".join(b"\0" + picture.rgba[start:start + line] for start in range(0, len(picture.rgba), line))
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 6, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(file).decode()


def _drawn(width: int, height: int, color: Callable[[int, int], tuple[float, ...]]) -> Pixels:
    """Draws pixels from colours of 0 to 1."""
    rgba = bytes(
        int(255 * min(1, max(0, part)) + 0.5) for y in range(height) for x in range(width) for part in color(x, y)
    )
    return Pixels(width, height, rgba)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _stored(light: float) -> float:
    return light * 12.92 if light <= 0.0031308 else float(1.055 * light ** (1 / 2.4) - 0.055)
