#!/bin/sh
# Tries a wheel as a stranger would: a new virtual environment, an empty folder, nothing of the sources in reach; first
# with the newest versions of what it needs, then with the oldest that it allows.
#     tools/try_wheel.sh PYTHON WHEEL
set -eu
python=$1
wheel=$(realpath "$2")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" "$(dirname "$0")/requirements.py" --oldest run > "$place/oldest.txt"
: > "$place/newest.txt"
cd "$place"
for versions in newest oldest; do
  mkdir $versions
  cd $versions
  "$python" -m venv venv
  venv/bin/python -m pip --disable-pip-version-check install --quiet --constraint ../$versions.txt "$wheel"
  venv/bin/dragoman --version
  venv/bin/dragoman synth en-de --split train=300,dev=30,test=30 -o corpus
  venv/bin/dragoman train corpus/train.en corpus/train.de --dev-source corpus/dev.en --dev-target corpus/dev.de -o en-de
  venv/bin/dragoman translate en-de corpus/test.en > output.de
  venv/bin/dragoman score output.de --ref corpus/test.de
  venv/bin/python -c '
import dragoman
found = dragoman.load("en-de").translate("The teacher will see the children.")
assert found.text, found
print(found.text)'
  cd ..
  echo "the wheel works with the $versions versions of what it needs: $(basename "$wheel")"
done
