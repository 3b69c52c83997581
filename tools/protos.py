"""Compiles proto/ into what packages load: one descriptor set, and a stub and a loader a file.

`python tools/protos.py` rewrites `descriptors.binpb` and `_generated/` of `ibc_core.wire` (all messages)
and of `abci_server` (ABCI's alone: that package imports nothing of IBC);
with `--check` it only says whether they are what proto/ compiles to (exit status 1 if not).
Needs grpcio-tools; nothing of it is needed at run time (docs/adr/0003).
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files as resources
from pathlib import Path
from typing import NamedTuple

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[1]
PROTO = ROOT / "proto"


class Target(NamedTuple):
    """A package that gets messages of its own."""

    package: str  # with `pool.py` in it
    files: str  # which proto files, a regular expression of paths below proto/
    always_written: bool  # whether it needs the table of fields that are always written
    loosened: tuple[tuple[str, str, str], ...] = ()  # file, what stands there, what stands there for this one

    @property
    def folder(self) -> Path:
        """Where the package is."""
        return ROOT.joinpath(*self.package.split("."))


TARGETS = (
    Target("ibc_core.wire", r".*", always_written=True),
    Target(
        "abci_server",
        r"tendermint/(abci/types|crypto/keys|crypto/proof|types/params|types/validator)\.proto",
        always_written=False,
        # Go takes any bytes in a string, and anybody may ask a node for any path: a parser that insists on
        # UTF-8 would lose the connection, and CometBFT with it.
        loosened=(("tendermint/abci/types.proto", "  string path = 2;", "  bytes path = 2;"),),
    ),
)
ALWAYS = "always written"
"""The comment beside a message field that Go writes even when it is empty (gogoproto's nullable=false)."""

WELL_KNOWN = {"any": "Any", "duration": "Duration", "timestamp": "Timestamp"}

LOADER = '''"""Messages of {file}, made from descriptors.binpb (generated)."""

from {package}.pool import define

define("{file}", globals())
'''
GOOGLE_STUB = "from google.protobuf.{module}_pb2 import {name} as {name}\n"


def main(arguments: list[str]) -> int:
    """Writes the outputs, or with `--check` compares them."""
    stale: list[str] = []
    for target in TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder)
            compile_into(fresh, target)
            if "--check" in arguments:
                stale += sorted(differences(fresh, target))
            else:
                install(fresh, target)
    return report(stale)


def compile_into(folder: Path, target: Target) -> None:
    """Puts the whole output (descriptor set and package) into `folder`."""
    sources, stubs, full = folder / "proto", folder / "stubs", folder / "full.binpb"
    stubs.mkdir()
    files = sorted(copy_sources(sources, target))
    run_protoc(
        sources, [f"--descriptor_set_out={full}", "--include_source_info", f"--pyi_out={stubs}", *files]
    )
    write_package(folder / "_generated", stubs, files, target)
    if target.always_written:
        write(folder / "_generated" / "always_written.py", always_written(full.read_bytes()))
    (folder / "descriptors.binpb").write_bytes(without_comments(full.read_bytes()))
    shutil.rmtree(stubs)
    shutil.rmtree(sources)
    full.unlink()


def copy_sources(folder: Path, target: Target) -> Iterator[str]:
    """Copies the target's proto files, loosened; their paths."""
    for path in PROTO.rglob("*.proto"):
        name, text = path.relative_to(PROTO).as_posix(), path.read_text()
        if not re.fullmatch(target.files, name):
            continue
        for _, strict, loose in (each for each in target.loosened if each[0] == name):
            if text.count(strict) != 1:
                raise SystemExit(f"{name}: {strict.strip()!r} does not stand there once")
            text = text.replace(strict, loose)
        write(folder / name, text)
        yield name


def run_protoc(sources: Path, arguments: list[str]) -> None:
    """Runs the compiler that grpcio-tools ships."""
    include = resources("grpc_tools") / "_proto"
    if protoc.main(["protoc", f"-I{sources}", f"-I{include}", *arguments]) != 0:
        raise SystemExit("protoc failed")


