"""`report.html`: one page that needs nothing beside it. Everything that came from outside is escaped."""

import base64
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from handreplay.report import words
from handreplay.report.page_parts import (
    Report,
    finding_parts,
    headline,
    lost_seconds,
    round_parts,
    unread_lines,
)

MAX_EMBEDDED_BYTES = 16_000_000  # beyond this the page points to the files in evidence/

BASIS_WORDS = {
    "text": "regulation text",
    "proposed": "text as proposed in 2011",
    "cited": "a public source that cites the section",
    "sister": "by the pattern of a sister chapter",
    "practice": "as published by Pennsylvania casinos",
    "general": "the game as generally dealt",
    "house": "this product's own check",
}


def render_page(report: Report) -> str:
    """The whole page as text; the same report gives the same page."""
    findings = finding_parts(report)
    first = report.rounds[0] if report.rounds else None
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            document=report.document,
            head=headline(report),
            findings=findings,
            rounds=round_parts(report, findings),
            unread=unread_lines(report),
            coverage=report.coverage,
            lost=lost_seconds(report),
            day=words.date(first, report.timezone) if first else None,
            sources=_sources(report.pictures),
            style=_style("base.css", "page.css"),
        )
    )


def render(template: str, **values: Any) -> str:
    """Another page of the same make; `values` are what its template asks for."""
    return environment().get_template(template).render(**values)


def style(*names: str) -> Markup:
    return _style(*names)


def _sources(pictures: Mapping[str, bytes]) -> dict[str, str]:
    """Where the page finds each picture: inside itself, or beside it once it would grow too large."""
    sources: dict[str, str] = {}
    embedded = 0
    for name, content in pictures.items():
        embedded += len(content)
        if embedded <= MAX_EMBEDDED_BYTES:
            sources[name] = f"data:image/jpeg;base64,{base64.b64encode(content).decode('ascii')}"
        else:
            sources[name] = name
    return sources


@cache
def environment(*packages: str) -> Environment:
    """Templates of these packages and of this one, with the filters that the pages share; everything is escaped."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "handreplay.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        basis=lambda basis: BASIS_WORDS.get(basis, basis),
        card_name=words.card,
        certainty=certainty,
        duration=words.duration,
        game=words.game,
        n=lambda number: f"{number:.1f}",
        place=words.place,
        position=words.position,
        rank=lambda identity: words.RANK_WORDS.get(identity[0], identity[0]),
        suit_name=lambda identity: words.SUIT_WORDS[identity[1]],
    )
    return made


def certainty(finding: Mapping[str, Any]) -> str:
    """What the status means; for what is held against somebody, the confidence of the weakest reading too."""
    meaning: str = {
        "confirmed": "holds for every reading that the footage allows",
        "probable": "the likeliest reading says so",
        "review": "cannot be told from the footage",
    }.get(finding["status"], finding["status"])
    confidence = finding.get("confidence")
    if finding["status"] == "review":
        return meaning
    return meaning if confidence is None else f"{meaning}, {min(confidence, 0.999):.1%}"


@cache
def _style(*names: str) -> Markup:
    loader = PackageLoader("handreplay.report")
    environment = Environment(loader=loader, autoescape=False)  # our own style sheets, nothing from outside
    return Markup("\n".join(environment.get_template(name).render() for name in names))
