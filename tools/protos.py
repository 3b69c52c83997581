"""Compiler of proto/ into `pyibc.proto`: one descriptor set, and a stub and a loader per file.

`python tools/protos.py` rewrites `pyibc/proto/descriptors.binpb` and the modules next to it; `--check` exits
with status 1 if they are out of date. Needs grpcio-tools, which is not needed at run time (docs/adr/0003).
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files as resources
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[1]
PROTO = ROOT / "proto"
PACKAGE = ROOT / "pyibc" / "proto"
BY_HAND = {"__init__.py", "pool.py", "py.typed", "varint.py"}
"""Files of the package that are not generated."""

ALWAYS = "always written"
"""Comment on message fields that Go encodes even if empty (gogoproto's nullable=false)."""

WELL_KNOWN = {"any": "Any", "duration": "Duration", "timestamp": "Timestamp"}

LOADER = '''"""Messages of {file}, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("{file}", globals())
'''
FOLDER = '"""Messages below {folder}/ (generated)."""\n'
GOOGLE_STUB = "from google.protobuf.{module}_pb2 import {name} as {name}\n"


def main(arguments: list[str]) -> int:
    """Write the output, or compare it with `--check`."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        compile_into(fresh)
        if "--check" in arguments:
            return report(sorted(differences(fresh)))
        install(fresh)
    return 0


def compile_into(folder: Path) -> None:
    """Write the descriptor set and all modules into `folder`."""
    files = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as temporary:
        stubs, full = Path(temporary), Path(temporary) / "full.binpb"
        run_protoc([f"--descriptor_set_out={full}", "--include_source_info", f"--pyi_out={stubs}", *files])
        write_modules(folder, stubs, files)
        raw = full.read_bytes()
    write(folder / "always_written.py", always_written(raw))
    (folder / "descriptors.binpb").write_bytes(without_comments(raw))


def run_protoc(arguments: list[str]) -> None:
    """Run the protoc of grpcio-tools."""
    include = resources("grpc_tools") / "_proto"
    if protoc.main(["protoc", f"-I{PROTO}", f"-I{include}", *arguments]) != 0:
        raise SystemExit("protoc failed")


def without_comments(raw: bytes) -> bytes:
    """Return the descriptor set without source positions, which are not needed at run time."""
    descriptors = FileDescriptorSet.FromString(raw)
    for file in descriptors.file:
        file.ClearField("source_code_info")
    return descriptors.SerializeToString(deterministic=True)


def write_modules(package: Path, stubs: Path, files: list[str]) -> None:
    """Write a loader and a stub for each proto file, and the packages they are in."""
    for file in files:
        stub = file.removesuffix(".proto") + "_pb2.pyi"
        write(package / stub, clean_stub((stubs / stub).read_text()))
        write(package / stub.removesuffix("i"), LOADER.format(file=file))
    for module, name in WELL_KNOWN.items():
        stub_path = package / "google" / "protobuf" / f"{module}_pb2.pyi"
        write(stub_path, GOOGLE_STUB.format(module=module, name=name))
        write(stub_path.with_suffix(".py"), LOADER.format(file=f"google/protobuf/{module}.proto"))
    for folder in sorted(path for path in package.rglob("*") if path.is_dir()):
        write(folder / "__init__.py", FOLDER.format(folder=folder.relative_to(package).as_posix()))


def write(path: Path, text: str) -> None:
    """Write `text`, creating parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def clean_stub(stub: str) -> str:
    """Return the stub with imports moved below our package, except for google's."""
    imports = re.compile(r"^from ((?!google\.)[\w.]+) import (\w+_pb2) as", re.MULTILINE)
    moved = imports.sub(r"from pyibc.proto.\1 import \2 as", stub)
    numbers = re.sub(
        r"_Union\[([\w.]+), str\]", r"_Union[\1, int, str]", moved
    )  # protobuf also accepts enum numbers
    return numbers.replace("_Mapping]", "_Mapping[str, object]]")  # protoc omits the type arguments


def always_written(raw: bytes) -> str:
    """Return the module that lists the fields marked `always written`."""
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
    """Yield top-level messages of `file` and their marked fields."""
    places = {
        tuple(at.path) for at in file.source_code_info.location if at.trailing_comments.strip() == ALWAYS
    }
    for index, message in enumerate(file.message_type):
        # 4 and 2 are the field numbers of message_type and field in the descriptor.
        fields = [field.name for at, field in enumerate(message.field) if (4, index, 2, at) in places]
        if fields:
            yield message.name, fields


def differences(fresh: Path) -> Iterator[str]:
    """Return paths in the tree that are missing, superfluous or different."""
    new, old = outputs(fresh), outputs(PACKAGE)
    for path in new.keys() | old.keys():
        if new.get(path) != old.get(path):
            yield str(PACKAGE.relative_to(ROOT) / path)


def outputs(folder: Path) -> dict[str, bytes]:
    """Return all generated files below `folder`: path -> content."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in paths.items()
        if name not in BY_HAND and "__pycache__" not in path.parts
    }


def report(paths: list[str]) -> int:
    """Print the files that are out of date; return the exit code."""
    for path in paths:
        print(f"out of date: {path}")
    return 1 if paths else 0


def install(fresh: Path) -> None:
    """Replace the generated files in the tree."""
    for each in PACKAGE.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name not in BY_HAND:
            each.unlink()
    shutil.copytree(fresh, PACKAGE, dirs_exist_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
