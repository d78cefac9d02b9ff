#!/usr/bin/env python3
"""Measures how a host that hangs delays requests to other hosts.

Usage: Benchmarks/hanging-host.py [BUILD_DIR]      the default is .build/release

Starts a daemon of BUILD_DIR and two origins on loopback: one responds at once, one accepts connections and never responds. Requests
to the first, each for another URL, are sent at a fixed rate (open loop): a request's time counts from when it was due. In every
second round, clients in another process also request the hanging host, many more than its connections. The circuit breakers are off, so
that the hanging host keeps its connections. Printed are p50 and p99 of the requests to the first host in each round and over all
rounds of a kind, with their ratios.

Environment: BENCH_ROUNDS (5 of each kind), BENCH_SECONDS (4), BENCH_RATE (100 requests/s), BENCH_CLIENTS (30 of the hanging host).
"""

import http.client
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROUNDS = int(os.environ.get("BENCH_ROUNDS", 5))
SECONDS = int(os.environ.get("BENCH_SECONDS", 4))
RATE = int(os.environ.get("BENCH_RATE", 100))
CLIENTS = int(os.environ.get("BENCH_CLIENTS", 30))
SENDERS = 16
BODY = b"x" * 2000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nCache-Control: no-store\r\n\r\n" % len(BODY) + BODY


def listen():
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    return listener, listener.getsockname()[1]


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    data = b""
    while True:
        end = data.find(b"\r\n\r\n")
        if end >= 0:
            data = data[end + 4:]
            connection.sendall(ANSWER)
            continue
        more = connection.recv(65536)
        if not more:
            return connection.close()
        data += more


def accept(listener, handle):
    while True:
        connection, _ = listener.accept()
        handle(connection)


def start(port, hanging, good, folder, build):
    path = os.path.join(folder, "edgeprint.yaml")
    with open(path, "w") as file:
        file.write(f"""
listen: 127.0.0.1:{port}
admin: {{ listen: "127.0.0.1:0" }}
sources:
  good: {{ url: "http://127.0.0.1:{good}/", allow-private: true, raw: true }}
  hanging: {{ url: "http://127.0.0.1:{hanging}/", allow-private: true, raw: true, timeouts: {{ first-byte: 1s, total: 2s }} }}
cache: {{ path: "{folder}/cache", memory: 64MiB }}
negative: {{ failing: 0 }}
breaker: {{ failures: 0 }}
log: {{ access: off, level: error }}
""")
    return subprocess.Popen([os.path.join(build, "edgeprint"), "serve", "--config", path])


def press(port, over, count):
    """Requests the hanging host with many clients, which start one after the other, until the round is over."""
    sent = []
    clients = [threading.Thread(target=press_alone, args=(port, over, sent, index)) for index in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    count.value = len(sent)


def press_alone(port, over, sent, index):
    over.wait(index * 2 / CLIENTS)
    number = 0
    while not over.is_set():
        number += 1
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            client.request("GET", f"/hanging/{threading.get_ident()}-{number}-{time.time_ns()}")
            client.getresponse().read()
            sent.append(1)
        except OSError:
            pass
        client.close()


def measure(port, label):
    """Requests the other host at a fixed rate; returns the sorted times in milliseconds."""
    began = time.perf_counter() + 0.1
    times, next_number, lock = [], iter(range(RATE * SECONDS)), threading.Lock()

    def send():
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        while True:
            with lock:
                number = next(next_number, None)
            if number is None:
                return client.close()
            due = began + number / RATE
            time.sleep(max(0, due - time.perf_counter()))
            client.request("GET", f"/good/{label}-{number}")
            response = client.getresponse()
            body = response.read()
            assert response.status == 200 and len(body) == len(BODY), (response.status, body[:200])
            with lock:
                times.append((time.perf_counter() - due) * 1000)

    threads = [threading.Thread(target=send) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(times) == RATE * SECONDS, len(times)
    return sorted(times)


def at(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build/release")
    if len(sys.argv) > 2 or not os.access(os.path.join(build, "edgeprint"), os.X_OK):
        sys.exit(__doc__)
    (good_listener, good), (hanging_listener, hanging), held = listen(), listen(), []
    spawn = lambda connection: threading.Thread(target=serve, args=(connection,), daemon=True).start()
    threading.Thread(target=accept, args=(good_listener, spawn), daemon=True).start()
    threading.Thread(target=accept, args=(hanging_listener, held.append), daemon=True).start()
    probe, port = listen()
    probe.close()
    with tempfile.TemporaryDirectory() as folder:
        daemon = start(port, hanging, good, folder, build)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            measure(port, "warm")
            found = {"calm": [], "hanging": []}
            for number in range(2 * ROUNDS):
                kind = "hanging" if number % 2 else "calm"
                over, count, clients = multiprocessing.Event(), multiprocessing.Value("i", 0), None
                if kind == "hanging":
                    clients = multiprocessing.Process(target=press, args=(port, over, count))
                    clients.start()
                    time.sleep(2.5)
                times = measure(port, str(number))
                over.set()
                if clients:
                    clients.join()
                found[kind] += times
                more = f", {count.value} requests to the hanging host" if clients else ""
                print(f"  {kind:8} p50 {at(times, 0.5):6.2f} ms  p99 {at(times, 0.99):6.2f} ms{more}", flush=True)
            for share, name in [(0.5, "p50"), (0.99, "p99")]:
                calm, busy = (at(sorted(found[kind]), share) for kind in ["calm", "hanging"])
                print(f"{name} of all rounds: {calm:.2f} ms alone, {busy:.2f} ms beside a hanging host, ratio {busy / calm:.2f}")
        finally:
            daemon.terminate()
            daemon.wait()


main()
