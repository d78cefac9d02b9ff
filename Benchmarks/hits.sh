#!/usr/bin/env bash
# Memory hits against nginx serving the same bytes as a file, tuned: requests per second, server CPU per request, p99.
# Both servers run on this machine together with wrk, alternately: compare the ratios, not the figures.
source "$(dirname "$0")/common.sh"
need wrk nginx curl
seconds=${BENCH_SECONDS:-4} rounds=${BENCH_ROUNDS:-5} kind=${1:-memory}
cores=$(nproc)
mkdir -p "$work/source" "$work/www" "$work/cache"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
start_edgeprint 18080 18081 "$work/source" "$work/cache"

# A variant of about 20 kB; nginx serves the same bytes.
url=http://127.0.0.1:18080/bench/picture.jpg?w=360\&format=jpeg
curl -fsS -o "$work/www/picture.jpg" "$url"
size=$(stat -c %s "$work/www/picture.jpg")
status=$(curl -fsS -o /dev/null -D - "$url" | tr -d '\r' | awk -F': ' 'tolower($1) == "cache-status" {print $2}')
[[ $status == *detail=memory* ]] || { echo "bench: not a memory hit: $status" >&2; exit 1; }

start_nginx 18082 <<CONF
server { listen 127.0.0.1:18082 reuseport; root $work/www; }
CONF
mapfile -t nginx_workers < <(pgrep -P "$nginx")

# measure URL PID…: prints requests/s, microseconds of server CPU per request, p99 in ms.
measure() {
    local url=$1 before after
    shift
    before=$(cpu_ticks "$@")
    wrk -t2 -c64 -d"${seconds}s" --latency "$url" >"$work/wrk.txt"
    after=$(cpu_ticks "$@")
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
        $1 == "Requests/sec:" {rate = $2}
        $1 == "99%" {v = $2; p99 = v ~ /us$/ ? v / 1000 : v ~ /ms$/ ? v + 0 : v * 1000}
        / requests in / {n = $1}
        END {printf "%.0f %.2f %.2f\n", rate, ticks / hertz * 1e6 / n, p99}' "$work/wrk.txt"
}

wrk -t2 -c64 -d1s "$url" >/dev/null
wrk -t2 -c64 -d1s http://127.0.0.1:18082/picture.jpg >/dev/null
rates=() cpus=() tails=()
echo "hit of $size bytes from $kind, wrk -t2 -c64 -d${seconds}s, against nginx static"
echo "  (open_file_cache, reuseport, tcp_nopush, sendfile, no access log, $cores workers), alternating:"
for ((round = 1; round <= rounds; round++)); do
    read -r ours ours_cpu ours_p99 < <(measure "$url" "$daemon")
    read -r theirs theirs_cpu theirs_p99 < <(measure http://127.0.0.1:18082/picture.jpg "${nginx_workers[@]}")
    rates+=("$(awk "BEGIN {print $ours / $theirs}")")
    cpus+=("$(awk "BEGIN {print $ours_cpu / $theirs_cpu}")")
    tails+=("$(awk "BEGIN {print $ours_p99 / $theirs_p99}")")
    printf '  %d: edgeprint %7d req/s %5.2f µs CPU p99 %5.2f ms   nginx %7d req/s %5.2f µs CPU p99 %5.2f ms\n' \
        "$round" "$ours" "$ours_cpu" "$ours_p99" "$theirs" "$theirs_cpu" "$theirs_p99"
done
printf '  median ratios: requests/s %.2f, CPU per request %.2f, p99 %.2f\n' \
    "$(median "${rates[@]}")" "$(median "${cpus[@]}")" "$(median "${tails[@]}")"
echo "  RSS: daemon $(rss_kib "$daemon") kB$(for w in $(pgrep -P "$daemon"); do printf ', worker %s kB' "$(rss_kib "$w")"; done)"
