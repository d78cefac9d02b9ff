#!/usr/bin/env python3
"""Runs several nodes over real engines on hosts of their own, and checks what a cluster promises.

Usage: Benchmarks/cluster.py [--if-possible] [SCENARIO…]      short, purges, faults, crowd, kill, join, dead; all but short by default

  short    A few hundred purges on three nodes, then with 30 % of the log's packets lost, one kill of the log, and one node cut off.
  purges   BENCH_PURGES (10,000) purges while BENCH_RATE (2,000) requests a second are read from three nodes. The time from a purge's
           answer until each node serves the new version.
  faults   Purges while 30 % of the log's packets are lost and the log is killed BENCH_KILLS (20) times. Nothing older than a purge may be
           served by a request that starts more than 1 s after its answer.
  crowd    1,000 clients over three nodes request one new 12 MP picture in eight widths. Downloads and transforms of the whole cluster.
  kill     Three nodes and a store hold BENCH_KEYS (600) pictures; one node is killed. Hit ratio in the seconds after, requests that the origin gets again.
  join     A fourth node joins. Requests that the origin gets again, and what the node makes although the store has it.
  dead     Log and store are dead: hits and misses in five turns with and without them. Statuses, and the time of hits.

A history is checked while it happens: the origin writes version k, the checker purges on one node and reads on all. With wait=all, no
read that starts after the answer may see less than k; without, none that starts more than 1 s after it.

Prints a table and exits with 1 if a promise is broken; with --if-possible, says so and exits with 0 where the machine allows no
namespaces. Environment: BENCH_BUILD (folder of the binaries, .build/release), BENCH_IMAGES (../shared/images), BENCH_SECONDS.
"""

import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from clusterrig import Connection, Log, Network, Node, Origin, Store, percentile, version_of, wait_for

NODES = 3
broken = []


def check(isTrue, what):
    if not isTrue:
        broken.append(what)
        print(f"BROKEN: {what}", flush=True)


class Cluster:
    """Three nodes, the log, the store if it is wanted, and the origin."""

    def __init__(self, network, folder, files=None, owners=True, store=False):
        self.network, self.folder, self.owners = network, folder, owners
        self.origin = Origin(network.address, files)
        if "log" not in network.hosts:
            network.host("log", 2)
        self.log = Log(network.hosts["log"], f"{folder}/log")
        self.store = None
        if store:
            if "store" not in network.hosts:
                network.host("store", 3)
            self.store = Store(network.hosts["store"], f"{folder}/store")
        self.nodes = [self.node(index) for index in range(NODES)]
        for node in self.nodes:
            node.start()

    def node(self, index, addresses=None):
        name = f"n{index}"
        host = self.network.hosts.get(name) or self.network.host(name, 11 + index)
        lines = [f"  log: {self.log.url}", f"  node: {host.address}:8080"]
        if self.owners:
            addresses = addresses or [f"10.91.0.{11 + other}:8080" for other in range(NODES)]
            lines.append(f"  nodes: [{', '.join(addresses)}]")
        if self.store:
            lines += self.store.lines()
        return Node(host, f"{self.folder}/{name}", f"http://{self.network.address}:{self.origin.port}/", "\n".join(lines))

    def close(self):
        for node in self.nodes:
            node.kill()
        self.log.kill()
        if self.store:
            self.store.kill()
        self.origin.server.shutdown()
        for host in self.network.hosts.values():
            if host.name.endswith("clients"):
                continue
            host.cut(False)
            host.lose(0)


