#!/bin/sh
# pack.sh FOLDER: all that a campaign takes, for a machine that has Python and nothing else. There, FOLDER/run.sh SECONDS JOBS.
# First: scons CC=clang CXX=clang++ cuda=no variant=fuzz-fast fuzz, and variant=fuzz for one under sanitizers too.
set -e
here=$(dirname "$(realpath "$0")") root=$(realpath "$(dirname "$0")/../..")
mkdir -p "$1/lib" "$1/programs"
for program in "$root"/build/fuzz*/tests/quern-fuzz "$root"/build/fuzz*/tests/quern-fuzz-fast; do
  [ -e "$program" ] || continue
  name=$(basename "$program")
  strip --strip-debug -o "$1/lib/$name" "$program"
  ldd "$program" | awk '$3 ~ /^\// {print $3}' | xargs -I{} cp -L {} "$1/lib/"
  cat > "$1/programs/$name" <<'END'
#!/bin/sh
lib=$(dirname "$0")/../lib
exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$lib/$(basename "$0")" "$@"
END
  chmod +x "$1/programs/$name"
done
cp -L /lib64/ld-linux-x86-64.so.2 "$1/lib/"
# 30 MB of what libxml2, which libarchive uses, knows of languages: it does without.
for data in "$1"/lib/libicudata.so.*; do
  version=${data##*.}
  echo "const char icudt${version}_dat[16];" | gcc -shared -x c -Wl,-soname,"$(basename "$data")" -o "$data" -
done
cp -rL "$here/corpus" "$here/campaign.py" "$1/"
cat > "$1/run.sh" <<'END'
#!/bin/sh
# run.sh SECONDS JOBS [OUT]: search all fuzz targets; OUT (./out) gets table.json, what crashed, and what was found.
cd "$(dirname "$0")" || exit 2
exec python3 campaign.py --programs programs --corpus corpus --out "${3:-out}" --seconds "$1" --cores "$2"
END
chmod +x "$1/run.sh"
