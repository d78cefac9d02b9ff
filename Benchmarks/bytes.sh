#!/usr/bin/env bash
# Bytes at equal ssimulacra2 and CPU time against the encoders of other servers, played by libvips with their settings.
# bytes.sh [--encoders] [--second] [FILE…]: FILEs are photographs; --encoders gives both sides pixels that need no resize, --second
# measures what popular results are replaced by in the background.
source "$(dirname "$0")/common.sh"
need curl python3
mode=() keys=", mezzanine: false"
while [[ ${1:-} == --* ]]; do
    case $1 in
        --encoders) mode+=(--encoders) ;;
        --second) mode+=(--second http://127.0.0.1:18081) keys+=", recompress-after: 1, timeouts: { transform: 60s }" ;;
        *) echo "bench: unknown option $1" >&2; exit 1 ;;
    esac
    shift
done
images=${BENCH_IMAGES:-$root/../shared/images}
files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
    for name in bus-12mp fox hato kimono exif-landscape-1; do
        [[ -r $images/$name.jpg ]] && files+=("$images/$name.jpg")
    done
    [[ ${#files[@]} -gt 0 ]] || echo "bench: no photographs in $images (BENCH_IMAGES), drawn pictures alone"
    files+=("$root/demo/landscape.jpg" "$root/demo/badge.png")
fi

install_metric
mkdir -p "$work/source" "$work/cache"
start_edgeprint 18080 18081 "$work/source" "$work/cache" "$keys"
"$tools/bin/python" "$root/Benchmarks/bytes.py" "${mode[@]}" --daemon "$daemon" --url http://127.0.0.1:18080/bench \
    --source "$work/source" "${files[@]}"
