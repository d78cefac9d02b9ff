"""The spread of q=auto over photographs, and the model of its first guess fitted to them; see quality.sh.

`spread` scores results by the package ssimulacra2. `fit` scores them as the worker does, with the terms in PerceptualScore.swift, and
prints the numbers of QualityModel.swift.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import urllib.request

import numpy
import pyvips
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUALITIES = [30, 40, 50, 60, 70, 80, 88, 95]


def prepared(arguments, width):
    """Yields each photograph as a PNG in sRGB, no wider than `width`, in the daemon's source; without small ones, which the tool
    scores by the wrong weights."""
    for number, file in enumerate(arguments.files):
        # Grey pictures have no fine colours and would be another population.
        if pyvips.Image.new_from_file(file).bands != 3:
            continue
        image = pyvips.Image.thumbnail(file, width, size="down", export_profile="srgb").copy()
        for field in image.get_fields():
            if field.startswith(("icc", "exif", "xmp", "iptc")):
                image.remove(field)
        if min(image.width, image.height) < 256:
            continue
        path = arguments.source / f"{width}-{number}.png"
        image.write_to_file(str(path), compression=1)
        yield path


def fetched(arguments, path, query):
    with urllib.request.urlopen(f"{arguments.url}/{path.name}?{query}") as answer:
        return answer.read(), answer.headers.get("X-Quality")


def pixels(data):
    return pyvips.Image.new_from_buffer(data, "").colourspace("srgb").cast("uchar").numpy()[:, :, :3]


def ticks(daemon):
    """CPU milliseconds of the daemon's workers."""
    total = 0
    for worker in subprocess.run(["pgrep", "-P", daemon], capture_output=True, text=True).stdout.split():
        fields = pathlib.Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return 1000 * total / os.sysconf("SC_CLK_TCK")


def tries(arguments):
    """The sum of all tries of searches so far."""
    with urllib.request.urlopen(f"{arguments.admin}/metrics") as answer:
        found = re.findall(r'^edgeprint_quality_searches_total\{tries="(\d+)"\} (\d+)', answer.read().decode(), re.M)
    return sum(int(a) * int(b) for a, b in found)


def spread(arguments):
    from ssimulacra2 import compute_ssimulacra2

    scratch = tempfile.TemporaryDirectory()
    result = f"{scratch.name}/result.png"

    def score(path, data):
        Image.fromarray(pixels(data)).save(result, compress_level=1)
        return compute_ssimulacra2(str(path), result)

    print(f"{'width':>5} {'format':6} {'level':5} {'photos':>6} {'mean':>6} {'sd':>5} {'fixed q':>7} {'its sd':>6} {'ratio':>5}"
          f" {'tries':>5} {'ms':>6} {'fixed ms':>8}")
    for width in arguments.widths:
        paths = list(prepared(arguments, width))
        for format in arguments.formats:
            start = ticks(arguments.daemon)
            for path in paths:
                fetched(arguments, path, f"format={format}")
            fixed = (ticks(arguments.daemon) - start) / len(paths)
            curves = numpy.array([
                [score(path, fetched(arguments, path, f"format={format}&q={q}")[0]) for q in QUALITIES[1:]] for path in paths
            ])
            for level in arguments.levels:
                before, start = tries(arguments), ticks(arguments.daemon)
                made = [fetched(arguments, path, f"format={format}&q=auto:{level}")[0] for path in paths]
                count, spent = tries(arguments) - before, ticks(arguments.daemon) - start
                scores = numpy.array([score(path, data) for path, data in zip(paths, made)])
                # The fixed quality with the same mean score.
                quality = numpy.interp(scores.mean(), curves.mean(0), QUALITIES[1:])
                others = numpy.array([numpy.interp(quality, QUALITIES[1:], curve) for curve in curves])
                print(f"{width:5} {format:6} {level:5} {len(paths):6} {scores.mean():6.1f} {scores.std():5.2f} {quality:7.1f}"
                      f" {others.std():6.2f} {scores.std() / others.std():5.2f} {count / len(paths):5.2f} {spent / len(paths):6.1f}"
                      f" {fixed:8.1f}", flush=True)


