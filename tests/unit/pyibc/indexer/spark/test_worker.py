"""Check of a worker: missing requirements are reported before code of this package is imported."""

import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec
import pytest

from ibc_module import __version__
from pyibc.core.errors import IbcError
from pyibc.indexer.blocks.lines import parse_head, split_lines
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.spark.session import archive
from pyibc.indexer.spark.worker import DONE, UNFIT, on_worker

SPLIT = pickle.dumps(partial(split_lines))

PROGRAM = """
import pickle, sys
sys.path[:0] = sys.argv[2:]
run = pickle.load(open(sys.argv[1], "rb"))
((kind, _, *told),) = run([(b"one\\ntwo\\n",)])
print(kind, told[0])
"""


def told(work, *call, release=__version__):
    ((kind, host, *rest),) = on_worker(pickle.dumps(work), release)([call])
    assert host
    return kind, *rest


def test_items_come_back():
    assert told(split_lines, b"one\ntwo\n") == (DONE, [b"one\n", b"two\n"], b"")


def _odd(text):
    yield text
    parse_head(b"cut")


def test_an_error_comes_back_behind_the_items_that_came_before_it():
    kind, items, failure = told(_odd, "a")
    assert (kind, items) == (DONE, ["a"])
    error = pickle.loads(failure)
    assert type(error) is MalformedLine
    assert isinstance(error, IbcError)
    assert error.reason == "it ends without a newline (truncated or partially written)"


def test_another_release_is_refused_and_nothing_is_run():
    kind, reason = told(_odd, "a", release="9.8.7")
    assert kind == UNFIT
    assert reason == (
        f"has pyibc {__version__} under {sys.executable}, 9.8.7 is needed: install pyibc==9.8.7 there, "
        "or set PYSPARK_PYTHON to another interpreter"
    )


@pytest.fixture
def bare(tmp_path):
    """Run the function in an interpreter with PySpark's packages and given others, none of them installed."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle", reason="PySpark is not installed")
    import pyspark

    path, lib = tmp_path / "sent", Path(pyspark.__file__).parent / "python" / "lib"

    def run(release, *more):
        path.write_bytes(cloudpickle.dumps(on_worker(SPLIT, release)))
        places = [str(place) for place in (*more, *sorted(lib.glob("*.zip")))]
        command = [sys.executable, "-S", "-I", "-c", PROGRAM, str(path), *places]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.stderr == ""
        return done.stdout.strip()

    return run


def test_a_worker_without_the_package_says_what_to_install(bare):
    said = bare(__version__)
    assert said.startswith(
        f"unfit has no pyibc under {sys.executable}, {__version__} is needed: install pyibc=="
    )


def test_a_worker_that_was_sent_the_package_and_lacks_what_it_needs_says_so(bare):
    said = bare(__version__, archive())
    assert said.startswith(
        f"unfit does not have a dependency of pyibc under {sys.executable} (No module named 'msgspec')"
    )


def test_a_worker_that_has_what_it_needs_runs(bare):
    assert bare(__version__, archive(), Path(msgspec.__file__).parents[1]) == "done [b'one\\n', b'two\\n']"
