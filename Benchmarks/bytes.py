"""Bytes at equal ssimulacra2 against other servers' encoders, and the CPU time of whole requests; see bytes.sh.

Each picture is resized by Edgeprint and by libvips, as other servers do it, and encoded at nine qualities. Both are scored against
a resize of the whole original by a Lanczos filter in floating point, so that neither side's resampler is the reference. With `--second`,
results are what popular ones are replaced by; JPEGs are progressive then, since only these are encoded again.
"""

import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import urllib.request

import numpy
import pyvips
from PIL import Image
from ssimulacra2 import compute_ssimulacra2

# What imgproxy 3 asks of libvips by default; "at" is its quality, whose score the table is about.
PEERS = {
    "jpeg": dict(suffix=".jpg", at=80, options=dict(optimize_coding=True)),
    "webp": dict(suffix=".webp", at=79, options=dict(effort=4)),
    "avif": dict(suffix=".avif", at=63, options=dict(effort=1, bitdepth=8)),
}
QUALITIES = {
    "jpeg": [40, 50, 60, 68, 75, 80, 86, 92, 96],
    "webp": [40, 50, 60, 70, 76, 82, 88, 94, 98],
    "avif": [30, 38, 46, 53, 60, 66, 74, 82, 90],
}
WIDTHS = [512, 1200]


def lanczos(pixels, width, height):
    """Resizes by a Lanczos filter of three lobes, rows first, in floating point and in the pixels' own gamma."""

    def matrix(old, new):
        scale = old / new
        stretch = max(scale, 1)
        centres = (numpy.arange(new) + 0.5) * scale
        distance = (numpy.arange(old)[None, :] + 0.5 - centres[:, None]) / stretch
        weights = numpy.where(abs(distance) < 3, numpy.sinc(distance) * numpy.sinc(distance / 3), 0)
        return weights / weights.sum(1, keepdims=True)

    rows = numpy.tensordot(matrix(pixels.shape[0], height), pixels, (1, 0))
    both = numpy.tensordot(matrix(pixels.shape[1], width), rows, (1, 1)).transpose(1, 0, 2)
    return both.clip(0, 255).round().astype(numpy.uint8)


def opened(file):
    """The upright picture in sRGB on white, as numbers."""
    image = pyvips.Image.new_from_file(file).autorot().colourspace("srgb")
    if image.hasalpha():
        image = image.flatten(background=255)
    return image.cast("uchar").numpy()[:, :, :3].astype(numpy.float64)


class Curve:
    """The scores and sizes of one picture at rising qualities."""

    def __init__(self):
        self.points = []

    def add(self, quality, score, size):
        self.points.append((score, math.log(size), quality))

    def size(self, score):
        """The logarithm of the size at a score, between the two nearest points; None beyond them."""
        points = sorted(self.points)
        for (low, small, _), (high, large, _) in zip(points, points[1:]):
            if low <= score <= high:
                return small + (large - small) * ((score - low) / (high - low) if high > low else 0)
        return None

    def score(self, quality):
        return next(point[0] for point in self.points if point[2] == quality)


def ratios(ours, theirs, quality):
    """Our bytes for one of theirs: at the score of their default quality, and over all scores that both reach."""
    at = [ours.size(theirs.score(quality)), theirs.size(theirs.score(quality))]
    shared = [
        (ours.size(score), theirs.size(score))
        for score in numpy.linspace(30, 90, 61)
        if ours.size(score) is not None and theirs.size(score) is not None
    ]
    mean = statistics.mean(a - b for a, b in shared) if shared else math.nan
    return (math.exp(at[0] - at[1]) if at[0] is not None else math.nan), math.exp(mean)


def ticks(daemon):
    """CPU time of a daemon and its workers, ended ones included, in clock ticks."""

    def fields(process):
        return list(map(int, pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))

    total = sum(fields(daemon))
    for worker in subprocess.run(["pgrep", "-P", daemon], capture_output=True, text=True).stdout.split():
        try:
            total += sum(fields(worker)[:2])
        except FileNotFoundError:
            continue
    return total


