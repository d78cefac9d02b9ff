#!/usr/bin/env bash
# CPU time of server and workers per request, alternating with a plain C loop over libvips or with the same request without a step.
# Compare the ratios.
source "$(dirname "$0")/common.sh"
need curl cc vips nginx
pids=() rounds=${BENCH_ROUNDS:-7} count=${BENCH_COUNT:-40}
mkdir -p "$work/source" "$work/cache"
photograph=${BENCH_IMAGE:-$root/../shared/images/bus-12mp.jpg}
if [[ -r $photograph ]]; then
    cp -p "$photograph" "$work/source/large.jpg"
else
    echo "bench: no photograph (BENCH_IMAGE), so the drawn landscape is enlarged to 12 MP"
    vips thumbnail "$root/demo/landscape.jpg" "$work/source/large.jpg[Q=92]" 4032 --height 3024 --size force
fi
vips thumbnail "$work/source/large.jpg" "$work/source/two.jpg[Q=90,strip]" 1632 --height 1224 --size force
# shellcheck disable=SC2046  # flags are words
cc -O2 -o "$work/loop" "$root/Benchmarks/format-loop.c" $(pkg-config --cflags --libs vips)
"$work/loop" "$work/source/two.jpg" draw "$work/source/moving.gif"
# A source that caches no results: every response is made from a cached original.
ln "$work/source/two.jpg" "$work/source/picture.jpg"
start_nginx 18082 <<CONF
server { listen 127.0.0.1:18082; root $work/source; }
CONF
start_edgeprint 18080 18081 http://127.0.0.1:18082 "$work/cache" \
    ", allow-private: true, ttl: 1d, cache: { variants: none, originals: disk }, mezzanine: false"

# ask TARGET COUNT: sends COUNT requests in sequence on one connection; every response must be an image.
ask() {
    local i
    : >"$work/urls"
    for ((i = 0; i < $2; i++)); do
        printf 'url = "http://127.0.0.1:18080/bench/%s"\noutput = "/dev/null"\n' "$1" >>"$work/urls"
    done
    curl --no-progress-meter --fail -K "$work/urls"
}

# cost TARGET COUNT: prints CPU milliseconds per response. A first, uncounted request downloads the original.
cost() {
    local begin end status
    status=$(curl -fsS -o /dev/null -w '%header{cache-status}' "http://127.0.0.1:18080/bench/$1")
    [[ $status == *fwd=uri-miss* || $status == *detail=original* ]] || { echo "bench: $1 is $status" >&2; exit 1; }
    begin=$(cpu_ticks "$daemon" "${workers[@]}")
    ask "$1" "$2"
    end=$(cpu_ticks "$daemon" "${workers[@]}")
    awk -v ticks=$((end - begin)) -v hertz="$(getconf CLK_TCK)" -v count="$2" 'BEGIN {print ticks * 1000 / hertz / count}'
}

# against NAME TARGET COUNT COMMAND…: compares the server's cost with what the command prints.
against() {
    local name=$1 target=$2 number=$3 round a b ratios=() ours=() theirs=()
    shift 3
    for ((round = 0; round < rounds; round++)); do
        a=$(cost "$target" "$number") b=$("$@")
        ours+=("$a") theirs+=("$b")
        ratios+=("$(awk "BEGIN {print $b / $a}")")
    done
    printf '%s: %.1f ms, %.1f ms: %.2f\n' "$name" "$(median "${ours[@]}")" "$(median "${theirs[@]}")" "$(median "${ratios[@]}")"
}

# Waits for the workers, which start one by one, and warms the files.
for ((i = 0; i < 6; i++)); do
    ask "large.jpg?w=$((500 + i))&format=webp" 1 &
    pids+=($!)
done
wait "${pids[@]}"
sleep 1
mapfile -t workers < <(pgrep -P "$daemon")

echo "CPU time per response, medians of alternating rounds, and the ratio (1 is equally fast, more is faster):"
against "2 MP JPEG → 400 × 300 WebP effort 4, C loop" 'two.jpg?w=400&h=300&fit=fill&format=webp&effort=4' $((count * 2)) \
    "$work/loop" "$work/source/two.jpg" webp $((count * 2)) 4
for way in animation thumbnail; do
    against "24 frames 480 × 360 GIF → 200 px WebP, C loop ($way)" 'moving.gif?w=200&format=webp&effort=2' $((count / 4)) \
        "$work/loop" "$work/source/moving.gif" "$way" $((count / 4)) 2
done
# The difference is smaller than the machine's noise, hence many short rounds.
rounds=$((rounds * 3))
for format in jpeg webp; do
    query="large.jpg?w=512&bg=ffffff&format=$format"
    against "12 MP → 512 $format with round corners, without" "$query&round=20" $((count / 4)) cost "$query" $((count / 4))
done
