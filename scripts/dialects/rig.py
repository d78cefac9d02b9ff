"""An origin with the images, a daemon with a source for each language in front of it, and the sizes of what it answers."""

import functools
import http.client
import http.server
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time

LANGUAGES = ["imgproxy", "thumbor", "imagor", "weserv", "cloudflare"]

# Keys of the signed daemon. imgproxy's are hexadecimal.
THUMBOR_KEY = "security-key"
IMGPROXY_KEY = "943b421c9eb07c830af81030552c8600"
IMGPROXY_SALT = "520f986b998545b4785e0defbc4f3c12"


class Origin:
    """Serves a folder on loopback."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.host = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()


def free_port():
    """A port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    """The server, with a source `images` and one for each language with its name."""

    def __init__(self, binaries, origin, signed=False):
        self.port = free_port()
        admin = free_port()
        self.folder = tempfile.TemporaryDirectory()
        sources = "".join(f"  {name}: {{ dialect: {name}, dialect-source: images }}\n" for name in LANGUAGES)
        keys = (
            f"dialects: {{ thumbor: {{ keys: {THUMBOR_KEY} }}, imagor: {{ keys: {THUMBOR_KEY} }}, "
            f"imgproxy: {{ keys: [{IMGPROXY_KEY}], salts: [{IMGPROXY_SALT}] }} }}\n"
        )
        self.configuration = os.path.join(self.folder.name, "edgeprint.yaml")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(
                f"listen: 127.0.0.1:{self.port}\nadmin: {{ listen: 127.0.0.1:{admin} }}\ncache: {{ path: off }}\n"
                "presets: { sharp: 'sharpen=1' }\ntimeouts: { transform: 60s }\n"
                f"sources:\n  images: {{ url: 'http://{origin.host}/', allow-private: true }}\n{sources}"
                + (keys if signed else "")
            )
        self.binary = os.path.join(binaries, "edgeprint")
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", self.configuration], stdout=self.log, stderr=self.log
        )
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=10)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.log.seek(0)
        raise SystemExit(f"try-dialects: the daemon does not start\n{self.log.read()}")

    def ask(self, path):
        """The status and the body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.folder.cleanup()


def size_of(body):
    """The width and height of a picture; `None` if the format is not known."""
    if body.startswith(b"\x89PNG"):
        return struct.unpack(">II", body[16:24])
    if body.startswith(b"GIF8"):
        return struct.unpack("<HH", body[6:10])
    if body.startswith(b"\xff\xd8"):
        return jpeg_size(body)
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return webp_size(body)
    if body[4:12] in (b"ftypavif", b"ftypavis"):
        place = body.find(b"ispe")
        return struct.unpack(">II", body[place + 8 : place + 16]) if place > 0 else None
    if body[:4] in (b"II*\0", b"MM\0*"):
        return tiff_size(body)
    return None


def jpeg_size(body):
    place = 2
    while place + 9 < len(body):
        marker, length = body[place + 1], struct.unpack(">H", body[place + 2 : place + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", body[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return None


def webp_size(body):
    kind = body[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(body[24:27], "little"), 1 + int.from_bytes(body[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(body[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", body[26:30])
    return width & 0x3FFF, height & 0x3FFF


def tiff_size(body):
    order = "<" if body[:2] == b"II" else ">"
    place = struct.unpack(order + "I", body[4:8])[0]
    sides = {}
    for index in range(struct.unpack(order + "H", body[place : place + 2])[0]):
        entry = body[place + 2 + 12 * index : place + 14 + 12 * index]
        tag, kind = struct.unpack(order + "HH", entry[:4])
        if tag in (256, 257):
            sides[tag] = struct.unpack(order + ("H" if kind == 3 else "I"), entry[8 : 10 if kind == 3 else 12])[0]
    return (sides[256], sides[257]) if len(sides) == 2 else None
