#!/usr/bin/env python3
"""Runs the daemon for an hour in a control group of 512 MiB under mixed load, and checks that it neither grows nor fails.

Usage: Benchmarks/soak.py          make soak

The load: hits, conditional requests, ranges, misses in several formats, 12 MP pictures, large results, raw responses, broken and
missing pictures, clients that leave, purges, and one client that floods. The checks:

  - the kernel has ended no process of the group for want of memory, and the daemon has the same process at the end
  - every status is expected: 200 for hits, for example; requests that need work may also be 503 or 429, but not all of a kind
  - the daemon's resident memory is flat after a warm-up of five minutes (a quarter of a shorter run): the mean of the last third of
    the samples is at most 1.05 times that of the first third, and 4 MiB
  - without requests, memory returns: 40 s after the end and a purge of everything, the daemon's resident memory is at most 1.5 times
    that at the start, and 16 MiB

Exits with 1 if a check fails, and with 0 and a word if the control group cannot be used (needs root or a delegated group).

Environment: SOAK_SECONDS (3600), SOAK_MEMORY (bytes; 536870912), SOAK_FLOOD (connections of the flood; 16), SOAK_JSON (a file for the
samples), BENCH_BUILD, BENCH_IMAGES, BENCH_FOLDER, as for overload.py.
"""

import asyncio
import collections
import itertools
import json
import os
import random
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True

from openloop import Client, Daemon, Origin, in_process

SECONDS = int(os.environ.get("SOAK_SECONDS", 3600))
MEMORY = int(os.environ.get("SOAK_MEMORY", 512 << 20))
FLOOD = int(os.environ.get("SOAK_FLOOD", 16))
BUSY = {503, 429}
STORED = [f"/p/small-{index}.png?w={40 + index}" for index in range(20)]


class ControlGroup:
    """A group below this process's own, of version 1 or 2, with a limit of memory."""

    def __init__(self):
        lines = [line.strip().split(":", 2) for line in open("/proc/self/cgroup")]
        first = next((path for _, names, path in lines if "memory" in names.split(",")), None)
        unified = next((path for _, names, path in lines if not names), None)
        if first is not None:
            self.path, self.is_unified = self.below("/sys/fs/cgroup/memory", first), False
        else:
            self.path, self.is_unified = self.below("/sys/fs/cgroup", unified or "/"), True
        os.mkdir(self.path)
        try:
            if self.is_unified:
                self.write("memory.max", MEMORY)
                self.write("memory.swap.max", 0, optional=True)
            else:
                self.write("memory.limit_in_bytes", MEMORY)
        except OSError:
            os.rmdir(self.path)
            raise

    @staticmethod
    def below(root, path):
        # In a container, the group's own folder is the mounted root.
        folder = root + path.rstrip("/")
        return f"{folder if os.path.isdir(folder) else root}/edgeprint-soak-{os.getpid()}"

    def write(self, name, value, optional=False):
        try:
            with open(f"{self.path}/{name}", "w") as file:
                file.write(str(value))
        except OSError:
            if not optional:
                raise

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def read(self, name):
        try:
            return open(f"{self.path}/{name}").read()
        except OSError:
            return ""

    @property
    def used(self):
        return int(self.read("memory.current" if self.is_unified else "memory.usage_in_bytes") or 0)

    @property
    def kills(self):
        text = self.read("memory.events" if self.is_unified else "memory.oom_control")
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))

    @property
    def failures(self):
        """How often the limit was reached; the kernel then reclaims first."""
        if self.is_unified:
            return sum(int(line.split()[1]) for line in self.read("memory.events").splitlines() if line.startswith("max "))
        return int(self.read("memory.failcnt") or 0)

    def remove(self):
        for _ in range(50):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.1)


async def store(port):
    client = Client(port)
    for path in STORED:
        await client.request(path)


