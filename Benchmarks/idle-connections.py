#!/usr/bin/env python3
"""Opens idle connections of one client, and measures whether another client is served.

Usage: Benchmarks/idle-connections.py [BUILD_DIR]      the default is .build/release

Starts a daemon of BUILD_DIR with the default limits. One client (127.0.0.2) opens connections and sends nothing; meanwhile another one
(127.0.0.3) opens a new connection for each of its requests. Printed are the latencies of the latter alone and beside the idle connections,
how many of these are open, and how many the daemon has refused. Fails if a request of the other client is not served.

Environment: BENCH_CONNECTIONS (10400), BENCH_REQUESTS (500).
"""

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time

CONNECTIONS = int(os.environ.get("BENCH_CONNECTIONS", 10_400))
REQUESTS = int(os.environ.get("BENCH_REQUESTS", 500))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def measure(port):
    """Requests a line of text over new connections; returns the sorted times in milliseconds."""
    times = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=5, source_address=("127.0.0.3", 0))
        client.request("GET", "/robots.txt")
        response = client.getresponse()
        response.read()
        client.close()
        assert response.status == 200, response.status
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)


def tell(label, times):
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    print(f"  {label:24} p50 {times[len(times) // 2]:6.2f} ms  p99 {p99:6.2f} ms  {len(times)} of {REQUESTS} served")


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build/release")
    if len(sys.argv) > 2 or not os.access(os.path.join(build, "edgeprint"), os.X_OK):
        sys.exit(__doc__)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard < CONNECTIONS + 100:
        sys.exit(f"{CONNECTIONS} connections need ulimit -n {CONNECTIONS + 100}, the hard limit is {hard}")
    port, admin = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "edgeprint.yaml")
        with open(path, "w") as file:
            file.write(f"""
listen: 127.0.0.1:{port}
admin: {{ listen: "127.0.0.1:{admin}" }}
timeouts: {{ header: 10m }}
cache: {{ path: "{folder}/cache", memory: 64MiB }}
log: {{ access: off, level: error }}
""")
        daemon = subprocess.Popen([os.path.join(build, "edgeprint"), "serve", "--config", path])
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if daemon.poll() is not None:
                        sys.exit(f"the daemon has ended with {daemon.returncode}")
                    time.sleep(0.05)
            tell("alone", measure(port))
            idle = []
            for _ in range(CONNECTIONS):
                idle.append(socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0)))
            tell("beside idle connections", measure(port))
            client = http.client.HTTPConnection("127.0.0.1", admin)
            client.request("GET", "/stats")
            stats = json.loads(client.getresponse().read())["connections"]
            print(
                f"{len(idle)} idle connections of one client tried: {stats['turnedAwayOfClients']} refused, "
                f"{stats['open']} of {stats['limit']} connections open"
            )
        finally:
            daemon.terminate()
            daemon.wait()


main()
