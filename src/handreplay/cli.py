"""The command line. Talks and exits; decides nothing."""

import atexit
import contextlib
import sys
import traceback
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from handreplay import cli_nights as nights
from handreplay import cli_reviews as reviews
from handreplay import streams
from handreplay.cli_usage import USAGE_ERROR
from handreplay.core.plain import plain
from handreplay.errors import HandreplayError, OutputError

RECORDINGS = "Recordings"
SHIFTS = "Shifts: many recordings"
WITHOUT_FOOTAGE = "Rules and round logs, no footage needed"
REVIEWING = "Review and hand over"
OWN_TABLE = "Your own deck and chips"
MEASURING = "Measure and train"


app = typer.Typer(
    name="handreplay",
    help="Audits recorded footage of casino table games. Each command tells more: handreplay COMMAND --help",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from handreplay import __version__

        typer.echo(f"handreplay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Audits recorded footage of casino table games."""


@app.command(rich_help_panel=RECORDINGS)
def audit(
    footage: Annotated[Path, typer.Argument(help="A recording.")],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the results; made if it is not there.")],
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            metavar="TIME",
            help="Time of the first picture: 2026-11-30T01:10:00 at the table, or with its offset.",
        ),
    ] = None,
    triage: Annotated[bool, typer.Option("--triage", metavar="", help=nights.TRIAGE_HELP)] = False,
) -> None:
    """Audit a recording: exit 0 clean, 1 findings, 3 nothing found but incomplete, 2 unusable."""
    from zoneinfo import ZoneInfo

    from handreplay import store
    from handreplay.batch.times import told_clock
    from handreplay.config import load_profile
    from handreplay.pipeline import audit as run_audit
    from handreplay.report.progress import shown_progress
    from handreplay.report.replay_text import console
    from handreplay.report.run_files import keep_run
    from handreplay.report.summary_text import summary_text

    profile = load_profile(table)
    moment = None if clock is None else told_clock(clock, "--clock", ZoneInfo(profile.table.timezone))
    store.check_writable(out)
    with shown_progress(footage.name) as progress:
        result = run_audit(footage, profile, clock=moment, progress=progress, triage=triage)
    report = keep_run(out, result, result.observations)
    console().print(summary_text(report, out / "report.html"), soft_wrap=True)
    raise typer.Exit(result.exit_code)


for command in (nights.batch, nights.shift, nights.query, nights.ledger):
    app.command(rich_help_panel=SHIFTS)(command)


class RackFormat(StrEnum):
    text = "text"
    html = "html"
    json = "json"


@app.command(rich_help_panel=RECORDINGS)
def rack(
    run: Annotated[Path, typer.Argument(help="Folder of a finished audit, or a round log.")],
    round_number: Annotated[int | None, typer.Option("--round", help="Number of the round.")] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="As it lay at 41, 41.5, 00:41 or 01:12:31 from the first picture.")
    ] = None,
    format_: Annotated[RackFormat, typer.Option("--format", help="html is one page to print.")] = RackFormat.text,
) -> None:
    """Show the discard rack, top to bottom, to check it against the real one: after a round, or as it lay at a time."""
    import json

    from handreplay.report import rack as racks
    from handreplay.report.replay_text import console
    from handreplay.report.words import seconds_of

    if (round_number is None) == (at is None):
        raise USAGE_ERROR("say which rack: --round N after a round, or --at 01:12:31 as it lay then")
    rounds = racks.load_rounds(run)
    if racks.was_reviewed(run):
        typer.echo("as the machine read it; for what people have corrected: handreplay review, report", err=True)
    if at is not None:
        moment = seconds_of(at)
        sheet = racks.rack_sheet(racks.round_at(rounds, moment, run), moment)
    else:
        sheet = racks.rack_sheet(racks.pick_round(rounds, round_number or 0, run))
    if format_ is RackFormat.html:
        typer.echo(racks.rack_page(sheet).encode())
    elif format_ is RackFormat.json:
        typer.echo(json.dumps(racks.rack_json(sheet), indent=2, ensure_ascii=False).encode())
    else:
        console().print(racks.rack_text(sheet))


class ReplayFormat(StrEnum):
    text = "text"
    json = "json"
    csv = "csv"


