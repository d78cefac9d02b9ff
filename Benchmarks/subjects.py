#!/usr/bin/env python3
"""Asks a daemon for crops of photographs and finds what each keeps of the boxes in subjects.json. See subjects.sh."""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Width and height of the results.
SHAPES = [(240, 240), (240, 300), (216, 384), (384, 216), (480, 160)]
GRAVITIES = ["subject", "attention", "entropy", "center"]
# The least share of a face that is kept whole; less than the rest is lost.
WHOLE = 0.98


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def picture_path(entry):
    name = entry["picture"]
    return name if name.startswith("smartcrop.js/") else "shared/" + name


def pixels(url, folder):
    """Returns width, height and RGB rows of a response."""
    path = os.path.join(folder, "result.png")
    for attempt in range(5):
        try:
            with urllib.request.urlopen(url) as response, open(path, "wb") as file:
                file.write(response.read())
            break
        except urllib.error.HTTPError as error:
            # Too slow on a busy machine; a failure is remembered for a short time.
            if error.code not in (503, 504) or attempt == 4:
                raise
            time.sleep(3)
    plain = os.path.join(folder, "result.ppm")
    subprocess.run(["vips", "colourspace", path, plain, "srgb"], check=True)
    with open(plain, "rb") as file:
        # The magic number, the size and the largest value, with comments between them.
        header = []
        while len(header) < 3:
            line = file.readline()
            if not line.startswith(b"#"):
                header.append(line)
        width, height = map(int, header[1].split())
        return width, height, [file.read(width * 3) for _ in range(height)]


def place(whole, part):
    """Returns the window of a crop in the scaled picture, in fractions: the place where all its rows are equal."""
    (width, height, rows), (w, h, cut) = whole, part
    for top in range(height - h + 1):
        for left in range(width - w + 1):
            span = slice(left * 3, (left + w) * 3)
            if all(rows[top + y][span] == cut[y] for y in range(h)):
                return (left / width, top / height, (left + w) / width, (top + h) / height)
    raise SystemExit("bench: a crop is no part of the scaled picture")


def area(box):
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def kept(box, window):
    low = [max(box[i], window[i]) for i in (0, 1)]
    high = [min(box[i], window[i]) for i in (2, 3)]
    return area(low + high) / area(box) if high[0] > low[0] and high[1] > low[1] else 0.0


def possible(box, window):
    """The largest share that a window of this size can keep."""
    sides = [min(1.0, (window[i + 2] - window[i]) / (box[i + 2] - box[i])) for i in (0, 1)]
    return sides[0] * sides[1]


def worst_decile(shares):
    ordered = sorted(shares)
    count = max(1, len(ordered) // 10)
    return sum(ordered[:count]) / count


def measure(path, base, folder):
    found = {}
    # What is kept of each face that a window of that size can keep.
    faces = {}
    with tempfile.TemporaryDirectory() as scratch:
        for index, entry in enumerate(load(path)):
            if not os.path.exists(os.path.join(folder, f"p{index}.png")):
                continue
            for width, height in SHAPES:
                query = f"{base}/p{index}.png?w={width}&h={height}&format=png&enlarge=1"
                whole = pixels(query + "&fit=outside", scratch)
                if max(whole[0] / width, whole[1] / height) < 1.03:
                    continue
                for gravity in GRAVITIES:
                    window = place(whole, pixels(f"{query}&fit=cover&gravity={gravity}", scratch))
                    half = "tuned" if entry["tuned"] else "others"
                    for face in entry.get("faces", []):
                        if possible(face, window) > WHOLE:
                            faces.setdefault((half, gravity), []).append(kept(face, window))
                    for kind in ("subject", "head"):
                        if kind not in entry:
                            continue
                        best = possible(entry[kind], window)
                        share = kept(entry[kind], window)
                        for name in (half, entry["picture"]):
                            found.setdefault((name, kind, gravity), []).append((share, share / best, best))
    print(f"{'':22} {'crops':>6} {'kept':>7} {'possible':>9} {'of possible':>12} {'worst tenth':>12}")
    for half in ("tuned", "others"):
        for kind in ("subject", "head"):
            for gravity in GRAVITIES:
                rows = found.get((half, kind, gravity))
                if not rows:
                    continue
                means = [sum(row[i] for row in rows) / len(rows) for i in range(3)]
                worst = worst_decile([row[1] for row in rows])
                name = f"{half} {kind} {gravity}"
                print(f"{name:22} {len(rows):6} {means[0]:7.3f} {means[2]:9.3f} {means[1]:12.3f} {worst:12.3f}")
    print(f"{'':22} {'faces':>6} {'whole':>7} {'cut':>9}")
    for (half, gravity), shares in sorted(faces.items(), reverse=True):
        whole = sum(share > WHOLE for share in shares) / len(shares)
        cut = sum(1 - WHOLE < share <= WHOLE for share in shares) / len(shares)
        print(f"{half + ' ' + gravity:22} {len(shares):6} {whole:7.3f} {cut:9.3f}")
    for name in ("bus-12mp.jpg", "fox.jpg", "hato.jpg"):
        if (name, "subject", "subject") not in found:
            continue
        shares = [f"{g} " + "/".join(f"{row[0]:.2f}" for row in found[name, "subject", g]) for g in GRAVITIES]
        print(f"{name}: " + ", ".join(shares))


if __name__ == "__main__":
    if sys.argv[1:2] == ["list"] and len(sys.argv) == 3:
        for index, entry in enumerate(load(sys.argv[2])):
            print(f"p{index}", picture_path(entry))
    elif sys.argv[1:2] == ["measure"] and len(sys.argv) == 5:
        measure(*sys.argv[2:])
    else:
        sys.exit("usage: subjects.py list SUBJECTS | measure SUBJECTS URL FOLDER")
