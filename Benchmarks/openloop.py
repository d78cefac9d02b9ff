"""Shared by overload.py and soak.py: an origin of distinct pictures, an open-loop load generator, and the daemon under test.

Open loop: requests are sent when they are due, however many are still unanswered, and each latency counts from when its request was
due. A generator that waits for answers would send less while the server is slow, and hide what clients suffer (coordinated omission).
"""

import asyncio
import collections
import gc
import heapq
import json
import math
import multiprocessing
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IMAGES = os.environ.get("BENCH_IMAGES", os.path.join(ROOT, "../shared/images"))
# The processors of the daemon; the benchmark uses the others.
CORES = {int(core) for core in os.environ.get("BENCH_CORES", "").split(",") if core}
if CORES:
    os.sched_setaffinity(0, os.sched_getaffinity(0) - CORES)
LARGE, MEDIUM = "bus-12mp.jpg", "kimono.jpg"


def binary(name="edgeprint"):
    """The binary under test: in BENCH_BUILD, by default .build/release."""
    path = os.path.join(os.environ.get("BENCH_BUILD", os.path.join(ROOT, ".build/release")), name)
    if not os.access(path, os.X_OK):
        sys.exit(f"bench: there is no {path} (make build, or BENCH_BUILD)")
    return path


# Pictures: the number in a picture makes its bytes, and so its digest, distinct.


def numbered_jpeg(data, number):
    """The JPEG with a comment segment after its first marker."""
    text = b"edgeprint %d" % number
    return data[:2] + b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text + data[2:]


def png(width, height, number):
    """A gradient, shifted by the number."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(
        b"\0" + b"".join(bytes(((x + number) & 255, (y + (number >> 8)) & 255, (x ^ y) & 255)) for x in range(width))
        for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def slow_svg(number):
    """A small file that takes many seconds to draw."""
    return (b'<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="a" x="0" y="0" width="1" height="1">'
            b'<feTurbulence baseFrequency=".0%d" numOctaves="60" seed="%d"/></filter>'
            b'<rect width="4000" height="4000" filter="url(#a)"/></svg>' % (5 + number % 4, number))


class Pictures:
    """What the origin serves: /large-N.jpg (12 MP), /medium-N.jpg, /small-N.png, /slow-N.svg, /blob-N (raw), /broken-N.png, /none-N."""

    def __init__(self):
        self.files = {}
        for kind, name in (("large", LARGE), ("medium", MEDIUM)):
            try:
                with open(os.path.join(IMAGES, name), "rb") as file:
                    self.files[kind] = file.read()
            except FileNotFoundError:
                sys.exit(f"bench: there is no {IMAGES}/{name} (BENCH_IMAGES)")
        self.noise = random.Random(7).randbytes(2 << 20)

    def answer(self, path):
        """The status, type and body parts for a path."""
        kind, _, rest = path.lstrip("/").partition("-")
        number = int("".join(c for c in rest if c.isdigit()) or 0)
        if kind in self.files:
            return 200, "image/jpeg", numbered_jpeg(self.files[kind], number)
        if kind == "small":
            return 200, "image/png", png(120, 90, number)
        if kind == "slow":
            return 200, "image/svg+xml", slow_svg(number)
        if kind == "blob":
            size = 50_000 + number * 7919 % 1_500_000
            return 200, "application/octet-stream", b"%d " % number + self.noise[:size]
        if kind == "broken":
            whole = png(300, 200, number)
            bodies = [whole[:len(whole) // 2], whole[:60], numbered_jpeg(self.files["medium"], number)[:30_000],
                      b"no picture at all %d" % number, whole[:200] + bytes(2000) + whole[2200:]]
            return 200, "image/png", bodies[number % len(bodies)]
        return 404, "text/plain", b"none"


def serve_origin(port_pipe):
    pictures = Pictures()

    async def handle(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode().partition("?")[0]
                status, kind, body = pictures.answer(path)
                writer.write(b"HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: max-age=3600\r\n\r\n"
                             % (status, kind.encode(), len(body)))
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=2048)
        port_pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


class Origin:
    """The origin, in a process of its own."""

    def __init__(self):
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve_origin, args=(theirs,), daemon=True)
        self.process.start()
        # Otherwise the pipe would not end with the child.
        theirs.close()
        try:
            self.port = ours.recv()
        except EOFError:
            sys.exit("bench: the origin does not start")

    def stop(self):
        self.process.terminate()
        self.process.join()


# The daemon.


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Daemon:
    """A daemon with one image source, `p`, and one raw source, `r`, of the origin."""

    def __init__(self, folder, origin, source="", top="", prepare=None):
        self.port, self.admin = free_port(), free_port()
        os.makedirs(f"{folder}/cache", exist_ok=True)
        self.config = f"{folder}/edgeprint.yaml"
        with open(self.config, "w") as file:
            file.write(f"""
