"""The parts of simulate.sh: an origin, a list of targets, a client that requests them in order, and the comparison."""

import asyncio
import json
import math
import random
import struct
import sys
import zlib


def png(width, height):
    """A PNG of a gradient."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 7 + y * 3) & 255 for x in range(width * 3)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


async def origin(port):
    """Answers /NUMBER-SIZE.png with a small image, and bytes behind its end up to the size."""
    picture = png(32, 24)

    async def serve(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1]
                number, size = (int(part) for part in target[1:].split(b".")[0].split(b"-"))
                # Different bytes for each image: equal ones would share a file.
                body = picture + struct.pack(">I", number) + bytes(max(0, size - len(picture) - 4))
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=86400\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(body)
                )
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


def targets(count):
    """Zipf popularity over 20,000 images, a tenth of one-time requests, every 20th request for a resized image."""
    generator = random.Random(2026)
    sums, total = [], 0.0
    for rank in range(1, 20_001):
        total += rank ** -0.9
        sums.append(total)
    once = 1_000_000
    for index in range(count):
        if generator.random() < 0.1:
            number, once = once, once + 1
        else:
            number = generator.choices(range(20_000), cum_weights=sums)[0]
        # Log-normal, median 20 kB.
        sizes = random.Random(number)
        size = int(min(400_000, max(2_000, 20_000 * math.exp(sizes.gauss(0, 1)))))
        plan = "?w=8&format=png" if index % 20 == 0 and number < 500 else ""
        print(f"/bench/{number}-{size}.png{plan}")


async def replay(port, path):
    """Requests the targets in order over one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for line in open(path, encoding="ascii"):
        writer.write(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % line.strip().encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"{line.strip()}: {head.splitlines()[0].decode()}")
        fields = dict(field.split(b": ", 1) for field in head.lower().split(b"\r\n")[1:-2])
        if b"content-length" in fields:
            await reader.readexactly(int(fields[b"content-length"]))
        else:
            while True:
                size = int(await reader.readline(), 16)
                await reader.readexactly(size + 2)
                if size == 0:
                    break
    writer.close()


def measured(path, allocated):
    """Prints the shares of answers that the log tells."""
    counts = {}
    for line in open(path, encoding="utf-8"):
        result = json.loads(line)["cache"]
        counts[result] = counts.get(result, 0) + 1
    hits = sum(counts.get(name, 0) for name in ("memory", "disk", "original"))
    print(json.dumps({"hitRatio": hits / sum(counts.values()), "allocated": int(allocated), "counts": counts}))


def compare(size, spent, predicted, measured):
    """Prints a line, and fails if the hit ratios differ by more than 3 points."""
    report, real = json.load(open(predicted)), json.load(open(measured))
    cache = report["caches"][0]
    allocated = cache["originals"]["allocated"] + cache["variants"]["allocated"]
    points = 100 * (cache["hitRatio"] - real["hitRatio"])
    print(
        f"simulate: {report['requests']} requests, {int(size):5} MiB: predicted {100 * cache['hitRatio']:5.1f} %, "
        f"measured {100 * real['hitRatio']:5.1f} %, difference {points:+.1f} points; on disk predicted "
        f"{allocated >> 20} MiB, measured {real['allocated'] >> 20} MiB; {spent} ms"
    )
    return 0 if abs(points) <= 3 else 1


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "origin":
        asyncio.run(origin(int(arguments[0])))
    elif command == "targets":
        targets(int(arguments[0]))
    elif command == "replay":
        asyncio.run(replay(int(arguments[0]), arguments[1]))
    elif command == "measured":
        measured(*arguments)
    else:
        sys.exit(compare(*arguments))
