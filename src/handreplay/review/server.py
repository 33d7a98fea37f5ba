"""The pages of `handreplay review` and what they send back. Decides nothing: asks the desk, lays out what it says."""

import secrets
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from handreplay.errors import HandreplayError
from handreplay.report.places import goes_on
from handreplay.review import dispute, drawing, pages, tables, views
from handreplay.review.case_file import CaseOptions, write_case
from handreplay.review.decisions import CHOICE_WORDS, FAULT_WORDS, EntryError
from handreplay.review.desk import Desk, Reviewer, State
from handreplay.review.guard import REPORT_POLICY, App, Guard, Sessions, entered
from handreplay.review.playback import Playback
from handreplay.review.ranking import ORDERS, rank

STATIC = {"review.css": "text/css", "review.js": "text/javascript", "list.js": "text/javascript"}
DOWNLOADS = {
    "findings.csv": "text/csv",
    "findings.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "settlements.csv": "text/csv",
    "findings.json": "application/json",
}

Answer = Callable[[Request], Awaitable[Response]]


class _ShortNumber(IntegerConvertor):
    """Python refuses to read a number of some thousands of digits."""

    regex = "[0-9]{1,9}"


register_url_convertor("short", _ShortNumber())


@dataclass(slots=True)
class Room:
    """All that the server knows: the desks, their recordings, who is there, and a folder for what it makes."""

    desks: Sequence[Desk]
    playbacks: Sequence[Playback]
    sessions: Sessions
    workshop: Path
    made: dict[str, Path] = field(default_factory=dict)  # evidence files by a name that cannot be guessed


@dataclass(frozen=True, slots=True)
class At:
    """Where a request stands: which run, which round, who asks, and what they may see."""

    room: Room
    run: int
    desk: Desk
    reviewer: Reviewer
    state: State
    number: int

    @property
    def playback(self) -> Playback:
        return self.room.playbacks[self.run]


def make_app(desks: Sequence[Desk], sessions: Sessions, recording: Path | None = None) -> App:
    """The application, guarded. `recording` is given for a single run whose recording has moved."""
    workshop = tempfile.TemporaryDirectory(prefix="handreplay-review-")
    folder = Path(workshop.name)
    playbacks = []
    for number, desk in enumerate(desks):
        place = folder / str(number)
        place.mkdir()
        playbacks.append(Playback(desk, recording, place))
    room = Room(desks, playbacks, sessions, folder)
    one = "/run/{run:short}"
    round_ = one + "/round/{number:short}"
    get, post = ["GET"], ["POST"]
    app = Starlette(
        routes=[
            Route("/", _page(_overview), methods=get),
            Route("/who", _page(_who, nobody=True), methods=get),
            Route("/who", _page(_enter, nobody=True), methods=post),
            Route("/static/{name}", _static, methods=get),
            Route(one + "/log", _page(_history), methods=get),
            Route(one + "/agreement", _page(_agreement), methods=get),
            Route(one + "/recording", _page(_recording), methods=get),
            Route(one + "/picture/{name}", _page(_picture), methods=get),
            Route(one + "/download/{name}", _page(_download), methods=get),
            Route(round_, _page(_round), methods=get),
            Route(round_ + "/panels", _page(_panels), methods=get),
            Route(round_ + "/data", _page(_data), methods=get),
            Route(round_ + "/proxy-start", _page(_proxy_start), methods=get),
            Route(round_ + "/proxy", _page(_proxy), methods=get),
            Route(round_ + "/correct", _page(_correct), methods=post),
            Route(round_ + "/decide", _page(_decide), methods=post),
            Route(round_ + "/report", _page(_report), methods=get),
            Route(round_ + "/report", _page(_keep_report), methods=post),
            Route(round_ + "/report.{kind}", _page(_report_file), methods=get),
            Route(round_ + "/case", _page(_case), methods=post),
            Route("/made/{key}/{name}", _page(_made), methods=get),
        ],
        exception_handlers={HTTPException: _http_error, Exception: _bug},
    )
    app.state.room = room
    app.state.workshop = workshop  # lives as long as the application
    return Guard(app, sessions)


def _page(answer: Callable[[Request, Any], Any], *, nobody: bool = False) -> Answer:
    """Wraps an answer: nobody without a name gets in, and what went wrong is told in one line."""

    @wraps(answer)
    async def wrapped(request: Request) -> Response:
        room: Room = request.app.state.room
        given = await _given(request)
        if isinstance(given, Response):
            return given
        reviewer = room.sessions.reviewer_of(request)
        if reviewer is None and not nobody:
            return RedirectResponse("/who", 303) if request.method == "GET" else _refused("say who you are first", 403)
        try:
            where = room if reviewer is None or nobody else await run_in_threadpool(_at, room, request, reviewer)
            result = await run_in_threadpool(answer, request, (where, given))
        except HandreplayError as error:
            return _told(request, error)
        response: Response = result
        return response

    return wrapped


