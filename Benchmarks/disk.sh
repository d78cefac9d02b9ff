#!/usr/bin/env bash
# Disk cache: start time by size of the index, and disk hits against nginx's proxy_cache.
# Compare the ratios, not the figures: both servers run on this machine together with wrk, alternately.
source "$(dirname "$0")/common.sh"
need wrk nginx curl sqlite3
seconds=${BENCH_SECONDS:-4} rounds=${BENCH_ROUNDS:-5}
cores=$(nproc)
mkdir -p "$work/source" "$work/cache" "$work/www" "$work/proxied"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
start_edgeprint 18080 18081 "$work/source" "$work/cache" ", cache: disk"

# The variant whose size is nearest to 190 kB.
best=0 url=
for width in 700 800 900 1000 1100 1200 1300 1400 1600 1800 2000; do
    candidate="http://127.0.0.1:18080/bench/picture.jpg?w=$width&format=jpeg"
    curl -fsS -o "$work/picture.jpg" "$candidate"
    size=$(stat -c %s "$work/picture.jpg")
    if ((best == 0 || (size > 190000 ? size - 190000 : 190000 - size) < (best > 190000 ? best - 190000 : 190000 - best))); then
        best=$size url=$candidate
        cp "$work/picture.jpg" "$work/www/picture.jpg"
    fi
done
for ((i = 0; i < 100; i++)); do
    status=$(curl -fsS -o /dev/null -D - "$url" | tr -d '\r' | awk -F': ' 'tolower($1) == "cache-status" {print $2}')
    [[ $status == *"hit; detail=disk"* ]] && break
    sleep 0.05
done
[[ $status == *"hit; detail=disk"* ]] || { echo "bench: not a disk hit: $status" >&2; exit 1; }

theirs_url=http://127.0.0.1:18082/picture.jpg
start_nginx 18082 "proxy_cache_path $work/proxied levels=1:2 keys_zone=pictures:10m;" <<CONF
server { listen 127.0.0.1:18083; root $work/www; }
server {
    listen 127.0.0.1:18082 reuseport;
    location / {
        proxy_pass http://127.0.0.1:18083;
        proxy_cache pictures;
        proxy_cache_valid 200 1h;
        add_header X-Cache \$upstream_cache_status;
    }
}
CONF
curl -fsS -o /dev/null -D - $theirs_url | grep -q 'X-Cache: HIT' || { echo "bench: nginx misses" >&2; exit 1; }

# measure URL: prints requests/s and p99 in ms.
measure() {
    wrk -t2 -c64 -d"${seconds}s" --latency "$1" >"$work/wrk.txt"
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk '$1 == "Requests/sec:" {rate = $2}
        $1 == "99%" {v = $2; p99 = v ~ /us$/ ? v / 1000 : v ~ /ms$/ ? v + 0 : v * 1000}
        END {printf "%.0f %.2f\n", rate, p99}' "$work/wrk.txt"
}

rates=() tails=()
echo "disk hit of $best bytes, wrk -t2 -c64 -d${seconds}s, against nginx proxy_cache"
echo "  (open_file_cache, reuseport, tcp_nopush, sendfile, no access log, $cores workers), alternating:"
for ((round = 1; round <= rounds; round++)); do
    read -r ours ours_p99 < <(measure "$url")
    read -r theirs theirs_p99 < <(measure $theirs_url)
    rates+=("$(awk "BEGIN {print $ours / $theirs}")")
    tails+=("$(awk "BEGIN {print $ours_p99 / $theirs_p99}")")
    printf '  %d: edgeprint %7d req/s p99 %6.2f ms   nginx %7d req/s p99 %6.2f ms\n' \
        "$round" "$ours" "$ours_p99" "$theirs" "$theirs_p99"
done
printf '  median ratios: requests/s %.2f, p99 %.2f\n' "$(median "${rates[@]}")" "$(median "${tails[@]}")"

stop_edgeprint() {
    kill "$daemon"
    wait "$daemon" 2>/dev/null || true
}

# now: prints the time in milliseconds.
now() { echo $(($(date +%s%N) / 1000000)); }

echo "start: time until /readyz responds and until the first disk hit, by rows of the index; then hits while these rows are verified:"
for rows in 1000 100000 1000000; do
    stop_edgeprint
    sqlite3 "$work/cache/index.sqlite" "
        BEGIN;
        DELETE FROM variants WHERE plan = 'bench';
        INSERT INTO variants (key, origin, origin_digest, plan, format, width, height, frames, length, digest, used, accessed_at)
        SELECT randomblob(32), (SELECT min(id) FROM origins), (SELECT digest FROM origins ORDER BY id LIMIT 1), 'bench',
            (SELECT format FROM variants LIMIT 1), 1, 1, 1, 100, randomblob(32), value, 1
        FROM generate_series(1, $rows);
        UPDATE totals SET entries = (SELECT count(*) FROM variants), bytes = (SELECT sum(length) FROM variants) WHERE class = 1;
        COMMIT; PRAGMA wal_checkpoint(TRUNCATE);" >/dev/null
    begin=$(now)
    "$binary" serve --config "$work/edgeprint.yaml" 2>"$work/edgeprint.log" &
    daemon=$!
    started+=("$daemon")
    until curl -fs -o /dev/null http://127.0.0.1:18081/readyz; do sleep 0.005; done
    ready=$(($(now) - begin))
    status=$(curl -fsS -o /dev/null -D - "$url" | tr -d '\r' | awk -F': ' 'tolower($1) == "cache-status" {print $2}')
    first=$(($(now) - begin))
    read -r rate p99 < <(measure "$url")
    printf '  %8d rows: ready after %4d ms, first response (%s) after %4d ms, %6d req/s p99 %6.2f ms\n' \
        "$rows" "$ready" "$status" "$first" "$rate" "$p99"
done
