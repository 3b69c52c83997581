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
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.comet_nodes import Chain, Node, served

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]

ROOT = Path(__file__).parents[2]
SPARK = Path(find_spec("pyspark").origin).parent
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
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(folder / "scratch"),
        }
        if "JAVA_HOME" in os.environ:
            self.environment["JAVA_HOME"] = os.environ["JAVA_HOME"]

    def start(self, name, role, *arguments):
        place = self.folder / name
        place.mkdir()
        command = [
            SPARK / "bin" / "spark-class",
            f"org.apache.spark.deploy.{role}",
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
        ]
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

    def tasks(self, name):
        """How many tasks a worker's executors have run."""
        logs = (self.folder / name).glob("work/app-*/*/stderr")
        return sum(log.read_text(errors="replace").count("Running task ") for log in logs)

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
            place = str(daemons.folder / name / "work")
            daemons.start(name, "worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", place, url)
        for name in ("one", "two"):
            daemons.told(name, REGISTERED)
        yield daemons, url
    finally:
        daemons.stop()


def command(folder, *arguments, timeout=300, **environment):
    """Runs `pyibc` in `folder` as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "pyibc", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1", **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
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

    environment = {"PYSPARK_PYTHON": sys.executable}
    before = {name: daemons.tasks(name) for name in ("one", "two")}
    where = ("--out", "spread", "--master", url)
    done = command(tmp_path, "index", chains.folder.name, *where, **environment)
    assert done.returncode == 0, done.stderr
    assert "41 packets on 4 chains" in done.stdout
    alone = command(tmp_path, "index", chains.folder.name, "--out", "alone")
    assert alone.returncode == 0, alone.stderr

    spread = json.loads((tmp_path / "spread" / "summary.json").read_text())
    assert spread == json.loads((tmp_path / "alone" / "summary.json").read_text())
    assert spread["chains"]["a-1"]["acknowledged"] == 40
    assert "Traceback" not in done.stderr
    ran = {name: daemons.tasks(name) - before[name] for name in ("one", "two")}
    assert sum(ran.values()) > 20
    assert max(ran.values()) < 0.8 * sum(ran.values()), ran


def lines(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_blocks_are_fetched_by_every_executor_and_no_password_is_left_anywhere(cluster, tmp_path):
    daemons, url = cluster
    chain = Chain(last=1200)
    before = {name: daemons.tasks(name) for name in ("one", "two")}
    with served(Node(chain, first=40), pause=0.01) as one, served(Node(chain), pause=0.01) as two:
        nodes = [each.replace("http://", "http://operator:pa55word@") for each in (one, two)]
        alone = command(tmp_path, "export", *nodes, "--out", "alone")
        done = command(
            tmp_path, "export", *nodes, "--out", "spread", "--master", url, PYSPARK_PYTHON=sys.executable
        )
    assert (alone.returncode, alone.stdout) == (0, "a-1: blocks 1 to 1200\n"), alone.stderr
    assert (done.returncode, done.stdout) == (0, "a-1: blocks 1 to 1200\n"), done.stderr
    assert f"starting Spark on {url}\n" in done.stderr
    assert lines(tmp_path / "spread") == lines(tmp_path / "alone")

    ran = {name: daemons.tasks(name) - before[name] for name in ("one", "two")}
    assert sum(ran.values()) >= 1200 // 100
    assert min(ran.values()) > 0.2 * sum(ran.values()), ran
    said = "".join(path.read_text(errors="replace") for path in daemons.folder.rglob("std*"))
    said += daemons.log("master") + daemons.log("one") + daemons.log("two")
    assert "pa55word" not in said + done.stdout + done.stderr


def test_workers_without_python_are_one_line_that_names_the_mend(cluster, tmp_path):
    _, url = cluster
    usual = {"PYSPARK_PYTHON": "python3"}  # a session of another test may have set another
    with served(Node(Chain(last=30))) as node:
        done = command(tmp_path, "export", node, "--out", "out", "--master", url, **usual)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "\tat " not in done.stderr
    assert re.fullmatch(
        r"Error: Spark worker \S+ cannot run Python: .*Cannot run program \"python3\".* "
        r"\(set PYSPARK_PYTHON to the workers' interpreter\)",
        done.stderr.splitlines()[-1],
    )
    assert lines(tmp_path / "out") == b""
