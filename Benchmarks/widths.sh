#!/usr/bin/env bash
# More widths of one 12 MP original: the second one after the first, of a local file, and eight at once against the largest alone,
# of an original that has to be downloaded. Each round uses a new original. Compare the ratios.
source "$(dirname "$0")/common.sh"
need curl nginx
rounds=${BENCH_ROUNDS:-9}
mkdir -p "$work/source" "$work/cache" "$work/cache-2"
photograph=${BENCH_IMAGE:-$root/../shared/images/bus-12mp.jpg}
if [[ -r $photograph ]]; then
    cp -p "$photograph" "$work/photograph.jpg"
else
    echo "bench: no photograph (BENCH_IMAGE), so the drawn landscape is enlarged to 12 MP"
    vips thumbnail "$root/demo/landscape.jpg" "$work/photograph.jpg[Q=92]" 4032 --height 3024 --size force
fi
original() { ln "$work/photograph.jpg" "$work/source/$1.jpg"; }
# ask ORIGINAL WIDTH: prints milliseconds until the last byte.
ask() {
    curl -fsS -o /dev/null -w '%{time_total}\n' "http://127.0.0.1:$port/bench/$1.jpg?w=$2&format=jpeg&q=80" | awk '{print $1 * 1000}'
}

# start PORT ADMIN SOURCE CACHE [KEYS]: sets $port and $workers, waits for all workers and warms the files.
start() {
    local i
    port=$1
    start_edgeprint "$@"
    pids=()
    for ((i = 0; i < 6; i++)); do
        original "warm-$port-$i"
        ask "warm-$port-$i" 512 >/dev/null &
        pids+=($!)
    done
    wait "${pids[@]}"
    sleep 1
    mapfile -t workers < <(pgrep -P "$daemon")
}

start 18080 18081 "$work/source" "$work/cache"
seconds=() firsts=()
for ((i = 0; i < rounds; i++)); do
    original "pair-$i"
    firsts+=("$(ask "pair-$i" 512)")
    seconds+=("$(ask "pair-$i" 400)")
done
a=$(median "${firsts[@]}") b=$(median "${seconds[@]}")
printf 'first width (512) of a 12 MP original %.1f ms, second (400) %.1f ms: %.1f times faster (medians of %d)\n' \
    "$a" "$b" "$(awk "BEGIN {print $a / $b}")" "$rounds"

cp "$work/photograph.jpg" "$work/source/picture.jpg"
start_nginx 18084 <<<"server { listen 127.0.0.1:18084; root $work/source; }"
start 18082 18083 http://127.0.0.1:18084 "$work/cache-2" ", allow-private: true, ttl: 1d"
widths=(160 240 320 480 640 800 1024 1600)
together=() alone=()
for ((i = 0; i < rounds; i++)); do
    original "alone-$i" && original "eight-$i"
    begin=$(cpu_ticks "${workers[@]}")
    ask "alone-$i" 1600 >/dev/null
    middle=$(cpu_ticks "${workers[@]}")
    for width in "${widths[@]}"; do
        printf 'url = "http://127.0.0.1:%d/bench/eight-%d.jpg?w=%d&format=jpeg&q=80"\noutput = "/dev/null"\n' "$port" "$i" "$width"
    done >"$work/eight"
    curl --no-progress-meter --fail -Z --parallel-immediate -K "$work/eight"
    end=$(cpu_ticks "${workers[@]}")
    alone+=($((middle - begin))) together+=($((end - middle)))
done
a=$(median "${alone[@]}") b=$(median "${together[@]}")
awk -v a="$a" -v b="$b" -v hertz="$(getconf CLK_TCK)" -v rounds="$rounds" 'BEGIN {
    printf "eight widths at once: %.0f ms of CPU, the largest (1600) alone %.0f ms: %.2f times as much (medians of %d)\n",
        b * 1000 / hertz, a * 1000 / hertz, b / a, rounds
}'
curl -fsS http://127.0.0.1:18083/metrics | awk '/^edgeprint_(mezzanine|decodes_shared)/ {print "  " $0}'
