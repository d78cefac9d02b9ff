#!/usr/bin/env bash
# Compares what `edgeprint simulate` predicts with what the daemon does: a log of 100,000 requests (SIMULATE_REQUESTS) for images
# of 2 to 400 kB with Zipf popularity, one-time requests and resized images, at three cache sizes. Fails if a hit ratio differs by
# more than 3 points.
source "$(dirname "$0")/common.sh"
need python3 curl
requests=${SIMULATE_REQUESTS:-100000}
python3 "$root/Benchmarks/simulate.py" origin 18083 &
started+=($!)
wait_for http://127.0.0.1:18083/1-2000.png
python3 "$root/Benchmarks/simulate.py" targets "$requests" >"$work/targets"

# configure MIB: writes the configuration of a cache of that size, half of it for originals.
configure() {
    cat >"$work/edgeprint-$1.yaml" <<YAML
listen: 127.0.0.1:18080
admin: { listen: "127.0.0.1:18081" }
sources: { bench: { url: "http://127.0.0.1:18083/", allow-private: true } }
cache: { path: "$work/cache-$1", memory: 16MiB, originals: $(($1 / 2))MiB, variants: $(($1 / 2))MiB, min-free: 0 }
log: { access: on, rate: 0, level: warning }
YAML
}

# measure MIB: replays the targets against a daemon with an empty cache, and prints the share of hits and the bytes on disk.
measure() {
    configure "$1"
    "$binary" serve --config "$work/edgeprint-$1.yaml" >"$work/access-$1.log" 2>"$work/edgeprint.log" &
    local daemon=$!
    started+=("$daemon")
    wait_for http://127.0.0.1:18081/readyz
    python3 "$root/Benchmarks/simulate.py" replay 18080 "$work/targets"
    kill "$daemon"
    wait "$daemon"
    python3 "$root/Benchmarks/simulate.py" measured "$work/access-$1.log" "$(du -sB1 "$work/cache-$1" | cut -f1)"
}

sizes=(128 512 2048)
for size in "${sizes[@]}"; do measure "$size" >"$work/measured-$size"; done
status=0
for size in "${sizes[@]}"; do
    # From the log of another size, as whoever plans has only one.
    log=$work/access-${sizes[0]}.log
    [[ $size == "${sizes[0]}" ]] && log=$work/access-${sizes[1]}.log
    start=$(date +%s%N)
    "$binary" simulate --log "$log" --config "$work/edgeprint-$size.yaml" --json >"$work/predicted.json"
    spent=$((($(date +%s%N) - start) / 1000000))
    python3 "$root/Benchmarks/simulate.py" compare "$size" "$spent" "$work/predicted.json" "$work/measured-$size" || status=1
done
exit "$status"
