"""Packet guards: no replay, and no effects of failed callbacks."""

from tools.guards.mutant import Mutant, moved

PACKETS = "tests/road/test_security_packets.py::"
COINS = "tests/road/test_security_transfers.py::"
V2 = "tests/unit/handlers/packet_v2/test_security.py::"
UNIT = "tests/unit/handlers/packet/"
RECV = f"{UNIT}test_recv.py::"
RECV_V2 = "tests/unit/handlers/packet_v2/test_recv.py::"
APP_V2 = "tests/unit/ibc_module/apps/transfer/test_app_v2.py::"

H4 = (
    Mutant(
        "h4-recv-undone-events-keep-their-names",
        "handlers/packet/recv.py",
        (("ctx.emit(channel_events.callback_error(event))", "ctx.emit(event)"),),
        (
            f"{COINS}test_h4_a_failed_receive_emits_only_renamed_events",
            f"{RECV}test_h4_a_refusing_application_leaves_its_answer_and_nothing_else",
        ),
    ),
    Mutant(
        "h4-recv-failed-callback-is-kept",
        "handlers/packet/recv.py",
        (("branch.discard() if answer is not None and not answer.success else ()", "()"),),
        (
            f"{PACKETS}test_h36_an_error_answer_keeps_the_receipt_and_none_of_the_applications_writes",
            f"{RECV}test_h4_a_refusing_application_leaves_its_answer_and_nothing_else",
        ),
    ),
    Mutant(
        "h4-recv-v2-undone-events-keep-their-names",
        "handlers/packet_v2/recv.py",
        (("ctx.emit(callback_error(event))", "ctx.emit(event)"),),
        (f"{RECV_V2}test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more",),
    ),
    Mutant(
        "h4-recv-v2-failed-callback-is-kept",
        "handlers/packet_v2/recv.py",
        (("branch.discard() if answer == (SENTINEL,) else ()", "()"),),
        (f"{RECV_V2}test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more",),
    ),
    Mutant(
        "h4-attributes-keep-their-names",
        "ibc_core/channel/events.py",
        (("(CALLBACK_ERROR_PREFIX + key, value)", "(key, value)"),),
        (f"{COINS}test_h4_a_failed_receive_emits_only_renamed_events",),
    ),
    Mutant(
        "h4-indexer-counts-undone-events",
        "ibc_indexer/packets.py",
        (
            (
                "        if kind in CHANNEL_TYPES:\n            walker.packet(index, kind, dict(attributes))",
                """        kind = kind.removeprefix("ibccallbackerror-")
        attributes = [(key.removeprefix("ibccallbackerror-"), value) for key, value in attributes]
        if kind in CHANNEL_TYPES:
            walker.packet(index, kind, dict(attributes))""",
            ),
        ),
        (f"{PACKETS}test_h4_the_indexer_counts_no_undone_event",),
    ),
)

_DELETE = "    keepers.packets.delete_commitment(ctx, packet)\n"
_DELETE_V2 = "    keepers.v2.packets.delete_commitment(ctx, packet)\n"
_REENTRANT = f"{PACKETS}test_h5_reentrant_app_cannot_be_refunded_twice"
_GONE = f"{PACKETS}test_h5_the_commitment_is_gone_before_the_application_is_told"
_REENTRANT_V2 = f"{V2}test_h5_reentrant_app_is_told_once"
_GONE_V2 = f"{V2}test_h5_the_commitment_is_gone_before_the_application_is_told"

H5 = (
    moved(
        "h5-timeout-deletes-after-the-callback",
        "handlers/packet/timeout.py",
        _DELETE,
        "    app.on_timeout_packet(ctx, TimedOut(end_on_a.version, packet, relayer))\n",
        _REENTRANT,
        _GONE,
        f"{COINS}test_h5_reentrant_app_cannot_be_refunded_twice",
    ),
    Mutant(
        "h5-timeout-never-deletes",
        "handlers/packet/timeout.py",
        ((_DELETE, ""),),
        (
            _REENTRANT,
            _GONE,
            f"{PACKETS}test_h38_a_second_timeout_on_close_does_nothing",
        ),
    ),
    moved(
        "h5-acknowledge-deletes-after-the-callback",
        "handlers/packet/acknowledge.py",
        _DELETE,
        "    app.on_acknowledgement_packet(ctx, acknowledged)\n",
        _REENTRANT,
        _GONE,
        f"{COINS}test_h5_reentrant_app_cannot_be_refunded_twice_for_an_error",
    ),
    moved(
        "h5-recv-marks-after-the-callback",
        "handlers/packet/recv.py",
        "    mark_received(keepers, ctx, packet, end_on_b.ordering)\n",
        "    answer = _run(ctx, app, Received(end_on_b.version, packet, relayer))\n",
        f"{PACKETS}test_h5_reentrant_app_cannot_receive_twice",
        f"{COINS}test_h5_reentrant_app_cannot_be_paid_twice",
    ),
    Mutant(
        "h5-timeout-on-close-asks-for-no-commitment",
        "handlers/packet/timeout_on_close.py",
        (
            (
                "    if commitment is None:\n        return REDUNDANT\n",
                "    commitment = packet_commitment(packet)\n",
            ),
        ),
        (_REENTRANT, f"{PACKETS}test_h38_a_second_timeout_on_close_does_nothing"),
    ),
    moved(
        "h5-timeout-v2-deletes-after-the-callback",
        "handlers/packet_v2/timeout.py",
        _DELETE_V2,
        "        app.on_timeout_packet(ctx, timed_out)\n",
        _REENTRANT_V2,
        _GONE_V2,
    ),
    moved(
        "h5-acknowledge-v2-deletes-after-the-callback",
        "handlers/packet_v2/acknowledge.py",
        _DELETE_V2,
        "        app.on_acknowledgement_packet(ctx, acknowledged)\n",
        _REENTRANT_V2,
        _GONE_V2,
    ),
    moved(
        "h5-recv-v2-marks-after-the-callback",
        "handlers/packet_v2/recv.py",
        "    keepers.v2.packets.set_receipt(ctx, packet)\n",
        "    answer = _run(ctx, verified, received)\n",
        _REENTRANT_V2,
        f"{V2}test_h5_the_receipt_is_there_before_the_application_runs",
    ),
)

_CANONICAL = "        check_canonical(acknowledged.acknowledgement)\n"
_CANONICAL_V2 = "    check_canonical(acknowledgement)\n"

H7 = (
    Mutant(
        "h7-transfer-takes-any-form",
        "ibc_module/apps/transfer/app.py",
        ((_CANONICAL, ""),),
        (f"{COINS}test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement",),
    ),
    Mutant(
        "h7-transfer-v2-takes-any-form",
        "ibc_module/apps/transfer/app_v2.py",
        ((_CANONICAL_V2, ""),),
        (f"{APP_V2}test_h9_answers_that_are_none_refund_nothing",),
    ),
    Mutant(
        "h8-core-takes-any-form",
        "handlers/packet/acknowledge.py",
        (("    check_canonical(msg.acknowledgement)\n", ""),),
        (f"{PACKETS}test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement",),
    ),
    Mutant(
        "h7-every-form-is-canonical",
        "ibc_core/packet/acknowledgement.py",
        (("parsed is not None and encode(parsed) != acknowledgement", "False"),),
        (
            f"{COINS}test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement",
            f"{PACKETS}test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement",
            f"{APP_V2}test_h9_answers_that_are_none_refund_nothing",
        ),
    ),
)
