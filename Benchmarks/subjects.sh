#!/usr/bin/env bash
# The share of the subject that gravity=subject keeps, against attention, entropy and the centre: photographs with boxes drawn by hand
# (subjects.json), each cropped to five proportions. BENCH_SUBJECTS names the folder examples/images of the public repository
# jwagner/smartcrop.js; BENCH_BINARY another daemon than the release build.
source "$(dirname "$0")/common.sh"
need curl vips python3
binary=${BENCH_BINARY:-$binary}
mkdir -p "$work/source" "$work/cache"
ln -s "$(realpath "${BENCH_IMAGES:-$root/../shared/images}")" "$work/shared"
if [[ -n ${BENCH_SUBJECTS:-} ]]; then ln -s "$(realpath "$BENCH_SUBJECTS")" "$work/smartcrop.js"; fi
# Upright and as large as the largest result, so that each request costs little.
python3 "$root/Benchmarks/subjects.py" list "$root/Benchmarks/subjects.json" | while read -r name picture; do
    file=$work/$picture
    if [[ ! -r $file ]]; then
        echo "  $picture: skipped, since it is missing (BENCH_IMAGES, BENCH_SUBJECTS)"
        continue
    fi
    VIPS_WARNING=0 vips thumbnail "$file" "$work/source/$name.png[compression=1]" 960 --size down
done
start_edgeprint 18080 18081 "$work/source" "$work/cache" ", mezzanine: false"
python3 "$root/Benchmarks/subjects.py" measure "$root/Benchmarks/subjects.json" http://127.0.0.1:18080/bench "$work/source"
