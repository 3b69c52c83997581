import fcntl
import os
import shutil
import signal
import subprocess
import warnings
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from threading import Event, Timer
from time import sleep

import pytest

from tests.exported_chains import Chains
from tests.index_results import LateOutcome, packets_in
from tests.sampling import EXHAUSTIVE

ROOT = Path(__file__).parents[2]


def _outside(variable, name):
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no folder {name} beside the clone ({variable} names another place)")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that start a JVM, before marks choose what runs."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def realdata():
    """Recordings of live chains."""
    return _outside("IBC_REALDATA_DIR", "realdata")


@pytest.fixture(scope="session")
def live_dump():
    """Recordings of two ibc-go chains."""
    return _outside("IBC_LIVE_DUMP_DIR", "live/dump")


@contextmanager
def one_at_a_time():
    """Lock out the other processes of a test run: each would download Delta Lake to the same folder."""
    with (Path(gettempdir()) / "pyibc-tests-spark.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


STARTS_IN = 300.0  # seconds
MEMORY = "--driver-memory 3g pyspark-shell"
"""Arguments of the JVM: tests keep sessions, each with the plans of its views."""


def _scope(fixture_name, config):
    """Return the scope of a fixture on Spark: the sessions of all exhaustive tests need too much memory."""
    return "module" if EXHAUSTIVE else "session"


def _opened():
    """Open the session. A JVM that hangs at its start is killed, with its stacks on stdout, and replaced."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    from pyibc.indexer.spark.session import open_session

    hung = Event()

    def end():
        if SparkContext._gateway is not None:
            hung.set()
            SparkContext._gateway.proc.send_signal(signal.SIGQUIT)
            sleep(2)
            SparkContext._gateway.proc.kill()

    timer = Timer(STARTS_IN, end)
    timer.start()
    given = os.environ.setdefault("PYSPARK_SUBMIT_ARGS", MEMORY)
    try:
        return open_session("local[2]", brief=True)
    except (Py4JError, OSError):
        if not hung.is_set():
            raise
        SparkContext._gateway = SparkContext._jvm = None
        warnings.warn(pytest.PytestWarning("Spark's JVM hung at its start, and was replaced"), stacklevel=2)
        return open_session("local[2]", brief=True)
    finally:
        timer.cancel()
        if given is MEMORY:
            del os.environ["PYSPARK_SUBMIT_ARGS"]


def _end_java():
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends with it
    gateway.proc.wait(60)
    SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture(scope=_scope)
def spark():
    """The one Spark session of a test run, or of a module of exhaustive tests, in a JVM of its own."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java runtime")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # pyspark leaves pipes to its JVM open
        with one_at_a_time():
            session = _opened()
        session.conf.set("spark.sql.shuffle.partitions", "1")
        yield session
        session.stop()
        if EXHAUSTIVE:
            _end_java()


@pytest.fixture(scope="session")
def here():
    """The pipeline in this process."""
    pytest.importorskip("duckdb")
    from tests.pipeline_runs import Here

    return Here()


@pytest.fixture(scope=_scope)
def engine(request):
    """The engine of the pipeline that a parameter names, this process without one."""
    if getattr(request, "param", "local") == "local":
        return request.getfixturevalue("here")
    from tests.pipeline_runs import OnSpark

    return OnSpark(request.getfixturevalue("spark"))


@pytest.fixture(scope=_scope)
def run(request):
    """Index inputs; return the outcome and the packet rows as dicts.

    The report is written, without plots, when a test looks at the outcome; with `drawn` it is all there.

    An exhaustive run does it on Spark, another one on DuckDB, which takes a tenth of the time; test_engines
    compares what both give.
    """
    if EXHAUSTIVE:
        from pyibc.indexer.spark.run import SparkEngine

        engine = SparkEngine(request.getfixturevalue("spark"))
    else:
        pytest.importorskip("duckdb")
        from pyibc.indexer.local.run import LocalEngine

        engine = LocalEngine()

    from pyibc.indexer.pipeline.report import write_report_of

    def go(out, *inputs, drawn=False):
        engine.run(inputs, out)
        if not drawn:
            return LateOutcome(engine, out), packets_in(out)
        with engine.open(out) as lake:
            return write_report_of(lake), packets_in(out)

    return go


@pytest.fixture(scope="session")
def chromium():
    """The path of headless Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium (Debian: apt-get install chromium)")
    return found


@pytest.fixture
def dump_dom(chromium, tmp_path):
    """The page as the browser has it after loading."""

    def dump(page, *more):
        flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
        flags += " --disable-background-networking --disable-component-update --dump-dom"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        answer = subprocess.run(
            [chromium, *flags.split(), *more, profile, page.as_uri()],
            capture_output=True,
            timeout=120,
            check=True,
        )
        return answer.stdout.decode()

    return dump


@pytest.fixture
def chains(tmp_path):
    """A maker of exports."""
    return Chains(tmp_path / "export")


@pytest.fixture(scope="session")
def new_chains():
    """The maker itself."""
    return Chains
