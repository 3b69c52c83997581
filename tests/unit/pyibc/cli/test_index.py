"""`pyibc index`: what it prints, its exit codes, and following."""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from pyibc.cli import main
from pyibc.cli.index.show import ANSWERS
from pyibc.indexer.spark.names import master_problem, schema_problem
from tests.exported_chains import Chains
from tests.sampling import sample

ROOT = Path(__file__).parents[4]
OUT = "=#:$é 100% a {2,3}*? qu'o\"te"
"""The folder of the results: tables can be in it, whatever this name says to a shell or an engine."""


@pytest.fixture
def folder(tmp_path):
    """Two packets that are done, one that is on its way."""
    chains = Chains(tmp_path / "in")
    chains.relay(1, 1)
    chains.relay(2, 2)
    chains.event("a-1", 6, "send_packet", 3)
    return chains.write()


@pytest.fixture
def stuck(folder):
    """One of another chain's, that is stuck; its channel and a file have escape sequences."""
    chains = Chains(folder)
    chains.event("c-1", 2, "send_packet", 9, until=3 * 10**9, src=("transfer", "\x1b[2Jx"))
    chains.empty("c-1", 4)
    chains.write()
    (folder / "\x1b[31m\x9b2J.json").write_text("{")
    return folder


def run(folder, *arguments):
    told = ["index", folder, "--out", folder.parent / OUT, "--engine", "local", *arguments]
    return CliRunner().invoke(main, [str(each) for each in told])


def test_every_answer_as_text_and_as_json(stuck):
    shown = [word for name in ANSWERS for word in ("--show", name)]
    done = run(stuck, *shown, "--fail-on", "stuck,expiring")
    assert (done.exit_code, "stuck: 1" in done.stderr) == (3, True)
    assert (
        "4 packets on 3 chains\n2 succeeded, 0 failed, 0 timed out, 2 in flight, 1 stuck, 0 ack"
        in done.stdout
    )
    assert "skipped: " in done.stderr
    assert "\\x1b[31m\\x9b2J.json" in done.stderr
    assert not {"\x1b", "\x9b"} & {*done.output}
    assert "?[2Jx" in done.stdout
    assert "1970-01-01 00:00:02" in done.stdout
    as_json = run(stuck, "--since", "all", "--json", *shown, "--fail-on", "expiring")
    assert (as_json.exit_code, "stuck: 1" in as_json.stderr) == (0, False)
    assert '<p id="window">\nAll data.\n' in (stuck.parent / OUT / "report.html").read_text()
    found = json.loads(as_json.stdout)
    assert found.keys() == ANSWERS.keys()
    assert [(row["src_chain"], row["stuck"], row["in_flight"]) for row in found["channels"]] == [
        ("a-1", 0, 1),
        ("c-1", 1, 1),
    ]
    ((packet,),) = [found["stuck"]]
    assert (packet["src_channel"], packet["sequence"], packet["send_s"]) == ("\x1b[2Jx", 9, 2.0)
    assert [(row["src_chain"], row["delivered"], row["amount"]) for row in found["transfers"]] == [
        ("a-1", 2, "10"),
        ("c-1", 0, "0"),
    ]
    assert {(row["hop"], row["step"], row["p50"]) for row in found["latency"]} == {
        (None, "received", 1.0),
        (None, "acknowledged", 3.0),
        (1, "received", 1.0),
        (1, "ended", 3.0),
    }


def test_packets_of_an_unknown_sender_are_counted_apart(folder):
    chains = Chains(folder)
    for sequence in (7, 8):
        chains.event("b-1", sequence, "recv_packet", sequence, owner="x-1", src=("transfer", "channel-9"))
    chains.write()
    done = run(folder, "--show", "channels", "--json")
    assert (
        "\n2 succeeded, 0 failed, 0 timed out, 1 in flight, 0 stuck, 0 ack overdue, 2 receive only\n"
        in done.stderr
    )
    states = ("succeeded", "failed", "acknowledged", "timed_out", "received", "sent", "unknown", "stuck")
    rows = json.loads(done.stdout)["channels"]
    assert sorted(row["packets"] for row in rows) == [2, 3]
    assert all(row["packets"] == sum(row[state] for state in states) for row in rows)
    page = (folder.parent / OUT / "report.html").read_text()
    assert page.count('<th class="n">receive only</th>') == 2


