"""The table of questions, and the page that says where ibc-go answers otherwise."""

from conformance.peers.grpc_cases import CASE_GROUPS
from conformance.peers.tx_cases import TX_CASES

ASKS = [ask for group in CASE_GROUPS for ask in group()]


def test_differences_stand_in_the_docs(pytestconfig):
    root = pytestconfig.rootpath
    text = (root / "docs/grpc.md").read_text(encoding="utf-8")
    assert {ask.differs[2] for ask in ASKS if ask.differs and f"| {ask.differs[2]} |" not in text} == set()


def test_the_docs_count_right(pytestconfig):
    root = pytestconfig.rootpath
    grpc, interop = (
        " ".join((root / "docs" / name).read_text(encoding="utf-8").split())
        for name in ("grpc.md", "interop.md")
    )
    assert f"the same {len(ASKS)} questions" in grpc
    assert f"{len(ASKS)} gRPC questions" in interop
    assert f"{len(TX_CASES)} of them" in grpc
    assert f"{len(TX_CASES)} odd transactions" in interop
