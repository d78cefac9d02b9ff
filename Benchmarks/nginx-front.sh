#!/usr/bin/env bash
# Hits through nginx with TLS and deploy/nginx.conf, against hits of a proxy_cache of the same nginx: the daemon's answers copied
# through its connection, with answers.accel-redirect, and nginx's own cache. 20 kB and 190 kB, from memory and from disk.
# Everything runs on this machine together with wrk, alternately: compare the ratios, not the figures.
source "$(dirname "$0")/common.sh"
need wrk nginx curl openssl
seconds=${BENCH_SECONDS:-4} rounds=${BENCH_ROUNDS:-5} tiers=${1:-memory disk}
mkdir -p "$work/source" "$work/www"
cp "$root/demo/landscape.jpg" "$work/source/picture.jpg"
touch "$work/www/picture.jpg"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=img.example.com -keyout "$work/key" -out "$work/cert" 2>/dev/null

# server PORT OFFER: the packaged server on a port of its own, with or without the offer to send files, without an access log.
server() {
    sed -n '/listen 443 ssl http2;/,$p' "$root/deploy/nginx.conf" | sed -e '1i server {' \
        -e "s|listen 443 ssl http2;|listen 127.0.0.1:$1 ssl http2 reuseport;|; /listen \[::\]:443/d" \
        -e "s|/etc/ssl/certs/img.example.com.pem|$work/cert|; s|/etc/ssl/private/img.example.com.key|$work/key|" \
        -e "s|access_log .*|access_log off;|; s|/var/cache/edgeprint/|$work/cache/|" \
        -e "s|set \$edgeprint_sendfile X-Accel-Redirect;|set \$edgeprint_sendfile $2;|"
}

# The same server with a cache of nginx instead.
cached_server() {
    cat <<CONF
server {
    listen 127.0.0.1:$1 ssl http2 reuseport;
    ssl_certificate $work/cert;
    ssl_certificate_key $work/key;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:edgeprint:10m;
    ssl_session_tickets off;
    location / {
        proxy_pass http://edgeprint;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_cache pictures;
        proxy_cache_valid 200 1h;
        proxy_ignore_headers Vary;
        open_file_cache max=4096 inactive=20s;
        open_file_cache_valid 20s;
        add_header X-Cache \$upstream_cache_status;
    }
}
CONF
}

start() { # TIER
    mkdir -p "$work/cache" "$work/proxied"
    chmod 755 "$work" "$work/cache"
    cat >"$work/edgeprint.yaml" <<YAML
listen: [127.0.0.1:18080, "unix:$work/edgeprint.sock"]
admin: { listen: "127.0.0.1:18081" }
sources: { bench: { url: "file://$work/source/", cache: $([[ $1 == disk ]] && echo disk || echo all) } }
cache: { path: "$work/cache", memory: 256MiB }
proxies: { trust: [unix] }
answers: { accel-redirect: { prefix: /edgeprint-cache/, from: ${BENCH_FROM:-64KiB} } }
log: { access: off, level: warning }
YAML
    "$binary" serve --config "$work/edgeprint.yaml" 2>"$work/edgeprint.log" &
    daemon=$!
    started+=("$daemon")
    wait_for http://127.0.0.1:18081/readyz
    {
        sed -n '/^upstream/,/^}/p' "$root/deploy/nginx.conf" | sed "s|unix:/run/edgeprint.sock|unix:$work/edgeprint.sock|"
        server 18443 X-Accel-Redirect
        server 18444 '""'
        cached_server 18445
        echo "server { listen 127.0.0.1:18082; root $work/www; }"
    } >"$work/servers"
    start_nginx 18082 "proxy_cache_path $work/proxied levels=1:2 keys_zone=pictures:10m;" <"$work/servers"
    # Not the processes that manage the cache, one of which ends.
    mapfile -t nginx_workers < <(pgrep -P "$nginx" -f 'worker process')
}

stop() {
    kill "$daemon" "$nginx"
    wait "$daemon" "$nginx" 2>/dev/null || true
    rm -rf "$work/cache" "$work/proxied"
}

