#!/usr/bin/env bash
# Memory hits against nginx serving the same bytes as files, tuned, and against the floor (floor.c), which only receives and sends.
# All servers run on this machine together with wrk, alternately: compare the ratios, not the figures.
source "$(dirname "$0")/common.sh"
binary=${BENCH_BINARY:-$binary}
need wrk nginx curl gcc
seconds=${BENCH_SECONDS:-2} rounds=${BENCH_ROUNDS:-5} cores=$(nproc)
read -ra loads <<<"${BENCH_CONNECTIONS:-64 512}"
mkdir -p "$work/source" "$work/www" "$work/cache"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
start_edgeprint 18080 18081 "$work/source" "$work/cache"

# nearest BYTES QUERY…: adds the variant whose size is nearest to a target, as a URL of each server.
ours=() theirs=() floors=() sizes=() responses=()
nearest() {
    local target=$1 best=0 query url size file=$work/www/${#ours[@]}.jpg
    shift
    for query in "$@"; do
        url="http://127.0.0.1:18080/bench/picture.jpg?$query"
        curl -fsS -o "$work/candidate" "$url"
        size=$(stat -c %s "$work/candidate")
        if ((best == 0 || (size > target ? size - target : target - size) < (best > target ? best - target : target - best))); then
            best=$size
            ours[${#sizes[@]}]=$url
            mv "$work/candidate" "$file"
        fi
    done
    url=${ours[-1]}
    curl -fsS -i -o "$work/response${#sizes[@]}" "$url"
    grep -qai '^cache-status: .*detail=memory' "$work/response${#sizes[@]}" || { echo "bench: not a memory hit: $url" >&2; exit 1; }
    theirs+=("http://127.0.0.1:18082/${#sizes[@]}.jpg")
    floors+=("http://127.0.0.1:18084/${#sizes[@]}")
    responses+=("$work/response${#sizes[@]}")
    sizes+=("$best")
}
nearest 200 {w={4,8,12,16,20,24,28,32,40},q={20,50,80}}\&format=webp
nearest 20000 w={300,320,340,360,380,400}\&format=jpeg
nearest 190000 w={700,800,900,1000,1100,1200,1300,1400,1600,1800,2000}\&format=jpeg
cp "$work/www/1.jpg" "$work/www/picture.jpg"

start_nginx 18082 <<CONF
server { listen 127.0.0.1:18082 reuseport; root $work/www; }
CONF
mapfile -t nginx_workers < <(pgrep -P "$nginx")
gcc -O2 -pthread -o "$work/floor" "$root/Benchmarks/floor.c"
"$work/floor" 18084 "$cores" "${responses[@]}" &
floor=$!
started+=("$floor")
wait_for "${floors[0]}"

# measure CONNECTIONS URL PID…: prints requests/s, microseconds of server CPU per request, p99 in ms.
measure() {
    local connections=$1 url=$2 before after
    shift 2
    before=$(cpu_ticks "$@")
    wrk -t2 -c"$connections" -d"${seconds}s" --latency "$url" >"$work/wrk.txt"
    after=$(cpu_ticks "$@")
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
        $1 == "Requests/sec:" {rate = $2}
        $1 == "99%" {v = $2; p99 = v ~ /us$/ ? v / 1000 : v ~ /ms$/ ? v + 0 : v * 1000}
        / requests in / {n = $1}
        END {printf "%.0f %.2f %.2f\n", rate, ticks / hertz * 1e6 / n, p99}' "$work/wrk.txt"
}

# summary FIRST-COLUMN: the median and the extremes of the ratios to nginx of three columns of rounds.
summary() {
    local column text=()
    for column in "$1" $(($1 + 1)) $(($1 + 2)); do
        mapfile -t ratios < <(awk -v a="$column" -v b=$((4 + (column - 1) % 3)) '{print $a / $b}' "$work/rounds" | sort -g)
        text+=("$(printf '%.2f (%.2f–%.2f)' "$(median "${ratios[@]}")" "${ratios[0]}" "${ratios[-1]}")")
    done
    echo "requests/s ${text[0]}, CPU per request ${text[1]}, p99 ${text[2]}"
}

echo "memory hits of ${sizes[*]} bytes, wrk -t2 -d${seconds}s, $rounds alternating turns; nginx serves files"
echo "  (open_file_cache, reuseport, tcp_nopush, sendfile, no access log, $cores workers); ratios to nginx, medians (extremes):"
for index in "${!sizes[@]}"; do
    for connections in "${loads[@]}"; do
        : >"$work/rounds"
        for url in "${ours[index]}" "${theirs[index]}" "${floors[index]}"; do wrk -t2 -c"$connections" -d1s "$url" >/dev/null; done
        for ((round = 1; round <= rounds; round++)); do
            a=$(measure "$connections" "${ours[index]}" "$daemon")
            b=$(measure "$connections" "${theirs[index]}" "${nginx_workers[@]}")
            c=$(measure "$connections" "${floors[index]}" "$floor")
            echo "$a $b $c" >>"$work/rounds"
        done
        echo "  ${sizes[index]} bytes, $connections connections:"
        echo "    nginx      $(median $(cut -d' ' -f4 "$work/rounds")) requests/s, $(median $(cut -d' ' -f5 "$work/rounds")) µs CPU per request"
        echo "    edgeprint  $(summary 1)"
        echo "    floor      $(summary 7)"
    done
done
echo "  RSS: daemon $(rss_kib "$daemon") kB$(for w in $(pgrep -P "$daemon"); do printf ', worker %s kB' "$(rss_kib "$w")"; done)"
