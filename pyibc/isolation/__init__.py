"""Isolation of plugins: mistakes in their code neither halt a chain nor make its validators differ.

Plugins are careless, not hostile (docs/adr/0039): this is no sandbox, and code that wants to get around it
can.

    isolate                a plugin's messages, queries, exports and services with all of the following
    boundary               exceptions become errors of the chain
    contained_call         calls that may fail alone: contracts, handlers of queued packets
    binding                callbacks of applications, bound once when a chain is wired
    scoped_context         the current block as an application sees it during one call
    guarded_services       the host's bank, accounts and messages as applications get them
    limits                 sizes of return values and events
    type_checks            types and ranges of what applications hand to the module
    call_depth             limit of the frames below an application
    interpreter_callbacks  calls by the interpreter itself, which do not count
    call_state             state of a thread during such a call; errors of the machine
    builtin                mark of our own classes, which are exempt from parts of this
    failure_log            log of plugins' failures
"""