def test_the_report_has_the_window_and_the_units_that_were_asked_for(folder, tmp_path):
    units = [{"denom": "ua", "exponent": 0}, {"denom": "a", "exponent": 1}]
    assets = [{"base": "ua", "display": "a", "symbol": "AAA", "denom_units": units}]
    (tmp_path / "assetlist.json").write_text(json.dumps({"assets": assets}))
    page = folder.parent / OUT / "report.html"
    assert run(folder, "--since", "2s", "--assets", tmp_path / "assetlist.json").exit_code == 0
    assert "Window: the last 2 seconds of the data (from 1970-01-01 00:00:04 UTC)." in page.read_text()
    assert "1.5 AAA" in page.read_text()


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--since", "soon", "'soon' is not all, a duration such as 7d, 12h or 30min, or a date"),
        ("--assets", "wrong.json", "wrong.json cannot be used: Object missing required field"),
        ("--assets", "missing.json", "does not exist"),
        ("--fail-on", "stuck,late", "'late' must be one of stuck, ack_overdue, expiring"),
        ("--alert-timeout", "abc", "'abc' is not a valid number"),
        ("--master", "foo", "'foo' is not a Spark master URL: use one such as local[*], spark://host:7077,"),
        ("--master", "sc://host", "sc:// is Spark Connect"),
        ("--catalog", "a b", "'a b' is not the name of a schema: use one such as chain_data"),
        ("--catalog", "main.", "'main.' is not the name of a schema"),
        ("--out", "", "the path is empty"),
        ("--out", "ftp://h/x", "ftp://h/x has the scheme ftp, which is none of abfs,"),
    ],
)
def test_options_that_are_wrong_are_named_and_nothing_is_written(
    folder, tmp_path, monkeypatch, option, value, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.json").write_text('{"chains": []}')
    done = run(folder, option, value)
    assert done.exit_code == 2
    assert reason in " ".join(done.stderr.split())
    assert not (folder.parent / OUT).exists()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "the path is empty"),
        ("http://h/x", "http://h/x has the scheme http, which is none of abfs,"),
        ("dbfs:/none-such", "dbfs:/none-such does not exist: `pyibc export` writes"),
        ("file:///none-such/*", "file:///none-such/* does not exist"),
        ("file://elsewhere/x", "is a file of another machine"),
    ],
)
def test_inputs_that_are_wrong_are_named_and_nothing_is_written(tmp_path, given, reason):
    done = CliRunner().invoke(main, ["index", given, "--out", str(tmp_path / OUT)])
    assert (done.exit_code, "Usage:" in done.stderr) == (2, True)
    assert reason in " ".join(done.stderr.split())
    assert not (tmp_path / OUT).exists()


def test_a_pattern_that_nothing_matches_is_status_2(tmp_path):
    given = f"file://{tmp_path}/*.none"
    done = CliRunner().invoke(main, ["index", given, "--out", str(tmp_path / OUT), "--engine", "local"])
    assert done.exit_code == 2
    assert f"Error: nothing to index: no file matches {tmp_path}/*.none" in done.stderr


def test_a_schema_that_spark_refuses_is_an_error_before_the_run(folder, monkeypatch):
    from pyibc.indexer import job
    from pyibc.indexer.errors import EngineFailed

    def refuse(session, schema):
        assert (session, schema) == ("session", "a-b")
        raise EngineFailed("Spark", "[INVALID_SCHEMA_OR_RELATION_NAME]")

    monkeypatch.setattr(job, "chosen", lambda *_, **__: SimpleNamespace(session="session"))
    monkeypatch.setattr(job, "prepare_schema", refuse)
    monkeypatch.setattr(job, "index", lambda *_: pytest.fail("it ran"))
    done = CliRunner().invoke(
        main, ["index", str(folder), "--out", str(folder.parent / OUT), "--catalog", "a-b"]
    )
    assert (done.exit_code, "Error: Spark: [INVALID_SCHEMA" in done.stderr) == (1, True)


@pytest.mark.parametrize("follow", [[], ["--follow", "--listen", "127.0.0.1:0"]])
def test_a_folder_that_cannot_be_written_to_is_status_1(folder, monkeypatch, follow):
    from pyibc.indexer import locations

    monkeypatch.setattr(locations.os, "access", lambda path, _: Path(path) != folder.parent / OUT)
    done = run(folder, *follow)
    assert done.exit_code == 1
    assert f"Error: cannot write to {folder.parent / OUT}: permission denied: change" in done.stderr
    assert "Traceback" not in done.output


def test_everything_is_a_window_in_capitals_too(folder):
    assert run(folder, "--since", "ALL").exit_code == 0
    assert '<p id="window">\nAll data.\n' in (folder.parent / OUT / "report.html").read_text()


@pytest.mark.parametrize(
    "master",
    [
        *("local", "local[*]", "local[2]", "local[2, 3]", "local-cluster[2,1,1024]", "yarn"),
        *("spark://h:7077", "spark://h1:7077,h2:7077", "k8s://https://h:443"),
    ],
)
def test_masters_that_spark_knows_are_taken(master):
    assert master_problem(master) == ""


@pytest.mark.parametrize("schema", ["ibc", "main.ibc", "a-b", "ä_1.`x`"])
def test_schemas_that_can_be_quoted_are_taken(schema):
    assert schema_problem(schema) == ""