async def mixed(port, admin, seconds):
    """The mixed load; returns the statuses by kind."""
    end, numbers = time.monotonic() + seconds, itertools.count(1)
    random.seed(16)
    statuses = collections.defaultdict(collections.Counter)
    kept, single = Client(port, "127.0.0.10", keeps=True), Client(port, "127.0.0.11")
    formats = ["format=jpeg", "format=webp", "format=png", "format=avif&speed=9", "format=gif", "format=jxl&effort=3",
               "format=webp&blur=3", "format=jpeg&rotate=7&bg=ffffff", "format=webp&round=20", "format=blurhash"]
    formats = [plan.replace("avif&speed=9", "avif&effort=1") for plan in formats]
    tags = {}

    async def hit():
        path = random.choice(STORED)
        status, fields = await kept.request(path)
        if status == 200:
            tags[path] = fields.get("etag")
        return status

    async def conditional():
        path = random.choice(STORED)
        if not tags.get(path):
            return None
        status, _ = await kept.request(path, f"If-None-Match: {tags[path]}\r\n")
        return status

    async def ask(path, fields=""):
        return (await single.request(path, fields))[0]

    async def purge_one():
        return await asyncio.to_thread(purge, admin, {"url": f"/p/medium-{random.randrange(500)}.jpg"})

    async def left():
        await single.leave(f"/p/large-{next(numbers)}.jpg?w=900", random.random() / 2, reset=random.random() < 0.5)

    one = lambda: next(numbers)
    kinds = {
        "hit": (30, hit, {200}),
        "conditional": (5, conditional, {304}),
        "range": (2, lambda: ask(f"/r/blob-{random.randrange(40)}", "Range: bytes=100-20099\r\n"), {206}),
        "small": (3, lambda: ask(f"/p/small-{one()}.png?w=70&{random.choice(formats)}"), {200}),
        "medium": (1, lambda: ask(f"/p/medium-{one()}.jpg?w={random.randrange(100, 900)}&{random.choice(formats)}"), {200}),
        "large result": (1, lambda: ask(f"/p/medium-{random.randrange(500)}.jpg?w=600&format=png"), {200}),
        "12 MP": (0.5, lambda: ask(f"/p/large-{one()}.jpg?w=512"), {200}),
        "raw": (4, lambda: ask(f"/r/blob-{one()}"), {200}),
        "broken": (1, lambda: ask(f"/p/broken-{one()}.png?w=70"), {200, 415, 422}),
        "missing": (5, lambda: ask(f"/p/none-{one()}.png?w=70"), {404}),
        "left": (1, left, set()),
        "purge": (0.2, purge_one, {200}),
    }

    async def run(kind, rate, action):
        due = time.monotonic()
        tasks = set()

        async def count():
            status = await action()
            if status is not None:
                statuses[kind][status] += 1

        while due < end:
            await asyncio.sleep(max(0, due - time.monotonic()))
            # Open loop, but bounded: a stalled daemon must not exhaust the descriptors.
            if len(tasks) < 200:
                task = asyncio.ensure_future(count())
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            due += 1 / rate
        if tasks:
            await asyncio.wait(tasks)

    await asyncio.gather(*(run(kind, rate, action) for kind, (rate, action, _) in kinds.items()))
    return {kind: (dict(statuses[kind]), sorted(kinds[kind][2])) for kind in kinds}


async def flood(port, seconds):
    """One client that always has transforms of new pictures on all its connections."""
    client, end, numbers = Client(port, "127.0.0.66"), time.monotonic() + seconds, itertools.count(10_000_000)
    statuses = collections.Counter()

    async def one():
        while time.monotonic() < end:
            status, _ = await client.request(f"/p/medium-{next(numbers)}.jpg?w=800&format=webp")
            statuses[status] += 1
            if status in BUSY:
                await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(FLOOD)))
    return dict(statuses)


