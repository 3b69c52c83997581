"""`localnet.toml`: what `pyibc localnet up` makes in a project's folder."""

import pytest
from click.testing import CliRunner

from localnet.errors import BadSettings
from localnet.network import NetworkPlan
from localnet.settings import FILE, read_plan
from pyibc.cli import localnet as cli


def test_what_a_file_leaves_out_is_as_without_a_file(tmp_path):
    assert read_plan(tmp_path) is None
    (tmp_path / FILE).write_text('name = "mine"\nplugins = ["mine.chain:plugins"]\n')
    plan = read_plan(tmp_path)
    assert plan.name == "mine"
    assert NetworkPlan(**plan.plan()) == NetworkPlan(plugins=("mine.chain:plugins",))


@pytest.mark.parametrize(
    "text",
    [
        "chain = 2",
        "chains = 0",
        'prefix = "Upper"',
        "chains = [",
        'consensus = "none"',
        "\x00",
        "a = " + "[" * 9999,
        "#" * 65537,
    ],
    ids=["unknown key", "range", "prefix", "syntax", "consensus", "control", "depth", "size"],
)
def test_a_malformed_file_is_refused_by_its_path(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(BadSettings, match=FILE):
        read_plan(tmp_path)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The networks that `up` makes, without processes."""
    plans = []

    class Recorded:
        exists = False

        def __init__(self, name):
            self.name = name

        def create(self, plan):
            plans.append((self.name, plan))
            Recorded.exists = True

        def differing(self, wanted):
            assert wanted == {}
            return {}

        def up(self):
            return []

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "Network", Recorded)
    return plans


def test_up_makes_the_network_of_the_file_and_starts_it_again(tmp_path, made):
    (tmp_path / FILE).write_text('name = "mine"\nchains = 1\nplugins = ["mine.chain:plugins"]\n')
    runner = CliRunner()
    assert runner.invoke(cli.command, ["up", "--validators", "2", "--plugin", "more:plugins"]).exit_code == 0
    assert runner.invoke(cli.command, ["up"]).exit_code == 0
    plan = NetworkPlan(chains=1, validators=2, plugins=("mine.chain:plugins", "more:plugins"))
    assert made == [("mine", plan)]
    cli.Network.exists = False
    assert runner.invoke(cli.command, ["up", "--name", "other"]).exit_code == 0
    assert made[1:] == [("other", NetworkPlan())]  # which the file is not about


def test_a_malformed_file_is_one_line_for_every_command(tmp_path, made):
    (tmp_path / FILE).write_text("chains = [")
    for command in ("up", "status"):
        done = CliRunner().invoke(cli.command, [command])
        assert done.exit_code == 1
        assert FILE in done.stderr
        assert len(done.stderr.splitlines()) == 1
