"""`--cluster ADDRESS`: the door to workers of a Dask cluster that the user started with Dask's own commands.

The cluster is the user's own and is trusted: what its workers say is taken, and whoever reaches its scheduler can run
programs on its machines. It is never started, altered or ended from here.
"""

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path

from handreplay.batch.work import Engine
from handreplay.batch.workers import Watch
from handreplay.errors import ClusterError

_ADDRESS = re.compile(r"(?P<scheme>tcp|tls)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>[0-9]{1,5})/?")


def open_engine(address: str, out: Path, say: Callable[[str], None], watch: Watch) -> Engine:
    """The workers of the cluster whose scheduler is at `address`, all of which must see the folder `out`.

    `say` is told in one line each what a person should know: an open network, workers that leave or are passed over.
    `watch` is told how far each reading is.
    Raises ClusterError when there is no such cluster, or when its workers could not give what this machine would.
    """
    whole, shielded = checked_address(address)
    try:
        from handreplay.batch.cluster_engine import ClusterEngine
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("dask", "distributed"):
            raise
        raise ClusterError("--cluster needs Dask: pip install 'handreplay[cluster]'") from None
    engine = ClusterEngine(whole, out, say=say, watch=watch)
    if not shielded:
        say(
            f"{whole} is neither encrypted nor asks who calls: whoever reaches it can run programs on its machines; "
            "use it on a closed network only, or give Dask certificates and use tls://"
        )
    return engine


def checked_address(address: str) -> tuple[str, bool]:
    """The address with its scheme, and whether strangers are kept out of it. Raises ClusterError."""
    text = address.strip()
    whole = text if "://" in text else f"tcp://{text}"
    found = _ADDRESS.fullmatch(whole)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise ClusterError(
            f"--cluster {address[:100]!r}: is not the address of a Dask scheduler; "
            "give it as tcp://HOST:PORT or tls://HOST:PORT, as dask scheduler prints it"
        )
    return whole.rstrip("/"), found["scheme"] == "tls" or _loopback(found["host"].strip("[]"))


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
