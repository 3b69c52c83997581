"""Interchain accounts: an account is its owner's, its channel the only one, and execution ends."""

from tools.guards.mutant import Mutant

HOST = "tests/unit/ibc_module/apps/interchain_accounts/test_host.py::"
CONTROLLER = "tests/unit/ibc_module/apps/interchain_accounts/test_controller.py::"
GENESIS = "tests/unit/ibc_module/apps/interchain_accounts/test_genesis.py::"
EXECUTOR = "tests/unit/ibc_module/test_executor.py::"

_APPS = "ibc_module/apps/interchain_accounts/"

H160 = (
    Mutant(
        "h160-anybody-signs",
        f"{_APPS}execution.py",
        (("if text != account:", "if not text:"),),
        (f"{HOST}test_h160_an_account_executes_nobody_else_s_messages",),
    ),
    Mutant(
        "h160-every-message-is-allowed",
        f"{_APPS}execution.py",
        (("if not params.allows(message.type_url):", "if not params:"),),
        (f"{HOST}test_h160_only_what_is_allowed",),
    ),
    Mutant(
        "h160-a-star-among-others-allows-all",
        f"{_APPS}params.py",
        (("self.allow_messages == (ALLOW_ALL,)", "ALLOW_ALL in self.allow_messages"),),
        (f"{HOST}test_h160_only_what_is_allowed",),
    ),
    Mutant(
        "h160-a-port-without-an-account-has-one",
        f"{_APPS}execution.py",
        (("            raise InterchainAccountNotFound(port_id)\n", "            account = port_id\n"),),
        (f"{HOST}test_h160_another_owner_s_packet_does_not_reach_the_account",),
    ),
    Mutant(
        "h160-half-a-transaction",
        f"{_APPS}execution.py",
        (("with ctx.branch():  # of what fails not even the events remain", "if ctx:"),),
        (f"{HOST}test_h160_of_what_fails_nothing_is_left",),
    ),
    Mutant(
        "h160-a-host-that-is-off-executes",
        f"{_APPS}host.py",
        (("            return AppAcknowledgement(success=False, data=acks.failure(HostDisabled()))\n", ""),),
        (f"{HOST}test_off_it_executes_nothing",),
    ),
    Mutant(
        "h160-a-host-that-is-off-opens",
        f"{_APPS}host.py",
        (("            raise HostDisabled\n", "            return\n"),),
        (f"{HOST}test_off_it_opens_nothing",),
    ),
    Mutant(
        "h160-no-verdict-is-answered",
        f"{_APPS}host.py",
        (("        except NO_VERDICT:\n            raise\n", ""),),
        (f"{HOST}test_gas_that_runs_out_is_no_answer", f"{HOST}test_a_fault_is_no_answer"),
    ),
    Mutant(
        "h160-anybody-sets-the-host-s-parameters",
        f"{_APPS}host_messages.py",
        (("if msg.signer != authority:", "if not msg.signer:"),),
        (f"{HOST}test_the_authority_alone_sets_the_parameters",),
    ),
    Mutant(
        "h160-anybody-sets-the-controller-s-parameters",
        f"{_APPS}control.py",
        (("if msg.signer != self._authority:", "if not msg.signer:"),),
        (f"{CONTROLLER}test_the_authority_alone_sets_the_parameters",),
    ),
    Mutant(
        "h160-any-query-is-safe",
        f"{_APPS}host_messages.py",
        (("if request.path not in SAFE_QUERIES:", "if not request:"),),
        (f"{HOST}test_queries_that_no_account_asks",),
    ),
    Mutant(
        "h160-an-acknowledgement-of-any-size",
        f"{_APPS}execution.py",
        (('            check_size("responses", len(acks.success(result)), MAX_ACKNOWLEDGEMENT)\n', ""),),
        (f"{HOST}test_h160_responses_that_no_acknowledgement_holds_are_an_error",),
    ),
    Mutant(
        "h160-the-application-below-has-the-block",
        f"{_APPS}plugin.py",
        (("bound if ours else confined_app(bound, Grant(stores))", "bound"),),
        (f"{CONTROLLER}test_h160_the_application_below_is_confined",),
    ),
)

