#!/usr/bin/env python3
"""Measures how the daemon behaves under more load than it can carry (open loop).

Usage: Benchmarks/overload.py [SCENARIO…]      flood, slow, share, capacity, goodput, leave, waste, brownout; by default all of them

  flood     Clients with BENCH_FLOOD connections request 12 MP pictures, each a new one; a client at another address requests one small
            new picture a second. Latency of the latter, alone and beside the flood.
  slow      One client with six connections requests SVGs that take ten seconds to draw. Latency of small new pictures of another one.
  share     One client's transforms beside another client that makes 95 % of a load of twice the capacity. Latency of the former.
  capacity  Transforms at 1, 2, 4 and 10 times the capacity. Answers with 200 within 2 s (goodput), time of refusals, longest wait of
            requests that fail, p99 of hits against the p99 of the same hits while as many processes as workers burn CPU at the
            workers' priority, and the time until a new transform takes what it takes when idle.
  goodput   The goodput of `capacity` in BENCH_TURNS turns of all loads, since a machine whose speed varies slows one load more than
            another. The mean of each load against the best mean, also per core that the load generator leaves.
  leave     60 clients request 12 MP pictures and leave, by FIN. Latency of the next picture, against the latency alone.
  waste     Transforms at 0.5 to 4 times the capacity, with `half-close: gone`: of half of them the client leaves, by FIN or RST, after
            10 to 500 ms. Share of the workers' time that was spent on jobs after all their clients had left.
  brownout  Transforms at 4 times the capacity, with `brownout: on` and larger variants in the cache. Share of 200s.

Everything runs on loopback; the origin, each client and the daemon are processes of their own. Latencies count from when a request was
due. Prints a table, and writes JSON to BENCH_JSON (default: none).

Environment: BENCH_BUILD (folder of the binaries, .build/release), BENCH_IMAGES (../shared/images), BENCH_SECONDS (per phase, 6),
BENCH_CORES (processors for the daemon alone, such as 0; by default it shares all with the benchmark), BENCH_FLOOD (500 connections),
BENCH_TURNS (of `goodput`, 5), BENCH_PLAN (the query of transforms), BENCH_FOLDER (for the cache; /tmp), BENCH_TOP (lines added to the
configuration).
"""

import asyncio
import itertools
import json
import os
import resource
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from openloop import CORES, Client, Daemon, Origin, crowd, in_process, milliseconds, open_loop, percentile, summary

SECONDS = int(os.environ.get("BENCH_SECONDS", 6))
FLOOD = int(os.environ.get("BENCH_FLOOD", 500))
GOOD = 2.0
# The seconds after which clients of a load above the capacity give up, and after which the recovery is not waited for.
PATIENCE = 12.0
# A transform of some 50 ms, whose original is small enough for the origin and the loopback at ten times the capacity.
PLAN = os.environ.get("BENCH_PLAN", "w=400&format=webp")
# The addresses of a load's clients.
CROWD = [f"127.0.1.{index}" for index in range(1, 9)]
numbers = itertools.count(1)


def fresh(kind, plan, source="p"):
    """The path of a picture that was never requested."""
    number = next(numbers)
    return f"/{source}/{kind}-{number}.{ {'small': 'png', 'slow': 'svg'}.get(kind, 'jpg') }?{plan}"


async def steady(port, address, kind, plan, rate, seconds, timeout=60.0):
    """Requests a new picture at a fixed rate."""
    client = Client(port, address)
    jobs = [(index / rate, (lambda path: lambda: client.request(path, timeout=timeout))(fresh(kind, plan)))
            for index in range(int(rate * seconds))]
    return await open_loop(jobs)


async def endless(port, address, kind, plan, connections, seconds, first):
    """Keeps a number of connections busy with new pictures; returns the statuses."""
    client, end = Client(port, address), time.monotonic() + seconds
    statuses = {}
    mine = itertools.count(first)

    async def one():
        while time.monotonic() < end:
            status, _ = await client.request(f"/p/{kind}-{next(mine)}.{'svg' if kind == 'slow' else 'jpg'}?{plan}",
                                             timeout=max(0.1, end - time.monotonic()))
            statuses[status] = statuses.get(status, 0) + 1
            # A client that is refused at once would otherwise only measure how fast it can repeat itself.
            if status in (429, 503):
                await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(connections)))
    return statuses


