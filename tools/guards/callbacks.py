"""Guards of callbacks: what packets ask for, contracts' gas, their failures, and what they may reach."""

from tools.guards.mutant import Mutant

ASKED = "tests/unit/ibc_core/callbacks/test_asked.py::"
GAS = "tests/unit/ibc_core/test_gas.py::"
PROCESS = "tests/unit/ibc_module/apps/callbacks/test_process.py::"
PLUGIN = "tests/unit/ibc_module/apps/callbacks/test_plugin.py::"
BINDING = "tests/unit/ibc_core/test_binding.py::"
CALLBACKS = "ibc_module/apps/callbacks"
READ, RUN, BORDER = "ibc_core/callbacks/asked.py", f"{CALLBACKS}/process.py", f"{CALLBACKS}/guarded.py"
V1, V2, CALLER = f"{CALLBACKS}/layers.py", f"{CALLBACKS}/layers_v2.py", f"{CALLBACKS}/caller.py"

_SEND = "    if raised is not None and refusal is None and occasion is Occasion.SEND:\n        raise raised\n"
_ANSWERED = "lambda contract: contract.on_acknowledgement_packet, told)\n"
_RETRIED = "        exhausted.consume(1)  # raises: the contract had all that the transaction has\n"
_CALL_DATA = """    if _hexadecimal(text) is None:
        raise InvalidCallbackData("call data that is not hexadecimal")
    return bytes.fromhex(text)
"""

H175 = (
    Mutant(
        "h175-a-failed-contract-s-writes-stay",
        RUN,
        (("        branch.discard()\n", ""),),
        (f"{PROCESS}test_h175_a_refusal_undoes_what_the_contract_wrote",),
    ),
    Mutant(
        "h175-a-bug-fails-the-transaction",
        RUN,
        (("refusal is None and occasion is Occasion.SEND", "refusal is None"),),
        (f"{PROCESS}test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up",),
    ),
    Mutant(
        "h175-a-bug-lets-a-packet-be-sent-as-refused",
        RUN,
        ((_SEND, ""),),
        (f"{PROCESS}test_a_bug_of_a_contract_fails_the_transaction_of_a_send",),
    ),
    Mutant(
        "h175-a-panic-is-a-refusal",
        RUN,
        (("is_sound(error) and not isinstance(error, NO_VERDICT)", "is_sound(error)"),),
        (f"{PROCESS}test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up",),
    ),
    Mutant(
        "h175-an-unsound-error-is-a-refusal",
        RUN,
        (("is_sound(error) and not", "not"),),
        (f"{PROCESS}test_h175_a_bug_of_a_contract_does_not_hold_a_packet_up",),
    ),
    Mutant(
        "h175-out-of-gas-is-a-success",
        RUN,
        (("if raised is None and not ran_out:", "if raised is None:"),),
        (f"{PROCESS}test_h175_a_contract_that_had_all_it_was_allowed_fails_alone",),
    ),
    Mutant(
        "h175-events-have-no-end",
        RUN,
        (("raised_by(_bounded(call), ctx, told)", "raised_by(call, ctx, told)"),),
        (f"{PROCESS}test_h175_a_contract_that_tells_too_much_fails_alone",),
    ),
    Mutant(
        "h175-depth-fails-the-transaction",
        BORDER,
        (("        crossing.fault = None\n", ""),),
        (f"{PROCESS}test_h175_a_contract_that_calls_too_deep_fails_alone",),
    ),
    Mutant(
        "h175-python-s-limit-after-too-deep-stops-the-node",
        BORDER,
        ((" or isinstance(behind, RecursionError)", ""),),
        (f"{PROCESS}test_h175_a_contract_that_calls_too_deep_fails_alone",),
    ),
    Mutant(
        "h175-nobody-counts-on",
        BORDER,
        (("        sys.setprofile(counter)", "        #"),),
        (f"{PROCESS}test_h175_the_caller_s_depth_is_counted_on_after_that",),
    ),
    Mutant(
        "h175-the-count-goes-on-from-the-host",
        "ibc_core/host/depth.py",
        (
            (
                "                depths[base] = (0, 0)  # a contract's border goes on counting",
                "                # ",
            ),
        ),
        (f"{PROCESS}test_h175_the_caller_s_depth_is_counted_on_after_that",),
    ),
    Mutant(
        "h175-gas-by-the-library-s-depth",
        RUN,
        (("                allowance.spend()", "                pass"),),
        (f"{PROCESS}test_h175_a_contract_that_calls_too_deep_fails_alone",),
    ),
    Mutant(
        "h175-an-acknowledgement-waits-for-its-contract",
        CALLER,
        ((_ANSWERED, f"{_ANSWERED}        if error is not None:\n            raise error\n"),),
        (f"{PLUGIN}test_h175_no_contract_holds_an_answer_or_a_timeout_up",),
    ),
)

