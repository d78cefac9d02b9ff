#!/usr/bin/env bash
# Hits while the disk cache evicts: originals of ten times the quota are stored while another client requests a cached image.
# Compare p99 with and without eviction, and check that the store never exceeds its quota by more than one object.
source "$(dirname "$0")/common.sh"
need wrk nginx curl
seconds=${BENCH_SECONDS:-10}
quota=$((32 << 20))
mkdir -p "$work/source" "$work/cache" "$work/www"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
cat >"$work/edgeprint.yaml" <<YAML
listen: 127.0.0.1:18080
admin: { listen: "127.0.0.1:18081" }
sources:
  bench: { url: "file://$work/source/" }
  filler: { url: "http://127.0.0.1:18083/", allow-private: true, cache: { variants: none, originals: disk } }
cache: { path: "$work/cache", memory: 64MiB, originals: ${quota}B }
log: { access: off, level: warning }
YAML
"$binary" serve --config "$work/edgeprint.yaml" 2>"$work/edgeprint.log" &
daemon=$!
started+=("$daemon")
wait_for http://127.0.0.1:18081/readyz
url='http://127.0.0.1:18080/bench/picture.jpg?w=400&format=jpeg'
curl -fsS -o /dev/null "$url"
# About 100 kB each.
curl -fsS -o "$work/www/picture.jpg" 'http://127.0.0.1:18080/bench/picture.jpg?w=700&format=jpeg&q=90'
object=$(stat -c %s "$work/www/picture.jpg")
start_nginx 18083 <<CONF
server { listen 127.0.0.1:18083; root $work/www; location / { try_files /picture.jpg =404; } }
CONF

# Distinct paths, some hundred per second: ten times the quota.
cat >"$work/filler.lua" <<'LUA'
local count = 0
request = function()
    count = count + 1
    return wrk.format("GET", "/filler/" .. count .. "-" .. tostring({}):sub(8) .. ".jpg")
end
delay = function() return 10 end
LUA

# tail URL: prints p99 in ms of one client's hits.
tail_of() {
    wrk -t1 -c8 -d"${seconds}s" --latency "$1" >"$work/wrk.txt"
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk '$1 == "99%" {v = $2; print v ~ /us$/ ? v / 1000 : v ~ /ms$/ ? v + 0 : v * 1000}' "$work/wrk.txt"
}

stored() { curl -fsS http://127.0.0.1:18081/metrics | awk '/^edgeprint_cache_bytes\{tier="originals"\}/ {print $2 + 0}'; }

idle=$(tail_of "$url")
pieces=$((10 * quota / object))
wrk -t1 -c4 -d600s -s "$work/filler.lua" http://127.0.0.1:18080/ >"$work/filler.txt" &
filler=$!
started+=("$filler")
ratios=() largest=0 written=0 rounds=0
while ((written < pieces)); do
    busy=$(tail_of "$url")
    ratios+=("$(awk "BEGIN {print $busy / $idle}")")
    now=$(stored)
    ((now > largest)) && largest=$now
    written=$(curl -fsS http://127.0.0.1:18081/metrics | awk '/^edgeprint_disk_stores_total/ {print $2 + 0}')
    rounds=$((rounds + 1))
    printf '  %d: p99 of hits %6.2f ms (idle %6.2f ms), %d of %d objects written, %d of %d bytes stored\n' \
        "$rounds" "$busy" "$idle" "$written" "$pieces" "$now" "$quota"
done
kill "$filler"
printf 'eviction: objects of %d bytes, 10 x quota: median ratio of p99 %.2f, most bytes stored %.3f of the quota (quota + one object: %.3f)\n' \
    "$object" "$(median "${ratios[@]}")" "$(awk "BEGIN {print $largest / $quota}")" "$(awk "BEGIN {print ($quota + $object) / $quota}")"
