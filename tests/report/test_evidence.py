"""Evidence pictures show the right moment and place, are bounded in number, and come out the same every time."""

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from sample_round import sample_round

from handreplay.core.events import ChipsChanged
from handreplay.core.findings import Audit, Finding
from handreplay.core.observations import SeenCard, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.report import evidence
from handreplay.vision.calibration import Calibration

ZONES = {
    "seat5.ante": ((100.0, 500.0), (200.0, 500.0), (200.0, 580.0), (100.0, 580.0)),
    "seat5.blind": ((-100.0, 500.0), (0.0, 500.0), (0.0, 580.0), (-100.0, 580.0)),
    "seat5.cards": ((-60.0, 600.0), (160.0, 600.0), (160.0, 720.0), (-60.0, 720.0)),
    "dealer.cards": ((-125.0, 158.0), (125.0, 158.0), (125.0, 274.0), (-125.0, 274.0)),
    "community": ((-200.0, 282.0), (200.0, 282.0), (200.0, 394.0), (-200.0, 394.0)),
}


@dataclasses.dataclass(frozen=True)
class Camera:
    size: tuple[int, int] = (1600, 900)
    image_points: tuple[tuple[float, float], ...] = ((0, 0), (1600, 0), (1600, 900), (0, 900))
    table_points: tuple[tuple[float, float], ...] = ((-800, 0), (800, 0), (800, 900), (-800, 900))
    distortion: tuple[float, ...] = ()
    focal_px: float | None = None
    principal_px: tuple[float, float] | None = None
    position_mm: tuple[float, float, float] | None = (0.0, 450.0, 2400.0)


@dataclasses.dataclass(frozen=True)
class Profile:
    camera: Camera = Camera()


CALIBRATION = Calibration.from_profile(Profile())


def finding(**values: Any) -> Finding:
    usual: dict[str, Any] = {
        "code": "PY02", "name": "overpaid", "round": 2, "t": 36.0, "frame": 540, "status": "confirmed",
        "confidence": 0.99, "citation": "", "basis": "text", "remedy": "", "message": "", "seat": 5, "wager": "blind",
    }  # fmt: skip
    return Finding(**usual | values)


def plan(*findings: Finding) -> tuple[evidence.Shot, ...]:
    return evidence.shots(Audit(rounds=(), findings=findings), [sample_round()], ZONES)


def test_a_payment_is_shown_at_its_moment_and_at_the_showdown_behind_it() -> None:
    payment, showdown = plan(finding())
    assert (payment.image, payment.t, payment.accused) == ("evidence/r0002_PY02_1.jpg", 36.0, "seat5.blind")
    assert payment.zones == ("seat5.ante", "seat5.blind", "seat5.cards")
    assert (showdown.image, showdown.t) == ("evidence/r0002_PY02_2.jpg", 29.0)
    assert showdown.zones == ("dealer.cards", "community", "seat5.cards")


def test_an_exposed_dealer_card_is_shown_on_the_dealers_side() -> None:
    (shot,) = plan(finding(code="EX01", seat=None, wager=None, t=20.0))
    assert (shot.accused, shot.zones) == ("dealer.cards", ("dealer.cards", "community"))


def test_chips_that_could_not_be_read_are_shown_while_they_lay_there() -> None:
    round_ = sample_round()
    events = tuple(
        dataclasses.replace(event, after=Unreadable("number of chips not certain"))
        if isinstance(event, ChipsChanged) and (event.zone, event.t) == ("seat5.blind", 36.0)
        else event
        for event in round_.events
    )
    question = finding(code="FT04", status="review", t=44.0)
    audit = Audit(rounds=(), findings=(question,))
    (shot,) = evidence.shots(audit, [dataclasses.replace(round_, events=events)], ZONES)
    assert (shot.t, shot.accused) == (36.0, "seat5.blind")
    (read,) = evidence.shots(audit, [round_], ZONES)
    assert read.t == 44.0


def test_two_findings_of_one_code_in_one_round_have_pictures_of_their_own() -> None:
    names = [shot.image for shot in plan(finding(wager="ante", t=32.0), finding())]
    assert names == [f"evidence/r0002_PY02_{n}.jpg" for n in (1, 2, 3, 4)]


def test_the_number_of_pictures_is_bounded_and_every_fault_comes_before_questions() -> None:
    many = [finding(code="FT04", status="review", t=30.0) for _ in range(evidence.MAX_PICTURES)] + [finding()]
    planned = plan(*many)
    assert len(planned) == evidence.MAX_PICTURES
    assert len(many) - 1 in {shot.finding for shot in planned}


