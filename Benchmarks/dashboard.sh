#!/usr/bin/env bash
# Memory hits with and without an open Live page: requests per second, and server CPU per request.
# Two daemons answer in turn, one of which streams /live to a reader; compare the ratios, not the figures.
source "$(dirname "$0")/common.sh"
binary=${BENCH_BINARY:-$binary}
need wrk curl
seconds=${BENCH_SECONDS:-4} rounds=${BENCH_ROUNDS:-7}
mkdir -p "$work/source" "$work/cache1" "$work/cache2"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
start_edgeprint 18080 18081 "$work/source" "$work/cache1"
plain=$daemon
start_edgeprint 18090 18091 "$work/source" "$work/cache2"
watched=$daemon
path=/bench/picture.jpg?w=360\&format=jpeg
for port in 18080 18090; do
    curl -fsS -o /dev/null "http://127.0.0.1:$port$path"
    wrk -t2 -c64 -d1s "http://127.0.0.1:$port$path" >/dev/null
done
curl -fsSN -H 'Accept: text/event-stream' -o "$work/events" http://127.0.0.1:18091/live &
started+=("$!")

# measure PORT PID: prints requests/s, and microseconds of server CPU per request.
measure() {
    local before after
    before=$(cpu_ticks "$2")
    wrk -t2 -c64 -d"${seconds}s" "http://127.0.0.1:$1$path" >"$work/wrk.txt"
    after=$(cpu_ticks "$2")
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
        $1 == "Requests/sec:" {rate = $2}
        / requests in / {n = $1}
        END {printf "%.0f %.3f\n", rate, ticks / hertz * 1e6 / n}' "$work/wrk.txt"
}

rates=() cpus=()
for ((round = 1; round <= rounds; round++)); do
    # Each is first in every second round.
    if ((round % 2)); then
        read -r rate cpu < <(measure 18080 "$plain")
        read -r open_rate open_cpu < <(measure 18090 "$watched")
    else
        read -r open_rate open_cpu < <(measure 18090 "$watched")
        read -r rate cpu < <(measure 18080 "$plain")
    fi
    rates+=("$(awk "BEGIN {print $open_rate / $rate}")")
    cpus+=("$(awk "BEGIN {print $open_cpu / $cpu}")")
    printf '  %d: closed %7d req/s %6.3f µs CPU   open %7d req/s %6.3f µs CPU\n' \
        "$round" "$rate" "$cpu" "$open_rate" "$open_cpu"
done
grep -q '^event: live' "$work/events" || { echo "bench: the stream has no events" >&2; exit 1; }
printf '  median ratios, open to closed: requests/s %.3f, CPU per request %.3f\n' \
    "$(median "${rates[@]}")" "$(median "${cpus[@]}")"
