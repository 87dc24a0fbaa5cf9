#!/bin/bash
# What was built where there was no GPU, and is to be measured on one: bench/unmeasured/run.sh FOLDER, in the root of the source tree,
# after `scons -j16 tools bench-programs`. It takes nine minutes on an H200 and 16 cores; FOLDER gets what each says, and two
# files for bench/report.py: papers.json and rows/results.json.
set -u
out=$(mkdir -p "${1:?where to?}" && cd "$1" && pwd) || exit 1
here=$(dirname "$0")
for script in papers_on_gpu.py parents.sh devices.sh; do
  echo "== $script"
  OUT=$out timeout 240 "$here/$script" 2>&1 | tee "$out/$script.txt"
done
echo "== gpu.py --rows"
timeout 240 "$here/../gpu.py" --rows --seconds=200 --output="$out/rows"
