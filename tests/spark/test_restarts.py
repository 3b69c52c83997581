"""A chain that began anew under its id, in files that do not say so, is another chain."""

import base64
import json
from datetime import UTC, datetime

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import from_committed
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.blocks.lines import encode_line, incarnation_of

ENDS = {"packet_src_port": "transfer", "packet_src_channel": "channel-3"}
ENDS |= {"packet_dst_port": "wasm.b", "packet_dst_channel": "channel-8"}
YEAR = 365 * 86_400


def attributes(sequence, started):
    times = {"packet_timeout_height": "0-0", "packet_timeout_timestamp": str((started + 10**7) * 10**9)}
    return {**times, "packet_sequence": str(sequence), **ENDS}


def block(height, started, *events):
    """A block of a chain that was started at a time, without its incarnation."""
    found = tuple((kind, tuple(told.items())) for kind, told in events)
    txs = (TxOutcome(b"tx%d" % height, 0, "", found, 1, 1),) if found else ()
    return CommittedBlock("a-1", height, (started + height) * 10**9, b"", txs, ())


def history(started, last, *, acked):
    """Blocks with packets 1 to 9, sent at these heights; after 20 blocks those in `acked` are answered."""
    events = {
        **{n: ("send_packet", attributes(n, started)) for n in range(1, 10)},
        **{n + 20: ("acknowledge_packet", attributes(n, started)) for n in acked},
    }
    return [block(h, started, *([events[h]] if h in events else ())) for h in range(1, last + 1)]


OLD = history(0, 40, acked=range(1, 8))
NEW = history(YEAR, 60, acked=(1, 2))


def write(path, blocks):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(encode_line(from_committed(one)) for one in blocks))


def states(rows):
    found = {}
    for row in rows:
        found.setdefault(row["src_chain"], []).append(row["state"])
    return {chain: sorted(some) for chain, some in found.items()}


def check(outcome, rows):
    """Both chains are there, whole, with a name each and a note."""
    names = sorted(outcome.summary["chains"])
    assert len(names) == 2
    assert {name.partition("@")[0] for name in names} == {"a-1"}
    by_size = sorted(outcome.summary["chains"].items(), key=lambda item: item[1]["blocks"])
    assert [numbers["ranges"]["longest"] for _, numbers in by_size] == [[[1, 40]], [[1, 60]]]
    assert [(n["sent"], n["acknowledged"]) for _, n in by_size] == [(9, 7), (9, 2)]
    assert states(rows) == {
        by_size[0][0]: ["acknowledged"] * 7 + ["sent"] * 2,
        by_size[1][0]: ["acknowledged"] * 2 + ["sent"] * 7,
    }
    assert [entry["reason"] for entry in outcome.summary["skipped"]] == []
    (note,) = [note.reason for note in outcome.notes]
    assert note.startswith("a-1 was restarted from genesis: its incarnations are listed as a-1, a-1@")


def recorded(blocks):
    """A dump of a node's answers."""
    return json.dumps({"blocks": {str(one.height): _answers(one) for one in blocks}})


def _answers(one):
    moment = datetime.fromtimestamp(one.time_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")
    header = {"chain_id": one.chain_id, "height": str(one.height), "time": moment}
    raw = [base64.b64encode(tx.tx).decode() for tx in one.txs]
    results = [
        {
            "code": 0,
            "events": [
                {"type": kind, "attributes": [{"key": k, "value": v, "index": True} for k, v in found]}
                for kind, found in tx.events
            ],
        }
        for tx in one.txs
    ]
    return {
        "block": {"block": {"header": header, "data": {"txs": raw}}},
        "block_results": {"height": str(one.height), "txs_results": results, "finalize_block_events": []},
    }


def test_recordings_of_both_are_two_chains(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, blocks in {"z": OLD[:22], "y": OLD[20:], "x": NEW[:30], "w": NEW[28:]}.items():
        (folder / f"{name}.json").write_text(recorded(blocks))
    check(*run(tmp_path / "out", folder))


def test_a_recording_that_went_on_over_the_restart_has_both(run, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    answers = [answer for one in OLD + NEW for answer in _answers(one).values()]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, answers)))
    check(*run(tmp_path / "out", folder))


def test_a_recording_is_of_the_incarnation_that_its_export_names(run, tmp_path):
    folder = tmp_path / "in"
    with BlockExporter(folder / "export") as exporter:
        for one in NEW:
            exporter.write(one)
    (folder / "old.json").write_text(recorded(OLD))
    (folder / "new.json").write_text(recorded(NEW[10:20]))
    outcome, rows = run(tmp_path / "out", folder)
    check(outcome, rows)
    known = {coverage.incarnation for coverage in outcome.coverage.values()}
    assert incarnation_of(from_committed(NEW[0])) in known
