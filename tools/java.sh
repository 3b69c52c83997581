#!/bin/sh
# Java 17 or newer for Spark: silent where it is there. Otherwise the system's package manager installs it, after a
# question if there is a terminal; where nobody can be asked, such as in CI, it says so and goes on.
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

manager=
for each in apt-get dnf apk brew; do
  if [ "$as_root" = no ] && [ "$each" != brew ]; then continue; fi
  if command -v "$each" >/dev/null 2>&1; then manager=$each; break; fi
done

agreed=yes
if [ -n "$manager" ] && [ -t 0 ]; then
  printf '%s' "Spark needs Java 17 or newer. Install it with $manager, for the whole system? [y/N] " >&2
  read -r answer
  case $answer in [yY]*) ;; *) agreed=no ;; esac
fi

if [ -n "$manager" ] && [ "$agreed" = yes ]; then
  echo "installing Java 17+ for Spark with $manager" >&2
  case $manager in
    apt-get)
      $as_root apt-get update -qq >/dev/null 2>&1
      for package in openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless; do
        $as_root apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 && break
      done ;;
    dnf) $as_root dnf install -q -y java-17-openjdk-headless >/dev/null 2>&1 ;;
    apk) $as_root apk add -q openjdk17-jre-headless >/dev/null 2>&1 ;;
    brew) brew install --quiet openjdk@17 >/dev/null 2>&1 && PATH="$(brew --prefix openjdk@17)/bin:$PATH" ;;
  esac
fi

enough && exit 0
echo "Spark needs Java 17 or newer: install a JRE (Debian: apt-get install default-jre-headless) and run this again." >&2
exit 1
