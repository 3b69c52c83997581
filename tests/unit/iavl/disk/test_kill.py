"""A process killed at any step finds the last acknowledged version, or the one after it, whole."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iavl import MultiStore
from iavl.disk.nodes import children_of, serial_key
from iavl.disk.recovery import read_point
from iavl.disk.writer import decode_list
from tests.sampling import SEED, rounds


class Model:
    """What each version must be, from a store in memory."""

    def __init__(self, chain):
        self.chain = chain
        self.memory = MultiStore(None, chain.NAMES, keep_versions=None)

    def check(self, store, acknowledged, kills=1):
        assert 0 <= store.version - acknowledged <= kills
        while self.memory.version < store.version:
            self.chain.run(self.memory, 1, lambda _: None)
        for version in store.versions() if store.version else ():
            info, expected = store.info(version), self.memory.info(version)
            assert (info.app_hash, info.roots, info.metadata) == (
                expected.app_hash,
                expected.roots,
                self.chain.metadata_of(version),
            )
            for name in self.chain.NAMES:
                entries = list(store.iterate_at(name, b"", None, version))
                assert entries == list(self.memory.iterate_at(name, b"", None, version))
        check_nodes(store)


def check_nodes(store):
    """What is on disk is what the last checkpoint reaches, and listed orphans; nothing is both."""
    storage = store._storage
    env = storage._env
    listed = set()
    for key in env.keys(env.orphans):
        listed |= set(decode_list(env.path, key, env.read(env.orphans, key)))
    last = storage._timeline.points[-1] if storage._timeline.points else 0
    stack = [
        (r.serial, r.height) for r in read_point(env, last, storage._loader)[1].values() if r is not None
    ]
    live = set()
    while stack:
        serial, height = stack.pop()
        live.add(serial_key(serial))
        record = env.read(env.nodes, serial_key(serial))
        if height:
            stack += children_of(record)
    assert live | listed == set(env.keys(env.nodes))
    assert not live & listed


def run_until_killed(chain, path, steps):
    """Forks a child that dies at its `steps`-th probe; returns what it acknowledged, and the probe's name."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        count = 0

        def probe(point):
            nonlocal count
            count += 1
            if count == steps:
                os.write(writer, b"%s\n" % point.encode())
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            chain.run(chain.open_store(path, probe), 40, lambda version: os.write(writer, b"%d\n" % version))
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        *versions, point = pipe.read().split()
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return [int(version) for version in versions], point.decode()


def crash_through(chain, path, kills):
    model, acknowledged, points = Model(chain), 0, set()
    for steps in kills:
        for each in (steps, 1 + steps % 4):  # the second dies while it opens, if there is something to clean
            versions, point = run_until_killed(chain, path, each)
            points.add(point)
            acknowledged = max([acknowledged, *versions])
        store = chain.open_store(path)
        model.check(store, acknowledged, kills=2)
        acknowledged = store.version
        store.close()
    return points


ALL_POINTS = {
    "founded",
    "begun",
    "logged",
    "slice",
    "point",
    "orphans",
    "pruned",
    "deleted",
    "written",
    "stored",
    "cleaned",
}


def test_a_kill_at_every_point(chain, tmp_path):
    assert crash_through(chain, tmp_path / "db", range(1, 70, 2)) == ALL_POINTS


@pytest.mark.exhaustive
def test_kills_at_every_step_from_many_states(chain, tmp_path):
    rng = random.Random(5)
    for number in range(6):
        kills = [rng.randrange(1, 150) for _ in range(60)]
        passed = crash_through(chain, tmp_path / str(number), kills)
        assert passed | {"founded"} == ALL_POINTS  # which is passed once, and mostly before the first kill


def wait_for_a_block(child):
    line = child.stdout.readline()
    assert line, "the child ended by itself"
    return int(line)


def test_kill_9_at_random_times(chain, tmp_path):
    rng, model, last = random.Random(SEED), Model(chain), 0
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(rounds(8, 40)):
        child = subprocess.Popen(
            [sys.executable, str(Path(chain.__file__)), str(tmp_path / "db")],
            stdout=subprocess.PIPE,
            env=environment,
        )
        last = max(last, wait_for_a_block(child))
        time.sleep(rng.random() * 0.05)
        child.kill()
        last = max([last, *map(int, child.stdout.read().split())])
        child.wait()
        child.stdout.close()
        store = chain.open_store(tmp_path / "db")
        model.check(store, last)
        last = store.version
        store.close()
    assert last > rounds(8, 40)
