"""Guards of what is handed out and handed in: immutable records, confined contexts, exact types."""

from tools.guards.mutant import Mutant

VALUES = "tests/unit/ibc_core/test_value.py::"
CONFINED = "tests/unit/ibc_core/test_confined.py::"
GATES = "tests/unit/ibc_core/test_gates.py::"
CHANGED = "tests/road/test_changed_values.py::"
SHIPPED = "tests/unit/ibc_module/test_shipped.py::"
FROZEN = "tests/unit/ibc_module/test_frozen_structs.py::"
ROUTES = "tests/unit/ibc_module/test_plugin_routes.py::"
USED_UP = "tests/unit/localnet/host/test_messages_used_up.py::"
FILE = "ibc_core/host/confined.py"

H80 = (
    Mutant(
        "h80-a-record-takes-another-class",
        "ibc_core/value.py",
        (('    "__class__": property(type),  # Python lets anybody assign it otherwise\n', ""),),
        (f"{VALUES}test_h80_a_record_keeps_its_class",),
    ),
    Mutant(
        "h80-a-named-tuple-takes-another-class",
        "ibc_core/value.py",
        (('{**_kept(cls), "__class__": property(type)}', "_kept(cls)"),),
        (f"{VALUES}test_h80_a_record_keeps_its_class",),
    ),
    Mutant(
        "h80-a-message-in-json-can-be-changed",
        "ibc_module/json_message.py",
        (("    require_frozen(kind)\n", ""),),
        (f"{FROZEN}test_h80_a_message_that_can_be_changed_is_refused_at_wiring",),
    ),
)

H81 = (
    Mutant(
        "h81-a-coin-of-less-than-nothing-moves",
        "ibc_core/application/exact.py",
        (("amount < 0 or ", ""),),
        (f"{GATES}test_h81_a_coin_that_lies_moves_nothing",),
    ),
    Mutant(
        "h81-a-packet-of-other-types-is-answered",
        "handlers/packet/sender.py",
        (("        check_packet(packet)\n", ""),),
        (f"{CHANGED}test_h81_senders_take_exact_types",),
    ),
    Mutant(
        "h81-an-address-of-a-class-of-its-own-is-remembered",
        "ibc_core/address.py",
        (("if type(raw) is not bytes:", "if False:"),),
        (f"{GATES}test_h81_an_address_of_a_class_of_its_own_is_remembered_for_nobody",),
    ),
)

H82 = (
    Mutant(
        "h82-every-store-can-be-written",
        FILE,
        (("ConfinedStore if name in self._grant.stores else ConfinedReader", "ConfinedStore"),),
        (f"{CONFINED}test_h82_a_block_is_not_the_applications",),
    ),
    Mutant(
        "h82-gas-is-given-back",
        FILE,
        (("if type(amount) is not int or amount < 0:", "if type(amount) is not int:"),),
        (f"{CONFINED}test_h82_a_block_is_not_the_applications",),
    ),
    Mutant(
        "h82-what-was-handed-out-lives-on",
        FILE,
        (("            part._end(over)  # noqa: SLF001 - of this very module\n", "            pass\n"),),
        (f"{CONFINED}test_h82_all_is_over_with_the_call",),
    ),
    Mutant(
        "h82-a-call-that-fails-does-not-end",
        FILE,
        (
            (
                """        try:
            return call(own, told)
        finally:
            own._end(over)  # noqa: SLF001 - of this very module""",
                """        answer = call(own, told)
        own._end(over)
        return answer""",
            ),
        ),
        (f"{CONFINED}test_h82_it_is_over_however_the_call_ends",),
    ),
    Mutant(
        "h82-what-derives-from-a-shipped-class-has-the-block",
        "ibc_core/host/shipped.py",
        (("_MARK in vars(type(each))", "hasattr(each, _MARK)"),),
        (f"{SHIPPED}test_h82_a_class_that_derives_from_a_shipped_one_is_a_stranger_s",),
    ),
    Mutant(
        "h82-a-stranger-s-plugin-gets-the-block-by-a-shipped-class",
        "ibc_module/stacks.py",
        (
            (
                "return made if is_shipped(plugin, app) else confined_app(",
                "return made if is_shipped(app) else confined_app(",
            ),
        ),
        (f"{SHIPPED}test_h82_a_stranger_s_plugin_has_a_shipped_class_as_its_own",),
    ),
)

H84 = (
    Mutant(
        "h84-a-message-that-can-change-is-kept",
        "localnet/host/runner.py",
        (("if all(each.route.is_lasting for each in decoded.messages):", "if decoded.messages:"),),
        (f"{USED_UP}test_h84_a_message_that_is_used_up_is_whole_in_the_block",),
    ),
    Mutant(
        "h84-a-plugin-s-message-has-the-block",
        "ibc_module/border.py",
        (("confined(counted(of_plugin.deliver), grant)", "counted(of_plugin.deliver)"),),
        (
            f"{ROUTES}test_h84_a_plugin_is_refused_when_it",
            f"{ROUTES}test_h84_a_context_is_over_with_the_call",
        ),
    ),
    Mutant(
        "h84-a-query-writes",
        "ibc_module/asking.py",
        (("of_plugin if is_shipped(plugin) else confined(of_plugin, READS)", "of_plugin"),),
        (f"{ROUTES}test_h84_who_is_asked_writes_nothing",),
    ),
    Mutant(
        "h84-a-callback-executes-messages",
        FILE,
        (
            (
                "type(ctx) is ConfinedContext and ctx._grant.routes else ctx",
                "type(ctx) is ConfinedContext else ctx",
            ),
        ),
        (f"{ROUTES}test_h84_a_callback_and_a_query_execute_no_message",),
    ),
)

D9 = (
    Mutant(
        "d9-digits-are-not-counted",
        "ibc_module/json_message.py",
        (("        if has_long_number(raw):", "        if False:"),),
        ("tests/unit/ibc_core/test_packet_json.py::test_d9_numbers_in_messages_in_json_are_bounded",),
    ),
)

SKIPPED = "tests/unit/ibc_core/wire/test_gojson_skip.py::"
D20 = (
    Mutant(
        "d20-what-is-passed-over-may-be-of-any-depth",
        "ibc_core/wire/gojson_skip.py",
        (("            if depth + len(opened) > MAX_DEPTH:", "            if False:"),),
        (f"{SKIPPED}test_d20_it_refuses_what_go_finds_too_deep",),
    ),
    Mutant(
        "d20-what-is-flat-goes-a-level-deeper",
        "ibc_core/wire/gojson_skip.py",
        (("            deepest = depth + len(opened) == MAX_DEPTH", "            deepest = False"),),
        (f"{SKIPPED}test_d20_it_refuses_what_go_finds_too_deep",),
    ),
)
