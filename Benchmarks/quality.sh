#!/usr/bin/env bash
# What q=auto finds for photographs, and what auto: smallest takes: bytes and milliseconds against the fixed default qualities. The
# results are searched for in the given order, so that each format's first photograph has nothing remembered to begin with.
source "$(dirname "$0")/common.sh"
need curl vips
mkdir -p "$work/source" "$work/cache"
folder=${BENCH_IMAGES:-$root/../shared/images}
names=()
for file in bus-12mp.jpg fox.jpg hato.jpg kimono.jpg exif-landscape-1.jpg; do
    [[ -r $folder/$file ]] || continue
    # As PNG and as large as the largest result, so that decoding and scaling are the same small part of each.
    vips thumbnail "$folder/$file" "$work/source/${file%.*}.png[compression=1]" 1600 --size down
    names+=("${file%.*}")
done
[[ ${#names[@]} -gt 0 ]] || { echo "bench: no photographs in $folder (BENCH_IMAGES)" >&2; exit 1; }
start_edgeprint 18080 18081 "$work/source" "$work/cache" ", mezzanine: false"
ln "$work/source/${names[0]}.png" "$work/source/warm.png"
for ((i = 0; i < 6; i++)); do
    for format in jpeg webp avif jxl; do
        curl -fsS -o /dev/null "http://127.0.0.1:18080/bench/warm.png?w=$((300 + i))&format=$format" || true
    done
done

# ask NAME QUERY ACCEPT: bytes, milliseconds, and the type.
ask() {
    curl -fsS -o "$work/result" -H "Accept: ${3:-*/*}" -w '%{size_download} %{time_total} %{content_type}\n' \
        "http://127.0.0.1:18080/bench/$1.png?$2" | awk '{printf "%d %.0f %s\n", $1, $2 * 1000, $3}'
}
tries() { curl -fsS http://127.0.0.1:18081/metrics | awk -F'[" ]' '/^edgeprint_quality_searches_total/ {n += $2 * $4} END {print n + 0}'; }

for width in 512 1600; do
    printf '%-18s %5s  %s\n' "width $width" "" "      fixed: bytes    ms       q=auto: bytes    ms  tries"
    for format in jpeg webp avif; do
        sums=(0 0 0 0 0)
        for name in "${names[@]}"; do
            read -r size time _ < <(ask "$name" "w=$width&format=$format")
            before=$(tries)
            read -r found took _ < <(ask "$name" "w=$width&format=$format&q=auto")
            count=$(($(tries) - before))
            printf '  %-16s %5s %18d %5d %20d %5d %6d\n' "$name" "$format" "$size" "$time" "$found" "$took" "$count"
            sums=($((sums[0] + size)) $((sums[1] + time)) $((sums[2] + found)) $((sums[3] + took)) $((sums[4] + count)))
        done
        printf '  %-16s %5s %18d %5d %20d %5d %6d\n' all "$format" "${sums[@]}"
    done
done