@app.command(rich_help_panel=WITHOUT_FOOTAGE)
def replay(
    log: Annotated[Path, typer.Argument(help="Round log, one JSON object a line.")],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    format_: Annotated[
        ReplayFormat, typer.Option("--format", help="json is what an audit writes as findings.json.")
    ] = ReplayFormat.text,
) -> None:
    """Replay a round log and judge it: exit 0 clean, 1 findings, 3 incomplete."""
    from handreplay import rules
    from handreplay.config import load_profile
    from handreplay.core.roundlog import read_rounds
    from handreplay.games import log_limits

    own = load_profile(table).rules()
    rounds = read_rounds(log, log_limits(own))
    audit = rules.audit_rounds(rounds, own)
    if format_ is ReplayFormat.json:
        from handreplay.report.findings_json import findings_document, findings_text

        document = findings_document(audit, own, source=rounds[0].source)
        typer.echo(findings_text(document).encode(), nl=False)
    elif format_ is ReplayFormat.csv:
        from handreplay.report.findings_csv import findings_csv

        typer.echo(findings_csv(audit).encode(), nl=False)
    else:
        from handreplay.report.replay_text import console, print_replay

        print_replay(audit, rounds, console())
    raise typer.Exit(rules.exit_code(audit))


@app.command(rich_help_panel=WITHOUT_FOOTAGE)
def explain(
    code: Annotated[str, typer.Argument(help="A finding's code, such as PY02.")],
    rules: Annotated[str | None, typer.Option("--rules", help="Only of a game or a rule set, such as pa-653a.")] = None,
) -> None:
    """Explain a finding: what it means, the sections it stands on in each game, the remedy, and two examples."""
    from handreplay.report.replay_text import console
    from handreplay.rules.pages import page_text

    console().print(page_text(code, rules), highlight=False, markup=False, soft_wrap=True)


class TextOrJson(StrEnum):
    text = "text"
    json = "json"


@app.command(rich_help_panel=WITHOUT_FOOTAGE)
def settle(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORDS",
            help="dealer 7d Jc board Kh 7h 2h As 3c 1: Ah 4s ante 25 blind 25 play 100 3: 9h4h ... fold",
        ),
    ],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Settle hands typed in: what each wager is due and why. Add "paid 25", "taken" or "left" to have it judged.

    Exit 0 settled, 1 something was paid wrongly, 3 too little was typed to settle it, 2 unusable.
    """
    import json

    from handreplay.config import load_profile
    from handreplay.report.settle_text import settle_json, settle_text
    from handreplay.rules.typed_settlement import settle_typed

    told = settle_typed(words, load_profile(table).rules())
    text = json.dumps(settle_json(told), indent=2) if format_ is TextOrJson.json else settle_text(told)
    typer.echo(text.encode())
    raise typer.Exit(told.exit_code)


@app.command("rules", rich_help_panel=WITHOUT_FOOTAGE)
def list_rules(
    name: Annotated[
        str | None, typer.Argument(help="A game or a rule set, such as pa-653a; all when left out.")
    ] = None,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """List games, rule sets and paytables, with the section each stands on and how well it is known."""
    import json

    from handreplay.report.rules_text import rules_json, rules_text
    from handreplay.rules.pages import named_games

    games = named_games(name)
    text = (
        json.dumps(rules_json(games), indent=2) if format_ is TextOrJson.json else rules_text(games, name is not None)
    )
    typer.echo(text.encode())


@app.command(rich_help_panel=WITHOUT_FOOTAGE)
def odds(
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    meter: Annotated[str | None, typer.Option("--meter", help="The progressive meter in dollars.")] = None,
    best_play: Annotated[
        bool,
        typer.Option(
            "--best-play", metavar="", help="Go through every deal for the best play where that takes minutes."
        ),
    ] = False,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Show how often each line of the profile's paytables hits and what the house keeps, exactly."""
    import json

    from handreplay.config import load_profile
    from handreplay.games.odds import table_odds
    from handreplay.report.odds_text import odds_json, odds_text
    from handreplay.rules.typed import dollars

    told = table_odds(load_profile(table).rules(), None if meter is None else dollars(meter, "--meter"))
    if best_play:
        from handreplay.report.long_play import with_long_play

        told = with_long_play(told, lambda line: typer.echo(line, err=True))
    text = json.dumps(odds_json(told), indent=2) if format_ is TextOrJson.json else odds_text(told)
    typer.echo(text.encode())


