"""Compares answers with those of a running thumbor: sizes, and structural similarity; run by the Python that has it.

Usage: beside_thumbor.py BINARIES FOLDER NAME...: the folder of the binaries, that of the images, and the names of images.
"""

import http.client
import io
import os
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image, ImageOps
from scipy.ndimage import shift
from skimage.metrics import structural_similarity
from skimage.registration import phase_cross_correlation

import rig
import thumbor_urls

# The structural similarity of the same picture.
LEAST = 0.98
# That of pictures between which the same cut begins within a pixel, after they are moved onto each other.
LEAST_MOVED = 0.96

# What differs for a reason, by a part of the request.
REASONS = {
    "sharpen(": "a strength there, a deviation here",
    "contrast(": "around the mean of the picture there, around mid-grey here",
    "saturation(": "grey by other weights",
    "grayscale(": "grey by other weights",
    "repeat": "repeated marks are spread with gaps there",
    "proportion(": "resized twice there",
    "fill(blur)": "cannot be said",
    "fill(auto)": "cannot be said",
    "adaptive-full-fit-in": "cannot be said",
    "adaptive-fit-in/300x200 fill": "cannot be said",
}


def stretches(size, text):
    """Whether thumbor leaves out the cut: it does where both proportions agree to two decimals."""
    box = thumbor_urls.box_of(text, size)
    return box is not None and round(size[0] / size[1], 2) == round(box[0] / box[1], 2)


class Thumbor:
    """A thumbor on loopback that reads images of a folder, and keeps nothing."""

    def __init__(self, folder):
        self.port = rig.free_port()
        self.file = tempfile.NamedTemporaryFile("w", suffix=".conf")
        self.file.write(
            f"LOADER = 'thumbor.loaders.file_loader'\nFILE_LOADER_ROOT_PATH = {folder!r}\n"
            "STORAGE = 'thumbor.storages.no_storage'\nRESPECT_ORIENTATION = True\nALLOW_UNSAFE_URL = True\n"
        )
        self.file.flush()
        program = os.path.join(os.path.dirname(sys.executable), "thumbor")
        arguments = [program, "-i", "127.0.0.1", "-p", str(self.port), "-c", self.file.name, "-l", "critical"]
        self.process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.ask("/healthcheck")
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("try-dialects: thumbor does not start")

    def ask(self, path):
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


def reduced(folder, name):
    """Writes an image of at most 640 pixels a side as PNG, so that neither server loads it at a reduced size; its name and size."""
    with Image.open(os.path.join(folder, name)) as image:
        small = ImageOps.exif_transpose(image).convert("RGB")
        small.thumbnail((640, 640))
    name = os.path.splitext(name)[0] + ".png"
    small.save(os.path.join(folder, name))
    return name, small.size


def pixels(body):
    """Red, green and blue over mid-grey."""
    array = numpy.asarray(Image.open(io.BytesIO(body)).convert("RGBA")).astype(float)
    alpha = array[..., 3:] / 255
    return array[..., :3] * alpha + 128 * (1 - alpha)


def similarity(one, other):
    if min(one.shape[:2]) < 7:
        return 1.0
    return float(structural_similarity(one, other, channel_axis=2, data_range=255))


def moved_similarity(one, other):
    """How far the second picture lies from the first, in pixels, and their similarity when it is moved there, without a margin."""
    steps = phase_cross_correlation(one.mean(axis=2), other.mean(axis=2), upsample_factor=10)[0]
    moved = shift(other, (*steps, 0), order=3, mode="nearest")
    margin = 2 if min(one.shape[:2]) > 20 else 0
    inner = (slice(margin, one.shape[0] - margin), slice(margin, one.shape[1] - margin))
    return float(max(abs(step) for step in steps)), similarity(one[inner], moved[inner])


def main():
    binaries, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    origin = rig.Origin(folder)
    daemon, thumbor = rig.Daemon(binaries, origin), Thumbor(folder)
    counts = {"requests": 0, "sizes equal": 0, "similar": 0, "explained": 0}
    wrong, explained = [], {}
    try:
        for name in names:
            name, size = reduced(folder, name)
            for path, filters in thumbor_urls.options():
                counts["requests"] += 1
                text = f"{path} {filters}".strip()
                url = "/unsafe/" + "/".join(part for part in (path, "filters:" + ":".join(f for f in (filters, "format(png)") if f)) if part)
                theirs, ours = thumbor.ask(f"{url}/{name}"), daemon.ask(f"/thumbor{url}/{name}")
                reason = next((reason for part, reason in REASONS.items() if part in text), None)
                if stretches(size, path):
                    reason = "thumbor stretches by less than a hundredth instead of cutting"
                if theirs[0] != 200 or ours[0] != 200:
                    result = f"{theirs[0]} there, {ours[0]} here"
                else:
                    one, other = pixels(theirs[1]), pixels(ours[1])
                    if one.shape != other.shape:
                        result = f"{one.shape[1]}×{one.shape[0]} there, {other.shape[1]}×{other.shape[0]} here"
                        if all(abs(a - b) <= 1 for a, b in zip(one.shape, other.shape)):
                            reason = "a side is rounded there and cut here, or the reverse"
                    else:
                        counts["sizes equal"] += 1
                        plain = similarity(one, other)
                        if plain >= LEAST:
                            counts["similar"] += 1
                            continue
                        result = f"{plain:.3f}"
                        distance, moved = moved_similarity(one, other)
                        # Half a pixel of the original or of the result, and what the search adds.
                        limit = 0.6 * max(1, one.shape[0] / size[1], one.shape[1] / size[0])
                        if distance <= limit and moved >= LEAST_MOVED:
                            reason = "the cut begins at a pixel of the original there, of the result here"
                            result += f", and {moved:.3f} moved by {distance:.1f} pixels"
                if reason:
                    counts["explained"] += 1
                    explained.setdefault(reason, []).append(f"{name} {text}: {result}")
                else:
                    wrong.append(f"{name} {text}: {result}")
    finally:
        thumbor.stop()
        daemon.stop()
        origin.stop()
    print(", ".join(f"{count} {what}" for what, count in counts.items()), f"of images {', '.join(names)}")
    for reason, entries in explained.items():
        print(f"  {len(entries)}: {reason}, as {entries[0]}")
    for entry in wrong:
        print(f"  differs: {entry}")
    sys.exit(1 if wrong else 0)


main()