async def hits(port, path, rate, seconds):
    """Requests one stored variant at a fixed rate, over kept connections."""
    client = Client(port, "127.0.0.9", keeps=True)
    return await open_loop([(index / rate, lambda: client.request(path, timeout=30)) for index in range(int(rate * seconds))])


def beside(daemon, kind, plan, connections):
    """A client's small new pictures, alone and beside another client with many connections."""
    seconds = max(SECONDS, 10)
    asyncio.run(steady(daemon.port, "127.0.0.2", "small", "w=60", 4, 1))
    alone = asyncio.run(steady(daemon.port, "127.0.0.2", "small", "w=60", 1, seconds))
    flood = in_process(endless, daemon.port, "127.0.0.3", kind, plan, connections, 3 * seconds + 2, 1_000_000 + next(numbers))
    time.sleep(2)
    under = asyncio.run(steady(daemon.port, "127.0.0.2", "small", "w=60", 1, 2 * seconds, timeout=60))
    flood.process.terminate()
    alone, under = summary(alone), summary(under)
    return {"alone": alone, "beside": under,
            "ratio of p95": round(under["p95"] / alone["p95"], 1) if alone["p95"] and under["p95"] else None}


def flood(daemon):
    return beside(daemon, "large", "w=512&format=jpeg&q=80", FLOOD)


def slow(daemon):
    return beside(daemon, "slow", "w=3000&format=webp", 6)


def capacity_of(daemon, plan=PLAN, seconds=4):
    """Transforms per second with as many clients as keep all workers busy."""
    async def run():
        client, end, done = Client(daemon.port, "127.0.0.4"), time.monotonic() + seconds, 0

        async def one():
            nonlocal done
            while time.monotonic() < end:
                status, _ = await client.request(fresh("medium", plan))
                done += status == 200
        await asyncio.gather(*(one() for _ in range(len(daemon.workers) + 1)))
        return done / seconds
    return asyncio.run(run())


def share(daemon):
    """One client's transforms at 1/10 of the capacity, alone and beside a client that makes 95 % of a load of twice the capacity."""
    rate, seconds = capacity_of(daemon), 2 * SECONDS
    mine, others = rate * 2 * 0.05, rate * 2 * 0.95
    paths = [fresh("medium", PLAN) for _ in range(int(others * (seconds + 4)))]
    alone = summary(asyncio.run(steady(daemon.port, "127.0.0.2", "medium", PLAN, mine, seconds)))
    load = in_process(crowd, daemon.port, ["127.0.0.3"], paths, others, PATIENCE)
    time.sleep(2)
    under = summary(asyncio.run(steady(daemon.port, "127.0.0.2", "medium", PLAN, mine, seconds)))
    load.process.terminate()
    return {"capacity per s": round(rate, 1), "alone": alone, "beside": under, "ratio of p95": round(under["p95"] / alone["p95"], 2)}


def burn():
    while True:
        sum(range(10_000))