@app.command(rich_help_panel=RECORDINGS)
def probe(
    footage: Annotated[Path, typer.Argument(help="A recording.")],
    table: Annotated[Path | None, typer.Option("--table", help="The table's profile: says what can be read.")] = None,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Say what a recording is and what is wrong with it: exit 0 usable, 3 incomplete or damaged, 2 unusable."""
    import json

    from handreplay.config import load_profile
    from handreplay.vision import probing

    report = probing.examine(footage, load_profile(table) if table else None)
    text = json.dumps(probing.as_json(report), indent=2) if format_ is TextOrJson.json else probing.as_text(report)
    typer.echo(text.encode())
    raise typer.Exit(report.exit_code)


@app.command(rich_help_panel=RECORDINGS)
def look(
    footage: Annotated[Path, typer.Argument(help="A recording.")],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    at: Annotated[str, typer.Option("--at", help="The moment: 41, 41.5, 00:41 or 01:12:31 from the first picture.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="FILE.png, camera view; FILE-felt.png, from above, comes with it.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", metavar="", help="Write over pictures that are there.")] = False,
    before: Annotated[
        float, typer.Option("--before", min=0, max=600, help="Seconds to look back for places as they were when empty.")
    ] = 45.0,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Show what is read at one moment: every card, stack, hand and zone with its probability, drawn on the picture."""
    import json

    from handreplay.config import load_profile
    from handreplay.pipeline import look_at
    from handreplay.report.look_files import places_for, write_look
    from handreplay.report.look_text import look_json, look_text
    from handreplay.report.words import seconds_of

    moment = seconds_of(at)
    camera, felt = places_for(footage, moment, out, replace=replace)
    seen, models = look_at(footage, load_profile(table), moment, before)
    write_look(seen, camera, felt, replace=replace)
    told = json.dumps(look_json(seen, table, models), indent=1) if format_ is TextOrJson.json else look_text(seen)
    typer.echo(told.encode())
    typer.echo(f"drawn: {camera}, {felt}", err=True)


@app.command(rich_help_panel=OWN_TABLE)
def adapt(
    pictures: Annotated[
        list[str],
        typer.Argument(
            metavar="PICTURES",
            help="Photographs or stills, or CLIP@00:41; what lies there in NAME.toml beside each.",
        ),
    ],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the report, and the profile where something helps.")],
    train_reader: Annotated[
        bool,
        typer.Option(
            "--train", metavar="", help="Train the card reader on as well (needs the train extra, see README.md)."
        ),
    ] = False,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Check how your own deck and chips are read, and fit what helps: cards face up, one stack of each denomination."""
    import json

    from handreplay.adapt import report
    from handreplay.adapt.run import adapt as run_adapt
    from handreplay.config import load_profile

    profile = load_profile(table)
    report.check_folder(out, profile)
    result = run_adapt(pictures, profile, out, training=train_reader, say=lambda line: typer.echo(line, err=True))
    written = report.write_all(out, result, profile)
    document = format_ is TextOrJson.json
    told = json.dumps(report.as_json(result, profile), indent=1) if document else report.as_text(result)
    typer.echo(told.encode())
    typer.echo(f"written to {out}: {', '.join(written)}", err=True)


@app.command(rich_help_panel=OWN_TABLE)
def read(
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURES", help="Photographs: JPEG, PNG, WebP or BMP.")],
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Read the cards in still photographs, without a table profile; places are pixels of the picture as displayed."""
    import json

    from handreplay.report.progress import shown_progress
    from handreplay.vision import stills
    from handreplay.vision.picture_files import read_picture

    reader, found = stills.StillReader(), []
    with shown_progress(plain(pictures[0].name if len(pictures) == 1 else f"{len(pictures)} pictures")) as progress:
        for number, path in enumerate(pictures):
            told_of = partial(_share_done, progress, number, len(pictures))
            found.append((path, reader.read(read_picture(path), told_of)))
    if format_ is TextOrJson.json:
        told = {"pictures": [{"file": str(path), **stills.as_json(still)} for path, still in found]}
        typer.echo(json.dumps(told, indent=1, ensure_ascii=False).encode())
    else:
        typer.echo("\n".join(stills.as_text(plain(str(path)), still) for path, still in found).encode())


def _share_done(progress: Callable[[float, float | None], None] | None, before: int, of: int, share: float) -> None:
    if progress is not None:
        progress(before + share, of)


for reviewing in (reviews.review, reviews.verify, reviews.evidence, reviews.report):
    app.command(rich_help_panel=REVIEWING)(reviewing)


PIPE_CLOSED = 141  # as a shell counts a program that SIGPIPE ended


@app.command(rich_help_panel=MEASURING)
def evaluate(
    folder: Annotated[Path, typer.Argument(help="Clips NAME.mp4, each with NAME.table.toml and NAME.rounds.jsonl.")],
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
    keep: Annotated[Path | None, typer.Option(help="Keep every clip's run, in a folder of its name.")] = None,
    runs: Annotated[Path | None, typer.Option(help="Take finished runs, RUNS/NAME, instead of auditing.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only the clip of this name; may be given again.")
    ] = None,
    notes: Annotated[bool, typer.Option("--notes", metavar="", help="Name every difference.")] = False,
) -> None:
    """Measure the audit on clips whose true round log is known."""
    import json

    from rich.console import Console

    from handreplay.report.evaluation import clips, sources, tables

    def audited(clip: clips.Clip) -> clips.Made:
        if runs is not None or clip.footage is None:
            return sources.finished_run(runs or folder, clip)
        from handreplay.config import load_profile
        from handreplay.pipeline import audit
        from handreplay.report.run_files import keep_run

        typer.echo(f"auditing {clip.name}", err=True)
        result = audit(clip.footage, load_profile(clip.profile))
        if keep is not None:
            keep_run(keep / clip.name, result, result.observations)
        return sources.made(result.rounds, result.audit, result.profile)

    if runs is not None and not runs.is_dir():
        raise OutputError(f"no such folder of finished runs: {runs}")
    found = clips.find_clips(folder, only or (), footage_needed=runs is None)
    result = clips.evaluate(found, truth_of=sources.truth_of, audit=audited)
    if format_ is TextOrJson.json:
        typer.echo(json.dumps(tables.as_json(result), indent=1, ensure_ascii=False).encode())
    else:
        Console(highlight=False, width=None if sys.stdout.isatty() else 240).print(tables.as_text(result, notes=notes))
    raise typer.Exit(1 if result.failures else 0)


@app.command(rich_help_panel=MEASURING)
def benchmark(
    footage: Annotated[Path, typer.Argument(help="A recording.")],
    table: Annotated[Path, typer.Option("--table", help="The table's profile.")],
    triage: Annotated[bool, typer.Option("--triage", metavar="", help="Time triage instead of a full audit.")] = False,
    format_: Annotated[TextOrJson, typer.Option("--format")] = TextOrJson.text,
) -> None:
    """Time an audit, its page and pictures included, against decoding the same file alone, and tell its memory."""
    import json
    from tempfile import TemporaryDirectory

    from handreplay.config import load_profile
    from handreplay.pipeline import audit
    from handreplay.report import benchmark as bench
    from handreplay.report.run_files import keep_run

    profile = load_profile(table)
    with TemporaryDirectory() as folder:

        def whole() -> None:
            result = audit(footage, profile, triage=triage)
            keep_run(Path(folder) / "run", result, result.observations)

        result = bench.benchmark(footage, whole)
    if format_ is TextOrJson.json:
        typer.echo(json.dumps(bench.benchmark_json(result), indent=1).encode())
    else:
        typer.echo(bench.benchmark_text(result))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, rich_help_panel=MEASURING)
def train(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="chip_counter, chips, reader or table; its own options follow.")],
) -> None:
    """Train a model again from nothing (needs the train extra, see README.md): handreplay train reader FOLDER."""
    from handreplay.train import train as train_model

    train_model(model, context.args)


