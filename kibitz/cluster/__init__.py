"""A cluster of machines, through Ray: connecting to it, and packing what its nodes need.

Ray is an optional dependency, imported only when an engine asks for it. What runs on the nodes is in node.py.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kibitz.cluster import node
from kibitz.cluster.node import File, Kit, hash_of, kibitz_here
from kibitz.errors import KibitzError

LOCAL = "local"  # the address of a cluster on this machine that exists only as long as it is needed
STORE_BYTES = 256_000_000  # of shared memory for results on their way, in such a cluster, at least
SENT_BYTES = 50_000_000  # larger files are not sent to nodes
CONNECT_SECONDS = 10.0
STARTS = 4  # attempts to start a cluster here: on a busy machine, Ray gives up after half a minute
FOLDER = "kibitz-ray"  # how the names of temporary folders begin
REASON = 300  # the maximum length of what Ray says about a failure, in characters


def import_ray() -> Any:
    """The module of Ray, which neither reports usage nor logs anything here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # or its workers give way to every other process
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns about a change to come
    try:
        import ray
    except ImportError:
        raise KibitzError('The engine ray needs Ray; install it with: pip install "kibitz[ray]"') from None
    return ray


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def connected(address: str | None, cpus: int | None = None, store: int = STORE_BYTES) -> Iterator[Any]:
    """Connect to a Ray cluster and yield the module of Ray.

    Without an address, neither given nor in $RAY_ADDRESS, a cluster is started on this machine, with that many `cpus`
    (None: all cores) and `store` bytes for results on their way. A program that is connected already stays connected.
    """
    ray = import_ray()
    if ray.is_initialized():
        if address is not None:
            raise KibitzError("This program is connected to a Ray cluster already; leave out the address.")
        yield ray
        return
    address = address or os.environ.get("RAY_ADDRESS") or LOCAL
    if address.startswith("ray://"):
        raise KibitzError(
            f"kibitz cannot use Ray Client ({address}); run it on a machine of the cluster with --address auto, "
            "or submit it with `ray job submit`."
        )
    _check_reachable(address)
    with _quiet(ray), _own_folder() as folder:
        own: dict[str, Any] = {"num_cpus": cpus or available_cores(), "object_store_memory": max(store, STORE_BYTES)}
        own |= {"include_dashboard": False, "_temp_dir": folder}
        _initialize(ray, address, own if address == LOCAL else {}, STARTS if address == LOCAL else 1)
        try:
            yield ray
        finally:
            ray.shutdown()


def _initialize(ray: Any, address: str, options: dict[str, Any], attempts: int) -> None:
    """Connect to a cluster, or start one."""
    for attempt in range(1, attempts + 1):
        try:
            ray.init(address=address, log_to_driver=False, configure_logging=False, **options)
            return
        except Exception as error:  # Ray raises all kinds, and a bare one if it takes too long to start
            if attempt == attempts:
                raise _unreachable(address, error) from None


def _check_reachable(address: str) -> None:
    """Raise an error if nothing listens at an address: Ray would try for minutes."""
    host, separator, port = address.rpartition(":")
    if not separator:
        return
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: BaseException) -> KibitzError:
    return KibitzError(f"Could not connect to a Ray cluster at {address!r}: {reason(error)}")


def reason(error: BaseException) -> str:
    """What Ray says about a failure, on one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    text = lines[-1] if "Traceback" in lines[0] or lines[0].startswith("ray::") else " ".join(lines)
    return text if len(text) <= REASON else f"{text[:REASON]} …"


@contextlib.contextmanager
def _quiet(ray: Any) -> Iterator[None]:
    """Keep Ray from logging to stderr, and from changing what SIGTERM does once it has shut down.

    Whatever happens to its nodes, it reports on stdout, where it would spoil a document; nothing switches that off.
    """
    log, is_main = logging.getLogger("ray"), threading.current_thread() is threading.main_thread()
    level, on_term = log.level, signal.getsignal(signal.SIGTERM)
    printing = getattr(ray._private.worker, "print_to_stdstream", None)
    log.setLevel(logging.CRITICAL)
    ray._private.worker.print_to_stdstream = lambda *lines, **options: None
    try:
        yield
    finally:
        log.setLevel(level)
        ray._private.worker.print_to_stdstream = printing
        if is_main:
            signal.signal(signal.SIGTERM, on_term)


@contextlib.contextmanager
def _own_folder() -> Iterator[str]:
    """A temporary folder that only this user can read, for sockets and logs of a cluster on this machine.

    Those of programs that were killed are removed.
    """
    place = "/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir()  # the path of a socket must be short
    for left in Path(place).glob(f"{FOLDER}-*-*"):
        try:
            os.kill(int(left.name.removeprefix(FOLDER).split("-")[1]), 0)
        except (ValueError, OverflowError, PermissionError):  # not one of ours
            continue
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
    prefix = f"{FOLDER}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True) as folder:
        yield folder


def on_nodes(*modules: Any) -> None:
    """Send the code of these modules to the nodes, instead of importing it there, where kibitz may be missing."""
    from ray.cloudpickle import register_pickle_by_value

    for module in (node, *modules):
        register_pickle_by_value(module)


def pack(files: Iterable[Path], programs: Iterable[str] = ()) -> Kit:
    """What nodes need besides kibitz: files, named relative to this folder or absolutely, and programs."""
    packed = {}
    for path in files:
        content = path.read_bytes() if path.stat().st_size <= SENT_BYTES else None
        packed[path.as_posix()] = File(hash_of(path), content, path.stat().st_mode & 0o700)
    return Kit(*kibitz_here(), os.getcwd(), packed, tuple(programs))
