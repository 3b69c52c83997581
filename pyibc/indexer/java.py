"""Java as Spark finds it: `JAVA_HOME`, or `java` on the path."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

NEEDED = 17
FIX = f"install a Java {NEEDED}+ runtime (Debian: apt-get install default-jre-headless) or set JAVA_HOME"
_VERSION_S = 60.0


class Java(NamedTuple):
    """A Java runtime."""

    place: str  # "": none
    version: int  # 0: it does not tell one

    @property
    def problem(self) -> str:
        """Reason why Spark cannot use it; "": it can."""
        if not self.place:
            return "no Java was found"
        if self.version < NEEDED:
            return f"{self.place} is {f'Java {self.version}' if self.version else 'no Java that runs'}"
        return ""


def find_java() -> Java:
    """Return the Java runtime that Spark will start."""
    home = os.environ.get("JAVA_HOME")
    place = str(Path(home) / "bin" / "java") if home else shutil.which("java") or ""
    if not place:
        return Java("", 0)
    try:
        said = subprocess.run(  # noqa: S603 - the program that Spark runs
            [place, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_VERSION_S,
        ).stderr
    except (OSError, subprocess.TimeoutExpired):
        return Java(place, 0)
    version = re.search(r'version "(?:1\.)?(\d{1,4})', said)
    return Java(place, int(version[1]) if version else 0)
