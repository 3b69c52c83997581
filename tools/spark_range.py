"""Runs of the tests marked `spark` on every minor version of PySpark that pyproject.toml allows.

Each version has an environment in .cache/spark-<version>: this environment's packages as links, and that
PySpark. `make spark-range`.
"""

import argparse
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("4.0.5", "4.1.4", "4.2.1", "4.3.0")
"""The last patch release of each minor version."""
LEFT_OPEN = ("-W", "ignore::ResourceWarning", "-W", "ignore::pytest.PytestUnraisableExceptionWarning")
"""Warning filter: PySpark before 4.2 leaves its sockets to the garbage collector."""
CHOSEN = "spark and not browser and not vectors"
UNLESS_TOLD = ("-m", CHOSEN, "--ignore=tests/spark/test_cluster.py", "tests/spark")


def main() -> int:
    """Run the tests; return 0 if they pass on all versions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", default=",".join(VERSIONS))
    parser.add_argument("--into", type=Path, default=ROOT / ".cache")
    told, tests = parser.parse_known_args()  # further arguments are passed to pytest
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
    """Return the interpreter of an environment with that PySpark, created on first use."""
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
