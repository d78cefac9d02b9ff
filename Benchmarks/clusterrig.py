"""Shared by cluster.py: hosts that are network namespaces, the real engines, an origin of versioned pictures, and nodes under test.

Every host is a namespace with one address, joined by a bridge in a namespace of its own, so that nothing of the machine's network is
touched. Needs root and a kernel that allows namespaces; `Network.reason()` says why not.
"""

import ctypes
import http.client
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLONE_NEWNET = 0x40000000
TOKEN = "0123456789abcdef0123456789abcdef"


def run(*command, check=True):
    return subprocess.run(command, capture_output=True, text=True, check=check)


def binary(name="edgeprint"):
    path = os.path.join(os.environ.get("BENCH_BUILD", os.path.join(ROOT, ".build/release")), name)
    if not os.access(path, os.X_OK):
        sys.exit(f"cluster: there is no {path} (make build, or BENCH_BUILD)")
    return path


def valkey_server():
    """The Valkey that scripts/install-engines has installed."""
    path = os.path.join(ROOT, ".build/engines/bin/valkey-server")
    if not os.access(path, os.X_OK):
        sys.exit("cluster: Valkey is missing (scripts/install-engines)")
    return path


class Host:
    """A network namespace with one address."""

    def __init__(self, network, name, number):
        self.network, self.name, self.address = network, f"{network.prefix}-{name}", f"10.91.0.{number}"
        self.link = f"{network.prefix}{number}"
        run("ip", "netns", "add", self.name)
        run("ip", "-n", network.bridge, "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "-n", network.bridge, "link", "set", self.link, "master", "br0", "up")
        run("ip", "-n", self.name, "addr", "add", f"{self.address}/24", "dev", "eth0")
        run("ip", "-n", self.name, "link", "set", "eth0", "up")
        run("ip", "-n", self.name, "link", "set", "lo", "up")

    def start(self, *command, **options):
        return subprocess.Popen(["ip", "netns", "exec", self.name, *command], **options)

    def cut(self, isCut=True):
        """Takes the host off the network, or back."""
        run("ip", "-n", self.network.bridge, "link", "set", self.link, "down" if isCut else "up")

    def lose(self, percent):
        """Drops this share of the packets that arrive; 0 for none."""
        run("ip", "netns", "exec", self.name, "nft", "flush", "ruleset")
        if percent:
            for rule in ("add table inet loss",
                         "add chain inet loss arriving { type filter hook input priority 0; }",
                         f"add rule inet loss arriving iifname eth0 numgen random mod 100 < {percent} drop"):
                run("ip", "netns", "exec", self.name, "nft", rule)


class Network:
    """All hosts of one run; this process itself moves into the namespace of the clients."""

    def __init__(self):
        self.prefix = f"ep{os.getpid() % 10000}"
        self.bridge = f"{self.prefix}-br"
        self.hosts = {}
        run("ip", "netns", "add", self.bridge)
        run("ip", "-n", self.bridge, "link", "add", "br0", "type", "bridge")
        run("ip", "-n", self.bridge, "link", "set", "br0", "up")
        clients = self.host("clients", 250)
        self.address = clients.address
        with open(f"/run/netns/{clients.name}") as file:
            # os.setns is newer than Debian 12's Python. Threads started from here on are in the namespace, too.
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                sys.exit(f"cluster: cannot enter a namespace: {os.strerror(ctypes.get_errno())}")

    @staticmethod
    def reason():
        """Why there can be no hosts here; None if there can."""
        if os.geteuid() != 0:
            return "not root"
        for tool in ("ip", "nft"):
            if not shutil.which(tool):
                return f"no {tool}"
        name = f"epprobe{os.getpid()}"
        probe = run("ip", "netns", "add", name, check=False)
        run("ip", "netns", "del", name, check=False)
        return None if probe.returncode == 0 else f"no network namespaces: {probe.stderr.strip()}"

    def host(self, name, number):
        self.hosts[name] = Host(self, name, number)
        return self.hosts[name]

    def close(self):
        for host in self.hosts.values():
            run("ip", "netns", "del", host.name, check=False)
        run("ip", "netns", "del", self.bridge, check=False)


def picture(version):
    """A picture of 8 × 8 whose colour is its version; as an unchanged original, its bytes contain the version."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    pixel = version.to_bytes(3, "big")
    rows = (b"\0" + pixel * 8) * 8
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
            + chunk(b"tEXt", b"Comment\0version=%d" % version) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def version_of(body):
    found = re.search(rb"version=(\d+)", body)
    return int(found.group(1)) if found else -1


class Origin:
    """Serves /KEY in its current version, fresh for an hour, and files of `files`; counts requests by path."""

    def __init__(self, address, files=None):
        self.versions, self.counts, self.files, self.lock = {}, {}, files or {}, threading.Lock()
        self.delay = 0.0
        origin = self

        class Handler(BaseHTTPRequestHandler):
            # Head and body are written apart: without it, the second would wait for a delayed acknowledgement of the first.
            protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

            def do_GET(self):
                path = self.path.partition("?")[0].lstrip("/")
                with origin.lock:
                    origin.counts[path] = origin.counts.get(path, 0) + 1
                    version = origin.versions.get(path, 0)
                body = origin.files.get(path) or picture(version)
                tag = f'"{path}-{version}"'
                if origin.delay:
                    time.sleep(origin.delay)
                isSame = self.headers.get("If-None-Match") == tag
                self.send_response(304 if isSame else 200)
                self.send_header("ETag", tag)
                self.send_header("Cache-Control", "max-age=3600")
                if not isSame:
                    self.send_header("Content-Type", "image/jpeg" if body[:2] == b"\xff\xd8" else "image/png")
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if not isSame:
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 1024

        self.server = Server((address, 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def write(self, key):
        """Makes a new version; returns its number."""
        with self.lock:
            self.versions[key] = self.versions.get(key, 0) + 1
            return self.versions[key]

    def total(self):
        with self.lock:
            return sum(self.counts.values())


class Log:
    """Valkey, which keeps its data over a kill."""

    def __init__(self, host, folder):
        self.host, self.folder = host, folder
        os.makedirs(folder, exist_ok=True)
        self.process = None
        self.start()

    def start(self):
        self.process = self.host.start(
            valkey_server(), "--bind", self.host.address, "--port", "6379", "--dir", self.folder, "--appendonly", "yes",
            "--appendfsync", "always", "--save", "", "--protected-mode", "no", stdout=subprocess.DEVNULL)
        wait_for(lambda: talks(self.host.address, 6379), "Valkey")

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"redis://{self.host.address}:6379/"


class Store:
    """SeaweedFS with its S3 API, which keeps its data over a kill."""

    def __init__(self, host, folder):
        self.host, self.folder = host, folder
        os.makedirs(f"{folder}/data", exist_ok=True)
        self.weed = os.path.join(ROOT, ".build/engines/bin/weed")
        if not os.access(self.weed, os.X_OK):
            sys.exit("cluster: SeaweedFS is missing (scripts/install-engines)")
        with open(f"{folder}/s3.json", "w") as file:
            file.write('{"identities": [{"name": "edge", "actions": ["Read:edge", "Write:edge", "List:edge"], '
                       f'"credentials": [{{"accessKey": "edge", "secretKey": "{TOKEN}"}}]}}]}}')
        self.process = None
        self.start()

    def start(self):
        address = self.host.address
        with open(f"{self.folder}/log", "a") as log:
            self.process = self.host.start(
                self.weed, "server", f"-dir={self.folder}/data", f"-ip={address}", f"-ip.bind={address}", "-volume.max=8",
                "-master.volumeSizeLimitMB=256", "-master.telemetry=false", "-filer", "-s3", f"-s3.config={self.folder}/s3.json",
                "-s3.port.iceberg=0", "-s3.port.lance=0", stdout=log, stderr=log, cwd=self.folder)
        wait_for(lambda: talks(address, 8333), "SeaweedFS")
        wait_for(self.has_bucket, "the bucket")

    def has_bucket(self):
        shell = subprocess.run(["ip", "netns", "exec", self.host.name, self.weed, "shell", f"-master={self.host.address}:9333"],
                               input="s3.bucket.create -name edge\ns3.bucket.list\n", capture_output=True, text=True, timeout=30,
                               cwd=self.folder)
        return "edge" in shell.stdout and "error" not in shell.stdout

    def kill(self):
        self.process.kill()
        self.process.wait()

    def lines(self):
        """The settings of a node that uses it; every result is stored."""
        return ["  store: s3://edge/bench/", f"  endpoint: http://{self.host.address}:8333", "  access-key: edge",
                f"  secret-key: {TOKEN}", "  store-results: 0ms"]


def talks(address, port):
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    sys.exit(f"cluster: waited {seconds} s for {what}")


class Connection:
    """A kept connection to a node; one thread at a time."""

    def __init__(self, node, port=8080, timeout=10):
        self.node, self.port, self.timeout, self.http = node, port, timeout, None

    def request(self, method, path, body=None, fields={}):
        """The status, fields and body; (0, …) without an answer."""
        try:
            if self.http is None:
                self.http = http.client.HTTPConnection(self.node.host.address, self.port, timeout=self.timeout)
                self.http.connect()
                self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.http.request(method, path, body=body, headers=fields)
            answer = self.http.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return 0, {}, b""

    def close(self):
        if self.http:
            self.http.close()
        self.http = None


class Node:
    """A daemon on a host of its own."""

    def __init__(self, host, folder, origin_url, cluster, prefix=(), top=""):
        self.host, self.folder, self.prefix = host, folder, list(prefix)
        os.makedirs(f"{folder}/cache", exist_ok=True)
        self.config = f"{folder}/edgeprint.yaml"
        with open(self.config, "w") as file:
            file.write(f"""
listen: {host.address}:8080
admin: {{ listen: "{host.address}:8081", token: admin }}
sources: {{ p: {{ url: "{origin_url}", allow-private: true }} }}
purge: {{ allow: [10.91.0.0/24] }}
log: {{ access: off, level: notice }}
cache: {{ path: "{folder}/cache", memory: 64MiB, originals: 256MiB, variants: 256MiB }}
limits: {{ memory: 1GiB }}
{top}
cluster:
  token: {TOKEN}
{cluster}
""")
        self.log = open(f"{folder}/edgeprint.log", "a")
        self.process = None

    def start(self):
        self.process = self.host.start(*self.prefix, binary(), "serve", "--config", self.config,
                                       stdout=self.log, stderr=self.log)
        wait_for(lambda: self.process.poll() is not None or self.is_ready(), "a node", 120)
        if self.process.poll() is not None:
            sys.exit(f"cluster: a node does not start: {open(self.log.name).read()[-2000:]}")
        return self

    def is_ready(self):
        return self.ask("/readyz")[0] == 200

    def ask(self, path):
        connection = Connection(self, 8081, 3)
        answer = connection.request("GET", path, fields={"Authorization": "Bearer admin"})
        connection.close()
        return answer

    def metric(self, name, label=""):
        """The sum of a metric over its labels, or over those samples that have a label."""
        text = self.ask("/metrics")[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.split("{")[0].split(" ")[0] == name and label in line)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)] if ordered else float("nan")
