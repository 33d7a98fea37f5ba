"""Table profiles for batches: that of the sample footage, under other names."""

from pathlib import Path

_SAMPLE = Path(__file__).parents[2] / "sample_footage" / "uth-sample.table.toml"


def profile_text(table: str, *, zone: str = "America/New_York", camera: bool = True) -> str:
    text = _SAMPLE.read_text("utf-8")
    text = text.replace('id = "UTH-12"', f'id = "{table}"').replace('"America/New_York"', f'"{zone}"')
    return text if camera else text[: text.index("[camera]")]


def write_profile(folder: Path, name: str, table: str | None = None, **options: object) -> Path:
    """NAME.table.toml of a table, which is called NAME if nothing else is said."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.table.toml"
    path.write_text(profile_text(table or name, **options), "utf-8")  # type: ignore[arg-type]
    return path