def without_comments(raw: bytes) -> bytes:
    """The descriptor set without source positions, which nothing reads at run time."""
    descriptors = FileDescriptorSet.FromString(raw)
    for file in descriptors.file:
        file.ClearField("source_code_info")
    return descriptors.SerializeToString(deterministic=True)


def write_package(package: Path, stubs: Path, files: list[str], target: Target) -> None:
    """A loader and a stub for each proto file."""
    for file in files:
        stub = file.removesuffix(".proto") + "_pb2.pyi"
        write(package / stub, clean_stub((stubs / stub).read_text(), target))
        write(package / stub.removesuffix("i"), LOADER.format(file=file, package=target.package))
    for module, name in WELL_KNOWN.items():
        stub_path = package / "google" / "protobuf" / f"{module}_pb2.pyi"
        write(stub_path, GOOGLE_STUB.format(module=module, name=name))
        loader = LOADER.format(file=f"google/protobuf/{module}.proto", package=target.package)
        write(stub_path.with_suffix(".py"), loader)
    write(package / "__init__.py", '"""The wire\'s messages (generated by tools/protos.py from proto/)."""\n')


def write(path: Path, text: str) -> None:
    """Writes `text`, making the folders above."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def clean_stub(stub: str, target: Target) -> str:
    """The stub with its imports of other proto files below our package (google's stay google's)."""
    imports = re.compile(r"^from ((?!google\.)[\w.]+) import (\w+_pb2) as", re.MULTILINE)
    moved = imports.sub(rf"from {target.package}._generated.\1 import \2 as", stub)
    numbers = re.sub(
        r"_Union\[([\w.]+), str\]", r"_Union[\1, int, str]", moved
    )  # protobuf takes enum numbers too
    return numbers.replace("_Mapping]", "_Mapping[str, object]]")  # protoc leaves it bare, mypy is strict


def always_written(raw: bytes) -> str:
    """The table of fields marked `always written`, as a module."""
    lines = [
        '"""Message fields that are on the wire even when empty, by message (generated)."""',
        "",
        "ALWAYS_WRITTEN: dict[str, tuple[str, ...]] = {",
    ]
    for file in FileDescriptorSet.FromString(raw).file:
        for message, fields in marked(file):
            names = "".join(f'"{field}", ' for field in fields).rstrip()
            lines.append(f'    "{file.package}.{message}": ({names}),')
    return "\n".join([*lines, "}", ""])


def marked(file: FileDescriptorProto) -> Iterator[tuple[str, list[str]]]:
    """Top-level messages of `file` and their marked fields."""
    places = {
        tuple(at.path) for at in file.source_code_info.location if at.trailing_comments.strip() == ALWAYS
    }
    for index, message in enumerate(file.message_type):
        # 4 and 2 are the field numbers of message_type and field in the descriptor.
        fields = [field.name for at, field in enumerate(message.field) if (4, index, 2, at) in places]
        if fields:
            yield message.name, fields


def differences(fresh: Path, target: Target) -> Iterator[str]:
    """Paths that are missing, left over or not equal in the tree."""
    new = outputs(fresh)
    old = outputs(target.folder)
    for path in new.keys() | old.keys():
        if new.get(path) != old.get(path):
            yield str(target.folder.relative_to(ROOT) / path)


def outputs(folder: Path) -> dict[str, bytes]:
    """All generated files below `folder`."""
    paths = [folder / "descriptors.binpb", *(folder / "_generated").rglob("*")]
    sources = (path for path in paths if path.suffix in {".binpb", ".py", ".pyi"} and path.exists())
    return {str(path.relative_to(folder)): path.read_bytes() for path in sources}


def report(paths: list[str]) -> int:
    """Prints what is out of date."""
    for path in paths:
        print(f"out of date: {path}")
    return 1 if paths else 0


def install(fresh: Path, target: Target) -> None:
    """Replaces the outputs in the tree."""
    shutil.rmtree(target.folder / "_generated", ignore_errors=True)
    shutil.copytree(fresh / "_generated", target.folder / "_generated")
    shutil.copy(fresh / "descriptors.binpb", target.folder / "descriptors.binpb")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
