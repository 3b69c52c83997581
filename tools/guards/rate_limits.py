"""Guards of rate limits: what is counted, refused and taken off, and who may say so."""

from tools.guards.mutant import Mutant

FLOOR = "tests/unit/ibc_core/rate_limit/"
LIMIT, EPOCH, MESSAGES = (f"{FLOOR}test_{name}.py::" for name in ("limit", "epoch", "messages"))
APP = "tests/unit/ibc_module/apps/rate_limit/"
V1, V2, PLUGIN, GENESIS = (f"{APP}test_{name}.py::" for name in ("layers", "layers_v2", "plugin", "genesis"))

_LIMIT, _EPOCH, _RULES = (f"ibc_core/rate_limit/{name}.py" for name in ("limit", "epoch", "rules"))
_FLOW, _LAYERS, _LAYERS_V2, _LIMITS, _STATE, _GENESIS, _TRANSFERS, _PLUGIN = (
    f"ibc_module/apps/rate_limit/{name}.py"
    for name in ("flow", "layers", "layers_v2", "limits", "state", "genesis", "transfers", "plugin")
)


def _one(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    return Mutant(name, file, ((old, new),), tests)


THRESHOLDS = (
    _one(
        "h180-numbers-have-no-end",
        _LIMIT,
        "if number.bit_length() > _BITS:",
        "if False:",
        f"{LIMIT}test_h180_integers_beyond_256_bits_are_no_verdict_on_a_packet",
        f"{V1}test_h180_a_flow_beyond_256_bits_leaves_the_packet_unreceived",
        f"{V2}test_h183_neither_gas_nor_a_broken_invariant_is_an_answer",
    ),
    _one(
        "ratelimit-the-threshold-is-refused",
        _LIMIT,
        "net > _checked(value * percent) // 100",
        "net >= _checked(value * percent) // 100",
        f"{LIMIT}test_the_threshold_itself_passes_and_one_more_does_not",
        f"{PLUGIN}test_a_transfer_beyond_the_quota_moves_nothing",
    ),
    _one(
        "ratelimit-no-threshold",
        _LIMIT,
        "if value and net >",
        "if False and net >",
        f"{LIMIT}test_the_threshold_itself_passes_and_one_more_does_not",
        f"{V1}test_what_is_too_much_goes_nowhere",
    ),
    _one(
        "ratelimit-a-coin-without-supply-is-shut-in",
        _LIMIT,
        "if value and net >",
        "if net >",
        f"{LIMIT}test_a_coin_without_supply_has_no_threshold",
    ),
    _one(
        "ratelimit-what-left-makes-no-room",
        _LIMIT,
        "_checked(flow.inflow - flow.outflow)",
        "_checked(flow.inflow)",
        f"{LIMIT}test_what_came_in_makes_room_and_the_other_way_round",
    ),
    _one(
        "ratelimit-what-came-in-makes-no-room",
        _LIMIT,
        "_checked(flow.outflow - flow.inflow)",
        "_checked(flow.outflow)",
        f"{LIMIT}test_what_came_in_makes_room_and_the_other_way_round",
    ),
    _one(
        "ratelimit-an-inflow-below-nothing",
        _LIMIT,
        "max(0, self.flow.inflow - amount)",
        "self.flow.inflow - amount",
        f"{LIMIT}test_what_is_taken_off_never_goes_below_nothing",
    ),
    _one(
        "ratelimit-an-outflow-below-nothing",
        _LIMIT,
        "max(0, self.flow.outflow - amount)",
        "self.flow.outflow - amount",
        f"{V1}test_a_marked_packet_whose_flow_was_reset_is_clamped",
        f"{PLUGIN}test_an_update_empties_the_flow_and_leaves_the_marks",
    ),
)

COUNTING = (
    _one(
        "ratelimit-no-blacklist",
        _FLOW,
        "if state.is_blacklisted(ctx, moved.denom):",
        "if False:",
        f"{V1}test_a_blacklisted_coin_goes_nowhere_with_or_without_a_limit",
        f"{V2}test_the_blacklist_holds_over_clients",
    ),
    _one(
        "ratelimit-no-whitelist",
        _FLOW,
        " or state.is_whitelisted(ctx, moved.sender, moved.receiver)",
        "",
        f"{V1}test_a_whitelisted_pair_is_counted_in_neither_direction_and_only_it",
    ),
    _one(
        "ratelimit-a-refusal-without-an-event",
        _FLOW,
        "_emit_denied(ctx, moved, action, EXCEEDED, error)",
        "pass",
        f"{V2}test_quotas_of_a_client",
    ),
    _one(
        "ratelimit-a-sent-packet-is-not-marked",
        _FLOW,
        "state.note_packet(ctx, _sent(moved), sequence)",
        "pass",
        f"{V1}test_what_leaves_is_counted_and_marked",
        f"{PLUGIN}test_a_refund_gives_the_quota_back",
    ),
    _one(
        "ratelimit-a-received-packet-is-not-marked",
        _FLOW,
        "state.note_packet(ctx, _received(moved), sequence)",
        "pass",
        f"{V1}test_a_packet_that_is_answered_later_stays_marked",
    ),
    _one(
        "ratelimit-packets-of-other-windows-are-taken-off",
        _FLOW,
        "            return\n        state.set_limit(ctx, limit.without_outflow(moved.amount))",
        "            pass\n        state.set_limit(ctx, limit.without_outflow(moved.amount))",
        f"{V1}test_a_packet_of_another_window_gives_nothing_back",
        f"{V1}test_a_packet_from_before_the_limit_gives_nothing_back",
    ),
    _one(
        "ratelimit-late-answers-of-other-windows-are-taken-off",
        _FLOW,
        "            return\n        state.set_limit(ctx, limit.without_inflow(moved.amount))",
        "            pass\n        state.set_limit(ctx, limit.without_inflow(moved.amount))",
        f"{V1}test_a_late_answer_of_another_window_takes_nothing_off",
    ),
    _one(
        "ratelimit-what-arrived-is-taken-off",
        _FLOW,
        "limit = None if arrived else",
        "limit =",
        f"{V1}test_coins_that_arrived_stay_counted",
    ),
    _one(
        "ratelimit-the-sentinel-is-no-refusal",
        _FLOW,
        "    if acknowledgement == SENTINEL:\n        return False\n",
        "",
        f"{V2}test_coins_of_a_client_that_come_back",
    ),
    _one(
        "h182-an-empty-result-is-an-arrival",
        _FLOW,
        "if not answer.result:",
        "if False:",
        f"{V1}test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge",
        f"{V2}test_h182_an_acknowledgement_that_says_nothing_fails_its_message",
    ),
)

LAYERS = (
    _one(
        "h181-v1-an-odd-name-leaves-no-answer",
        _LAYERS,
        "with suppress(RateLimitError):",
        "if True:",
        f"{V1}test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20",
    ),
    _one(
        "h181-v2-an-odd-name-leaves-no-answer",
        _LAYERS_V2,
        "with suppress(RateLimitError):",
        "if True:",
        f"{V2}test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20",
    ),
    _one(
        "h182-an-acknowledgement-is-stuck-behind-the-limits",
        _LAYERS,
        "pass  # as ibc-go: a refund must not be stuck behind the limits",
        "raise",
        f"{V1}test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge",
        f"{V1}test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge",
    ),
    _one(
        "h182-a-timeout-is-stuck-behind-the-limits",
        _LAYERS,
        "pass  # as above",
        "raise",
        f"{V1}test_h182_a_packet_that_is_no_transfer_is_for_ics_20_to_judge",
    ),
    _one(
        "h183-an-acknowledgement-forgives-gas",
        _LAYERS,
        "arrived=arrived)\n        except NO_VERDICT:\n            raise\n",
        "arrived=arrived)\n",
        f"{V1}test_h183_running_out_of_gas_is_never_left_to_ics_20",
    ),
    _one(
        "h183-a-timeout-forgives-gas",
        _LAYERS,
        "arrived=False)\n        except NO_VERDICT:\n            raise\n",
        "arrived=False)\n",
        f"{V1}test_h183_running_out_of_gas_is_never_left_to_ics_20",
    ),
    _one(
        "h183-a-receipt-over-clients-forgives-gas",
        _LAYERS_V2,
        "        except NO_VERDICT:\n            raise\n",
        "",
        f"{V2}test_h183_neither_gas_nor_a_broken_invariant_is_an_answer",
    ),
    _one(
        "ratelimit-nothing-is-an-answer",
        _LAYERS,
        "if not acknowledgement:",
        "if False:",
        f"{V1}test_no_answer_is_none",
    ),
    _one(
        "ratelimit-a-late-answer-leaves-the-mark",
        _LAYERS,
        "        if moved is not None:\n            taken = answer",
        "        if False:\n            taken = answer",
        f"{V1}test_a_late_answer_settles_what_came_in",
    ),
    _one(
        "ratelimit-several-payloads-are-settled-as-one",
        _LAYERS_V2,
        "if len(acknowledgement) == len(packet.payloads) == 1:",
        "if len(acknowledgement) == 1:",
        f"{V2}test_an_answer_to_several_payloads_goes_on",
    ),
    _one(
        "ratelimit-another-version-is-read",
        _TRANSFERS,
        "if payload.version != transfer_state.VERSION:",
        "if False:",
        f"{V2}test_what_is_no_transfer_is_refused_here",
        f"{V2}test_a_late_answer_to_what_is_no_transfer",
    ),
    _one(
        "ratelimit-ibc-names-are-read-as-hops",
        _TRANSFERS,
        "path if path.startswith(_IBC) else ",
        "",
        f"{V1}test_the_names_that_coins_are_counted_by_as_they_leave",
    ),
    _one(
        "ratelimit-coins-come-home-under-another-name",
        _TRANSFERS,
        "path[len(left) :] if path.startswith(left) else ",
        "",
        f"{V1}test_the_names_that_coins_are_counted_by_as_they_come_in",
        f"{PLUGIN}test_what_comes_home_beyond_the_quota_is_refunded_where_it_was",
    ),
)

AUTHORITY = (
    _one(
        "ratelimit-anybody-sets-limits",
        _LIMITS,
        "if signer != self._authority:",
        "if False:",
        f"{PLUGIN}test_messages_that_are_refused",
    ),
    _one(
        "ratelimit-a-limit-of-no-coin",
        _LIMITS,
        "if supply == 0:",
        "if False:",
        f"{PLUGIN}test_limits_that_cannot_be_added",
    ),
    _one(
        "ratelimit-a-limit-is-added-twice",
        _LIMITS,
        "if state.limit(ctx, msg.denom, msg.channel_or_client_id) is not None:",
        "if False:",
        f"{PLUGIN}test_limits_that_cannot_be_added",
    ),
    _one(
        "ratelimit-a-limit-over-nothing",
        _LIMITS,
        "in {Status.UNKNOWN, Status.UNAUTHORIZED}",
        "in {Status.FROZEN}",
        f"{PLUGIN}test_limits_that_cannot_be_added",
    ),
    _one(
        "ratelimit-no-limit-is-changed",
        _LIMITS,
        "        raise RateLimitNotFound(channel_or_client_id[:64], denom[:128])",
        "        return RateLimit(denom, channel_or_client_id, Quota(1, 1, 1), new_flow(0))",
        f"{PLUGIN}test_what_is_not_limited_cannot_be_changed",
    ),
    _one(
        "ratelimit-a-new-window-keeps-old-marks",
        _LIMITS,
        "            state.forget_packets(ctx, state.packets_prefix(kind, end, denom))",
        "            pass",
        f"{PLUGIN}test_a_reset_empties_the_flow_and_the_marks_of_this_limit_only",
    ),
    _one(
        "h184-an-hour-beyond-the-store-halts-the-chain",
        _LIMITS,
        "return  # beyond the year 9999",
        "raise  # beyond the year 9999",
        f"{PLUGIN}test_h184_an_hour_that_cannot_be_stored_does_not_stop_the_chain",
    ),
    _one(
        "ratelimit-every-hour-ends-every-window",
        _LIMITS,
        "if hours and following.epoch_number % hours == 0:",
        "if hours:",
        f"{PLUGIN}test_windows_end_when_the_hour_s_number_is_a_multiple_of_theirs",
    ),
    _one(
        "ratelimit-rates-without-a-bank",
        _PLUGIN,
        "if given.bank is None:",
        "if False:",
        f"{PLUGIN}test_a_host_without_coins_is_told_so",
    ),
    _one(
        "ratelimit-a-blank-signer",
        _RULES,
        "if is_blank(signer):",
        "if False:",
        f"{MESSAGES}test_who_and_what",
    ),
    _one("ratelimit-a-blank-coin", _RULES, "if not denom:", "if False:", f"{MESSAGES}test_who_and_what"),
    _one(
        "ratelimit-any-end",
        _RULES,
        "if not _is_channel(channel_or_client_id) and not _is_client(channel_or_client_id):",
        "if False:",
        f"{MESSAGES}test_ends_that_are_neither_channels_nor_clients",
    ),
    _one(
        "ratelimit-any-percentage",
        _RULES,
        "if not 0 <= percent <= _ALL:",
        "if False:",
        f"{MESSAGES}test_quotas_that_make_no_sense",
    ),
    _one(
        "ratelimit-an-absent-percentage",
        "ibc_core/rate_limit/limit.py",
        '_read_int(text or "0")',
        "_read_int(text)",
        f"{MESSAGES}test_a_percentage_that_is_absent_is_zero",
    ),
    _one(
        "ratelimit-nothing-may-move",
        _RULES,
        "if max_percent_send == max_percent_recv == 0:",
        "if False:",
        f"{MESSAGES}test_quotas_that_make_no_sense",
    ),
    _one(
        "ratelimit-a-window-of-no-hours",
        _RULES,
        "if duration_hours == 0:",
        "if False:",
        f"{MESSAGES}test_quotas_that_make_no_sense",
    ),
    _one(
        "ratelimit-a-signer-that-is-none",
        _RULES,
        '        raise InvalidSdkAddress(signer[:64], "invalid signer address") from error',
        "        return",
        f"{MESSAGES}test_who_and_what",
    ),
)

STORED = (
    _one(
        "ratelimit-an-unset-hour-passes",
        _EPOCH,
        "if not self.is_set or time_ns <= end_ns:",
        "if time_ns <= end_ns:",
        f"{EPOCH}test_hours_that_nobody_set_do_not_pass",
    ),
    _one(
        "ratelimit-an-hour-ends-too-early",
        _EPOCH,
        "time_ns <= end_ns",
        "time_ns < end_ns",
        f"{EPOCH}test_an_hour_ends_after_its_last_nanosecond",
    ),
    _one(
        "h184-a-start-outside-the-calendar",
        _EPOCH,
        "if not is_timestamp(seconds, nanos):",
        "if False:",
        f"{EPOCH}test_what_does_not_fit_the_store",
    ),
    _one(
        "h184-a-number-beyond-64-bits",
        _EPOCH,
        "if not 0 <= self.epoch_number <= MAX_U64:",
        "if False:",
        f"{EPOCH}test_what_does_not_fit_the_store",
    ),
    _one(
        "h184-hours-of-no-length",
        _EPOCH,
        "if not 0 < abs(self.duration_ns) <= _MAX_DURATION_NS:",
        "if False:",
        f"{EPOCH}test_what_does_not_fit_the_store",
    ),
    _one(
        "h184-a-height-beyond-64-bits",
        _EPOCH,
        "if not -MAX_I64 - 1 <= self.start_height <= MAX_I64:",
        "if False:",
        f"{EPOCH}test_what_does_not_fit_the_store",
    ),
    _one(
        "ratelimit-any-end-in-a-key",
        _STATE,
        "if not is_packet_id(channel_or_client_id):",
        "if False:",
        f"{GENESIS}test_names_that_no_key_can_have",
    ),
    _one(
        "ratelimit-any-coin-in-a-key",
        _STATE,
        'if not denom or "\\0" in denom:',
        "if False:",
        f"{GENESIS}test_names_that_no_key_can_have",
        f"{V1}test_h181_a_name_that_no_key_can_have_leaves_the_answer_to_ics_20",
    ),
    _one(
        "ratelimit-any-percentage-in-a-genesis",
        _GENESIS,
        "if not (0 <= quota.max_percent_send <= 100 and 0 <= quota.max_percent_recv <= 100):",
        "if False:",
        f"{GENESIS}test_a_bad_genesis_is_refused_by_key",
    ),
    _one(
        "ratelimit-any-flow-in-a-genesis",
        _GENESIS,
        "if not all(0 <= number <= MAX_U256 for number in flow):",
        "if False:",
        f"{GENESIS}test_a_bad_genesis_is_refused_by_key",
    ),
    _one(
        "ratelimit-a-limit-comes-twice-in-a-genesis",
        _GENESIS,
        "        require_new(state.limit_entry(unpack(RateLimit, item))[0], limits, key)\n",
        "",
        f"{GENESIS}test_a_bad_genesis_is_refused_by_key",
    ),
    _one(
        "ratelimit-any-packet-in-a-genesis",
        _GENESIS,
        "            if not _is_unnamed(name):\n                require(_check_packet",
        "            if False:\n                require(_check_packet",
        f"{GENESIS}test_a_bad_genesis_is_refused_by_key",
    ),
    _one(
        "ratelimit-any-hour-in-a-genesis",
        _GENESIS,
        '        require(HourEpoch.validate, given, f"{ENTRY}.hour_epoch")',
        "        pass",
        f"{GENESIS}test_a_bad_genesis_is_refused_by_key",
    ),
    _one(
        "ratelimit-packets-without-a-coin-are-kept",
        _GENESIS,
        "    _drop_unnamed(found)\n",
        "",
        f"{GENESIS}test_packets_marked_without_their_coin_are_left_out",
    ),
)