def main() -> NoReturn:
    """Run the command line; a known error becomes one line on standard error and exit code 2."""
    streams.fill_in()
    atexit.register(streams.give_up_errors)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a letter shows a question mark
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    for word in sys.argv[1:]:
        if not _is_text(word):
            _refuse("handreplay", f"{word}: its name is not UTF-8; rename it, or make a link to it with a plain name")
    try:
        code = app(standalone_mode=False, prog_name="handreplay")
    except HandreplayError as error:
        _refuse("handreplay", str(error))
    except USAGE_ERROR as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "handreplay"
        _refuse(path, f"{error.format_message().rstrip('.')} (see {path} --help)")
    except typer.Abort:
        sys.exit(130)
    except OSError as error:
        streams.give_up(sys.__stdout__)
        _refuse("handreplay", f"{error.filename or 'the output'}: {error.strerror or error}; it could not be finished")
    except SystemExit as stop:  # with 1: typer's answer to a reader that closed the pipe, which is no finding
        sys.exit(PIPE_CLOSED if stop.code == 1 else stop.code)
    except Exception as error:  # its exit code 1 would read as a finding
        if _interrupted(error):
            sys.exit(130)
        streams.give_up(sys.__stdout__)
        _refuse("handreplay", f"stopped by a fault of its own ({_fault(error)}); please report it with this call")
    sys.exit(code if isinstance(code, int) else 0)


def _interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl+C lies behind it: a library that is just being loaded makes an error of its own of that."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _fault(error: Exception) -> str:
    """What happened, and the last line of this product that it passed."""
    own = [step for step in traceback.extract_tb(error.__traceback__) if "handreplay" in step.filename]
    where = f", {Path(own[-1].filename).name} line {own[-1].lineno}" if own else ""
    return f"{type(error).__name__}: {str(error)[:200]}{where}"


def _is_text(word: str) -> bool:
    """Whether it can be written into results: a name in another encoding cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in word)


def _refuse(who: str, why: str) -> NoReturn:
    line = plain(" ".join(why.split()))
    with contextlib.suppress(OSError):  # where nothing can be said, the exit code still tells
        print(f"{who}: {line}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