H176 = (
    Mutant(
        "h176-stingy-relayers-decide",
        RUN,
        ((f"    if exhausted is not None and asked.may_retry:\n{_RETRIED}", ""),),
        (f"{PROCESS}test_h176_with_too_little_gas_nothing_is_settled",),
    ),
    Mutant(
        "h176-who-swallows-it-settles",
        RUN,
        ((_RETRIED, "        raise OutOfGas(exhausted.limit, exhausted.used)\n"),),
        (f"{PROCESS}test_h176_what_swallows_it_on_the_way_does_not_settle_anything",),
    ),
    Mutant(
        "h176-the-chain-gives-what-is-asked",
        READ,
        (("min(_gas_limit(fields) or max_gas, max_gas)", "_gas_limit(fields) or max_gas"),),
        (f"{ASKED}test_gas_limits", f"{PLUGIN}test_h176_a_contract_has_no_more_than_the_chain_gives"),
    ),
    Mutant(
        "h176-more-than-there-is",
        "ibc_core/host/gas.py",
        (("meter.limit = min(meter.limit, meter.used + amount)", "meter.limit = meter.used + amount"),),
        (f"{GAS}test_an_allowance_is_never_more_than_there_is",),
    ),
    Mutant(
        "h176-more-is-charged-than-allowed",
        "ibc_core/host/gas.py",
        (("        if exceeded:\n            meter.used = meter.limit\n", ""),),
        (f"{PROCESS}test_h175_a_contract_that_had_all_it_was_allowed_fails_alone",),
    ),
)

