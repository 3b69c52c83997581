"""A standalone cluster on loopback: its workers have Java and Spark, and nothing of this project.

Each runs in a folder of its own, so that a relative path of the user's means nothing there.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyspark
import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
ROOT = Path(__file__).parents[2]
STARTED = "Starting Spark master at (spark://127.0.0.1:[0-9]+)"
PROGRAMS = ("bash", "sh", "dirname", "basename", "uname", "cat", "ls", "ps", "nice", "chmod", "java")
REGISTERED = "Successfully registered with master"


class Daemons:
    """A master and two workers, each with a log and a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []
        nowhere = folder / "bin"  # where they find programs: no interpreter is among them
        nowhere.mkdir()
        for name in PROGRAMS:
            if found := shutil.which(name):
                (nowhere / name).symlink_to(found)
        self.environment = {
            "PATH": str(nowhere),
            "SPARK_HOME": str(SPARK_CLASS.parents[1]),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(folder / "scratch"),
        }
        if "JAVA_HOME" in os.environ:
            self.environment["JAVA_HOME"] = os.environ["JAVA_HOME"]

    def start(self, name, role, *arguments):
        place = self.folder / name
        place.mkdir()
        command = [SPARK_CLASS, f"org.apache.spark.deploy.{role}", "--host", "127.0.0.1", "--webui-port", "0"]
        with (place / "log").open("wb") as log:
            self.running.append(
                subprocess.Popen(
                    [*command, *arguments],
                    cwd=place,
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def told(self, name, pattern, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if found := re.search(pattern, self.log(name)):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{name} never said {pattern}: {self.log(name)[-2000:]}")

    def log(self, name):
        return (self.folder / name / "log").read_text()

    def stop(self):
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The running cluster, and its URL."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java runtime")
    daemons = Daemons(tmp_path_factory.mktemp("cluster"))
    try:
        daemons.start("master", "master.Master", "--port", "0")
        url = daemons.told("master", STARTED).group(1)
        for name in ("one", "two"):
            daemons.start(name, "worker.Worker", "--cores", "1", "--memory", "1g", url)
        for name in ("one", "two"):
            daemons.told(name, REGISTERED)
        yield daemons, url
    finally:
        daemons.stop()


def command(folder, *arguments):
    """Runs `pyibc` in `folder` as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "pyibc", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_documented_command_runs_on_workers_that_lack_this_project(cluster, chains, new_chains, tmp_path):
    daemons, url = cluster
    for sequence in range(1, 41):
        chains.relay(sequence, sequence * 3)
    other = new_chains(chains.folder, "second-", "channel-8")
    other.relay(7, 5)
    chains.write()
    other.write()

    done = command(tmp_path, "index", chains.folder.name, "--out", "spread", "--master", url)
    assert done.returncode == 0, done.stderr
    assert "41 packets on 4 chains" in done.stdout
    alone = command(tmp_path, "index", chains.folder.name, "--out", "alone")
    assert alone.returncode == 0, alone.stderr

    spread = json.loads((tmp_path / "spread" / "summary.json").read_text())
    assert spread == json.loads((tmp_path / "alone" / "summary.json").read_text())
    assert spread["chains"]["a-1"]["acknowledged"] == 40
    assert "Traceback" not in done.stderr
    for name in ("one", "two"):
        assert "Asked to launch executor" in daemons.log(name)
