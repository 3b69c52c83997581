"""Guards of packet forwarding: coins on their way on come back, or arrive, once, and are nobody else's."""

from tools.guards.mutant import Mutant

_UNIT = "tests/unit/ibc_module/apps/packet_forward/test_layers.py::"
_ROAD = "tests/road/test_packet_forward.py::"
_MEMOS = "tests/unit/ibc_core/packet_forward/test_metadata.py::"
_LAW = (
    "tests/properties/test_forwarding_conservation.py::test_h170_no_schedule_of_forwards_loses_or_makes_coins"
)

_COINS = "ibc_module/apps/packet_forward/coins.py"
_MOVES = "ibc_module/apps/transfer/escrow_moves.py"
_LAYERS = "ibc_module/apps/packet_forward/layers.py"
_FORWARDER = "ibc_module/apps/packet_forward/forwarder.py"
_METADATA = "ibc_core/packet_forward/metadata.py"
_STATE = "ibc_module/apps/packet_forward/state.py"

_MINTED = (
    f"{_UNIT}test_h170_vouchers_burned_on_the_way_home_are_made_again_in_escrow",
    f"{_ROAD}test_h170_coins_that_were_burned_in_the_middle",
    _LAW,
)
_BURNED = (
    f"{_UNIT}test_h170_vouchers_made_here_are_burned_again",
    f"{_ROAD}test_h170_vouchers_that_the_middle_made",
    _LAW,
)
_MOVED = (
    f"{_UNIT}test_h170_coins_of_this_chain_go_back_into_the_escrow_they_came_out_of",
    f"{_ROAD}test_h170_the_middles_own_coins",
    _LAW,
)
_TRIED = f"{_UNIT}test_a_timeout_is_tried_again_after_ics_20_refunded"

H170 = (
    Mutant(
        "h170-burned-coins-are-not-made-again",
        _COINS,
        (("        if came_over(data.denom, *onward):\n", "        if False:\n"),),
        _MINTED,
    ),
    Mutant(
        "h170-vouchers-are-moved-and-not-burned",
        _COINS,
        (("        elif came_over(data.denom, *back):\n", "        elif False:\n"),),
        _BURNED,
    ),
    Mutant(
        "h170-coins-stay-in-the-escrow-of-the-way-on",
        _COINS,
        (("            moves.move(ctx, amount, onward, back)\n", "            pass\n"),),
        _MOVED,
    ),
    Mutant(
        "h170-made-coins-are-not-in-the-total",
        _MOVES,
        (("        state.more_in_escrow(ctx, amount)\n", ""),),
        _MINTED,
    ),
    Mutant(
        "h170-burned-coins-stay-in-the-total",
        _MOVES,
        (("        state.less_in_escrow(ctx, amount)\n", ""),),
        _BURNED,
    ),
    Mutant(
        "h170-a-failure-is-answered-without-a-refund",
        _FORWARDER,
        (("        if not answer.success:\n", "        if False:\n"),),
        (*_MINTED, *_BURNED, *_MOVED),
    ),
    Mutant(
        "h170-a-try-is-sent-before-the-refund",
        _LAYERS,
        (
            (
                "        self.below.on_timeout_packet(ctx, timed_out)\n        return self._f",
                "        return self._f",
            ),
        ),
        (_TRIED, _LAW),
    ),
    Mutant(
        "h170-tries-have-no-end",
        _FORWARDER,
        (("waiting.retries_remaining - 1", "waiting.retries_remaining"),),
        (_TRIED,),
    ),
)

H171 = (
    Mutant(
        "h171-the-sender-chooses-the-account",
        _LAYERS,
        (("receiver=account, memo", "receiver=data.receiver, memo"),),
        (f"{_UNIT}test_h171_the_receiver_named_in_the_packet_gets_nothing",),
    ),
    Mutant(
        "h171-one-account-for-all-channels",
        _FORWARDER,
        (('f"{channel_id}/{sender}"', 'f"/{sender}"'),),
        (f"{_UNIT}test_h171_the_account_is_of_a_channel_and_a_sender",),
    ),
    Mutant(
        "h171-one-account-for-all-senders",
        _FORWARDER,
        (('f"{channel_id}/{sender}"', 'f"{channel_id}/"'),),
        (f"{_UNIT}test_h171_the_account_is_of_a_channel_and_a_sender",),
    ),
    Mutant(
        "h171-names-are-not-checked",
        _LAYERS,
        (("            hops[0].validate()\n", ""),),
        (f"{_UNIT}test_what_is_asked_for_wrongly_is_refused_before_anything_is_received",),
    ),
    Mutant(
        "h171-what-was-refused-below-is-sent-on",
        _LAYERS,
        (("        if not answer.success:\n", "        if False:\n"),),
        (f"{_UNIT}test_what_was_not_received_is_not_sent_on",),
    ),
)

H172 = (
    Mutant(
        "h172-numbers-out-of-range-are-read",
        _METADATA,
        (("    return None if has_overflow(raw) else content\n", "    return content\n"),),
        (f"{_MEMOS}test_what_asks_for_no_forwarding",),
    ),
    Mutant(
        "h172-the-first-of-two-names-counts",
        _METADATA,
        (("dict(following.members)", "dict(reversed(following.members))"),),
        (f"{_MEMOS}test_one_hop",),
    ),
    Mutant(
        "h172-escaped-keys-are-not-looked-for",
        _LAYERS,
        (("    return _KEY in data or _ESCAPED in data\n", "    return _KEY in data\n"),),
        (f"{_UNIT}test_the_key_may_be_spelt_with_escapes",),
    ),
)

H173 = (
    Mutant(
        "h173-what-was-answered-is-answered-again",
        _LAYERS,
        (
            (
                "        state.remove_in_flight(ctx, packet)\n        return self._forwarder.settle",
                "        return self._forwarder.settle",
            ),
        ),
        (f"{_UNIT}test_h173_what_is_settled_is_forgotten",),
    ),
    Mutant(
        "h173-what-timed-out-stays-in-flight",
        _LAYERS,
        (("        state.remove_in_flight(ctx, packet)\n        if waiting", "        if waiting"),),
        (_TRIED, _LAW),
    ),
    Mutant(
        "h173-any-packet-of-the-channel-settles-it",
        _STATE,
        (('f"{channel_id}/{port_id}/{sequence}"', 'f"{channel_id}/{port_id}/"'),),
        (f"{_UNIT}test_h173_only_the_very_packet_settles_it",),
    ),
)

_NO_VERDICT = "        except NO_VERDICT:\n            raise\n"
_UNANSWERED = f"{_UNIT}test_h174_no_verdict_is_no_answer"

H174 = (
    Mutant("h174-out-of-gas-is-an-answer", _LAYERS, ((_NO_VERDICT, ""),), (_UNANSWERED,)),
    Mutant("h174-out-of-gas-is-a-failed-transfer", _FORWARDER, ((_NO_VERDICT, ""),), (_UNANSWERED,)),
)
