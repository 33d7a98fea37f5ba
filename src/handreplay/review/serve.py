"""Starts the review server on this machine alone, and prints where it is."""

import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from handreplay.errors import HandreplayError
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.guard import Sessions
from handreplay.review.server import make_app

LOOPBACK = "127.0.0.1"


def open_desks(folders: Sequence[Path], *, table: Path | None, recording: Path | None) -> list[Desk]:
    """Raises HandreplayError for a folder that cannot be reviewed."""
    if len(folders) > 1 and (table is not None or recording is not None):
        raise HandreplayError("--table and --footage are for one run; name one folder with them")
    return [_desk(folder, table) for folder in folders]


def _desk(folder: Path, table: Path | None) -> Desk:
    try:
        return Desk(folder, table=table)
    except HandreplayError as error:
        if str(folder) in str(error):
            raise
        raise type(error)(f"{folder}: {error}") from None


def serve(
    desks: Sequence[Desk],
    *,
    say: Callable[[str], None],
    recording: Path | None = None,
    reviewer: Reviewer | None = None,
    port: int = 0,
    browser: bool = True,
) -> None:
    """Serve until interrupted. `port` 0 takes a free one. Raises HandreplayError when the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise HandreplayError(
            f"port {port} cannot be had ({error.strerror}); leave --port out for a free one"
        ) from None
    taken = int(listener.getsockname()[1])
    sessions = Sessions(token=secrets.token_urlsafe(24), port=taken, default=reviewer)
    app = make_app(desks, sessions, recording)
    address = f"http://{LOOPBACK}:{taken}/?token={sessions.token}"
    say(f"Review at {address}")
    say("The address is for you alone: whoever has it can enter things. Stop with Ctrl+C.")
    if browser and _has_screen():
        webbrowser.open(address)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends the program in the way that clears its temporary folder, where proxy copies and evidence lie."""
    raise SystemExit(0)


def _has_screen() -> bool:
    """Without one a browser of the terminal would take over the very terminal that the address stands in."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
