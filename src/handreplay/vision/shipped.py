"""The models that come with the product, opened for one table."""

from collections.abc import Mapping, Sequence

from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReader
from handreplay.vision.chip_counter import ChipEye
from handreplay.vision.chip_reader import ChipColours, ChipReader
from handreplay.vision.table_eye import TableEye
from handreplay.vision.weights import load
from handreplay.vision.zone_reader import Eyes


def shipped_eyes(calibration: Calibration, palette: Sequence[ChipColours]) -> tuple[Eyes, Mapping[str, str]]:
    """Eyes for one camera and its chips, and the hash of each model by name. Raises ModelError."""
    models = {name: load(name, threads=1) for name in ("table", "reader", "chip_finder", "chip_reader", "chip_counter")}
    eyes = Eyes(
        TableEye(models["table"]),
        CardReader(models["reader"]),
        ChipEye(ChipReader(calibration, palette, models["chip_finder"], models["chip_reader"]), models["chip_counter"]),
    )
    return eyes, {name: model.sha256 for name, model in models.items()}