class Recompression:
    """Waits for second encodings, which the daemon makes one at a time after a result was requested again."""

    def __init__(self, admin):
        self.admin, self.ended = admin, 0

    def ends(self):
        """The number of second encodings that have ended, smaller or not."""
        found = re.findall(r'^edgeprint_recompressions_total\{result="(\w+)"\} (\d+)', fetched(f"{self.admin}/metrics").decode(), re.M)
        counts = {result: int(count) for result, count in found}
        if any(counts[result] for result in ("abandoned", "dropped", "failed")):
            raise SystemExit(f"bench: second encodings were not made: {counts}")
        return counts["swapped"] + counts["larger"]

    def wait(self, count):
        self.ended += count
        deadline = time.monotonic() + 300
        while self.ends() < self.ended:
            if time.monotonic() > deadline:
                raise SystemExit("bench: no second encoding")
            time.sleep(0.2)


def fetched(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--encoders", action="store_true")
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--second", metavar="ADMIN", help="measure second encodings; the admin listener's URL")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--formats", nargs="*", default=list(PEERS))
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    pyvips.cache_set_max(0)
    os.environ["VIPS_WARNING"] = "0"
    scratch = tempfile.TemporaryDirectory()
    reference, result = (f"{scratch.name}/{name}.png" for name in ("reference", "result"))

    def score(data):
        image = pyvips.Image.new_from_buffer(data, "")
        if image.hasalpha():
            image = image.flatten(background=255)
        image.colourspace("srgb").write_to_file(result, compression=0)
        return compute_ssimulacra2(reference, result)

    recompression = Recompression(arguments.second) if arguments.second else None
    print(f"{'width':>5} {'format':6} {'pictures':>8} {'at their default':>17} {'worst':>6} {'all scores':>10} {'worst':>6}"
          f" {'CPU ms':>7} {'theirs':>7}  worst picture")
    for width in WIDTHS:
        found = {name: [] for name in arguments.formats}
        spent = {name: [0.0, 0.0, 0] for name in arguments.formats}
        for number, file in enumerate(arguments.files):
            pixels = opened(file)
            if pixels.shape[1] < width:
                continue
            height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
            small = lanczos(pixels, width, height)
            Image.fromarray(small).save(reference, compress_level=1)
            original = reference if arguments.encoders else file
            name = f"{width}-{number}{pathlib.Path(original).suffix}"
            (arguments.source / name).write_bytes(pathlib.Path(original).read_bytes())
            for format in arguments.formats:
                peer, ours, theirs = PEERS[format], Curve(), Curve()
                before = ticks(arguments.daemon)
                # A white background, since JPEG has no other, and the size that the reference has.
                query = f"w={width}&h={height}&fit=fill&bg=ffffff&format={format}"
                if recompression and format == "jpeg":
                    query += "&progressive=1"
                urls = {quality: f"{arguments.url}/{name}?{query}&q={quality}" for quality in QUALITIES[format]}
                if recompression:
                    for url in [*urls.values()] * 2:
                        fetched(url)
                    recompression.wait(len(urls))
                made = [(quality, fetched(url)) for quality, url in urls.items()]
                spent[format][0] += (ticks(arguments.daemon) - before) / os.sysconf("SC_CLK_TCK")
                for quality, data in made:
                    ours.add(quality, score(data), len(data))
                made = []
                start = time.process_time()
                for quality in sorted({*QUALITIES[format], peer["at"]}):
                    image = pyvips.Image.thumbnail(original, width, height=height, size="force")
                    if image.hasalpha():
                        image = image.flatten(background=255)
                    made.append((quality, image.write_to_buffer(peer["suffix"], Q=quality, strip=True, **peer["options"])))
                taken = time.process_time() - start
                spent[format][1] += taken * len(QUALITIES[format]) / len(made)
                spent[format][2] += len(QUALITIES[format])
                for quality, data in made:
                    theirs.add(quality, score(data), len(data))
                found[format].append((*ratios(ours, theirs, peer["at"]), pathlib.Path(file).name))
        for format, rows in found.items():
            if not rows:
                continue
            at, over = [row[0] for row in rows if row[0] == row[0]], [row[1] for row in rows]
            worst = max(rows, key=lambda row: row[1])
            ms = [1000 * spent[format][side] / spent[format][2] for side in (0, 1)]
            print(f"{width:5} {format:6} {len(rows):8} {statistics.median(at):17.3f} {max(at):6.3f} {statistics.median(over):10.3f}"
                  f" {worst[1]:6.3f} {ms[0]:7.1f} {ms[1]:7.1f}  {worst[2]}", flush=True)


main()
