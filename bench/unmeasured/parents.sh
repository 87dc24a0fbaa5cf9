#!/bin/bash
# Do parents on every layout, striped pages streamed, and components and k-core of directed graphs equal the CPU's at scale 22?
# (SCALE, MEMORY; BIN and RUN: the tools, another quern-run.)
B=${BIN:-build/bin} R=${RUN:-$B/quern-run} S=${SCALE:-22} W=$(mktemp -d) right=0 wrong=0 begin=$SECONDS
trap 'rm -rf "$W"' EXIT
same() { if cmp -s "$W/a.npy" "$W/b.npy"; then right=$((right + 1)); else wrong=$((wrong + 1)); echo "WRONG $1"; fi; rm -f "$W/b.npy"; }
left() { [ $((SECONDS - begin)) -lt 62 ] || { echo "no time: $1"; return 1; }; }
$B/quern-generate rmat --scale=$S --degree=8 --weights=1,255 --undirected -qfo "$W/graph.qrn"
$B/quern-page "$W/graph.qrn" --stripe="$W" --stripe="$W" -qfo "$W/striped.qrn" >/dev/null 2>&1 ||
  { mkdir "$W/1" "$W/2"; $B/quern-page "$W/graph.qrn" --stripe="$W/1" --stripe="$W/2" -qfo "$W/striped.qrn"; }
for a in bfs sssp; do
  $B/quern-run $a "$W/graph.qrn" --device=cpu --trust -q --parents="$W/parents.$a.npy" -fo "$W/values.$a.npy" >/dev/null
done
for layout in graph block partition page shard hybrid; do
  left $layout || break
  f=$W/$layout.qrn
  [ $layout = graph ] || $B/quern-$layout "$W/graph.qrn" -qfo "$f" >/dev/null
  for a in bfs sssp; do
    $R $a "$f" --device=cuda --trust -q --parents="$W/b.npy" -fo "$W/v.npy" >/dev/null
    cp "$W/parents.$a.npy" "$W/a.npy"; same "parents of $a on $layout"
    mv "$W/v.npy" "$W/b.npy"; cp "$W/values.$a.npy" "$W/a.npy"; same "$a on $layout"
  done
  [ $layout = graph ] || rm -f "$f"
done
for a in bfs sssp; do
  left "striped $a" || break
  $R $a "$W/striped.qrn" --device=cuda --trust -q --device-memory=${MEMORY:-300M} -fo "$W/b.npy" >/dev/null
  cp "$W/values.$a.npy" "$W/a.npy"; same "$a streamed from striped pages"
done
rm -f "$W"/*.qrn
$B/quern-generate rmat --scale=$S --degree=8 -qfo "$W/directed.qrn"
$B/quern-run cc "$W/directed.qrn" --device=cpu --trust -q -fo "$W/a.npy" >/dev/null
for layout in partition page block shard hybrid; do
  left "directed $layout" || break
  $B/quern-$layout "$W/directed.qrn" -qfo "$W/$layout.qrn" >/dev/null
  $R cc "$W/$layout.qrn" --device=cuda --trust -q --device-memory=${MEMORY:-200M} -fo "$W/b.npy" >/dev/null
  same "components of a directed graph on $layout, 200 MB"
  rm -f "$W/$layout.qrn"
done
if left kcore; then
  $B/quern-run kcore "$W/directed.qrn" --device=cpu --trust -q -fo "$W/a.npy" >/dev/null
  $R kcore "$W/directed.qrn" --device=cuda --trust -q -fo "$W/b.npy" >/dev/null; same "k-core of a directed graph"
fi
echo "$right right, $wrong wrong, $((SECONDS - begin)) s"