H161 = (
    Mutant(
        "h161-a-second-channel-is-opened",
        f"{_APPS}controller.py",
        (("        if before.state is not ChannelState.CLOSED:\n", "        if not before:\n"),),
        (f"{CONTROLLER}test_h161_a_channel_that_is_not_closed_is_the_only_one",),
    ),
    Mutant(
        "h161-both-handshakes-are-completed",
        f"{_APPS}controller.py",
        (
            (
                "        if active is not None and is_in_state(ctx, port_id, active, ChannelState.OPEN):\n",
                "        if active is not None and not channel_id:\n",
            ),
        ),
        (f"{CONTROLLER}test_h161_of_two_handshakes_one_is_completed",),
    ),
    Mutant(
        "h161-another-order-is-opened-again",
        f"{_APPS}controller.py",
        (("if before.ordering is not opening.order:", "if not before:"),),
        (f"{CONTROLLER}test_a_closed_channel_is_opened_again_in_the_same_way",),
    ),
    Mutant(
        "h161-other-metadata-are-opened-again",
        f"{_APPS}controller.py",
        (("if not is_same_but_for_address(before.version, metadata):", "if not before:"),),
        (f"{CONTROLLER}test_a_closed_channel_is_opened_again_in_the_same_way",),
    ),
    Mutant(
        "h161-any-port-is-a-controller",
        f"{_APPS}controller.py",
        (("if not opening.port_id.startswith(CONTROLLER_PREFIX):", "if not opening:"),),
        (f"{CONTROLLER}test_what_it_does_not_open",),
    ),
    Mutant(
        "h161-any-port-is-a-host",
        f"{_APPS}controller.py",
        (("if opening.counterparty.port_id != HOST_PORT:", "if not opening:"),),
        (f"{CONTROLLER}test_what_it_does_not_open",),
    ),
    Mutant(
        "h161-a-host-answers-without-an-account",
        f"{_APPS}controller.py",
        (("if is_blank(metadata.address):", "if not metadata:"),),
        (f"{CONTROLLER}test_what_the_host_may_not_answer",),
    ),
    Mutant(
        "h161-a-controller-that-is-off-goes-on",
        f"{_APPS}controller.py",
        (
            (
                "if not controller_params(self._state.params(ctx)).controller_enabled:",
                "if not self._state.params:",
            ),
        ),
        (f"{CONTROLLER}test_off_it_opens_and_settles_nothing",),
    ),
    Mutant(
        "h161-a-controller-that-is-off-sends",
        f"{_APPS}control.py",
        (
            (
                "if not controller_params(self._state.params(ctx)).controller_enabled:",
                "if not self._state.params:",
            ),
        ),
        (f"{CONTROLLER}test_off_nothing_is_sent",),
    ),
    Mutant(
        "h161-sent-into-the-past",
        f"{_APPS}control.py",
        (("if ctx.time_ns >= timeout_ns:", "if timeout_ns < 0:"),),
        (f"{CONTROLLER}test_nothing_is_sent_into_the_past",),
    ),
    Mutant(
        "h161-sent-over-a-closed-channel",
        f"{_APPS}control.py",
        (
            (
                "        if active is None or not is_in_state(ctx, port_id, active, ChannelState.OPEN):\n",
                "        if active is None:\n",
            ),
        ),
        (f"{CONTROLLER}test_nothing_is_sent_without_an_open_channel",),
    ),
    Mutant(
        "h161-a-message-takes-a-module-s-account",
        f"{_APPS}control.py",
        (("if self._state.has_middleware(ctx, msg.connection_id, port_id):", "if not port_id:"),),
        (f"{CONTROLLER}test_what_a_module_registered_no_message_takes",),
    ),
    Mutant(
        "h161-a-module-takes-a-message-s-account",
        f"{_APPS}control.py",
        (("if self._state.lacks_middleware(ctx, connection_id, port_id):", "if not port_id:"),),
        (f"{CONTROLLER}test_what_a_message_registered_no_module_takes",),
    ),
    Mutant(
        "h161-registered-over-an-open-channel",
        f"{_APPS}control.py",
        (("            raise ActiveChannelAlreadySet(active, port_id)\n", "            pass\n"),),
        (f"{CONTROLLER}test_a_registration_while_the_channel_is_open",),
    ),
)

