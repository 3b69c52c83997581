"""Networks under faults, each from a seed: a few, or two hundred; `make simulate SEEDS=10000` has more."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sampling import sample
from tests.waiting import until

AT_ONCE = 2
SEEDS = sample(range(200), AT_ONCE, "networks")


@pytest.mark.parametrize("first", range(0, len(SEEDS), AT_ONCE))
def test_all_comes_right_once_the_faults_end(simulated, first):
    found = {seed: simulated(seed).faults for seed in SEEDS[first : first + AT_ONCE]}
    assert {seed: faults for seed, faults in found.items() if faults} == {}


def workers(pid):
    """Processes that a process has started."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def home_of(pid):
    """The folder of a simulation's files that a process has open, if it has any."""
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            path = each.readlink()
        except FileNotFoundError:  # closed meanwhile
            continue
        world = next((above for above in path.parents if above.name == "world"), None)
        if world is not None:
            return world.parent
    return None


def simulating(pid):
    """A process's workers that have a network just now, with the folders of its files."""
    return {each: home for each in workers(pid) if (home := home_of(each)) is not None}


def runs(pid):
    """Whether a process is there, and not only its number."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def told(seed, hash_seed):
    """What the command says of a seed, in a process whose sets have this order."""
    words = [sys.executable, "-m", "conformance.simulation", "--seed", str(seed)]
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: what is written cannot be recorded")
@pytest.mark.parametrize("seed", sample([4, 13], 1, "two runs"))  # a relayer by RPC, and an export
def test_two_runs_of_a_seed_agree(simulated, seed):
    first = told(seed, "1").splitlines()[-1]
    assert len(first) == 64
    assert simulated(seed).digest == first  # in a process whose sets have another order
    assert simulated(seed + 2).digest != first


FILLING = """
import sys
from pathlib import Path
from conformance.simulation.processes import processes
from tests.simulation.filling import fill

with processes(2) as pool:
    for each in [pool.submit(fill, Path(sys.argv[1])) for _ in range(2)]:
        each.result()
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: what is written cannot be recorded")
def test_a_folder_that_is_written_to_while_its_owner_is_killed_is_removed(tmp_path):
    killed = subprocess.Popen([sys.executable, "-c", FILLING, tmp_path], stderr=subprocess.DEVNULL)
    until(lambda: sum(bool(each.read_text()) for each in tmp_path.iterdir()) == 2)
    pids = [int(each.name) for each in tmp_path.iterdir()]
    (folder,) = {Path(each.read_text()) for each in tmp_path.iterdir()}
    assert folder.is_dir()
    time.sleep(0.5)  # there is much to remove
    killed.kill()
    killed.wait()
    until(lambda: not folder.exists() and not any(map(runs, pids)))
    time.sleep(0.5)
    assert not folder.exists()


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: what is written cannot be recorded")
def test_a_run_that_is_killed_leaves_nothing_and_goes_on_where_it_was(tmp_path):
    done = tmp_path / "done"
    words = [sys.executable, "-m", "conformance.simulation", "--seeds", "3", "--jobs", "1", "--done", done]
    killed = subprocess.Popen(words, stdout=subprocess.PIPE)
    until(lambda: done.exists() and done.read_text().count("\n"))
    homes = {}
    until(lambda: homes.update(simulating(killed.pid)) or homes)  # between two seeds there is none
    killed.kill()
    killed.communicate()
    ((worker, home),) = homes.items()
    until(lambda: not home.exists() and not runs(worker))
    before = len(done.read_text().split())
    assert before < 3
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[0] == f"{3 - before} seeds of 60 steps"
    assert sorted(done.read_text().split()) == ["0", "1", "2"]
