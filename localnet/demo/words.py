"""Lines that more than one demo says."""

from ibc_relayer.metrics import Metrics


def relayer_line(done: Metrics) -> str:
    """What a relayer did."""
    cpu_ms = sum(done.cpu_ns.values()) / 1e6
    cleaned = f", {done.cleaned_up} receipts cleaned up" if done.cleaned_up else ""
    return (
        f"the relayer: {done.delivered} delivered, {done.acknowledged} acknowledged,"
        f" {done.timed_out} timed out{cleaned} in {done.transactions} transactions with"
        f" {done.updates} client updates, {cpu_ms:.0f} ms CPU (the chains' work in it included)"
    )
