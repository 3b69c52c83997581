"""Runs the tests marked `spark` on every minor of PySpark that pyproject.toml admits; `make spark-range`.

Each has an environment of its own in .cache/spark-<version>: this one's packages as links, and that PySpark.
"""

import argparse
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("4.0.5", "4.1.4", "4.2.1", "4.3.0")
"""The last patch of each minor that was tried."""
LEFT_OPEN = ("-W", "ignore::ResourceWarning", "-W", "ignore::pytest.PytestUnraisableExceptionWarning")
"""PySpark before 4.2 leaves its sockets to the garbage collector."""
UNLESS_TOLD = ("-m", "spark and not exhaustive and not browser", "tests/spark")


def main() -> int:
    """0 if the tests pass on all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", default=",".join(VERSIONS))
    parser.add_argument("--into", type=Path, default=ROOT / ".cache")
    told, tests = parser.parse_known_args()  # the rest is what pytest is told
    verdicts = {}
    for version in told.versions.split(","):
        python = environment(version, told.into / f"spark-{version}")
        print(f"pyspark {version}", flush=True)
        options = ("-q", "-p", "no:cacheprovider", "--timeout", "600", *LEFT_OPEN)
        command = [python, "-m", "pytest", *options, *(tests or UNLESS_TOLD)]
        verdicts[version] = subprocess.run(command, cwd=ROOT, check=False).returncode
    for version, code in verdicts.items():
        print(f"pyspark {version}: {'passed' if code == 0 else f'failed ({code})'}")
    return int(any(verdicts.values()))


def environment(version: str, folder: Path) -> Path:
    """The interpreter of an environment with that PySpark, made if it is not there."""
    python = folder / "bin" / "python"
    if (folder / "ready").exists():
        return python
    venv.create(folder, clear=True, with_pip=True)
    (own,) = folder.glob("lib/python3*/site-packages")
    for package in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not package.name.startswith("pyspark") and not (own / package.name).exists():
            (own / package.name).symlink_to(package)
    wanted = ("--no-deps", f"pyspark=={version}")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    (folder / "ready").touch()
    return python


if __name__ == "__main__":
    sys.exit(main())