# redirects: the number of redirects so far.
redirects() { curl -fsS http://127.0.0.1:18081/metrics | awk '$1 == "edgeprint_accel_redirects_total" {print $2}'; }

# width_for BYTES: sets $width to that of the JPEG whose size is nearest.
width_for() {
    local best=0 size candidate
    for candidate in 300 320 340 360 380 400 420 440 900 1000 1100 1200 1300 1400 1500 1600 1800; do
        size=$(curl -fsS "http://127.0.0.1:18080/bench/picture.jpg?w=$candidate&format=jpeg" | wc -c)
        if ((best == 0 || (size > $1 ? size - $1 : $1 - size) < (best > $1 ? best - $1 : $1 - best))); then
            best=$size width=$candidate
        fi
    done
}

# measure PORT: prints requests/s, microseconds of CPU of nginx and the daemon per request, p99 in ms.
measure() {
    local before after
    before=$(cpu_ticks "$daemon" "${nginx_workers[@]}")
    wrk -t2 -c64 -d"${seconds}s" --latency "https://127.0.0.1:$1$target" >"$work/wrk.txt"
    after=$(cpu_ticks "$daemon" "${nginx_workers[@]}")
    if grep -q 'Non-2xx\|Socket errors' "$work/wrk.txt"; then cat "$work/wrk.txt" >&2; exit 1; fi
    awk -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
        $1 == "Requests/sec:" {rate = $2}
        $1 == "99%" {v = $2; p99 = v ~ /us$/ ? v / 1000 : v ~ /ms$/ ? v + 0 : v * 1000}
        / requests in / {n = $1}
        END {printf "%.0f %.1f %.2f\n", rate, ticks / hertz * 1e6 / n, p99}' "$work/wrk.txt"
}

# spread NUMBER…: median (least–most).
spread() { printf '%.2f (%.2f–%.2f)' "$(median "$@")" "$(printf '%s\n' "$@" | sort -g | head -1)" "$(printf '%s\n' "$@" | sort -g | tail -1)"; }

for tier in $tiers; do
    start "$tier"
    for goal in 20000 190000; do
        width_for $goal
        target="/bench/picture.jpg?w=$width&format=jpeg"
        for ((i = 0; i < 100; i++)); do
            status=$(curl -ksS -o /dev/null -D - "https://127.0.0.1:18444$target" | tr -d '\r' | awk -F': ' 'tolower($1) == "cache-status" {print $2}')
            [[ $status == *"hit; detail=$tier"* ]] && break
            sleep 0.05
        done
        [[ $status == *"hit; detail=$tier"* ]] || { echo "bench: not a hit from $tier: $status" >&2; exit 1; }
        for port in 18443 18444 18445 18445; do curl -ksS -o "$work/$port" -D "$work/$port.head" "https://127.0.0.1:$port$target"; done
        cmp "$work/18443" "$work/18444" && cmp "$work/18443" "$work/18445"
        grep -qi 'X-Cache: HIT' "$work/18445.head" || { echo "bench: nginx misses" >&2; exit 1; }
        size=$(stat -c %s "$work/18443")
        before=$(redirects)
        for port in 18443 18444 18445; do wrk -t2 -c64 -d1s "https://127.0.0.1:$port$target" >/dev/null; done
        sends=copies
        (($(redirects) > before)) && sends=redirects
        echo "hit of $size bytes from $tier through nginx with TLS, wrk -t2 -c64 -d${seconds}s; the daemon $sends; alternating:"
        rates=() plain_rates=() cpus=() plain_cpus=()
        for ((round = 1; round <= rounds; round++)); do
            read -r ours ours_cpu ours_p99 < <(measure 18443)
            read -r theirs theirs_cpu theirs_p99 < <(measure 18445)
            read -r plain plain_cpu plain_p99 < <(measure 18444)
            rates+=("$(awk "BEGIN {print $ours / $theirs}")") plain_rates+=("$(awk "BEGIN {print $plain / $theirs}")")
            cpus+=("$(awk "BEGIN {print $ours_cpu / $theirs_cpu}")") plain_cpus+=("$(awk "BEGIN {print $plain_cpu / $theirs_cpu}")")
            printf '  %d: offered %6d req/s %6.1f µs p99 %6.2f ms   not offered %6d req/s %6.1f µs p99 %6.2f ms   proxy_cache %6d req/s %6.1f µs p99 %6.2f ms\n' \
                "$round" "$ours" "$ours_cpu" "$ours_p99" "$plain" "$plain_cpu" "$plain_p99" "$theirs" "$theirs_cpu" "$theirs_p99"
        done
        echo "  to proxy_cache: offered requests/s $(spread "${rates[@]}"), CPU $(spread "${cpus[@]}"); not offered requests/s $(spread "${plain_rates[@]}"), CPU $(spread "${plain_cpus[@]}")"
    done
    stop
done