async def _given(request: Request) -> dict[str, Any] | Response:
    if request.method != "POST":
        return {}
    try:
        return await entered(request)
    except EntryError as error:
        return _refused(str(error), 400)


def _at(room: Room, request: Request, reviewer: Reviewer) -> At:
    run = request.path_params.get("run", 0)
    if run >= len(room.desks):
        raise HTTPException(404, "There is no such run here.")
    desk = room.desks[run]
    number = request.path_params.get("number", 0)
    if "/round/" in request.url.path and number not in desk.lines:
        raise HTTPException(404, "The run has no such round.")
    return At(room, run, desk, reviewer, desk.state(reviewer), number)


def _told(request: Request, error: HandreplayError) -> Response:
    line = " ".join(str(error).split())
    if request.method == "POST" or request.url.path.endswith(("/data", "/proxy-start")):
        return _refused(line, 422)
    return HTMLResponse(pages.render("trouble.html", line=line), 409)


def _refused(line: str, status: int) -> Response:
    return JSONResponse({"error": line}, status)


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    line = str(error.detail) if isinstance(error, HTTPException) else ""
    return HTMLResponse(pages.render("trouble.html", line=line or "There is no such page."), status)


async def _bug(request: Request, error: Exception) -> Response:
    line = "Something went wrong inside the program. Nothing that was acknowledged is lost; load the page again."
    if request.method == "POST":
        return _refused(line, 500)
    return HTMLResponse(pages.render("trouble.html", line=line), 500)


# ---- pages


def _overview(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    order = request.query_params.get("by", "money")
    order = order if order in ORDERS else "money"
    findings: list[views.FindingLine] = []
    rounds: list[views.RoundLine] = []
    runs: list[pages.RunLine] = []
    for number, desk in enumerate(at.room.desks):
        state = desk.state(at.reviewer)
        findings += views.finding_lines(desk, state, order=order, run=number)
        rounds += views.round_lines(desk, state, run=number)
        runs.append(pages.run_line(desk, at.room.playbacks[number], state))
    findings.sort(key=lambda line: rank(line.finding, order))
    text = pages.render(
        "overview.html",
        findings=findings,
        rounds=rounds,
        runs=runs,
        order=order,
        orders=ORDERS,
        reviewer=at.reviewer,
        choices=CHOICE_WORDS,
        faults=FAULT_WORDS,
    )
    return HTMLResponse(text)


def _who(request: Request, given: tuple[Room, Any]) -> Response:
    room, _ = given
    return HTMLResponse(pages.render("who.html", reviewer=room.sessions.reviewer_of(request)))


def _enter(request: Request, given: tuple[Room, Any]) -> Response:
    room, raw = given
    session = room.sessions.session_of(request)
    reviewer = Reviewer.named(raw.get("name"), blind=raw.get("blind") is True)
    if session is not None:
        room.sessions.reviewers[session] = reviewer
    return JSONResponse({"ok": True})


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404, "There is no such file.")
    content = files("handreplay.review").joinpath("static", name).read_bytes()
    if name == "review.css":
        content = pages.shared_style() + content
    return Response(content, media_type=STATIC[name])


