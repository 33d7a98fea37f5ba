"""What every request must show before any page sees it. Nothing here trusts a browser's good will.

Host         one of this server's own names, so that no other site's name can be pointed at it (DNS rebinding)
token        in the address once, as printed at the start; then a cookie that scripts and other sites cannot use
POST         from this server's own pages: Origin, Sec-Fetch-Site, JSON, and no larger than it may be
"""

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from handreplay.review.decisions import EntryError
from handreplay.review.desk import Reviewer
from handreplay.review.log import canonical

MAX_BODY_BYTES = 100_000
MOST_SESSIONS = 200
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(slots=True)
class Sessions:
    """Browsers that have shown the token, and who sits at each. Kept in memory alone, and gone with the server."""

    token: str
    port: int
    default: Reviewer | None = None
    reviewers: dict[str, Reviewer | None] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        return f"handreplay_{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    def admit(self, token: str) -> str | None:
        """A new session for whoever shows the token."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        while len(self.reviewers) >= MOST_SESSIONS:
            del self.reviewers[next(iter(self.reviewers))]
        session = secrets.token_urlsafe(32)
        self.reviewers[session] = self.default
        return session

    def session_of(self, request: Request) -> str | None:
        session = request.cookies.get(self.cookie, "")
        return session if session in self.reviewers else None

    def reviewer_of(self, request: Request) -> Reviewer | None:
        session = self.session_of(request)
        return self.reviewers.get(session) if session else None


class Guard:
    """ASGI middleware. Refusals are one line of plain text and say nothing about what is behind."""

    def __init__(self, app: App, sessions: Sessions) -> None:
        self.app, self.sessions = app, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        await self.app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers, method = Headers(scope=scope), scope["method"]
        if headers.get("host", "") not in self.sessions.hosts:
            return PlainTextResponse("This server answers under its own address alone.", 421)
        if method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Not a way to ask.", 405)
        given = QueryParams(scope.get("query_string", b"")).get("token")
        if given is not None and method == "GET":
            return self._admitted(scope, given)
        if self.sessions.session_of(Request(scope)) is None:
            return PlainTextResponse("Open the address that handreplay review printed, with its token.", 403)
        return _refused_post(headers, self.sessions) if method == "POST" else None

    def _admitted(self, scope: Scope, token: str) -> Response:
        session = self.sessions.admit(token)
        if session is None:
            return PlainTextResponse("That token is not the one that handreplay review printed.", 403)
        rest = [(k, v) for k, v in QueryParams(scope["query_string"]).multi_items() if k != "token"]
        path = "/" + scope["path"].lstrip("/\\")  # never another host's address
        response = RedirectResponse(path + (f"?{urlencode(rest)}" if rest else ""), 303)
        response.set_cookie(self.sessions.cookie, session, httponly=True, samesite="strict", path="/")
        return response


def _refused_post(headers: Headers, sessions: Sessions) -> Response | None:
    own = {f"http://{host}" for host in sessions.hosts}
    if headers.get("origin") not in own or headers["origin"] != f"http://{headers['host']}":
        return PlainTextResponse("Entries are taken from this server's own pages alone.", 403)
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return PlainTextResponse("Entries are taken from this server's own pages alone.", 403)
    if headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return PlainTextResponse("Entries are JSON.", 415)
    length = headers.get("content-length", "")
    if not length.isascii() or not length.isdigit() or int(length[:12]) > MAX_BODY_BYTES:
        return PlainTextResponse(f"An entry has at most {MAX_BODY_BYTES} bytes.", 413)
    return None


def _with_headers(send: Send) -> Send:
    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            if not any(name.lower() == b"content-security-policy" for name, _ in headers):
                headers.append((b"content-security-policy", POLICY.encode()))
            headers += [
                (b"x-content-type-options", b"nosniff"),
                (b"referrer-policy", b"no-referrer"),
                (b"x-frame-options", b"DENY"),
                (b"cross-origin-resource-policy", b"same-origin"),
                (b"cross-origin-opener-policy", b"same-origin"),
            ]
            if not any(name.lower() == b"cache-control" for name, _ in headers):
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return sent


async def entered(request: Request) -> dict[str, Any]:
    """The object that a page sent. Raises EntryError for anything else."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise EntryError(f"an entry has at most {MAX_BODY_BYTES} bytes")
    try:
        value = json.loads(body)
        canonical(value).encode()  # no infinities, no halves of characters
    except (ValueError, RecursionError):
        raise EntryError("the entry is not JSON") from None
    if not isinstance(value, dict):
        raise EntryError("the entry is not a JSON object")
    return value