H177 = (
    Mutant(
        "h177-a-blank-address",
        READ,
        ((" or not address.strip(GO_SPACES)", ""),),
        (f"{ASKED}test_what_is_malformed_is_refused",),
    ),
    Mutant(
        "h177-a-gas-limit-of-any-type",
        READ,
        (('        raise InvalidCallbackData("a gas limit that is no text")\n', "        return 0\n"),),
        (f"{ASKED}test_what_is_malformed_is_refused",),
    ),
    Mutant(
        "h177-call-data-of-any-letters",
        READ,
        ((_CALL_DATA, "    return text.encode()\n"),),
        (f"{ASKED}test_what_is_malformed_is_refused",),
    ),
    Mutant(
        "h177-a-memo-beyond-float64",
        "ibc_core/application/packet_data.py",
        ((" or has_overflow(raw)", ""),),
        (f"{BINDING}test_what_a_memo_has_for_others_is_read_by_gos_rules",),
    ),
    Mutant(
        "h177-a-name-in-escapes-is-another",
        "ibc_core/wire/gojson_members.py",
        ((r'rb"(?:%b|(?i:\\u00%02x))" % (re.escape(bytes([each])), each)', "re.escape(bytes([each]))"),),
        ("tests/unit/ibc_core/wire/test_gojson_members.py::test_what_is_json_has_the_same_members",),
    ),
    Mutant(
        "h177-nothing-is-needed-below",
        "ibc_module/stacks.py",
        (("        _check_needs(plugin, layer, below)\n", ""),),
        (
            "tests/unit/ibc_module/test_wiring_errors.py::test_a_layer_that_needs_what_the_application_leaves_out",
            "tests/unit/ibc_module/test_wiring_errors.py::test_callbacks_need_packet_data",
        ),
    ),
    Mutant(
        "h177-malformed-is-received",
        V1,
        (("data=acks.failure(error))\n        refused", "data=answer.data) and answer\n        refused"),),
        (f"{PLUGIN}test_h177_a_malformed_callback_is_not_received",),
    ),
    Mutant(
        "h177-malformed-is-received-over-clients",
        V2,
        (
            (
                "            return PayloadAnswer(success=False)\n        if asked",
                "            return answer\n        if asked",
            ),
        ),
        (f"{PLUGIN}test_h177_a_malformed_callback_is_not_received",),
    ),
    Mutant(
        "h177-a-sender-that-nobody-vouches-for",
        READ,
        (('told.sender_at(port_id_on_a) if side is Side.SOURCE else ""', "told.sender_at(port_id_on_a)"),),
        (f"{ASKED}test_what_is_asked_for",),
    ),
    Mutant(
        "h177-nobody-at-the-address-is-a-yes",
        CALLER,
        (("            return CallbackAddressNotFound(asked.address[:128])\n", "            return None\n"),),
        (f"{PLUGIN}test_nobody_has_the_address",),
    ),
    Mutant(
        "h177-an-account-cannot-call",
        CALLER,
        (("        if asked.address == asked.sender and", "        if False and"),),
        (f"{PLUGIN}test_an_account_that_names_itself_is_not_asked_and_is_told_in_vain",),
    ),
    Mutant(
        "h177-refused-packets-are-told",
        V1,
        (("if answer is None or not answer.success:", "if answer is None:"),),
        (f"{PLUGIN}test_no_contract_hears_of_what_the_application_refused",),
    ),
    Mutant(
        "h177-refused-payloads-are-told",
        V2,
        (("if answer is None or not answer.success:", "if answer is None:"),),
        (f"{PLUGIN}test_no_contract_hears_of_what_the_application_refused",),
    ),
)

H178 = (
    Mutant(
        "h178-a-swallowed-machine-error-is-lost",
        BORDER,
        (("        crossing.fault = behind  # holds, whoever swallows it on the way out\n", ""),),
        (f"{PROCESS}test_h178_an_error_of_the_machine_stops_the_node",),
    ),
    Mutant(
        "h178-the-machine-decides",
        BORDER,
        (("    if behind is not None:\n", "    if False:\n"),),
        (f"{PROCESS}test_h178_an_error_of_the_machine_stops_the_node",),
    ),
    Mutant(
        "h178-contracts-run-after-a-fault",
        BORDER,
        (("    if held is not None:", "    if False:"),),
        (f"{PROCESS}test_h178_no_contract_is_called_after_what_somebody_swallowed",),
    ),
)

H179 = (
    Mutant(
        "h179-contracts-have-the-block",
        "ibc_core/callbacks/contract.py",
        (
            (
                "        calls = {name: confined(call, grant) for name, call in calls.items()}\n",
                "        pass\n",
            ),
        ),
        (
            f"{PROCESS}test_h179_a_contract_writes_its_plugin_s_stores_alone",
            f"{PROCESS}test_h179_its_context_ends_with_the_call",
        ),
    ),
    Mutant(
        "h179-contracts-write-anywhere",
        f"{CALLBACKS}/contracts.py",
        (("Grant(pipeline.stores_of(plugin))", 'Grant(frozenset(["transfer"]))'),),
        (f"{PLUGIN}test_a_source_s_contract_hears_of_send_and_answer",),
    ),
)
