#!/usr/bin/env bash
# Encoder effort: CPU milliseconds and bytes at equal similarity, at 512 px for several photographs and at 1920 px for one.
# Takes some minutes, most of them in AVIF.
source "$(dirname "$0")/common.sh"
need cc
export VIPS_WARNING=0
images=${BENCH_IMAGES:-$root/../shared/images}
photographs=()
for name in bus-12mp fox hato kimono exif-landscape-1; do
    [[ -r $images/$name.jpg ]] && photographs+=("$images/$name.jpg")
done
if [[ ${#photographs[@]} -eq 0 ]]; then
    echo "bench: no photographs (BENCH_IMAGES), using the drawn landscape instead"
    photographs=("$root/demo/landscape.jpg")
fi
# shellcheck disable=SC2046  # flags are words
cc -O2 -o "$work/encoders" "$root/Benchmarks/encoders.c" $(pkg-config --cflags --libs vips libavif libwebp) -lm
echo "512 px, mean of ${#photographs[@]}:"
"$work/encoders" 512 "${photographs[@]}"
echo "1920 px, one:"
"$work/encoders" 1920 "${photographs[0]}"
