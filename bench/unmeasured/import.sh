#!/bin/bash
# Import, two builders and restoring on 1, 2 and 16 threads, in /dev/shm: wall, user and sys of each, three alternating runs.
# With one or two threads restoring writes instead of mapping; with more it maps.
export QUERN_NO_SYNC=1
B=$PWD/build/bin D=$(mktemp -d /dev/shm/importsXXXX); trap 'rm -rf $D' EXIT
t() { n=$1; shift; ( TIMEFORMAT="$n %R wall %U user %S sys"; time "$@" >/dev/null 2>$D/err ) 2>&1 || tail -2 $D/err; }
nproc; uname -r; df -h /dev/shm | tail -1
$B/quern-generate rmat --scale 22 --degree 16 --format edges -qfo $D/e.txt
$B/quern-import $D/e.txt -qfo $D/g.qrn
$B/quern-archive create -1 $D/g.qrn -qfo $D/g.qrnz
for i in 1 2 3; do for T in 1 2 16; do
  t "import -T$T" $B/quern-import $D/e.txt -T $T -qfo $D/x.qrn
  t "clean -T$T" $B/quern-import $D/e.txt -T $T --undirected --duplicates remove --self-loops remove -qfo $D/x.qrn
  t "set -T$T" $B/quern-import $D/e.txt -T $T --parts 2 -qfo $D/set
  t "block -T$T" $B/quern-block $D/g.qrn -T $T -qfo $D/x.qrn
  t "page -T$T" $B/quern-page $D/g.qrn -T $T -qfo $D/x.qrn
  t "restore -T$T" $B/quern-archive extract $D/g.qrnz -T $T -qfo $D/x.qrn
done; done | sort
