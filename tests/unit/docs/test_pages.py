"""What the documentation says is true: its code runs, its names exist, its tables are the sources'."""

import ast
import importlib.util
import re
import sys
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from pyibc.chain import HostApp, HostConfig, LeaveOut
from pyibc.chain.parts import STANDARD
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import CallbackAddressNotFound, InvalidRequest
from pyibc.core.setup_error import InvalidGenesis
from pyibc.queues.types import End, Role, queue_name
from pyibc.testing.pair import ibc_plugins, two_chains
from pyibc.testing.transfers import abroad, supply, transfer, transfer_v2

ROOT = Path(__file__).parents[3]
LINK = re.compile(r"\[`([\w.]+)`\]\(\.\./([\w/.]+)\)")


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def run(page: Path, names: dict) -> dict:
    """Runs a page's blocks as one program; line numbers in a traceback count from its first block."""
    for number, block in enumerate(blocks(page), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    return names


def test_the_embedding_guide_runs() -> None:
    page = ROOT / "docs" / "embedding.md"
    assert len(blocks(page)) >= 10
    names = run(page, {"__name__": "guide"})
    counter = names["Counter"]()  # CometBFT drives it in interop/test_comet_one.py
    block = SimpleNamespace(txs=[b"count", b"other", b"count"])
    assert counter.finalize_block(block).app_hash == bytes([0] * 7 + [2])
    assert (counter.commit(), counter.info(None).last_block_height, counter.count) == (0, 1, 2)


def test_the_guide_to_middleware_runs() -> None:
    page = ROOT / "docs" / "middleware.md"
    assert len(blocks(page)) == 4
    names = run(page, {"__name__": "guide"})
    plugin, pair, path = names["CountedNoMemosPlugin"](), names["pair"], names["path"]
    assert b64decode(names["kept"]["key"]) == path.b.channel_id.encode()
    with pytest.raises(InvalidRequest):
        pair.b.endpoint.grpc(names["QUERY"], b"\xff")
    ctx = pair.b.chain.app.query_context()
    with pytest.raises(InvalidGenesis, match="is no number"):
        plugin.chain_init_genesis(ctx, {"refusals": {"entries": [{"key": "eA==", "value": "eA=="}]}})
    pair.close()


def test_the_page_of_packet_forwarding_runs() -> None:
    page = ROOT / "docs" / "packet-forwarding.md"
    assert len(blocks(page)) == 1
    names = run(page, {"__name__": "guide"})
    assert names["net"].c.balance("bob", names["there"].coin_denom) == 5


def test_a_refusal_holds_over_channels_and_over_clients() -> None:
    names: dict = {"__name__": "guide"}
    for block in blocks(ROOT / "docs" / "middleware.md")[:1]:
        exec(block, names)
    pair = two_chains(plugins=lambda: [*ibc_plugins(), names["NoMemosPlugin"]()])
    path, path_v2 = pair.open("transfer", Order.UNORDERED, "ics20-1"), pair.open_clients()
    bob = pair.b.address("bob")
    for message in (
        transfer(pair.a, "alice", path.a, "stake", 5, bob, memo="hello"),
        transfer_v2(pair.a, "alice", path_v2.a, "stake", 6, bob, memo="hello"),
    ):
        assert pair.a.execute("alice", message).code == 0
    assert pair.a.balance("alice", "stake") == 10**12 - 11
    pair.relay(path, path_v2)
    assert pair.a.balance("alice", "stake") == 10**12
    assert [supply(pair.b, abroad("stake", end).coin_denom) for end in (path.b, path_v2.b)] == [0, 0]
    pair.close()


def test_the_page_on_callbacks_runs() -> None:
    page = ROOT / "docs" / "callbacks.md"
    assert len(blocks(page)) == 3
    names = run(page, {"__name__": "callbacks"})
    pair, message = names["pair"], names["memo"].replace("receipts", "nobody")
    sent = transfer(pair.a, "alice", names["path"].a, "stake", 1, pair.b.address("bob"), memo=message)
    assert pair.a.execute("alice", sent).code == CallbackAddressNotFound.code
    pair.close()


def test_the_page_on_rate_limits_runs() -> None:
    page = ROOT / "docs" / "rate-limits.md"
    assert len(blocks(page)) == 5
    names = run(page, {"__name__": "guide"})
    (limit,) = names["found"].rate_limits
    assert (limit.flow.outflow, limit.flow.inflow) == ("0", "0")
    names["pair"].close()


def test_the_page_on_interchain_accounts_runs() -> None:
    page = ROOT / "docs" / "interchain-accounts.md"
    assert len(blocks(page)) == 4
    names = run(page, {"__name__": "guide"})
    for message in (names["only_sends"], names["off"]):
        message.check(names["net"].a.chain.app)
    names["net"].close()


def test_the_page_on_applications_runs() -> None:
    page = ROOT / "docs" / "applications.md"
    assert len(blocks(page)) == 5
    run(page, {"__name__": "applications"})["pair"].close()


def test_the_tutorial_on_applications_runs() -> None:
    run(ROOT / "docs" / "tutorials" / "own-application.md", {"__name__": "tutorial"})


def test_the_guide_to_light_clients_runs() -> None:
    names = run(ROOT / "docs" / "light-clients.md", {"__name__": "guide"})
    assert (names["done"].delivered, names["done"].given_up) == (2, {})
    names["chains"].close()


def test_the_page_on_attestations_runs() -> None:
    page = ROOT / "docs" / "attestations.md"
    assert len(blocks(page)) == 6
    names = run(page, {"__name__": "attestations"})
    assert names["proof"].attestation_data != names["update"].attestation_data


def test_the_page_on_calls_runs() -> None:
    page = ROOT / "docs" / "gmp.md"
    assert len(blocks(page)) == 5
    names = run(page, {"__name__": "calls"})
    assert names["failed"]["ibccallbackerror-success"] == "false"
    assert names["account"] != names["bob"]


def test_the_readme_runs() -> None:
    pair = run(ROOT / "README.md", {"__name__": "readme"})["pair"]
    assert pair.a.balance("alice", "stake") == 10**12 - 5
    pair.close()


def test_the_page_of_the_test_kit_runs() -> None:
    page = ROOT / "pyibc" / "testing" / "README.md"
    assert len(blocks(page)) == 3
    names = run(page, {"__name__": "kit"})
    assert names["path"].a.port_id == "ping"


def test_the_page_of_a_chain_runs() -> None:
    page = ROOT / "docs" / "chain.md"
    assert len(blocks(page)) == 3
    own = blocks(page)[0]
    assert len(own.strip().splitlines()) <= 80  # one message and one packet
    names = run(page, {"__name__": "notes"})
    assert names["refused"].log.endswith("is not a member")


def needs() -> list[tuple[str, set[str]]]:
    """Query methods in the table of a chain's needs, with the parts that its row names."""
    section = (ROOT / "docs" / "chain.md").read_text().partition("## What relayers and wallets need")[2]
    rows = [line.split("|")[3:5] for line in section.partition("## Reference")[0].splitlines() if "|" in line]
    return [
        (f"/{name}", {*re.findall(r"`(\w+)`", brought)} & {*STANDARD})
        for how, brought in rows
        for name in re.findall(r"`((?:cosmos|ibc|pyibc)\.[\w.]+/\w+)`", how)
    ]


def test_the_host_answers_what_relayers_and_wallets_need() -> None:
    found = needs()
    assert len(found) >= 8
    answered = HostApp(HostConfig("a-1"), ibc_plugins()).grpc_paths()
    assert [name for name, _ in found if name not in answered] == []


@pytest.mark.parametrize("part", ["node_queries", "proof_queries", "simulation"])
def test_a_need_is_brought_by_the_part_in_its_row(part) -> None:
    app = HostApp(HostConfig("a-1"), [*ibc_plugins(), LeaveOut(part)])
    lost = {name for name, _ in needs() if name not in app.grpc_paths()}
    assert lost == {name for name, parts in needs() if part in parts} != set()


def test_the_page_on_queues_runs() -> None:
    names = run(ROOT / "docs" / "queue-protocol.md", {"__name__": "queues"})
    alpha, beta = names["alpha"], names["beta"]
    assert names["letters"] == [b"thank you", b"queue/15", b"thank you"]
    read = [beta.get(b"read/%d" % number, names["STORE"]) for number in range(3)]
    assert read == [b"good morning", None, b"good night"]
    assert (names["metrics"].delivered, names["metrics"].given_up) == (3, {})
    assert names["noted"] == b"milk"
    shown = names["shown"]
    assert (shown.end.state, shown.end.counterparty.channel_id) == (ChannelState.OPEN, "gamma-writes")
    assert shown.proof
    for endpoint in (alpha, beta, names["gamma"], names["delta"]):
        endpoint.chain.close()


def defined_in(path: Path) -> set[str]:
    """Functions, classes, methods as `Class.method`, and assigned names of a module."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("page", ["road-of-a-packet.md", "road-of-a-client-update.md"])
def test_a_road_names_what_is_there(page) -> None:
    links = LINK.findall((ROOT / "docs" / page).read_text())
    assert len(links) > 15
    missing = [(name, file) for name, file in links if name not in defined_in(ROOT / file)]
    assert missing == []


def test_links_lead_somewhere() -> None:
    pages = [*(ROOT / "docs").glob("**/*.md"), *ROOT.glob("*.md")]
    assert len(pages) > 70
    for page in sorted(pages):
        if page.name == "CHANGELOG.md":
            continue
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), (page.name, target)


@pytest.mark.parametrize("page", ["embedding.md", "queue-protocol.md"])
def test_paths_in_a_guide_exist(page) -> None:
    text = (ROOT / "docs" / page).read_text()
    folders = "pyibc/examples|handlers|ibc_module|keepers|light_client|localnet|proto|tests"
    names = re.findall(rf"`((?:{folders})/[\w/.]+)`", text)
    assert names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_picture_of_the_queues_is_one() -> None:
    root = ElementTree.parse(ROOT / "docs" / "queues.svg").getroot()
    names = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    ends = End("alpha-1"), End("beta-1")
    both = [(*ends, role) for role in Role] + [(*ends[::-1], role) for role in Role]
    assert {queue_name(*each) for each in both} <= names


@pytest.mark.registry
def test_the_tables_are_the_sources() -> None:
    tool = load_tool()
    assert tool.main(["--check"]) == 0, "run python tools/docs.py"


def test_a_stale_table_is_found(tmp_path, monkeypatch, capsys) -> None:
    tool = load_tool()
    pages = tmp_path / "docs"
    pages.mkdir()
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "HOOKSPECS", ROOT / "ibc_module" / "hookspecs.py")
    for made in (
        "api.api_page",
        "index_tables.index_tables_page",
        "security.security_tests_page",
        "support.support_page",
    ):
        monkeypatch.setattr(f"tools.{made}", lambda: "as made above")
    assert tool.main(["--check"]) == 1
    assert tool.main([]) == 0
    page = pages / "errors.md"
    page.write_text(page.read_text().replace("| 2 | `ChannelExists`", "| 3 | `ChannelExists`"))
    capsys.readouterr()
    assert tool.main(["--check"]) == 1
    assert capsys.readouterr().out.startswith("docs/errors.md is out of date")


def load_tool():
    spec = importlib.util.spec_from_file_location("docs_tool", ROOT / "tools" / "docs.py")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module
