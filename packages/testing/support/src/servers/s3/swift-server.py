"""Serves OpenStack Swift with its S3 interface from one process: python3 swift-server.py DIRECTORY PORT

Swift usually is four services on several machines. Here all four share a process and a directory, as in Swift's own
functional tests. The access key is `test:tester`, the secret key `testing`.
"""
import os
import sys

import eventlet

eventlet.patcher.monkey_patch()

from eventlet import wsgi  # noqa: E402
from paste.deploy import loadapp  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402

directory, port = sys.argv[1], int(sys.argv[2])
kinds = ("account", "container", "object")

filters = "catch_errors gatekeeper s3api tempauth copy slo dlo versioned_writes symlink"
more = {
    "s3api": "storage_domain = s3.localhost",
    "tempauth": "user_test_tester = testing .admin",
    "versioned_writes": "allow_object_versioning = true",
}
PROXY = f"""
[DEFAULT]
swift_dir = {directory}
log_level = ERROR
[pipeline:main]
pipeline = {filters} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 5
""" + "".join(f"[filter:{name}]\nuse = egg:swift#{name}\n{more.get(name, '')}\n" for name in filters.split())

SERVER = """
[DEFAULT]
swift_dir = {directory}
devices = {directory}
mount_check = false
log_level = ERROR
disk_chunk_size = 262144
fallocate_reserve = 0
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""


def write(name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write(text)
    return path


class Cache:
    """Takes the place of memcached, which would be one more process."""

    def __init__(self):
        self.values = {}

    def get(self, key, *_, **__):
        return self.values.get(key)

    def set(self, key, value, *_, **__):
        self.values[key] = value

    def incr(self, key, delta=1, *_, **__):
        self.values[key] = int(self.values.get(key, 0)) + delta
        return self.values[key]

    def delete(self, key, *_, **__):
        self.values.pop(key, None)


def serve(listener, app):
    pool = eventlet.GreenPool(256)
    eventlet.spawn(wsgi.server, listener, app, log_output=False, custom_pool=pool, capitalize_response_headers=False)


os.makedirs(os.path.join(directory, "disk"), exist_ok=True)
utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b"video-to-json"
utils.validate_configuration = lambda: None
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = video-to-json\n")
utils.SWIFT_CONF_FILE = os.path.join(directory, "swift.conf")
storage_policy.reload_storage_policies()

listeners = {}
for kind in kinds:
    listeners[kind] = eventlet.listen(("127.0.0.1", 0))
    builder = RingBuilder(1, 1, 1)
    device = {"region": 0, "zone": 0, "ip": "127.0.0.1", "port": listeners[kind].getsockname()[1], "device": "disk"}
    builder.add_dev({**device, "weight": 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, f"{kind}.ring.gz"))
for kind in kinds:
    conf = write(f"{kind}-server.conf", SERVER.format(directory=directory, kind=kind))
    serve(listeners[kind], loadapp(f"config:{conf}"))
proxy = loadapp(f"config:{write('proxy-server.conf', PROXY)}")
cache = Cache()


def proxy_with_cache(env, start_response):
    env["swift.cache"] = cache
    return proxy(env, start_response)


wsgi.server(
    eventlet.listen(("127.0.0.1", port), backlog=512),
    proxy_with_cache,
    log_output=False,
    custom_pool=eventlet.GreenPool(512),
)