def _round(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    numbers = at.desk.round_numbers()
    place = numbers.index(at.number)
    text = pages.render(
        "round.html",
        **_round_values(at),
        before=numbers[place - 1] if place else None,
        after=numbers[place + 1] if place + 1 < len(numbers) else None,
        many=len(numbers),
        place=place + 1,
        several=len(at.room.desks) > 1,
    )
    return HTMLResponse(text)


def _panels(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    return HTMLResponse(pages.render("panels.html", **_round_values(at)))


def _round_values(at: At) -> dict[str, Any]:
    return {
        "view": views.round_view(at.desk, at.state, at.number, history=at.state.entries),
        "desk": at.desk,
        "run": at.run,
        "reviewer": at.reviewer,
        "playback": at.playback,
        "choices": CHOICE_WORDS,
        "faults": FAULT_WORDS,
        "denominations": views.denominations(at.desk),
        "zones": [name for name in at.desk.zones if name.startswith("seat") and not name.endswith(".cards")],
        "card_zones": [name for name in at.desk.zones if name.endswith("cards") or name in ("community", "rack")],
    }


def _data(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    now = views.as_corrected(at.desk, at.state, at.number)
    told = {"felt": drawing.felt_frame(at.desk, now.round), "steps": drawing.steps(now, at.desk)}
    if "again" not in request.query_params:
        told |= _of_the_recording(at)
    return JSONResponse(told)


def _source(at: At) -> Mapping[str, Any]:
    return at.desk.lines[at.number].get("source") or {}


def _of_the_recording(at: At) -> dict[str, Any]:
    start, end = at.playback.span(at.number)
    return {
        "playback": at.playback.state(),
        "check": at.playback.check,
        "start": start,
        "end": end,
        "offset": at.playback.offset(),
        "times": at.playback.picture_times(at.number),
        "outlines": drawing.outlines(at.desk, start, end),
        "elsewhere": [{"file": one.file, "from_s": one.from_s} for one in goes_on(_source(at))],
    }


def _history(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    lines = views.history_lines(at.desk, at.state.entries)
    return HTMLResponse(
        pages.render("history.html", lines=lines, desk=at.desk, run=at.run, reviewer=at.reviewer, playback=at.playback)
    )


def _agreement(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    _openly(at)
    return HTMLResponse(
        pages.render(
            "agreement.html",
            agreements=at.desk.agreements(),
            desk=at.desk,
            run=at.run,
            reviewer=at.reviewer,
            choices=CHOICE_WORDS,
            faults=FAULT_WORDS,
        )
    )


def _openly(at: At) -> None:
    if at.reviewer.blind:
        raise EntryError("a blind reviewer sees no one else's decisions; come in openly to compare or to report")


# ---- what people enter


def _correct(request: Request, given: tuple[At, Any]) -> Response:
    at, raw = given
    entry = at.desk.correct(at.reviewer, at.number, raw.get("correction"))
    return JSONResponse({"entry": entry.number})


def _decide(request: Request, given: tuple[At, Any]) -> Response:
    at, raw = given
    entry = at.desk.decide(at.reviewer, str(raw.get("finding")), raw)
    return JSONResponse({"entry": entry.number})


def _report(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    _openly(at)
    report = dispute.dispute(at.desk, at.number)
    return HTMLResponse(
        pages.render(
            "report_form.html",
            report=report,
            fields=dispute.FORM,
            desk=at.desk,
            run=at.run,
            number=at.number,
            reviewer=at.reviewer,
        )
    )


def _keep_report(request: Request, given: tuple[At, Any]) -> Response:
    at, raw = given
    dispute.keep(at.desk, at.reviewer, at.number, raw)
    return JSONResponse({"ok": True})


def _report_file(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    _openly(at)
    kind = request.path_params["kind"]
    if kind not in dispute.KINDS:
        raise HTTPException(404, "A report is html, pdf or json.")
    content = dispute.render(at.desk, at.number, kind)
    name = f"report-round-{at.number}.{kind}"
    headers = {"content-security-policy": REPORT_POLICY}
    if kind != "html":
        headers["content-disposition"] = f'attachment; filename="{name}"'
    return Response(content, media_type=dispute.KINDS[kind], headers=headers)


def _case(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    _openly(at)
    path = Path(tempfile.mkdtemp(dir=at.room.workshop)) / f"case-round-{at.number}.zip"
    made = write_case(at.desk, at.number, path, CaseOptions(by=at.reviewer, recording=at.playback.path))
    key = secrets.token_hex(16)
    at.room.made[key] = path
    return JSONResponse({"href": f"/made/{key}/{path.name}", "remarks": made.remarks})


def _made(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    path = at.room.made.get(request.path_params["key"])
    if path is None or path.name != request.path_params["name"]:
        raise HTTPException(404, "There is no such file.")
    return FileResponse(path, filename=path.name)


# ---- files


def _recording(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    path = at.playback.path
    if path is None or not at.playback.direct:
        raise HTTPException(404, "The recording is not played from here.")
    kind = "video/webm" if path.suffix.lower() == ".webm" else "video/mp4"
    return FileResponse(path, media_type=kind)


def _proxy_start(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    made = at.playback.proxy(at.number)
    return JSONResponse({"starts_at": made.start, "remark": made.remark})


def _proxy(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    made = at.playback.proxy(at.number)
    kind = "video/webm" if made.path.suffix == ".webm" else "video/mp4"
    return FileResponse(made.path, media_type=kind)


def _picture(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    name = f"evidence/{request.path_params['name']}"
    if name not in at.desk.run.manifest["files"]:
        raise HTTPException(404, "There is no such picture.")
    return FileResponse(at.desk.run.path(name), media_type="image/jpeg")


def _download(request: Request, given: tuple[At, Any]) -> Response:
    at, _ = given
    name = request.path_params["name"]
    if name not in DOWNLOADS:
        raise HTTPException(404, "There is no such table.")
    content = tables.table(at.desk, at.state, name)
    return Response(
        content, media_type=DOWNLOADS[name], headers={"content-disposition": f'attachment; filename="{name}"'}
    )
