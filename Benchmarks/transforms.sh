#!/usr/bin/env bash
# 12 MP JPEG → 512 px JPEG through the whole server, 4 clients, every URL a miss with its own original, alternating with a
# plain C loop over libvips that does the same with the same shrink-on-load. Compare the ratio. BENCH_ORIGIN=http: the originals
# are downloaded from nginx, and stored.
source "$(dirname "$0")/common.sh"
need curl cc
count=${BENCH_COUNT:-160} rounds=${BENCH_ROUNDS:-3}
cores=$(nproc)
mkdir -p "$work/source" "$work/cache"
photograph=${BENCH_IMAGE:-$root/../shared/images/bus-12mp.jpg}
if [[ -r $photograph ]]; then
    # With its modification time: originals are usually old.
    cp -p "$photograph" "$work/photograph.jpg"
else
    echo "bench: no photograph (BENCH_IMAGE), so the drawn landscape is enlarged to 12 MP"
    vips thumbnail "$root/demo/landscape.jpg" "$work/photograph.jpg[Q=92]" 4032 --height 3024 --size force
fi
# shellcheck disable=SC2046  # flags are words
cc -O2 -o "$work/loop" "$root/Benchmarks/transform-loop.c" $(pkg-config --cflags --libs vips) -lpthread
if [[ ${BENCH_ORIGIN:-file} == http ]]; then
    need nginx
    ln "$work/photograph.jpg" "$work/source/picture.jpg"
    start_nginx 18084 <<<"server { listen 127.0.0.1:18084; root $work/source; }"
    start_edgeprint 18080 18081 http://127.0.0.1:18084 "$work/cache" ", allow-private: true, ttl: 1d"
else
    start_edgeprint 18080 18081 "$work/source" "$work/cache"
fi

# Each original has a distinct name and distinct bytes, after its end: nothing is shared, every request is a miss.
ours() {
    local i begin end misses
    : >"$work/urls"
    rm -f "$work"/source/*-*.jpg
    for ((i = 0; i < count; i++)); do
        { cat "$work/photograph.jpg"; printf '%s-%d' "$1" "$i"; } >"$work/source/$1-$i.jpg"
        touch -r "$work/photograph.jpg" "$work/source/$1-$i.jpg"
        printf 'url = "http://127.0.0.1:18080/bench/%s-%d.jpg?w=512&format=jpeg&q=80"\noutput = "/dev/null"\n' "$1" "$i" >>"$work/urls"
    done
    begin=$(date +%s.%N)
    curl --no-progress-meter --fail -Z --parallel-max 4 -w '%{stdout}%header{cache-status}\n' -K "$work/urls" >"$work/answers"
    end=$(date +%s.%N)
    misses=$(grep -c 'fwd=uri-miss' "$work/answers")
    [[ $misses -eq $count ]] || { echo "bench: $misses of $count were misses" >&2; exit 1; }
    awk "BEGIN {print $count / ($end - $begin)}"
}

theirs() { "$work/loop" "$work/photograph.jpg" "$cores" "$count" | awk '{print $7}'; }

ratios=()
echo "12 MP JPEG → 512 px JPEG q80, $count images, 4 clients, against a C loop over libvips on $cores threads, alternating:"
for ((round = 1; round <= rounds; round++)); do
    a=$(ours "$round") b=$(theirs)
    ratios+=("$(awk "BEGIN {print $a / $b}")")
    printf '  %d: edgeprint %6.1f img/s   loop %6.1f img/s\n' "$round" "$a" "$b"
done
printf '  median ratio: %.2f\n' "$(median "${ratios[@]}")"
echo "  RSS: daemon $(rss_kib "$daemon") kB$(for w in $(pgrep -P "$daemon"); do printf ', worker %s kB' "$(rss_kib "$w")"; done)"