class History:
    """Purges keys and reads them on all nodes; remembers when each version had to be visible."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.effective, self.refused, self.stale, self.purged, self.waited = [], 0, 0, 0, 0
        self.lock = threading.Lock()

    def one(self, key, connections, waits=False, isMeasured=True):
        """Writes, purges on a random node, and reads on all until the new version is there."""
        version = self.cluster.origin.write(key)
        purger = random.randrange(len(connections))
        status, _, body = connections[purger].request("PURGE", f"/p/{key}" + ("?wait=all" if waits else ""))
        answered = time.monotonic()
        if status != 200:
            with self.lock:
                self.refused += 1
            return status
        for connection in random.sample(connections, len(connections)):
            while True:
                began = time.monotonic()
                got, _, body = connection.request("GET", f"/p/{key}")
                if got != 200:
                    # A node that cannot reach the origin or is cut off says so; it serves nothing old.
                    if time.monotonic() - answered > 20:
                        break
                    time.sleep(0.01)
                    continue
                if version_of(body) >= version:
                    if isMeasured:
                        with self.lock:
                            self.effective.append(max(0.0, began - answered))
                    break
                late = began - answered
                check(not waits and late <= 1.0,
                      f"{key}: version {version_of(body)} instead of {version} on {connection.node.host.address}, "
                      f"read {late * 1000:.0f} ms after the purge{' (wait=all)' if waits else ''}")
                with self.lock:
                    self.stale += 1
                if late > 5:
                    break
        with self.lock:
            self.purged += 1
            self.waited += waits
        return 200

    def run(self, count, threads=4, waits=0.25, until=None):
        """Runs purges of keys in parallel; each thread has keys of its own."""
        def work(thread):
            connections = [Connection(node) for node in self.cluster.nodes]
            for key in range(25):
                for connection in connections:
                    connection.request("GET", f"/p/k{thread}-{key}")
            for number in range(count // threads):
                if until and until():
                    break
                self.one(f"k{thread}-{number % 25}", connections, waits=random.random() < waits)
        workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def show(self, title):
        times = self.effective
        print(f"{title}: {self.purged} purges ({self.waited} with wait=all), {self.refused} answered 503, {self.stale} old reads within "
              f"1 s; effective on a node p50 {percentile(times, .5) * 1000:.1f} ms, p99 {percentile(times, .99) * 1000:.1f} ms, "
              f"worst {max(times, default=0) * 1000:.0f} ms after the answer", flush=True)


def readers(cluster, rate, threads=4):
    """Reads random keys of all nodes at a rate until stopped; returns a function that stops and gives the number of requests."""
    stop, counts = threading.Event(), [0] * threads

    def work(thread):
        connections = [Connection(node) for node in cluster.nodes]
        due, step = time.monotonic(), threads / rate
        while not stop.is_set():
            due += step
            delay = due - time.monotonic()
            if delay > 0:
                time.sleep(delay)
            elif delay < -1:
                due = time.monotonic()
            random.choice(connections).request("GET", f"/p/k{random.randrange(4)}-{random.randrange(25)}")
            counts[thread] += 1

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    began = time.monotonic()
    for worker in workers:
        worker.start()

    def end():
        stop.set()
        for worker in workers:
            worker.join()
        return sum(counts) / (time.monotonic() - began)

    return end


def short(network, folder):
    cluster = Cluster(network, folder)
    history = History(cluster)
    history.run(200)
    history.show("short, sound")
    check(history.refused == 0, "purges are refused although the log is there")
    network.hosts["log"].lose(30)
    lossy = History(cluster)
    lossy.run(40)
    lossy.show("short, 30 % loss")
    network.hosts["log"].lose(0)
    cluster.log.kill()
    dead = History(cluster)
    connections = [Connection(node) for node in cluster.nodes]
    check(dead.one("k0-0", connections) == 503, "a purge without the log is not answered 503")
    check(all(connection.request("GET", "/p/k1-1")[0] == 200 for connection in connections), "a hit without the log is no 200")
    cluster.log.start()
    wait_for(lambda: all(node.metric("edgeprint_cluster_in_touch") == 1 for node in cluster.nodes), "the nodes' return")
    cut = cluster.nodes[2]
    cut.host.cut()
    version = cluster.origin.write("k0-1")
    status = connections[0].request("PURGE", "/p/k0-1?wait=all")[0]
    check(status == 200, f"wait=all with a node cut off is {status}")
    cut.host.cut(False)
    got = version_of(Connection(cut).request("GET", "/p/k0-1")[2])
    check(got in (version, -1), f"the node that was cut off serves version {got} instead of {version}")
    cluster.close()


def purges(network, folder):
    cluster = Cluster(network, folder)
    end = readers(cluster, int(os.environ.get("BENCH_RATE", 2000)))
    history = History(cluster)
    history.run(int(os.environ.get("BENCH_PURGES", 10_000)), waits=0.1)
    history.show(f"purges beside {end():.0f} requests/s")
    check(percentile(history.effective, .99) <= 0.05, "p99 over 50 ms")
    check(max(history.effective) <= 1, "worst over 1 s")
    cluster.close()


def faults(network, folder):
    cluster = Cluster(network, folder)
    network.hosts["log"].lose(30)
    history, isOver = History(cluster), threading.Event()
    worker = threading.Thread(target=history.run, args=(1_000_000,), kwargs={"until": isOver.is_set})
    worker.start()
    for _ in range(int(os.environ.get("BENCH_KILLS", 20))):
        time.sleep(random.uniform(1, 4))
        cluster.log.kill()
        time.sleep(random.uniform(0.1, 2))
        cluster.log.start()
    isOver.set()
    worker.join()
    history.show("faults")
    cluster.close()


def crowd(network, folder):
    images = os.environ.get("BENCH_IMAGES", os.path.join(os.path.dirname(__file__), "../../shared/images"))
    with open(f"{images}/bus-12mp.jpg", "rb") as file:
        bus = file.read()
    cluster = Cluster(network, folder, files={"bus.jpg": bus})
    statuses, lock = {}, threading.Lock()

    def work(number):
        connection = Connection(cluster.nodes[number % NODES], timeout=60)
        status = connection.request("GET", f"/p/bus.jpg?w={200 + 50 * (number // NODES % 8)}&format=jpeg")[0]
        connection.close()
        with lock:
            statuses[status] = statuses.get(status, 0) + 1

    threading.stack_size(256 << 10)
    workers = [threading.Thread(target=work, args=(number,)) for number in range(1000)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    threading.stack_size(0)
    # Several widths may be one job of a worker.
    transforms = sum(node.metric("edgeprint_transforms_total") for node in cluster.nodes)
    variants = sum(node.metric("edgeprint_cache_entries", 'tier="variants"') for node in cluster.nodes)
    downloads = cluster.origin.counts.get("bus.jpg", 0)
    print(f"crowd: statuses {statuses}, {downloads} downloads, {transforms:.0f} jobs, {variants:.0f} variants kept", flush=True)
    check(statuses == {200: 1000}, "not all clients got 200")
    check(downloads == 1, f"{downloads} downloads instead of 1")
    check(transforms <= 8, f"{transforms:.0f} jobs instead of at most 8")
    check(variants == 8, f"{variants:.0f} variants instead of 8")
    cluster.close()


def fill(cluster, keys):
    connections = [Connection(node) for node in cluster.nodes]
    for key in keys:
        for connection in connections:
            check(connection.request("GET", f"/p/{key}?w=4")[0] == 200, f"{key} cannot be had")
    return connections


def settle(cluster):
    """Waits until the store has what the nodes have made."""
    wait_for(lambda: sum(node.metric("edgeprint_cluster_store_queue_bytes") for node in cluster.nodes) == 0, "the writes", 120)


def kill(network, folder):
    cluster = Cluster(network, folder, store=True)
    keys = [f"p{number}" for number in range(int(os.environ.get("BENCH_KEYS", 600)))]
    connections = fill(cluster, keys)
    settle(cluster)
    before = cluster.origin.total()
    cluster.nodes[2].kill()
    connections, hits, total, began = connections[:2], 0, 0, time.monotonic()
    buckets = {}
    while time.monotonic() - began < 15:
        seen = cluster.origin.total()
        status = random.choice(connections).request("GET", f"/p/{random.choice(keys)}?w=4")[0]
        second = int(time.monotonic() - began)
        got, all_ = buckets.get(second, (0, 0))
        buckets[second] = (got + (cluster.origin.total() == seen), all_ + 1)
        check(status == 200, f"status {status} after a node was killed")
    ratios = {second: got / all_ for second, (got, all_) in buckets.items()}
    again = cluster.origin.total() - before
    print(f"kill: hit ratio by second {[round(ratio, 3) for ratio in ratios.values()]}, the origin was asked {again} times for "
          f"{len(keys)} keys ({100 * again / len(keys):.1f} %)", flush=True)
    check(min(list(ratios.values())[10:]) >= 0.95, "hit ratio under 95 % after 10 s")
    check(again <= 0.05 * len(keys), "the origin was asked for more than 5 % again")
    cluster.close()


def join(network, folder):
    cluster = Cluster(network, folder, store=True)
    keys = [f"p{number}" for number in range(int(os.environ.get("BENCH_KEYS", 600)))]
    fill(cluster, keys)
    settle(cluster)
    before = cluster.origin.total()
    fourth = cluster.node(3, [f"10.91.0.{11 + other}:8080" for other in range(NODES + 1)]).start()
    connection = Connection(fourth)
    for key in keys:
        check(connection.request("GET", f"/p/{key}?w=4")[0] == 200, f"{key} cannot be had from the fourth node")
    again = cluster.origin.total() - before
    print(f"join: the origin was asked {again} times for {len(keys)} keys ({100 * again / len(keys):.1f} %)", flush=True)
    made = fourth.metric("edgeprint_transforms_total")
    print(f"join: the fourth node made {made:.0f} of {len(keys)} pictures itself", flush=True)
    check(again <= 0.27 * len(keys), "more than 27 % of the keys moved")
    check(made == 0, f"{made:.0f} transforms although the store has the results")
    fourth.kill()
    cluster.close()


def dead(network, folder):
    cluster = Cluster(network, folder, store=True)
    keys = [f"p{number}" for number in range(50)]
    connections = fill(cluster, keys)
    medians, failures = {True: [], False: []}, 0
    for turn in range(5):
        for isThere in (True, False):
            if not isThere:
                cluster.log.kill()
                cluster.store.kill()
            wait_for(lambda: all(node.metric("edgeprint_cluster_in_touch") == isThere for node in cluster.nodes), "the change")
            times, new = [], f"new{turn}{isThere}"
            for _ in range(3000):
                began = time.monotonic()
                status = random.choice(connections).request("GET", f"/p/{random.choice(keys)}?w=4")[0]
                times.append(time.monotonic() - began)
                failures += status >= 500 or status == 0
            failures += connections[0].request("GET", f"/p/{new}?w=4")[0] != 200
            medians[isThere].append(percentile(times, .5) * 1e6)
            if not isThere:
                cluster.store.start()
                cluster.log.start()
    print(f"dead: median of hits in µs with log and store {[round(time) for time in medians[True]]}, without "
          f"{[round(time) for time in medians[False]]}; {failures} failures", flush=True)
    check(failures == 0, f"{failures} requests failed")
    cluster.close()


SCENARIOS = [purges, faults, crowd, kill, join, dead]


def main():
    names = [name for name in sys.argv[1:] if name != "--if-possible"]
    reason = Network.reason()
    if reason:
        print(f"cluster: skipped, 1 run: {reason}")
        sys.exit(0 if "--if-possible" in sys.argv else 1)
    known = {scenario.__name__: scenario for scenario in SCENARIOS + [short]}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"cluster: unknown scenario {unknown[0]}; there are {', '.join(known)}")
    network = Network()
    try:
        for name in names or [scenario.__name__ for scenario in SCENARIOS]:
            folder = tempfile.mkdtemp(prefix="edgeprint-cluster.")
            os.chmod(folder, 0o755)
            try:
                known[name](network, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        network.close()
    sys.exit(1 if broken else 0)


main()
