#!/usr/bin/env bash
# Results of q=auto and auto: smallest for photographs: bytes and CPU milliseconds of the workers, against the fixed default
# qualities.
source "$(dirname "$0")/common.sh"
need curl vips
mkdir -p "$work/source" "$work/cache"
folder=${BENCH_IMAGES:-$root/../shared/images}
names=()
for file in bus-12mp.jpg fox.jpg hato.jpg kimono.jpg exif-landscape-1.jpg; do
    [[ -r $folder/$file ]] || continue
    # As PNG and as large as the largest result, so that decoding and scaling take an equally small share of each.
    vips thumbnail "$folder/$file" "$work/source/${file%.*}.png[compression=1]" 1600 --size down
    names+=("${file%.*}")
done
[[ ${#names[@]} -gt 0 ]] || { echo "bench: no photographs in $folder (BENCH_IMAGES)" >&2; exit 1; }
# Drawings, for lossless formats.
drawings=()
for file in indexed.png rgba.png logo.svg; do
    [[ -r $folder/$file ]] || continue
    vips thumbnail "$folder/$file" "$work/source/${file%.*}.png" 512 && drawings+=("${file%.*}")
done
start_edgeprint 18080 18081 "$work/source" "$work/cache" ", mezzanine: false, auto: smallest"
ln "$work/source/${names[0]}.png" "$work/source/warm.png"
for ((i = 0; i < 6; i++)); do
    for format in jpeg webp avif jxl; do
        curl -fsS -o /dev/null "http://127.0.0.1:18080/bench/warm.png?w=$((300 + i))&format=$format" || true
    done
done

mapfile -t workers < <(pgrep -P "$daemon")
tick=$((1000 / $(getconf CLK_TCK)))

# ask NAME QUERY ACCEPT: prints bytes, CPU milliseconds of the workers, and the type.
ask() {
    local before line
    before=$(cpu_ticks "${workers[@]}")
    line=$(curl -fsS -o "$work/result" -H "Accept: ${3:-*/*}" -w '%{size_download} %{content_type}' \
        "http://127.0.0.1:18080/bench/$1.png?$2")
    echo "${line% *} $((($(cpu_ticks "${workers[@]}") - before) * tick)) ${line#* }"
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

echo "auto: smallest, width 512, for Accept: image/webp: bytes"
printf '  %-16s %8s %8s %8s %10s  %s\n' "" jpeg webp png smallest type
for name in "${names[@]}" "${drawings[@]}"; do
    row=()
    for format in jpeg webp png; do
        read -r size _ _ < <(ask "$name" "w=512&format=$format")
        row+=("$size")
    done
    read -r size time type < <(ask "$name" "w=512" image/webp)
    printf '  %-16s %8d %8d %8d %10d  %s, %d ms\n' "$name" "${row[@]}" "$size" "$type" "$time"
done
