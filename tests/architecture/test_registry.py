"""Parts that a new message, query, light client or application still lacks, by CONTRIBUTING.md.

The parts of the code are compared with each other. A test fails with one line for each part that is absent,
and the line names the file to write or edit.
"""

import inspect
import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import PurePath

import pytest

import light_client
import pyibc
import pyibc.apps
import pyibc.core
import pyibc.direct
import pyibc.queues
import pyibc.queues.coins
from conformance.kit import known
from conformance.kit.full_chain import full_chain
from conformance.kit.messages import Messages
from light_client.interface import LightClient
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core.client.messages import MsgSubmitMisbehaviour
from pyibc.core.wire.message import Msg
from pyibc.proto.pool import POOL
from pyibc.queues.coins import QueueCoinsPlugin
from pyibc.testing.pair import ManualClock
from tests.missing import nothing_missing

pytestmark = pytest.mark.registry

OURS = ("ibc/", "pyibc/")
"""Folders of proto/ whose messages and queries this distribution answers; the others are the host's."""

DEPRECATED = {MsgSubmitMisbehaviour.TYPE_URL}
"""Answered because ibc-go answers it; no longer a method of its service, and without a public name."""

OF_THE_NODE = {"/pyibc.node.v1.Query/BlockResults"}
"""Answered by the server of a node, from blocks: it is no query of the state."""


@pytest.fixture(scope="module")
def side():
    """A chain with every plugin."""
    return full_chain("full-1", ManualClock())


@pytest.fixture(scope="module")
def messages(side):
    """The routes of its messages."""
    return side.chain.app.pipeline.messages()


@pytest.fixture(scope="module")
def queries(side):
    """The paths of its queries."""
    return set(side.chain.app.grpc_paths())


@cache
def modules(package):
    """A module, or every module below a package; programs are left out, since to import one is to run it."""
    if not hasattr(package, "__path__"):
        return [package]
    return [
        import_module(found.name)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not found.name.endswith("__main__")
    ]


def classes(package, base):
    """The classes below `base` that stand in a package."""
    return [
        each
        for module in modules(package)
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, base)
        and each.__module__ == module.__name__
        and each is not base
    ]


def values():
    """The classes of messages: those that are marked with `@message`."""
    packages = (pyibc.core, pyibc.apps, pyibc.queues, pyibc.direct)
    return [each for package in packages for each in classes(package, Msg) if hasattr(each, "TYPE_URL")]


def protos(root, pattern):
    """(path below proto/, name) of every match of a pattern in the proto files."""
    for path in sorted((root / "proto").rglob("*.proto")):
        name = path.relative_to(root / "proto").as_posix()
        if name.startswith(OURS):
            yield from ((name, found) for found in re.findall(pattern, path.read_text("utf-8"), re.MULTILINE))


def compiled(file):
    """A compiled proto file, or None."""
    try:
        return POOL.FindFileByName(file)
    except KeyError:
        return None


def methods(descriptor, service):
    """The methods of a service of a proto file: name -> full name of its request."""
    found = descriptor.services_by_name.get(service)
    return {} if found is None else {each.name: each.input_type.full_name for each in found.methods}


def place(cls):
    """(folder, name of the module) of a message's class: ("pyibc/core/client", "recover")."""
    folder, _, module = cls.__module__.rpartition(".")
    return folder.replace(".", "/"), module


def public_values():
    """The ids of all that the public modules name."""
    public = [import_module(f"pyibc.{name}") for name in pyibc.MODULES]
    return {id(getattr(each, name)) for each in public for name in getattr(each, "__all__", vars(each))}


