"""Pictures drawn without a library."""

import struct
import zlib


def quarters(width, height, colors):
    """A PNG of four parts, each of another colour: red, green, blue, alpha; top left, top right, bottom left, bottom right."""
    left, top = width // 2, height // 2
    rows = b""
    for index, count in ((0, top), (2, height - top)):
        row = b"\0" + bytes(colors[index]) * left + bytes(colors[index + 1]) * (width - left)
        rows += row * count
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    made = b"\x89PNG\r\n\x1a\n"
    for name, body in chunks:
        made += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return made


# Opaque ones, and ones of which two let something through.
OPAQUE = [(200, 60, 40, 255), (40, 160, 80, 255), (30, 70, 190, 255), (240, 220, 90, 255)]
CLEAR = [(255, 0, 0, 180), (0, 0, 255, 255), (0, 128, 0, 255), (255, 255, 255, 0)]
