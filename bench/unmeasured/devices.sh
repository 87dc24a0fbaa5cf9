#!/bin/bash
# What changed on devices, beside the CPU's results: components on packed rows (one sample for all layouts), streamed searches
# with measured rates (undirected; directed, from below along in-edges; one that ends at once), streamed SSSP.
set -u
B=$PWD/build/bin; T=$(mktemp -d /dev/shm/device.XXXX); cd "$T" || exit 1
trap 'rm -rf "$T"' EXIT
S=${SCALE:-22}
"$B/quern-generate" rmat --scale=$S --undirected --weights=1,64 --transpose=also -qo u.qrn || exit 1
"$B/quern-generate" rmat --scale=$S --transpose=also -qo d.qrn || exit 1
"$B/quern-generate" rmat --scale=$S -qo plain.qrn || exit 1
"$B/quern-pack" u.qrn -qo p.qrn
row() { # NAME ALGORITHM FILE OPTIONS...: median of three, equal to the CPU's?
  local name=$1 algorithm=$2 file=$3; shift 3
  local source=() memory=()
  [[ $name == *isolated* ]] && source=(--source "$ISOLATED")
  "$B/quern-run" "$algorithm" "$file" --device=cpu "${source[@]}" --trust -fqo cpu.npy || return
  for i in 1 2 3; do
    "$B/quern-run" "$algorithm" "$file" --device=cuda "${source[@]}" --trust "$@" --json -fo gpu.npy > r$i.json 2> err || { echo "$name: $(tail -1 err)"; return; }
  done
  cmp -s cpu.npy gpu.npy && same=same || same=DIFFERENT
  python3 - "$name" $same <<'P'
import json, sys
runs = [json.load(open("r%d.json" % i)) for i in (1, 2, 3)]
ms = sorted(1e3 * run["seconds"]["kernel"] for run in runs)
prepare = sorted(1e3 * run["seconds"]["prepare"] for run in runs)
stream = runs[0].get("streaming", {})
print("%-34s %8.2f ms (%.2f to %.2f), prepare %7.1f, moved %7.1f of %7.1f MB, pinned %7.1f MB, %s"
      % (sys.argv[1], ms[1], ms[0], ms[2], prepare[1], stream.get("moved_bytes", 0) / 1e6, stream.get("topology_bytes", 0) / 1e6,
         stream.get("pin_bytes", 0) / 1e6, sys.argv[2]))
P
}
# A vertex without edges: degree 0.
"$B/quern-run" degree u.qrn --device=cpu -qfo degree.tsv; ISOLATED=$(awk '$2 == 0 { print $1; exit }' degree.tsv); rm -f degree.tsv
row "cc, packed" cc p.qrn
row "cc, plain" cc u.qrn
row "bfs, packed" bfs p.qrn
for memory in 300M; do
  row "bfs, plain, streamed, no cache" bfs u.qrn --device-memory=$memory --cache-memory=0
  row "bfs, plain, streamed, $memory" bfs u.qrn --device-memory=$memory
  row "bfs, isolated, streamed, $memory" bfs u.qrn --device-memory=$memory
  row "sssp, plain, streamed, $memory" sssp u.qrn --device-memory=$memory
  row "bfs, directed, out-edges, no cache" bfs plain.qrn --device-memory=$memory --cache-memory=0
  row "bfs, directed, in-edges, no cache" bfs d.qrn --device-memory=$memory --cache-memory=0
done
"$B/quern-run" bfs u.qrn --json --explain --trust 2>&1 | python3 -c 'import json,sys; print("auto:", json.load(sys.stdin).get("choice"))'