def capacity(daemon):
    rate = capacity_of(daemon)
    stored = "/p/small-0.png?w=50"
    asyncio.run(hits(daemon.port, stored, 50, 1))
    idle = percentile([latency for _, _, latency, _ in asyncio.run(steady(daemon.port, "127.0.0.5", "medium", PLAN, 2, 4))], 0.5)
    niceness = int(open(f"/proc/{daemon.workers[0]}/stat").read().rsplit(")", 1)[1].split()[16])
    burning = burners(len(daemon.workers), niceness)
    reference = summary(asyncio.run(hits(daemon.port, stored, 100, SECONDS)))
    for pid in burning:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    result = {"capacity per s": round(rate, 1), "idle ms": milliseconds(idle), "workers' niceness": niceness,
              "hits beside burners": reference, "loads": []}
    for multiple in (1, 2, 4, 10):
        paths = [fresh("medium", PLAN) for _ in range(int(rate * multiple * SECONDS))]
        used, generated = daemon.cpu, children()
        load = in_process(crowd, daemon.port, CROWD, paths, rate * multiple, PATIENCE)
        beside = summary(asyncio.run(hits(daemon.port, stored, 100, SECONDS)))
        used, ended = daemon.cpu - used, time.monotonic()
        recovery = recovered(daemon, idle, ended)
        answers = load()
        generated = (children() - generated) / SECONDS
        good = sum(status == 200 and latency <= GOOD for _, status, latency, _ in answers)
        failed = [latency for _, status, latency, _ in answers if status != 200]
        refused = [latency for latency in failed if latency < 0.5]
        dropped = [latency for latency in failed if latency >= 0.5]
        result["loads"].append({
            "times": multiple, "goodput per s": round(good / SECONDS, 1),
            "refused": len(refused), "dropped": len(dropped),
            "daemon's cores": round(used / SECONDS, 3), "generator's cores": round(generated, 3),
            "statuses": summary(answers)["statuses"], "p50 of 200": milliseconds(percentile(
                [latency for _, status, latency, _ in answers if status == 200], 0.5)),
            "refused p99": milliseconds(percentile(refused, 0.99)), "dropped max": milliseconds(max(dropped, default=float("nan"))),
            "hits": beside, "hits p99 ratio": round(beside["p99"] / reference["p99"], 2), "recovery s": recovery})
    return result


def goodput(daemon):
    """Goodput at multiples of the capacity, in turns."""
    rate, turns, left = capacity_of(daemon), [], {}
    for _ in range(int(os.environ.get("BENCH_TURNS", 5))):
        turn = {}
        for multiple in (1, 2, 4, 10):
            paths = [fresh("medium", PLAN) for _ in range(int(rate * multiple * SECONDS))]
            generated = children()
            answers = in_process(crowd, daemon.port, CROWD, paths, rate * multiple, PATIENCE)()
            name = f"{multiple} x"
            turn[name] = round(sum(status == 200 and latency <= GOOD for _, status, latency, _ in answers) / SECONDS, 1)
            left.setdefault(name, []).append(turn[name] / (os.cpu_count() - (children() - generated) / SECONDS))
        turns.append(turn)

    def against_best(lists):
        means = {name: sum(values) / len(values) for name, values in lists.items()}
        return {name: round(mean / max(means.values()), 3) for name, mean in means.items()}
    return {"capacity per s": round(rate, 1), "turns": turns,
            "mean against the best mean": against_best({name: [turn[name] for turn in turns] for name in turns[0]}),
            "the same per core left": against_best(left)}


def children():
    """Seconds of processor time of processes of this one that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def burners(count, niceness):
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            os.nice(niceness)
            if CORES:
                os.sched_setaffinity(0, CORES)
            burn()
        pids.append(pid)
    return pids


def recovered(daemon, idle, since):
    """Seconds from the last arrival until a new transform takes at most 1.5 times its idle latency; `None` after PATIENCE."""
    async def run():
        client = Client(daemon.port, "127.0.0.6")
        while (begin := time.monotonic()) < since + PATIENCE:
            status, _ = await client.request(fresh("medium", PLAN), timeout=PATIENCE)
            if status == 200 and time.monotonic() - begin <= 1.5 * idle:
                return round(begin - since, 1)
            await asyncio.sleep(0.1)
        return None
    return asyncio.run(run())


def leave(daemon):
    plan = "w=512&format=jpeg&q=80"
    alone = [asyncio.run(steady(daemon.port, "127.0.0.5", "large", plan, 1, 1))[0][2] for _ in range(5)]
    after = []
    begin_all = time.monotonic()
    while len(after) < 5 and time.monotonic() < begin_all + 30:
        async def go():
            client = Client(daemon.port, "127.0.0.7")
            await asyncio.gather(*(client.leave(fresh("large", plan), 0.3) for _ in range(60)))
            begin = time.monotonic()
            await Client(daemon.port, "127.0.0.5").request(fresh("large", plan))
            return time.monotonic() - begin
        after.append(asyncio.run(go()))
        time.sleep(4)
    return {"alone ms": milliseconds(percentile(alone, 0.5)), "after 60 clients left ms": milliseconds(percentile(after, 0.5)),
            "ratio": round(percentile(after, 0.5) / percentile(alone, 0.5), 2)}


def waste(daemon):
    """The share of the workers' time that was spent after the last client of a job had left."""
    rate = capacity_of(daemon)
    result = {"capacity per s": round(rate, 1), "loads": []}
    names = [f"edgeprint_transform_{name}_seconds_total" for name in ("busy", "abandoned")]
    if daemon.metric(names[1]) is None:
        return {"skipped": "this binary does not have the metrics"}
    for multiple in (0.5, 1, 2, 4):
        paths = [fresh("medium", PLAN) for _ in range(int(rate * multiple * SECONDS))]
        before = [daemon.metric(name) for name in names]
        answers = in_process(crowd, daemon.port, CROWD, paths, rate * multiple, PATIENCE, departure)()
        time.sleep(1)
        busy, abandoned = (after - before for after, before in zip([daemon.metric(name) for name in names], before))
        result["loads"].append({
            "times": multiple, "statuses": summary(answers)["statuses"], "workers' s": round(busy, 2),
            "for nobody s": round(abandoned, 3), "share": round(abandoned / busy, 4)})
    return result