H162 = (
    Mutant(
        "h162-recursion-goes-on",
        "ibc_module/executor.py",
        (("if crossing.executing >= MAX_EXECUTING:", "if crossing.executing < 0:"),),
        (f"{EXECUTOR}test_h162_recursion_ends",),
    ),
    Mutant(
        "h162-a-failed-message-counts-for-ever",
        "ibc_module/executor.py",
        (
            (
                "        finally:\n            crossing.executing -= 1\n",
                "        finally:\n            pass\n",
            ),
        ),
        (f"{EXECUTOR}test_h162_recursion_ends",),
    ),
    Mutant(
        "h162-executed-messages-have-the-block",
        "ibc_module/border.py",
        (("confined(counted(of_plugin.deliver), grant)", "counted(of_plugin.deliver)"),),
        (f"{EXECUTOR}test_h162_messages_of_strangers_are_confined_whoever_executes_them",),
    ),
    Mutant(
        "h162-asked-queries-have-the-block",
        "ibc_module/border.py",
        (
            (
                "of_plugin if is_shipped(plugin) else _sound(path, confined(counted(of_plugin), READS))",
                "of_plugin",
            ),
        ),
        (f"{EXECUTOR}test_h162_messages_of_strangers_are_confined_whoever_executes_them",),
    ),
    Mutant(
        "h162-a-callback-executes-anything",
        "ibc_module/executor.py",
        (
            ("route.deliver(for_route(ctx), ", "route.deliver(opened(ctx), "),
            ("import for_route", "import opened"),
        ),
        (f"{EXECUTOR}test_h162_a_stranger_s_callback_executes_nothing_that_writes_elsewhere",),
    ),
    Mutant(
        "h162-nothing-is-checked",
        "ibc_module/executor.py",
        (("route.check(message.content)", "message.content"),),
        (f"{EXECUTOR}test_h162_signers_come_before_the_checks_which_come_before_the_execution",),
    ),
    Mutant(
        "h162-a-stranger-s-bytes",
        "ibc_core/application/gates.py",
        (('        _check_any(packed, "a message")\n', ""),),
        (f"{EXECUTOR}test_h162_strangers_hand_over_exact_types",),
    ),
    Mutant(
        "h162-an-error-of-any-code",
        "ibc_module/border.py",
        (("        deliver=_sound(type_url, inside.deliver),\n", ""),),
        (f"{EXECUTOR}test_h162_an_error_that_no_acknowledgement_holds_is_a_fault",),
    ),
    Mutant(
        "h162-many-small-messages",
        "ibc_module/executor.py",
        (("        budget.visit(ELEMENTS_OF_AN_ANY)\n", ""),),
        (f"{EXECUTOR}test_h162_many_small_messages_are_counted",),
    ),
    Mutant(
        "h162-reading-costs-nothing",
        "ibc_module/executor.py",
        (("    budget.read(len(packed.value))\n", ""),),
        (f"{EXECUTOR}test_h162_the_budget_counts_what_is_read",),
    ),
)

H164 = (
    Mutant(
        "h164-an-address-that-everybody-knows",
        f"{_APPS}host.py",
        (('f"{connection_id}{port_id}".encode() + ctx.app_hash', 'f"{connection_id}{port_id}".encode()'),),
        (f"{HOST}test_an_account_is_derived_with_the_header_s_app_hash",),
    ),
    Mutant(
        "h164-an-account-that-is-there",
        f"{_APPS}host.py",
        (("raise InterchainAccountExists(address.text)", "return address.text"),),
        (f"{HOST}test_h164_an_account_that_is_there_already_is_nobody_s",),
    ),
    Mutant(
        "h164-any-account-is-opened-again",
        f"{_APPS}host.py",
        (("if account is None or not account.owner:", "if not known:"),),
        (f"{HOST}test_h164_an_account_of_another_kind_is_not_opened_again",),
    ),
    Mutant(
        "h164-a-second-channel-for-the-account",
        f"{_APPS}host.py",
        (("        if before.state is not ChannelState.CLOSED:\n", "        if not before:\n"),),
        (f"{HOST}test_a_channel_is_opened_again_with_the_same_account_once_it_is_closed",),
    ),
    Mutant(
        "h164-a-genesis-forgets-the-flag",
        f"{_APPS}genesis.py",
        (
            (
                "flag = state.ENABLED if each.is_middleware_enabled else state.DISABLED",
                "flag = state.DISABLED",
            ),
        ),
        (f"{GENESIS}test_what_ibc_go_exported_is_read_and_written_again",),
    ),
)