def texts_below(root, *folders):
    """path -> text of the tests in these folders."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
    }


# -- messages


def test_what_the_proto_files_say_is_compiled(root):
    lines = []
    for file, name in protos(root, r"^message (\w+)"):
        descriptor = compiled(file)
        if descriptor is None or name not in descriptor.message_types_by_name:
            lines.append(f"proto/{file}: {name} is not compiled; run `make proto`")
    for file, name in protos(root, r"^  rpc (\w+)"):
        descriptor = compiled(file)
        services = () if descriptor is None else descriptor.services_by_name
        if not any(name in methods(descriptor, service) for service in services):
            lines.append(f"proto/{file}: rpc {name} is not compiled; run `make proto`")
    nothing_missing(lines)


def test_every_wire_message_is_a_method_and_has_a_value(root):
    folders = {cls.TYPE_URL.rpartition(".")[0]: place(cls)[0] for cls in values()}
    known_urls = {cls.TYPE_URL for cls in values()}
    lines = []
    for file, name in protos(root, r"^message (Msg\w+)"):
        descriptor = compiled(file)
        if name.endswith("Response") or descriptor is None or name not in descriptor.message_types_by_name:
            continue
        full = f"{descriptor.package}.{name}"
        url = f"/{full}"
        if full not in methods(descriptor, "Msg").values() and url not in DEPRECATED:
            method = name.removeprefix("Msg")
            lines.append(
                f"proto/{file}: add `rpc {method}({name}) returns ({name}Response);` to `service Msg`, "
                "then run `make proto`"
            )
        if url not in known_urls:
            own = f"pyibc/core/{descriptor.package.split('.')[-2]}"
            usual = own if (root / own).is_dir() else "pyibc/core/<protocol>"
            folder = folders.get(url.rpartition(".")[0], usual)
            where = "messages.py" if (root / folder / "messages.py").exists() else "a module of its own"
            lines.append(
                f"{full} has no value: write its class, marked `@message(tx_pb2.{name})`, "
                f"in {where} in {folder}"
            )
    nothing_missing(lines)


def test_every_message_has_a_route(root, messages):
    lines = []
    for cls in values():
        folder, module = place(cls)
        if cls.TYPE_URL in messages:
            continue
        if folder.startswith("pyibc/apps/"):
            where = (
                f"in `chain_messages` of {folder}/plugin.py; "
                "if the plugin is new, also one in localnet/applications.py"
            )
        elif (root / folder / "handlers").is_dir():
            where = f"for its handler, in {folder}/handlers/dispatch.py"
        else:
            protocol = folder.removeprefix("pyibc/core/")
            where = f"for its handler, handlers/{protocol}/{module}.py, in handlers/dispatch.py"
        lines.append(f"{cls.__name__} has no route: add a line {where}")
    nothing_missing(lines)


def test_every_routed_message_is_known_to_the_testing_kit(messages):
    nothing_missing(
        f"{url} is not in MESSAGES: add the package of its application to conformance/kit/known.py"
        for url in messages
        if url not in known.MESSAGES and not url.startswith("/cosmos.")
    )


def test_every_message_has_a_public_name():
    public = public_values()
    nothing_missing(
        f"{cls.__name__} has no public name: add it to pyibc/messages.py, then run `python tools/docs.py`"
        for url, cls in known.MESSAGES.items()
        if id(cls) not in public and url not in DEPRECATED
    )


def test_every_message_has_a_unit_test(root):
    """One names its class, calls the kit's method that makes one, or is called after its module.

    Messages of ICS-4's first text are tested in tests/road/direct: their handlers are those of the others.
    """
    builders = {}
    for name, method in inspect.getmembers(Messages, inspect.isfunction):
        builders.setdefault(method.__annotations__.get("return"), []).append(name)
    found = texts_below(root, "tests/unit/handlers", "tests/unit/pyibc/apps", "tests/unit/pyibc/queues")
    lines = []
    for url, cls in known.MESSAGES.items():
        folder, module = place(cls)
        protocol = folder.removeprefix("pyibc/core/")
        names = "|".join([rf"\b{cls.__name__}\b", *(rf"\.{each}\(" for each in builders.get(cls, ()))])
        alike = re.sub(r"(?<!^)(?=[A-Z])", "_", re.sub("^Msg(Queue)?", "", cls.__name__)).lower()
        own = re.compile(rf"tests/unit/.*{PurePath(folder).name}/.*test_(\w+_)?({module}|{alike})(_\w+)?\.py")
        if url in known.NAMED or any(
            own.match(path) or re.search(names, text) for path, text in found.items()
        ):
            continue
        below = folder if protocol == folder else f"handlers/{protocol}"
        lines.append(
            f"{cls.__name__} has no test: write tests/unit/{below}/test_{module}.py with the effect, "
            "and each refusal with its error and an unchanged state"
        )
    nothing_missing(lines)


# -- queries


def methods_of_queries(root):
    """(proto file, path of the gRPC method) of every query."""
    for file, name in protos(root, r"^  rpc (\w+)"):
        descriptor = compiled(file)
        if descriptor is not None and name in methods(descriptor, "Query"):
            yield file, f"/{descriptor.package}.Query/{name}"


def sources_of(root, service):
    """The files whose routes answer a service."""
    return [
        path.relative_to(root).as_posix()
        for folder in ("ibc_module", "pyibc/apps", "pyibc/queues", "pyibc/chain")
        for path in sorted((root / folder).rglob("*.py"))
        if f"{service}/" in path.read_text("utf-8")
    ]


def test_every_query_has_a_route(root, queries):
    lines = []
    for file, path in methods_of_queries(root):
        if path in queries or path in OF_THE_NODE:
            continue
        service, _, name = path.rpartition("/")
        where = " or ".join(sources_of(root, service)) or (
            "a new module of ibc_module/queries, and its name in ibc_module/queries/__init__.py; of an "
            "application in pyibc/apps/<name>/queries.py, its `routes` in the plugin's `chain_queries`"
        )
        lines.append(
            f"proto/{file}: {name} has no route: write its function, and a line of `routes`, in {where}"
        )
    nothing_missing(lines)


def test_every_query_has_a_unit_test(root, queries):
    """A test module that has the service's package asks it by name."""
    found = texts_below(
        root,
        "tests/unit/ibc_module",
        "tests/unit/localnet",
        "tests/unit/pyibc/chain",
        "tests/unit/pyibc/apps",
        "tests/unit/pyibc/queues",
    )
    lines = []
    for _, path in methods_of_queries(root):
        service, _, name = path[1:].rpartition("/")
        package = service.removesuffix(".Query")
        asked = re.compile(rf"\bQuery{name}Request\b|[\"/]{name}\"")
        if path not in queries or any(package in text and asked.search(text) for text in found.values()):
            continue
        sources = sources_of(root, f"/{service}")
        source = sources[0] if sources else "ibc_module/queries/<service>.py"
        folder, _, module = source.rpartition("/")
        lines.append(
            f"{path} has no test: in tests/unit/{folder}/test_{module} ask for an answer, for an entry that "
            "is absent, and with a malformed request"
        )
    nothing_missing(lines)