class Score:
    """The worker's score (PerceptualScore.swift) and traits (PictureTraits.swift) of an image."""

    KINDS = ["structure", "artifact", "detail"]
    TERMS = [
        (int(channel), int(scale), kind, peak == "true", float(weight.replace("_", "")))
        for channel, scale, kind, peak, weight in re.findall(
            r"Term\((\d), (\d), \.(\w+), peak: (\w+), ([\d_.]+)\)",
            (ROOT / "Sources/ImageWorker/Perception/PerceptualScore.swift").read_text(),
        )
    ]
    LIGHT = numpy.array([v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in numpy.arange(256) / 255], numpy.float32)
    BELL = numpy.exp(-numpy.arange(-5, 6) ** 2 / 4.5)

    def __init__(self, image):
        self.image, self.scales = image, self.planes(image)

    @classmethod
    def blurred(cls, plane):
        weights = cls.BELL / cls.BELL.sum()
        for _ in range(2):
            padded = numpy.pad(plane, ((0, 0), (5, 5)))
            plane = sum(weight * padded[:, at:at + plane.shape[1]] for at, weight in enumerate(weights)).T
        return plane

    @classmethod
    def planes(cls, image):
        """Per scale and channel: values, local means, and means of squares."""
        light, scales = cls.LIGHT[image].transpose(2, 0, 1), []
        while len(scales) < 5 and min(light.shape[1:]) >= 8:
            bias = 0.0037930733
            long, medium, short = (
                numpy.cbrt(numpy.tensordot(row, light, 1) + bias) - numpy.cbrt(bias)
                for row in ([0.3, 0.622, 0.078], [0.23, 0.692, 0.078], [0.24342269, 0.20476745, 0.55180987])
            )
            luma = (long + medium) / 2
            opsin = [7 * (long - medium) + 0.42, luma + 0.01, short - luma + 0.55]
            wanted = {term[0] for term in cls.TERMS if term[1] == len(scales)}
            scales.append({c: (opsin[c], cls.blurred(opsin[c]), cls.blurred(opsin[c] ** 2)) for c in sorted(wanted)})
            light = numpy.pad(light, ((0, 0), (0, light.shape[1] % 2), (0, light.shape[2] % 2)), mode="edge")
            light = light.reshape(3, light.shape[1] // 2, 2, light.shape[2] // 2, 2).mean((2, 4))
        return scales

    def __call__(self, image):
        total = 0
        for scale, (ours, theirs) in enumerate(zip(self.scales, self.planes(image))):
            for channel, (a, mean_a, square_a) in ours.items():
                b, mean_b, square_b = theirs[channel]
                product = self.blurred(a * b)
                off = mean_a - mean_b
                below = square_a - mean_a ** 2 + square_b - mean_b ** 2 + 0.0009
                structure = 1 - (1 - off ** 2) * (2 * (product - mean_a * mean_b) + 0.0009) / below
                edges = (1 + abs(b - mean_b)) / (1 + abs(a - mean_a)) - 1
                found = {kind: numpy.maximum(plane, 0) for kind, plane in zip(self.KINDS, [structure, edges, -edges])}
                for term_channel, term_scale, kind, is_peak, weight in self.TERMS:
                    if (term_channel, term_scale) == (channel, scale):
                        plane = found[kind]
                        total += weight * ((plane ** 4).mean() ** 0.25 if is_peak else plane.mean())
        raw = total * 0.9562382616834844
        bent = 2.326765642916932 * raw - 0.020884521182843837 * raw ** 2 + 6.248496625763138e-05 * raw ** 3
        return 100 - 10 * bent ** 0.6276336467831387 if bent > 0 else 100

    @property
    def traits(self):
        height, width = (side // 2 * 2 for side in self.image.shape[:2])
        even = self.image[:height, :width].astype(float)
        fine = 0
        for row in ([-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]):
            blocks = (even @ row).reshape(height // 2, 2, width // 2, 2)
            fine += ((blocks - blocks.mean((1, 3), keepdims=True)) ** 4).mean()
        def variance(scale, channel):
            _, mean, square = self.scales[scale][channel]
            return numpy.maximum(square - mean ** 2, 0)

        luma = [variance(scale, 1) for scale in range(4)]
        others = [variance(*place) for place in ((1, 0), (2, 0), (3, 2), (4, 2))]
        logarithms = [numpy.log(values + 0.00001).mean() for values in luma + others]
        flat = [(values < 0.0001).mean() for values in luma]
        return [numpy.log(fine + 1), self.scales[0][1][0].mean(), *logarithms[:4], *flat, *logarithms[4:],
                numpy.log(self.image.shape[0] * self.image.shape[1])]


class Model:
    """Ridge regression of how far an image lies below the mean curve, on its traits and on their products with the score."""

    TARGETS = numpy.arange(50, 87, 6)
    STRENGTH = 20

    def __init__(self, curves, traits):
        self.curve = curves.mean(0)
        rows, wanted = [], []
        self.mean, self.deviation = traits.mean(0), traits.std(0) + 1e-9
        for curve, own in zip(curves, (traits - self.mean) / self.deviation):
            rising = numpy.maximum.accumulate(curve + numpy.arange(len(curve)) * 1e-6)
            for target in self.TARGETS:
                if rising[0] <= target <= rising[-1]:
                    quality = numpy.interp(target, rising, QUALITIES)
                    tens = (target - 70) / 10
                    rows.append([1, tens, *own, *(own * tens)])
                    wanted.append(numpy.interp(quality, QUALITIES, self.curve) - target)
        rows, count = numpy.array(rows), traits.shape[1]
        penalty = numpy.diag([1e-3] * 2 + [self.STRENGTH] * count + [2 * self.STRENGTH] * count)
        weights = numpy.linalg.solve(rows.T @ rows + penalty, rows.T @ numpy.array(wanted))
        offset, slope = weights[2:2 + count] / self.deviation, weights[2 + count:] / self.deviation
        self.offset = [weights[0] - offset @ self.mean, *offset]
        self.slope = [weights[1] - slope @ self.mean, *slope]


# Queries of encodings that have a model of their own, by the model's name.
VARIANTS = {"sharpWebP": "webp&sharp_yuv=1"}


def fit(arguments):
    for format in arguments.formats:
        query = VARIANTS.get(format, format)
        curves, traits = [], []
        for width in arguments.widths:
            for path in prepared(arguments, width):
                score = Score(pyvips.Image.new_from_file(str(path)).numpy()[:, :, :3])
                curves.append([
                    score(pixels(fetched(arguments, path, f"format={query}&q={q}")[0])) for q in QUALITIES
                ])
                traits.append(score.traits)
        model = Model(numpy.array(curves), numpy.array(traits))
        print(f"    private static let {format} = QualityModel(")
        for name, values, digits in (("curve", model.curve, 1), ("offset", model.offset, 3), ("slope", model.slope, 3)):
            numbers = ", ".join(str(round(float(value), digits)) for value in values)
            print(f"        {name}: [{numbers}],")
        print("    )", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=["spread", "fit"])
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--admin", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--widths", nargs="*", type=int, default=[420, 800])
    parser.add_argument("--formats", nargs="*", default=["jpeg", "webp", "avif"])
    parser.add_argument("--levels", nargs="*", default=["good"])
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    pyvips.cache_set_max(0)
    {"spread": spread, "fit": fit}[arguments.task](arguments)


main()