listen: 127.0.0.1:{self.port}
admin: {{ listen: "127.0.0.1:{self.admin}" }}
sources:
  p: {{ url: "http://127.0.0.1:{origin.port}/", allow-private: true{source} }}
  r: {{ url: "http://127.0.0.1:{origin.port}/", allow-private: true, raw: true }}
log: {{ access: off, level: warning }}
cache: {{ path: "{folder}/cache", originals: 512MiB, variants: 256MiB }}
{top}
""")
        self.log = open(f"{folder}/edgeprint.log", "w")
        self.process = None
        self.prepare = prepare

    def accepts(self):
        """Whether this binary knows the configuration."""
        return subprocess.run([binary(), "check", "--config", self.config], capture_output=True).returncode == 0

    def start(self):
        def prepare():
            if CORES:
                os.sched_setaffinity(0, CORES)
            if self.prepare:
                self.prepare()

        self.process = subprocess.Popen([binary(), "serve", "--config", self.config], stderr=self.log, stdout=self.log,
                                        preexec_fn=prepare)
        for _ in range(400):
            if self.process.poll() is not None:
                break
            try:
                if urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/readyz", timeout=5).status == 200:
                    return self
            except OSError:
                time.sleep(0.05)
        sys.exit(f"bench: the daemon does not start: {open(self.log.name).read()[-2000:]}")

    @property
    def workers(self):
        pid = self.process.pid
        children = set()
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                children |= set(map(int, open(f"/proc/{pid}/task/{task}/children").read().split()))
            except FileNotFoundError:
                pass
        return sorted(children)

    @property
    def cpu(self):
        """Seconds of processor time of the daemon itself, without its workers."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metric(self, name):
        """The value of a metric without labels; `None` if this binary has none of the name."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=10).read().decode()
        return next((float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " ")), None)

    def stats(self):
        return json.load(urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/stats", timeout=10))

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.log.close()


# The load.


class Client:
    """Sends requests from one loopback address; keeps connections only if `keeps`."""

    def __init__(self, port, address="127.0.0.1", keeps=False):
        self.port, self.address, self.keeps = port, address, keeps
        self.idle = []

    async def open(self):
        while self.idle:
            connection = self.idle.pop()
            if not connection[0].at_eof():
                return connection
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0), limit=1 << 20)

    async def request(self, path, fields="", timeout=60.0):
        """Returns the status (0 for none in time) and the response's fields in lower case."""
        writer = None
        try:
            async with asyncio.timeout(timeout):
                reader, writer = await self.open()
                ending = "" if self.keeps else "Connection: close\r\n"
                writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{fields}{ending}\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                status = int(head.split(" ", 2)[1])
                names = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                if status != 304:
                    length = int(names.get("content-length", -1))
                    if length >= 0:
                        await reader.readexactly(length)
                    elif "chunked" in names.get("transfer-encoding", ""):
                        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                            await reader.readexactly(size + 2)
                        await reader.readuntil(b"\r\n")
                    else:
                        await reader.read(-1)
                if self.keeps and names.get("connection") != "close":
                    self.idle.append((reader, writer))
                    writer = None
                return status, names
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return 0, {}
        finally:
            if writer:
                writer.close()

    async def leave(self, path, after, reset=False):
        """Sends a request and leaves after some seconds: by FIN, or by RST."""
        try:
            _, writer = await self.open()
        except OSError:
            return
        writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        await writer.drain()
        await asyncio.sleep(after)
        if reset:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.close()


async def open_loop(jobs):
    """Runs jobs at their times.

    Each job is (seconds from now, function that returns an awaitable of (status, fields)). Returns a list of (due, status, latency in
    seconds from due, Cache-Status), in the order of completion.
    """
    results, tasks = [], set()
    start = time.monotonic() + 0.05

    async def run(due, action):
        status, fields = await action()
        results.append((due, status, time.monotonic() - start - due, fields.get("cache-status", "")))

    for due, action in sorted(jobs, key=lambda job: job[0]):
        delay = start + due - time.monotonic()
        if delay > 0:
            await asyncio.sleep(delay)
        task = asyncio.ensure_future(run(due, action))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    while tasks:
        await asyncio.wait(tasks)
    return results


class Exchange:
    """One request of `crowd` on a connection of its own."""

    __slots__ = ("due", "socket", "request", "deadline", "head", "left", "leaves", "resets")


