"""`pyibc.index` with pandas and Polars frames: the same rows, with the declared types."""

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import pyibc
from tests.exported_chains import Chains
from tests.index_results import TABLES

ROOT = Path(__file__).parents[4]
DERIVED = ("routes", "volume", "relayers", "relayer_costs", "flows", "hops", "coverage")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A completed packet with an amount above 2^64; one in flight with an amount of more than 38 digits."""
    chains = Chains(tmp_path_factory.mktemp("typed") / "in")
    chains.relay(1, 1, amount=str(10**30))
    chains.event("a-1", 5, "send_packet", 2, amount=str(10**40))
    return chains.write()


@pytest.fixture(scope="module")
def found(folder):
    return {name: pyibc.index(folder, folder.parent / name, frames=name) for name in ("pandas", "polars")}


def test_both_have_the_same_rows(found, folder):
    pl = pytest.importorskip("polars")

    for name in (*TABLES, *DERIVED):
        ours = pl.from_pandas(getattr(found["pandas"], name)).to_dicts()
        theirs = getattr(found["polars"], name).to_dicts()
        assert sorted(map(str, ours)) == sorted(map(str, theirs)), name
    assert len(found["polars"].packets) == 2
    assert found["polars"].folder == str(folder.parent / "polars")
    assert (folder.parent / "polars" / "report.html").is_file()
    assert found["pandas"].summary == found["polars"].summary
    assert found["pandas"].summary["chains"]["a-1"]["sent"] == 2


def test_the_types_of_pandas(found):
    pd = pytest.importorskip("pandas")

    packets = found["pandas"].packets.sort_values("sequence").reset_index(drop=True)
    kinds = packets.dtypes.astype(str).to_dict()
    assert (kinds["sequence"], kinds["ack_height"], kinds["payloads"]) == ("Int64", "Int64", "Int32")
    assert (kinds["stuck"], kinds["recv_latency_s"]) == ("boolean", "Float64")
    assert kinds["send_time"] == "datetime64[us, UTC]"
    assert packets["ack_height"].tolist() == [4, pd.NA]
    assert packets["send_time"][0] == pd.Timestamp("1970-01-01T00:00:01Z")
    transfers = found["pandas"].transfers.sort_values("sequence")
    assert transfers["amount_decimal"].tolist() == [Decimal(10**30), None]
    assert transfers["amount"].tolist() == [str(10**30), str(10**40)]


def test_the_types_of_polars(found):
    pl = pytest.importorskip("polars")

    packets = found["polars"].packets.sort("sequence")
    assert packets.schema["sequence"] == pl.Int64
    assert packets.schema["send_time"] == pl.Datetime("us", "UTC")
    assert packets["ack_height"].to_list() == [4, None]
    assert packets["send_time"][0] == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    transfers = found["polars"].transfers.sort("sequence")
    assert transfers.schema["amount_decimal"] == pl.Decimal(38, 0)
    assert transfers["amount_decimal"].to_list() == [Decimal(10**30), None]
    (route,) = found["polars"].routes.to_dicts()
    assert (route["in_flight"], route["oldest_in_flight"]) == (1, datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC))


def test_nothing_has_the_same_columns(found, tmp_path):
    (tmp_path / "empty").mkdir()
    nothing = pyibc.index(tmp_path / "empty", frames="polars")
    assert "0 packets on 0 chains" in Path(nothing.folder, "report.html").read_text()
    assert (nothing.summary["chains"], nothing.skipped) == ({}, [])
    for name in (*TABLES, *DERIVED):
        frame = getattr(nothing, name)
        assert frame.schema == getattr(found["polars"], name).schema, name
        assert frame.is_empty(), name


@pytest.mark.parametrize(
    "options",
    [
        {"frames": "ibis"},
        {"frames": "pandas", "engine": "hive"},
        {"frames": "pandas", "spark": object()},
        {"frames": "spark", "engine": "local"},
    ],
)
def test_words_that_are_none_are_refused(folder, tmp_path, options):
    with pytest.raises(ValueError, match="spark"):
        pyibc.index(folder, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_an_input_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file or folder: .*absent"):
        pyibc.index(tmp_path / "absent", tmp_path / "out", frames="polars")
    assert not (tmp_path / "out").exists()


def test_pyspark_is_not_loaded(folder, tmp_path):
    code = (
        "import pyibc, sys\n"
        "from pyibc.indexer.report import page\n"
        "page._pictures = lambda *_: dict.fromkeys(page._PICTURES, '')\n"
        "if __name__ == '__main__':\n"
        f"    found = pyibc.index({str(folder)!r}, {str(tmp_path / 'own')!r}, frames='polars')\n"
        "    print(len(found.packets), 'pyspark' in sys.modules)\n"
    )
    (tmp_path / "program.py").write_text(code)
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "2 False\n"
