"""Chains that continue each other, in the pipeline: the rows of the index, whatever arrives first."""

import json
import shutil

import pytest

from pyibc.indexer.blocks.lines import decode_line, encode_line
from pyibc.indexer.pipeline import chains as lineages
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.places import read_file
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.pipeline.tables import CHAINS, PACKETS
from pyibc.indexer.results import tables
from tests.index_results import table
from tests.pipeline_runs import EACH_ENGINE, check_hours, check_views, dicts, in_utc, killed_at, rows_of
from tests.revised_chains import alike, claimed, contradicted, holed, osmosis, out, restarted, stated
from tests.sampling import sample

COLUMNS = [name for name, _ in tables.COLUMNS["chains"]]
PROGRESS = ("height", "time_ns", "last_missing", "overdue_ns", "whole_ns")
LATE = (
    *("osmo-1", "gaposmo-2", "aliketest-5", "saidtest-4"),  # chains
    *("splitosmo-2/blocks-000000000001", "claimhub-4/blocks-000000001001"),  # files
    *("onhub-4", *(f"onosmo-2/blocks-{height:012}" for height in (51, 71, 81, 91, 101))),
)
"""What the second piece has of the chains: the rest is in the first."""


def going_on(chains):
    osmosis(chains, 51)


def unanswered(chains):
    restarted(chains)
    out(chains, 6, ("osmo-1", 48, "send_packet"), until=10**18)


HISTORIES = {
    "": unanswered,
    "on": going_on,
    "gap": holed,
    "split": contradicted,
    "alike": alike,
    "said": stated,
    "claim": claimed,
}


@pytest.fixture(scope="module")
def pieces(new_chains, tmp_path_factory):
    """Files of all histories in two pieces, and the user's file."""
    place = tmp_path_factory.mktemp("histories")
    for prefix, history in HISTORIES.items():
        chains = new_chains(place / "all", prefix)
        history(chains)
        chains.write(gaps=prefix == "gap")
    found = [[], []]
    for path in sorted((place / "all").rglob("*.jsonl")):
        name = f"{path.parent.name}/{path.stem}"
        found[name in LATE or path.parent.name in LATE].append(path)
    names = place / "names.json"
    names.write_text(
        json.dumps(
            {
                "chain_lineages": [["saidtest-4", "saidtest-5"]],
                "chain_registry": {"saidtest-4": {"channel-5": "far-1"}},
            }
        )
    )
    return found, names


class Stage:
    """Tables of the pipeline and rows of the index with the same blocks."""

    def __init__(self, tables, outcome, packets, chains):
        self.tables, self.outcome, self.packets, self.chains = tables, outcome, packets, chains


@pytest.fixture(scope="module")
def stages(engine, run, pieces, tmp_path_factory):
    """The tables after each of two starts."""
    place, found = tmp_path_factory.mktemp("pieces"), []
    for number, files in enumerate(pieces[0]):
        for path in files:
            target = place / "in" / str(number) / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        assert engine.ran(place / "in", place / "out", registry=pieces[1]) == 1
        shutil.copytree(place / "out", place / f"after-{number}")
        outcome, packets = run(place / f"index-{number}", place / "in", pieces[1])
        chains = table(place / f"index-{number}", "chains")
        found.append(Stage(place / f"after-{number}", outcome, packets, chains))
    return place, found


@EACH_ENGINE
@pytest.mark.parametrize("number", [0, 1], ids=["first-piece", "both-pieces"])
def test_packets_and_chains_are_those_of_the_index(engine, stages, number):
    stage = stages[1][number]
    lake = engine.lake(stage.tables)
    assert rows_of(dicts(rows_in(lake, PACKETS))) == rows_of(stage.packets)
    chains = rows_in(lake, CHAINS)
    assert shown(dicts(chains)) == shown(stage.chains)
    last = {row.chain: row for row in chains if row.chain == row.lineage}
    assert {name: tuple(getattr(row, key) for key in PROGRESS) for name, row in last.items()} == {
        name: (tip.height, tip.time_ns, tip.lacks, tip.overdue_ns, tip.whole_ns)
        for name, tip in stage.outcome.tips.items()
    }
    others = [row for row in chains if row.chain not in last]
    assert {getattr(row, key) for row in others for key in (*PROGRESS, "missing")} <= {None}
    bases = {row.chain: row.height_base for row in chains if row.height_base}
    raised = {"osmo-2": 50, "gaposmo-2": 50, "claimosmo-2": 20, "saidtest-5": 10}
    assert bases == (raised if number else {"splitosmo-2": 50})
    joined = {row.chain: row.known_by for row in chains if row.known_by}
    late = {"osmo-2": "packets", "onosmo-2": "packets", "gaposmo-2": "packets"}
    late |= {"saidtest-5": "registry", "claimosmo-2": "client"}
    assert joined == (late if number else {"splitosmo-2": "packets"})


@EACH_ENGINE
def test_views_are_those_of_the_index_over_revisions(engine, stages, pieces):
    place, (_, stage) = stages
    check_views(engine, stage.tables, place / "index-1", registry=pieces[1])


def shown(chains):
    return sorted([in_utc(row[name]) for name in COLUMNS] for row in chains)


STEPS = 8
"""Writes of the second piece."""


@EACH_ENGINE
@pytest.mark.parametrize("step", sample(range(STEPS), 1, "killed revisions"))
def test_a_killed_batch_is_repeated_and_the_next_compares_only_what_is_new(
    engine, stages, pieces, new_chains, tmp_path, monkeypatch, step
):
    place, (_, stage) = stages
    shutil.copytree(place / "after-0", tmp_path / "out")
    lake, given, blocks = engine.lake(tmp_path / "out"), read_file(str(pieces[1])), place / "in" / "1"
    killed_at(step, monkeypatch, lake, lambda: engine.process(Pipeline("w", given), lake, blocks, 0))
    pipeline = Pipeline("w", given)
    lake = engine.lake(tmp_path / "out")
    engine.process(pipeline, lake, blocks, 0)
    assert rows_of(dicts(rows_in(lake, PACKETS))) == rows_of(stage.packets)
    assert shown(dicts(rows_in(lake, CHAINS))) == shown(stage.chains)
    check_hours(lake, pieces[1])

    compared = []
    monkeypatch.setattr(lineages, "packet_evidence", counted(lineages.packet_evidence, compared))
    steps = {
        20: (("osmo-2", 2000, "send_packet"), ("hub-4", 2000, "recv_packet")),  # not of the older chain
        6: (("osmo-2", 2001, "acknowledge_packet"),),
    }
    for number, (sequence, told) in enumerate(steps.items()):
        chains = new_chains(tmp_path / str(number))
        out(chains, sequence, *told, until=10**18)
        engine.process(pipeline, lake, without_incarnation(chains.write()), number + 1)
        assert len(compared) == number
    last = rows_in(lake, PACKETS, "src_chain = 'osmo-2' AND sequence IN (6, 20)")
    found = {row.sequence: (row.send_height, row.recv_height, row.ack_height) for row in last}
    assert found == {6: (48, None, 2001), 20: (2000, 2000, None)}


def without_incarnation(folder):
    """These exports as those of an older release."""
    for path in folder.rglob("*.jsonl"):
        blocks = map(decode_line, path.read_bytes().splitlines(keepends=True))
        path.write_bytes(b"".join(encode_line(block._replace(incarnation="")) for block in blocks))
    return folder


def counted(function, calls):
    def go(*args):
        calls.append(args)
        return function(*args)

    return go