def test_the_zone_that_the_finding_names_is_outlined_where_it_lies() -> None:
    felt = np.full((900, 1600, 3), (60, 80, 60), np.uint8)
    outlines = [
        evidence.Outline(points=np.add(ZONES["seat5.blind"], (800.0, 0.0)), label="Seat 5 Blind", accused=True),
        evidence.Outline(points=np.add(ZONES["seat5.ante"], (800.0, 0.0))),
    ]
    shown = cv2.imdecode(
        np.frombuffer(evidence.picture(felt, outlines, caption="UTH-12 round 2"), np.uint8), cv2.IMREAD_COLOR
    )
    assert shown is not None
    assert shown.shape[1] <= evidence.LARGEST_PX[0]
    orange = np.argwhere(np.abs(shown.astype(int) - evidence.ACCUSED).sum(axis=2) < 90)
    middle = shown.shape[1] / 2
    assert len(orange) > 500 and orange[:, 1].max() < middle  # the blind is the left one of the two
    assert shown[-5, -5].max() < 40  # the caption's bar


def test_what_was_read_is_outlined_with_its_name() -> None:
    corners = ((-50.0, 605.0), (13.0, 605.0), (13.0, 694.0), (-50.0, 694.0))
    card = SeenCard(corners_mm=corners, face_up=True, face_confidence=0.99, identity=Known("Qs", 0.99))
    rest = ZoneSeen(start=29.0, end=40.0, frame=435, zone="seat5.cards", busy_since=28.0, changed=0.2, cards=(card,))
    later = dataclasses.replace(rest, start=41.0, cards=())
    felt = evidence.Taken(36.0, 540, np.zeros((900, 1600, 3), np.uint8))
    planned = plan(finding())[:1]
    audit = Audit(rounds=(), findings=(finding(),))

    def files(observations: list[ZoneSeen]) -> bytes:
        _, made = evidence.photograph(
            audit, planned, [(planned[0].t, felt)], rounds=[sample_round()], zones=ZONES, calibration=CALIBRATION,
            observations=observations,
        )  # fmt: skip
        return made[planned[0].image]

    assert files([rest, later]) == files([rest]) != files([])


def test_evidence_names_the_picture_that_was_taken() -> None:
    audit = Audit(rounds=(), findings=(finding(), finding(code="PY01", t=99.0)))
    planned = evidence.shots(audit, [sample_round()], ZONES)
    black = np.zeros((900, 1600, 3), np.uint8)
    taken = [(36.0, evidence.Taken(35.967, 539, black))]
    filled, files = evidence.photograph(
        audit, planned, taken, rounds=[sample_round()], zones=ZONES, calibration=CALIBRATION
    )
    assert [(e.t, e.frame, e.image) for e in filled.findings[0].evidence] == [(35.967, 539, planned[0].image)]
    assert filled.findings[1].evidence == ()
    assert list(files) == [planned[0].image]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds at 10 pictures a second; the n-th picture is 10 n bright."""
    path = tmp_path_factory.mktemp("clip") / "steps.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"crf": "5"})
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number in range(20):
            frame = av.VideoFrame.from_ndarray(np.full((240, 320, 3), 10 * number, np.uint8), format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


@pytest.mark.parametrize(("second", "frame"), [(0.0, 0), (0.5, 5), (0.5499, 5), (0.7, 7), (1.9, 19), (30.0, 19)])
def test_the_picture_on_show_at_a_second_is_taken(clip: Path, second: float, frame: int) -> None:
    [(_, taken)] = evidence.take(clip, [second])
    assert (taken.frame, round(taken.seconds, 3)) == (frame, frame / 10)
    assert abs(float(taken.pixels.mean()) - 10 * frame) < 6


def test_all_pictures_come_from_one_reading(clip: Path) -> None:
    taken = evidence.take(clip, [1.2, 0.3, 0.3, 1.9])
    assert {second: item.frame for second, item in taken} == {0.3: 3, 1.2: 12, 1.9: 19}


def test_a_caption_in_other_letters_does_not_stop_the_picture() -> None:
    assert evidence.picture(np.zeros((300, 400, 3), np.uint8), [], caption="Стол 7")[:2] == b"\xff\xd8"


def test_the_look_that_a_moment_shows_is_the_last_one_before_it() -> None:
    def look(start: float, zone: str = "seat5.ante", frame: int = 0) -> ZoneSeen:
        return ZoneSeen(start=start, end=start + 9, frame=frame, zone=zone, busy_since=0.0, changed=1.0)

    late, early, first, twin, other = look(8.0), look(2.0), look(5.0, frame=1), look(5.0, frame=2), look(6.0, "rack")
    rests = evidence.Rests([late, early, first, twin, other])
    assert [rests.last("seat5.ante", t) for t in (1.0, 2.0, 7.9, 8.0)] == [None, early, first, late]
    assert rests.last("tray", 9.0) is None