def test_an_overdue_acknowledgement_is_an_answer_of_its_own(folder, tmp_path):
    chains = Chains(folder)
    chains.pace = 300
    chains.event("c-1", 2, "send_packet", 9, until=10**13, src=("transfer", "channel-8"))
    chains.event("d-1", 3, "recv_packet", 9, owner="c-1", until=10**13, src=("transfer", "channel-8"))
    for chain in ("c-1", "d-1"):
        chains.empty(chain, 16)
    chains.write()
    told = tmp_path / "told"
    command = f"{sys.executable} -c 'import sys; open(sys.argv[1], \"w\").write(sys.stdin.read())' {told}"
    asked = [word for name in ("ack_overdue", "stuck", "channels") for word in ("--show", name)]
    done = run(folder, "--json", *asked, "--alert", command, "--fail-on", "ack_overdue")
    assert (done.exit_code, "ack_overdue: 1" in done.stderr) == (3, True)
    found = json.loads(done.stdout)
    assert found["stuck"] == []
    (packet,) = found["ack_overdue"]
    assert (packet["src_chain"], packet["sequence"]) == ("c-1", 9)
    assert (packet["send_s"], packet["recv_s"]) == (600, 900)
    assert [(row["src_chain"], row["ack_overdue"]) for row in found["channels"]] == [("a-1", 0), ("c-1", 1)]
    (alert,) = json.loads(told.read_text())["alerts"]
    assert (alert["kind"], alert["packet_id"]) == ("ack_overdue", packet["packet_id"])
    page = (folder.parent / OUT / "report.html").read_text()
    assert 'id="ack-overdue-table"' in page
    assert run(folder, "--fail-on", "stuck").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--follow", "--show", "stuck"],
        ["--follow", "--fail-on", "stuck"],
        ["--listen", "127.0.0.1:0"],
        ["--follow", "--listen", "127.0.0.1"],
        ["--follow", "--listen", "127.0.0.1:99999"],
        ["--fail-on", "late"],
        ["--fail-on", ""],
        ["--fail-on", "stuck,"],
        ["--master", ""],
        ["--catalog", ""],
        ["--out", ""],
        ["--json"],
        ["--show", "nothing"],
        ["--alert", ""],
        ["--alert", "'open"],
        ["--alert", "/no/such/program --to ops"],
        ["--follow", "--pause", "0"],
    ],
)
def test_wrong_use_is_status_2(folder, arguments):
    done = run(folder, *arguments)
    assert done.exit_code == 2
    assert "Usage:" in done.stderr
    assert not (folder.parent / OUT).exists()


@pytest.mark.parametrize(
    "name", ["back\\slash", "new\nline", "100%41", "\udcff", "bell\x07", "[1]", "a^b", "a|b", "state=x"]
)
@pytest.mark.parametrize("follow", [[], ["--follow", "--listen", "127.0.0.1:0"]])
def test_a_folder_that_tables_cannot_be_in_is_wrong_use(folder, name, follow):
    out = folder.parent / name / "out"
    done = CliRunner().invoke(main, ["index", str(folder), "--out", str(out), "--engine", "local", *follow])
    assert done.exit_code == 2
    assert "--out: results cannot be in" in done.stderr
    assert not out.parent.exists()


def test_h118_a_name_of_any_length_makes_no_long_page(folder, tmp_path):
    assert run(folder).exit_code == 0
    page = tmp_path / OUT / "report.html"
    usual, name = len(page.read_bytes()), "x" * 100_000
    chains = Chains(folder)
    chains.event("c-1", 2, "send_packet", 9, until=3 * 10**9, src=(name, name))
    chains.empty("c-1", 4)
    chains.write()
    assert run(folder).exit_code == 0
    assert len(page.read_bytes()) < usual + 20_000
    assert name not in (tmp_path / OUT / "summary.json").read_text()


def test_an_address_that_cannot_be_had_is_status_1(folder):
    done = run(folder, "--follow", "--listen", "192.0.2.1:80")
    assert done.exit_code == 1
    assert "Traceback" not in done.output


class Following:
    """The command as an operator runs it."""

    def __init__(self, folder):
        arguments = ["--out", str(folder.parent / OUT), "--engine", "local", "--pause", "0.3"]
        command = [sys.executable, "-m", "pyibc", "index", str(folder), *arguments]
        self.process = subprocess.Popen(
            [*command, "--follow", "--listen", "127.0.0.1:0"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stderr.readline().split()[-1]

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def until(self, path, text):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            status, body = self.get(path)
            if status == 200 and text in body:
                return body
            time.sleep(0.05)
        raise AssertionError(f"{path} never said {text}: {body[-2000:]}")

    def end(self, number):
        self.process.send_signal(number)
        return self.process.communicate(timeout=60)


@pytest.fixture
def following(folder):
    running = Following(folder)
    yield running
    with suppress(ProcessLookupError):
        running.process.kill()
    running.process.communicate()


@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGINT], 1, "signals"))
def test_it_follows_what_comes_and_ends_with_0_when_told(following, folder, number):
    following.until("metrics", 'ibc_chain_height{chain="a-1"} 6.0')
    chains = Chains(folder)
    chains.event("c-1", 2, "send_packet", 9, until=3 * 10**9)
    chains.empty("c-1", 4)
    chains.write()
    following.until("metrics", 'ibc_chain_pending_packets{chain="c-1",state="stuck"} 1.0')
    assert '"sequence": 9' in following.get("packets?state=stuck")[1]
    assert "c-1" in following.until("", "4 packets on 3 chains")
    out, err = following.end(number)
    assert following.process.returncode == 0
    assert out.startswith("stopped after ")
    assert "Traceback" not in err