# -- light clients, applications and middleware


def test_every_light_client_is_registered_and_tested(root, side):
    registered = set(side.keepers.clients.registry)
    texts = texts_below(root, "tests/unit/light_client").values()
    lines = []
    for cls in classes(light_client, LightClient):
        parent = cls.__module__.removeprefix("light_client.").partition(".")[0]
        if getattr(cls, "client_type", None) not in registered:
            lines.append(
                f"{cls.__name__} is on no chain: register it with the hook `ibc_register_light_clients` of a "
                "plugin in ibc_module/plugin.py, and add the plugin to pyibc/light_clients.py and "
                "localnet/applications.py"
            )
        if not any(f"light_client.{parent}" in text for text in texts):
            lines.append(f"{cls.__name__} has no test: write tests/unit/light_client/{parent}")
    nothing_missing(lines)


def test_every_application_has_a_public_name_a_genesis_and_tests(root):
    """`TransferPlugin` comes with `plugins`, `QueueCoinsPlugin` with local chains."""
    public = public_values()
    texts = texts_below(root, "tests/unit/pyibc/apps", "tests/unit/pyibc/queues").values()
    lines = []
    for cls in (*classes(pyibc.apps, object), *classes(pyibc.queues.coins, object)):
        if not any(name.startswith("ibc_register_") for name in vars(cls)):
            continue
        folder = place(cls)[0]
        file = f"{cls.__module__.replace('.', '/')}.py"
        if id(cls) not in public and cls not in {TransferPlugin, QueueCoinsPlugin}:
            lines.append(
                f"{cls.__name__} has no public name: add it to pyibc/apps/__init__.pyi, "
                "then run `python tools/docs.py`"
            )
        lines += [
            f"{file}: {cls.__name__} has a store and no hook `{hook}`: an exported chain would lose the store"
            for hook in ("chain_init_genesis", "chain_export_genesis")
            if hasattr(cls, "chain_stores") and not hasattr(cls, hook)
        ]
        package = folder.replace("/", ".")
        if not any(package in text or cls.__name__ in text for text in texts):
            lines.append(f"{cls.__name__} has no test: write tests/unit/{folder}")
    nothing_missing(lines)
