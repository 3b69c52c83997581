#!/bin/sh
# Java 17 or newer for Spark: silent where it is there; installs it where the system's package manager may.
version() {
  command -v java >/dev/null 2>&1 || { echo 0; return; }
  java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

enough() {
  found=$(version)
  [ "${found:-0}" -ge 17 ]
}

enough && exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"; else as_root=no; fi
fi

if [ "$as_root" != no ]; then
  echo "installing Java 17+ for Spark" >&2
  if command -v apt-get >/dev/null 2>&1; then
    $as_root apt-get update -qq >/dev/null 2>&1
    for package in openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless; do
      $as_root apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 && break
    done
  elif command -v dnf >/dev/null 2>&1; then
    $as_root dnf install -q -y java-17-openjdk-headless >/dev/null 2>&1
  elif command -v apk >/dev/null 2>&1; then
    $as_root apk add -q openjdk17-jre-headless >/dev/null 2>&1
  fi
fi
if command -v brew >/dev/null 2>&1 && ! enough; then
  brew install --quiet openjdk@17 >/dev/null 2>&1 && PATH="$(brew --prefix openjdk@17)/bin:$PATH"
fi

enough && exit 0
echo "Spark needs Java 17 or newer: install a JRE (Debian: apt-get install default-jre-headless) and run this again." >&2
exit 1
