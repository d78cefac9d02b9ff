#!/usr/bin/env bash
# q=auto over photographs: the spread of ssimulacra2 scores, against that of the fixed quality with the same mean; tries, and CPU
# milliseconds of the workers, against the default quality. Then auto: smallest.
# quality.sh [--fit] [FOLDER]: FOLDER holds photographs (BENCH_IMAGES); --fit prints the numbers of QualityModel.swift for them.
source "$(dirname "$0")/common.sh"
need curl vips python3
task=spread
[[ ${1:-} == --fit ]] && { task=fit; shift; }
folder=${1:-${BENCH_IMAGES:-$root/../shared/images}}
photographs=()
if [[ $# -gt 0 ]]; then
    photographs=("$folder"/*.jpg)
else
    for name in bus-12mp fox hato kimono exif-landscape-1; do
        [[ -r $folder/$name.jpg ]] && photographs+=("$folder/$name.jpg")
    done
fi
[[ ${#photographs[@]} -gt 0 && -r ${photographs[0]} ]] || { echo "bench: no photographs in $folder (BENCH_IMAGES)" >&2; exit 1; }
install_metric
mkdir -p "$work/source" "$work/cache"
start_edgeprint 18080 18081 "$work/source" "$work/cache" ", mezzanine: false, auto: smallest"
measure() {
    "$tools/bin/python" "$root/Benchmarks/quality.py" "$@" --daemon "$daemon" --url http://127.0.0.1:18080/bench \
        --admin http://127.0.0.1:18081 --source "$work/source" "${photographs[@]}"
}
if [[ $task == fit ]]; then
    measure fit --formats jpeg webp sharpWebP avif jxl
    exit
fi
measure spread --levels low eco good best

names=()
for file in "${photographs[@]:0:5}"; do
    vips thumbnail "$file" "$work/source/$(basename "${file%.*}").png[compression=1]" 1600 --size down
    names+=("$(basename "${file%.*}")")
done
# Drawings, for lossless formats.
drawings=()
for file in indexed.png rgba.png logo.svg; do
    [[ -r $folder/$file ]] || continue
    vips thumbnail "$folder/$file" "$work/source/${file%.*}.png" 512 && drawings+=("${file%.*}")
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
