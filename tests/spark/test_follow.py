"""Following on Spark: one session over all rounds, and the numbers of DuckDB."""

import threading

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.job import chosen

pytestmark = pytest.mark.exhaustive  # on DuckDB: unit/pyibc/indexer/live


def test_spark_is_started_once_and_says_what_duckdb_says(spark, chains, tmp_path):
    from pyibc.indexer.live.follow import Board, Follower
    from pyibc.indexer.live.metrics import Metrics

    chains.relay(1, 1)
    chains.event("a-1", 3, "send_packet", 2, until=6 * 10**9)
    folder = chains.write()
    told, stop = [], threading.Event()
    followers = {}
    for engine in ("spark", "local"):
        board = Board()
        opener = chosen(engine, None, told.append)
        followers[engine] = board, Follower(opener, [folder], tmp_path / engine, board)
    stuck = []
    for height in (5, 6):
        for chain in ("a-1", "b-1"):
            with BlockExporter(folder / chain, blocks_per_file=10) as exporter:
                for each in range(exporter.last_height + 1, height + 1):
                    exporter.write(CommittedBlock(chain, each, each * 10**9, b"", (), ()))
        found = []
        for board, follower in followers.values():
            assert follower.look(stop)
            text = Metrics(board).text().decode()
            found.append(
                [line for line in text.splitlines() if not line.startswith(("#", "ibc_index_", "process_"))]
            )
        assert sorted(found[0]) == sorted(found[1])
        stuck += [line for line in found[0] if line.startswith('ibc_packets{state="stuck"}')]
    assert [line.rpartition(" ")[2] for line in stuck] == ["0.0", "1.0"]
    assert told == ["starting Spark on local[*]"]
    assert all(board.read().rounds == 2 for board, _ in followers.values())
