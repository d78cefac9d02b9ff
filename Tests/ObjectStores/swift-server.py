#!/usr/bin/python3
"""Runs OpenStack Swift with its S3 API (s3api) on loopback: its four servers in one process, which ends when it is killed.

usage: swift-python swift-server.py FOLDER PORT ACCOUNT:USER SECRET

FOLDER keeps the rings, the configuration and one copy of each object; its file system must have extended attributes. PORT is that of
the proxy server. Secrets for S3 are those of tempauth, and access keys its ACCOUNT:USER. scripts/install-engines installs swift-python.
"""

import os
import sys

import eventlet
import eventlet.hubs
import eventlet.wsgi
from swift.common import utils

eventlet.hubs.use_hub(utils.get_hub())
utils.eventlet_monkey_patch()

COMMON = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
log_level = WARNING
log_address = {folder}/none
"""

STORAGE = """
[app:main]
use = egg:swift#{name}
"""

PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{user} = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


class Cache:
    """What memcached is to Swift: tempauth does not work without it."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_, **__):
        return self.values.get(key)

    def set(self, key, value, *_, **__):
        self.values[key] = value

    def incr(self, key, delta=1, *_, **__):
        self.values[key] = int(self.values.get(key) or 0) + delta
        return self.values[key]

    def delete(self, key, *_, **__):
        self.values.pop(key, None)


def cached(app):
    cache = Cache()

    def answer(environment, start):
        environment["swift.cache"] = cache
        return app(environment, start)

    return answer


def make_ring(folder, name, port):
    """Writes a ring of one device, as swift-ring-builder does."""
    from swift.common.ring import RingBuilder

    builder = RingBuilder(part_power=2, replicas=1, min_part_hours=0)
    address = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "device": "device", "meta": "", **address})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{name}.ring.gz"))


def main(folder, port, user, secret):
    folder = os.path.abspath(folder)
    os.makedirs(os.path.join(folder, "devices/device"))
    listeners = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object")}
    with open(os.path.join(folder, "swift.conf"), "w") as file:
        file.write("[swift-hash]\nswift_hash_path_suffix = tests\n")
    utils.set_swift_dir(folder)
    for name, listener in listeners.items():
        make_ring(folder, name, listener.getsockname()[1])
    # Last, so that who can connect finds the others.
    listeners["proxy"] = eventlet.listen(("127.0.0.1", int(port)))

    # They read the folder's configuration when they are imported.
    from swift.common.http_protocol import SwiftHttpProtocol
    from swift.common.wsgi import loadapp

    threads = []
    for name, listener in listeners.items():
        path = os.path.join(folder, f"{name}-server.conf")
        with open(path, "w") as file:
            text = COMMON + (PROXY if name == "proxy" else STORAGE)
            file.write(text.format(folder=folder, name=name, user=user.replace(":", "_"), secret=secret))
        app = loadapp(path, global_conf={"log_name": name})
        arguments = [listener, cached(app) if name == "proxy" else app, utils.NullLogger()]
        # Clients of S3 want "ETag", not "Etag".
        options = {"protocol": SwiftHttpProtocol, "capitalize_response_headers": False}
        threads.append(eventlet.spawn(eventlet.wsgi.server, *arguments, **options))
    for thread in threads:
        thread.wait()


main(*sys.argv[1:])