def crowd(port, addresses, paths, rate, timeout, leaving=None):
    """Requests paths at a fixed rate, each over a new connection, from addresses in turn; returns what `open_loop` does.

    A plain loop over epoll(7). With asyncio a request takes the generator several times as long, and at ten times the capacity the
    generator had a third of a core that the workers then lacked.

    `leaving` may return, for a request's number, how many seconds after it was sent its client leaves, and whether by RST; or `None`.
    Such a request has the status -1.
    """
    poll, exchanges, results = select.epoll(), {}, []
    waiting, leavers, buffer = collections.deque(), [], bytearray(1 << 18)
    start = time.monotonic() + 0.05

    def begin(index):
        exchange = Exchange()
        exchange.due, exchange.head, exchange.left, exchange.leaves = index / rate, b"", None, False
        exchange.request = f"GET {paths[index]} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode()
        exchange.socket = connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        exchanges[connection.fileno()] = exchange
        connection.bind((addresses[index % len(addresses)], 0))
        connection.connect_ex(("127.0.0.1", port))
        events = select.EPOLLIN if send(exchange) else select.EPOLLIN | select.EPOLLOUT
        poll.register(connection.fileno(), events)
        exchange.deadline = time.monotonic() + timeout
        waiting.append(exchange)
        if departure := leaving and leaving(index):
            exchange.leaves, exchange.resets = True, departure[1]
            heapq.heappush(leavers, (time.monotonic() + departure[0], index, exchange))

    def send(exchange):
        # A connection over the loopback is usually there when connect(2) returns.
        try:
            exchange.socket.send(exchange.request)
        except (BlockingIOError, OSError):
            return False
        exchange.request = None
        return True

    def end(exchange, status):
        if not exchange.socket:
            return
        names = {}
        if b"cache-status" in exchange.head.lower():
            lines = exchange.head.partition(b"\r\n\r\n")[0].decode("latin-1").lower().split("\r\n")
            names = dict(line.split(": ", 1) for line in lines[1:])
        results.append((exchange.due, status, time.monotonic() - start - exchange.due, names.get("cache-status", "")))
        del exchanges[exchange.socket.fileno()]
        exchange.socket.close()
        exchange.socket = None

    def receive(exchange, events):
        if exchange.request is not None:
            if events & select.EPOLLOUT and send(exchange):
                poll.modify(exchange.socket.fileno(), select.EPOLLIN)
            elif events & (select.EPOLLERR | select.EPOLLHUP):
                end(exchange, 0)
            return
        try:
            count = exchange.socket.recv_into(buffer)
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if not count:
            return end(exchange, 0)
        if exchange.left is None:
            exchange.head += buffer[:count]
            head, found, body = exchange.head.partition(b"\r\n\r\n")
            if not found:
                return
            length = head.lower().partition(b"content-length: ")[2].split(b"\r\n", 1)[0]
            exchange.left = int(length) - len(body)
        else:
            exchange.left -= count
        if exchange.left <= 0:
            end(exchange, int(exchange.head[9:12]))

    index = 0
    while index < len(paths) or exchanges:
        now = time.monotonic()
        while index < len(paths) and start + index / rate <= now:
            begin(index)
            index += 1
        while leavers and leavers[0][0] <= now:
            exchange = heapq.heappop(leavers)[2]
            if exchange.socket and exchange.resets:
                exchange.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end(exchange, -1)
        while waiting and (not waiting[0].socket or waiting[0].deadline <= now):
            end(waiting.popleft(), 0)
        due = min(start + index / rate if index < len(paths) else now + 1, leavers[0][0] if leavers else now + 1, now + 0.1)
        for descriptor, events in poll.poll(max(0, due - time.monotonic())):
            if exchange := exchanges.get(descriptor):
                receive(exchange, events)
    return results


def in_process(function, *arguments):
    """Runs a function, which may be async, in a process of its own, so that generators do not delay each other.

    Returns what awaits its result.
    """
    ours, theirs = multiprocessing.Pipe()

    def run():
        gc.disable()
        value = function(*arguments)
        theirs.send(asyncio.run(value) if asyncio.iscoroutine(value) else value)

    process = multiprocessing.Process(target=run, daemon=True)
    process.start()
    theirs.close()

    def result():
        try:
            value = ours.recv()
        except EOFError:
            sys.exit("bench: a load generator has failed")
        process.join()
        return value

    result.process = process
    return result


def percentile(values, share):
    """The nearest-rank percentile; NaN of nothing."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def milliseconds(seconds):
    return round(seconds * 1000, 1) if not math.isnan(seconds) else None


def summary(results):
    """Counts and latencies in milliseconds; a request without an answer counts as long as it was waited for."""
    latencies = [latency for _, _, latency, _ in results]
    statuses = {}
    for _, status, _, _ in results:
        statuses[str(status)] = statuses.get(str(status), 0) + 1
    return {"requests": len(results), "statuses": statuses, "p50": milliseconds(percentile(latencies, 0.5)),
            "p95": milliseconds(percentile(latencies, 0.95)), "p99": milliseconds(percentile(latencies, 0.99)),
            "max": milliseconds(max(latencies, default=math.nan))}
