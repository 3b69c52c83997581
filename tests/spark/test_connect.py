"""Spark Connect: a server of its own, in a folder of its own, asked by programs without a JVM.

What asks runs in processes of its own: PySpark has sessions of one kind in a process.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.index_histories import TABLES, rows_of

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]  # what needs no server is among the unit tests

ROOT = Path(__file__).parents[2]
SPARK = Path(find_spec("pyspark").origin).parent
SUBMIT = SPARK / "bin" / "spark-submit"
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
SETTINGS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "3",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its URL; where it runs no relative path of the user's means anything."""
    pytest.importorskip("grpc_status", reason="pyibc[connect] is not installed")
    if "def cloneSession" not in (SPARK / "sql/connect/session.py").read_text():
        pytest.skip("PySpark 4.1 or later is needed")
    place = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = SETTINGS | {"spark.connect.grpc.binding.port": str(port)}
    settings = [word for key, value in told.items() for word in ("--conf", f"{key}={value}")]
    command = [SUBMIT, "--master", "local[2]", *settings, "--class", SERVER, "spark-internal"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for(port, process, place / "log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(port, process, log):
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as peer:
            if peer.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"no server: {log.read_text()[-2000:]}")


def run(folder, *words):
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.fixture
def exported(chains):
    for sequence in range(1, 31):
        chains.relay(sequence, sequence * 3)
    chains.write()
    return chains.folder


def test_the_command_gives_the_same_rows_over_a_server_as_alone(server, exported, tmp_path):
    far = run(tmp_path, "-m", "pyibc", "index", exported.name, "--out", "far", "--master", server)
    assert far.returncode == 0, far.stderr
    assert "30 packets on 2 chains" in far.stdout
    near = run(tmp_path, "-m", "pyibc", "index", exported.name, "--out", "near", "--engine", "local")
    assert near.returncode == 0, near.stderr
    assert rows_of(tmp_path / "far") == rows_of(tmp_path / "near")
    assert set(rows_of(tmp_path / "far")) == set(TABLES)


PROGRAM = """
import json, sys
import pyibc
from pyspark.sql import SparkSession

url, lines = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
found = pyibc.index([lines], out="result", frames="spark", spark=spark)
above = spark.read.format("ibc").load(lines).where("height > 45").count()
stream = spark.readStream.format("ibc").option("stateLocation", sys.path[0] + "/source").load(lines)
stream = stream.writeStream.format("parquet")
stream = stream.option("checkpointLocation", sys.path[0] + "/state").trigger(availableNow=True)
stream.start(sys.path[0] + "/events").awaitTermination()
print(json.dumps({
    "succeeded": found.packets.where("state = 'succeeded'").count(),
    "flows": found.flows.count(),
    "coverage": sorted({row.chain for row in found.coverage.collect()}),
    "above": above,
    "all": spark.read.format("ibc").load(lines).count(),
    "streamed": spark.read.parquet(sys.path[0] + "/events").count(),
    "partitions": spark.conf.get("spark.sql.shuffle.partitions"),
    "compiled": spark.conf.get("spark.sql.codegen.wholeStage"),
}))
"""


def test_a_session_of_connect_is_used_and_keeps_its_settings(server, exported, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run(tmp_path, str(program), server, str(exported))
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["succeeded"] == 30
    assert told["coverage"] == ["a-1", "b-1"]
    assert told["flows"] > 0
    assert 0 < told["above"] < told["all"] == told["streamed"]
    assert (told["partitions"], told["compiled"]) == ("3", "true")


def test_a_server_that_is_not_there_is_told_at_once(exported, tmp_path):
    pytest.importorskip("grpc_status", reason="pyibc[connect] is not installed")
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        start = time.monotonic()
        done = run(
            tmp_path, "-m", "pyibc", "index", exported.name, "--out", "far", "--master", f"sc://{where}"
        )
    assert done.returncode == 1
    assert f"Error: Spark Connect: cannot connect to {where}" in done.stderr
    assert "Traceback" not in done.stderr
    assert time.monotonic() - start < 60