def departure(index):
    """Of four requests two have a client that leaves, after up to half a second: one by FIN, one by RST."""
    return None if index % 4 > 1 else (0.01 + index * 37 % 490 / 1000, index % 4 == 1)


def brownout(daemon):
    pictures = 16
    rate = capacity_of(daemon)
    stored = [f"/p/medium-{900_000 + index}.jpg?w=1000&format=webp" for index in range(pictures)]
    crowd(daemon.port, ["127.0.0.5"], stored, 4, 60)
    paths = [f"/p/medium-{900_000 + index % pictures}.jpg?w={200 + index // pictures}&format=webp&effort=6"
             for index in range(int(rate * 4 * SECONDS))]
    answers = crowd(daemon.port, CROWD, paths, rate * 4, PATIENCE)
    result = summary(answers)
    rungs = {}
    for _, _, _, status in answers:
        if "brownout" in status:
            rung = status[status.index("brownout"):].split(";")[0].split(",")[0]
            rungs[rung] = rungs.get(rung, 0) + 1
    good = result["statuses"].get("200", 0)
    return {"capacity per s": round(rate, 1), "share of 200s": round(good / len(answers), 3), "rungs": rungs, **result}


SCENARIOS = {"flood": flood, "slow": slow, "share": share, "capacity": capacity, "goodput": goodput,
             "leave": leave, "waste": waste, "brownout": brownout}
# Lines that a scenario adds to the configuration.
TOP = {"waste": "clients: { half-close: gone }"}


def show(value, depth=1):
    for name, inner in value.items():
        if isinstance(inner, dict) and inner and not all(isinstance(x, (int, float, str, type(None))) for x in inner.values()):
            print("  " * depth + name)
            show(inner, depth + 1)
        elif isinstance(inner, dict):
            print("  " * depth + f"{name}: " + ", ".join(f"{key} {item}" for key, item in inner.items()))
        elif isinstance(inner, list):
            for item in inner:
                print("  " * depth + f"{name}:")
                show(item, depth + 1)
        else:
            print("  " * depth + f"{name}: {inner}")


def main():
    names = sys.argv[1:] or list(SCENARIOS)
    if unknown := [name for name in names if name not in SCENARIOS]:
        sys.exit(f"bench: there is no scenario '{unknown[0]}': {', '.join(SCENARIOS)}")
    origin, results = Origin(), {}
    try:
        for name in names:
            with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
                source = ", brownout: on" if name == "brownout" else ""
                daemon = Daemon(folder, origin, source, os.environ.get("BENCH_TOP", "") + "\n" + TOP.get(name, ""))
                if not daemon.accepts():
                    results[name] = {"skipped": "this binary does not accept the configuration"}
                else:
                    begin = time.monotonic()
                    try:
                        results[name] = SCENARIOS[name](daemon.start())
                    finally:
                        daemon.stop()
                    results[name]["seconds"] = round(time.monotonic() - begin)
            print(name)
            show(results[name])
            sys.stdout.flush()
    finally:
        origin.stop()
    if path := os.environ.get("BENCH_JSON"):
        with open(path, "w") as file:
            json.dump(results, file, indent=1)


main()
