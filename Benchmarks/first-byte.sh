#!/usr/bin/env bash
# First byte and duration of misses whose origin takes 3 s to send the body: an unchanged original, a raw response, and a variant,
# which can only be sent after the last byte. Prints the median of the rounds in seconds.
source "$(dirname "$0")/common.sh"
need nginx curl
binary=${BENCH_BINARY:-$binary} rounds=${BENCH_ROUNDS:-5}
mkdir -p "$work/www" "$work/cache"
cp "$root/demo/landscape.jpg" "$work/www/picture.jpg"
size=$(stat -c %s "$work/www/picture.jpg")

start_nginx 18082 <<CONF
server { listen 127.0.0.1:18082; root $work/www; limit_rate $((size / 3)); location / { try_files /picture.jpg =404; } }
CONF

# measure NAME KEYS QUERY: requests another path in each round from a daemon whose source has these keys.
measure() {
    local name=$1 round first=() total=() figures
    start_edgeprint 18080 18081 http://127.0.0.1:18082 "$work/cache/$name" "$2"
    for ((round = 0; round < rounds; round++)); do
        figures=$(curl -fsS -o /dev/null -w '%{time_starttransfer} %{time_total}' \
            "http://127.0.0.1:18080/bench/$name-$round.jpg$3")
        first+=("${figures% *}") total+=("${figures#* }")
    done
    printf '%-10s first byte %.3f s, whole %.3f s\n' "$name" "$(median "${first[@]}")" "$(median "${total[@]}")"
    kill "$daemon" && wait "$daemon" || true
}

measure original ', allow-private: true' ''
measure raw ', allow-private: true, raw: true' ''
measure variant ', allow-private: true' '?w=320'
