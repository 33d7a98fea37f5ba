"""The models that come with the product, opened for one table."""

from collections.abc import Mapping, Sequence

from handreplay.vision.calibration import Calibration
from handreplay.vision.card_reader import CardReader
from handreplay.vision.chip_reader import ChipColours, ChipReader
from handreplay.vision.observe import Eyes
from handreplay.vision.table_eye import TableEye


def shipped_eyes(calibration: Calibration, palette: Sequence[ChipColours]) -> tuple[Eyes, Mapping[str, str]]:
    """Eyes for one camera and its chips, and the hash of each model. Raises ModelError."""
    table, cards, chips = TableEye(), CardReader(), ChipReader(calibration, palette)
    return Eyes(table, cards, chips), {"table": table.sha256, "reader": cards.sha256, "chips": chips.sha256}
