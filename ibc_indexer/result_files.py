"""The files that hold a table of the results as it is now."""

from pathlib import Path


def table_files(out: Path, name: str) -> list[Path]:
    """The Parquet files of the table `name` in the folder of results `out`; none if it is not there."""
    return sorted((out / name).glob("*.parquet"))
