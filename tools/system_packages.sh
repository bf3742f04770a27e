#!/bin/sh
# Installs the Debian packages that some tests need, where that is possible. Elsewhere those tests skip and say why;
# in CI they must run, so there a package that cannot be installed is a failure.
#     tools/system_packages.sh PACKAGE ...
for package in "$@"; do
  dpkg -s "$package" >/dev/null 2>&1 && continue
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install -y -qq "$package" >/dev/null 2>&1 ||
      { apt-get update -qq >/dev/null 2>&1 && apt-get install -y -qq "$package" >/dev/null 2>&1; }
  fi
  dpkg -s "$package" >/dev/null 2>&1 && continue
  echo "the package $package is not installed; tests that need it will skip (as root: apt-get install $package)" >&2
  [ -z "$CI" ] || exit 1
done
exit 0
