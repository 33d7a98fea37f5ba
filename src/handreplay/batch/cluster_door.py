"""Reaches the scheduler of a Dask cluster, or says in one line why it cannot.

Dask's own client waits for ever on a server that says nothing and trips over one that says something else, so that the
door is knocked at first: a scheduler speaks as soon as it is called, and begins with the length of its first message.
"""

import logging
import socket
import ssl
import warnings
from typing import Any, cast
from urllib.parse import urlsplit

from distributed import Client
from distributed.security import Security
from distributed.versions import VersionMismatchWarning

from handreplay.errors import ClusterError

CONNECT_S = 10.0
_LONGEST_GREETING_BYTES = 1_000_000
_ASKED = "is dask scheduler running there, and is its address tcp:// or tls://?"
_TALKERS = ("distributed", "tornado", "asyncio")


def connected(address: str) -> Any:
    """A Dask client of the scheduler at `address`. Raises ClusterError."""
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in _TALKERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what matters is said in one line, by the engine
    warnings.filterwarnings("ignore", category=VersionMismatchWarning)  # versions are compared by the engine
    _knock(address)
    try:
        return cast(Any, Client)(address, timeout=CONNECT_S, set_as_default=False, name="handreplay")
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise ClusterError(f"{address}: the scheduler refused ({said})") from None


def _knock(address: str) -> None:
    """Raises ClusterError unless something that looks like a scheduler answers."""
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=CONNECT_S) as plain:
            plain.settimeout(CONNECT_S)
            if parts.scheme == "tls":
                with _certificates(address).wrap_socket(plain, server_hostname=parts.hostname) as shielded:
                    start = _first_bytes(shielded)
            else:
                start = _first_bytes(plain)
    except ssl.SSLError as error:
        raise ClusterError(
            f"{address}: cannot be spoken to under encryption ({error.reason}); are the certificates "
            "those of this cluster, and does it use tls?"
        ) from None
    except TimeoutError:
        raise ClusterError(f"{address}: did not answer within {CONNECT_S:.0f} s; {_ASKED}") from None
    except OSError as error:
        raise ClusterError(f"{address}: cannot be reached ({error.strerror or error}); {_ASKED}") from None
    if not 0 < int.from_bytes(start, "little") < _LONGEST_GREETING_BYTES:
        raise ClusterError(f"{address}: what answers there is no Dask scheduler, or one that wants tls://")


def _first_bytes(connection: socket.socket) -> bytes:
    start = b""
    while len(start) < 8:
        found = connection.recv(8 - len(start))
        if not found:
            return b""
        start += found
    return start


def _certificates(address: str) -> ssl.SSLContext:
    """Those that Dask was told of. Raises ClusterError without any."""
    try:
        found = cast(Any, Security)().get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:
        raise ClusterError(f"{address}: the certificates that Dask was told of cannot be read ({error})") from None
    if found is None:
        raise ClusterError(
            f"{address}: needs certificates; name them to Dask with DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
        )
    return cast(ssl.SSLContext, found)
