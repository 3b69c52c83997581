"""The table of questions, and the page that says where ibc-go answers otherwise."""

from conformance.peers.odd_transactions import ODD
from conformance.peers.questions import GROUPS

ASKS = [ask for group in GROUPS for ask in group()]


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
    assert f"{len(ODD)} of them" in grpc
    assert f"{len(ODD)} odd transactions" in interop