def purge(admin, selection):
    request = urllib.request.Request(f"http://127.0.0.1:{admin}/purge", json.dumps(selection).encode(),
                                     {"Content-Type": "application/json"})
    try:
        return urllib.request.urlopen(request, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def resident(pid):
    try:
        return int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (FileNotFoundError, ProcessLookupError):
        return 0


def sample(daemon, group, samples, over):
    start = time.monotonic()
    while not over.wait(1):
        samples.append({"time": round(time.monotonic() - start, 1), "daemon": resident(daemon.process.pid),
                        "workers": sum(map(resident, daemon.workers)), "group": group.used})


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0


def unexpected(kinds, flood_statuses):
    problems = []
    for kind, (statuses, expected) in kinds.items():
        allowed = set(expected) | (BUSY if kind not in ("hit", "conditional", "purge") else set())
        if wrong := {status: count for status, count in statuses.items() if status not in allowed}:
            problems.append(f"{kind}: unexpected {wrong}")
        if expected and not set(statuses) & set(expected):
            problems.append(f"{kind}: none of {expected} among {statuses}")
    if wrong := {status: count for status, count in flood_statuses.items() if status not in {200} | BUSY}:
        problems.append(f"flood: unexpected {wrong}")
    return problems


def main():
    try:
        group = ControlGroup()
    except OSError as error:
        print(f"soak: skipped, there is no control group to use: {error}")
        return 0
    problems, samples, over = [], [], threading.Event()
    origin = Origin()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        # On a machine that has other work, a transform may take longer than the default of 10 s.
        top = "timeouts: { transform: 30s }\n" + os.environ.get("BENCH_TOP", "")
        daemon = Daemon(folder, origin, top=top, prepare=group.enter)
        try:
            daemon.start()
            pid, first = daemon.process.pid, resident(daemon.process.pid)
            sampler = threading.Thread(target=sample, args=(daemon, group, samples, over))
            sampler.start()
            asyncio.run(store(daemon.port))
            load = in_process(mixed, daemon.port, daemon.admin, SECONDS)
            flooding = in_process(flood, daemon.port, SECONDS)
            kinds, flood_statuses = load(), flooding()
            if daemon.process.poll() is not None:
                problems.append(f"the daemon has ended with {daemon.process.returncode}; the kernel ended {group.kills} processes "
                                "of the group for want of memory")
                print(f"soak: {problems[0]}\nsoak: failed")
                return 1
            before = daemon.stats()
            last = resident(pid)
            purge(daemon.admin, {"all": True})
            time.sleep(40)
            calm, stats = resident(pid), daemon.stats()
            over.set()
            sampler.join()
            if daemon.process.poll() is not None:
                problems.append(f"the daemon has ended with {daemon.process.returncode}")
            if group.kills:
                problems.append(f"the kernel ended {group.kills} processes for want of memory")
            problems += unexpected(kinds, flood_statuses)
            loaded = [s for s in samples if s["time"] <= SECONDS]
            warm = [s["daemon"] for s in loaded if s["time"] >= min(300, SECONDS / 2)]
            third = len(warm) // 3
            early, late = mean(warm[:third]), mean(warm[-third:])
            # The caches may still be filling; what they and the rest of the daemon may use is stated.
            limits = stats["budget"]["limits"]
            allowed = sum(limits.get(part, 0) for part in ("bodies", "cache", "daemon", "failures", "writes"))
            if late > 1.05 * early + (4 << 20) and late > allowed:
                problems.append(f"the daemon grows: {early / 2**20:.1f} MiB, later {late / 2**20:.1f} MiB")
            # The allocator keeps some 30 MiB of partly used pages, after four minutes as after ten.
            if calm > 1.5 * first + (24 << 20):
                problems.append(f"memory does not return: {first / 2**20:.1f} MiB at start, {last / 2**20:.1f} MiB at the end, "
                                f"{calm / 2**20:.1f} MiB after a purge and 40 s")
            print(f"{SECONDS} s in {MEMORY >> 20} MiB")
            for kind, (statuses, _) in kinds.items():
                print(f"  {kind}: " + ", ".join(f"{status} × {count}" for status, count in sorted(statuses.items())))
            print("  flood: " + ", ".join(f"{status} × {count}" for status, count in sorted(flood_statuses.items())))
            print(f"  daemon: {first / 2**20:.1f} MiB at start, {early / 2**20:.1f} MiB after the warm-up, {late / 2**20:.1f} MiB at "
                  f"the end, at most {max(s['daemon'] for s in samples) / 2**20:.1f} MiB, {calm / 2**20:.1f} MiB "
                  f"after a purge and 40 s without requests")
            minutes = [s["daemon"] for s in samples[::60]]
            print("  daemon each minute: " + " ".join(f"{bytes / 2**20:.0f}" for bytes in minutes) + " MiB")
            print(f"  workers: at most {max(s['workers'] for s in samples) / 2**20:.1f} MiB, group: at most "
                  f"{max(s['group'] for s in samples) / 2**20:.1f} MiB (with page cache), limit reached {group.failures} times")
            work = before["workers"]
            print(f"  {work['jobs']} jobs, {work['restarts']} restarts, {work['retirements']} retirements, "
                  f"{work['decoderCrashes']} crashes, {work['timeouts']} timeouts")
            print("  budget: " + json.dumps(stats.get("budget")))
            if path := os.environ.get("SOAK_JSON"):
                with open(path, "w") as file:
                    json.dump({"samples": samples, "kinds": kinds, "flood": flood_statuses, "stats": before}, file)
        finally:
            over.set()
            if problems:
                lines = [line for line in open(daemon.log.name) if "Overloaded" not in line]
                print("".join(lines[-20:]), end="")
            daemon.stop()
            origin.stop()
            group.remove()
    for problem in problems:
        print(f"soak: {problem}")
    print("soak: failed" if problems else "soak: passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
