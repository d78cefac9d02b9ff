#!/usr/bin/env bash
# What trust domains cost: small images one after another, every URL a miss with its own original, from two sources in turn.
# "one domain" never replaces a process (isolate: none), "two domains" replaces it for every image (isolate: source). Then damaged
# images from one source, each of which the decoder rejects. CPU is that of the daemon and all of its workers.
source "$(dirname "$0")/common.sh"
need curl
binary=${BENCH_BINARY:-$binary}
count=${BENCH_COUNT:-60} rounds=${BENCH_ROUNDS:-3}
hertz=$(getconf CLK_TCK)
mkdir -p "$work/source" "$work/cache"

begin_daemon() { # name, isolate
    cat >"$work/$1.yaml" <<YAML
listen: 127.0.0.1:18080
admin: { listen: "127.0.0.1:18081" }
sources:
  a: { url: "file://$work/source/", isolate: $2 }
  b: { url: "file://$work/source/", isolate: $2 }
cache: { path: "$work/cache/$1", memory: 64MiB }
workers: { count: 1 }
log: { access: off, level: error }
YAML
    "$binary" serve --config "$work/$1.yaml" 2>"$work/$1.log" &
    daemon=$!
    started+=("$daemon")
    wait_for "http://127.0.0.1:18081/readyz"
}

end_daemon() {
    kill "$daemon"
    wait "$daemon" || true
}

# The processor time of the daemon with the workers that have ended, and of those that run, in clock ticks.
ticks() {
    local line
    line=$(<"/proc/$daemon/stat")
    # shellcheck disable=SC2086  # split into fields, after the command's name
    set -- ${line##*) }
    local own=$((${12} + ${13} + ${14} + ${15}))
    # shellcheck disable=SC2046  # one word per process
    echo $((own + $(cpu_ticks $(pgrep -P "$daemon"))))
}

metric() { curl -fsS "http://127.0.0.1:18081/metrics" | awk -v name="edgeprint_$1" '$1 == name { print $2 }'; }

# measure NAME ROUND FILE: requests the file under $count names, sources a and b in turn; prints milliseconds per image.
measure() {
    local i source begin end before after
    : >"$work/urls"
    for ((i = 0; i < count; i++)); do
        ln "$3" "$work/source/$1-$2-$i.jpg"
        source=a
        ((i % 2)) && source=b
        printf 'url = "http://127.0.0.1:18080/%s/%s-%s-%d.jpg?w=64&format=jpeg"\noutput = "/dev/null"\n' \
            "$source" "$1" "$2" "$i" >>"$work/urls"
    done
    before=$(ticks) begin=$(date +%s.%N)
    curl --no-progress-meter -K "$work/urls"
    end=$(date +%s.%N) after=$(ticks)
    awk "BEGIN { printf \"%.1f ms, %.1f ms of CPU\", ($end - $begin) * 1000 / $count, ($after - $before) * 1000 / $hertz / $count }"
}

cp "$root/demo/landscape.jpg" "$work/sound.jpg"
# The header is sound, so that the daemon passes the file to a worker; half of the pixels are missing.
head -c $(($(stat -c %s "$work/sound.jpg") / 2)) "$work/sound.jpg" >"$work/damaged.jpg"
echo "demo/landscape.jpg → 64 px JPEG, one worker, $count images a round, alternating; per image:"
for ((round = 1; round <= rounds; round++)); do
    begin_daemon "one-$round" none
    one=$(measure one "$round" "$work/sound.jpg")
    end_daemon
    begin_daemon "two-$round" source
    two=$(measure two "$round" "$work/sound.jpg") swaps=$(metric worker_swaps_total)
    end_daemon
    begin_daemon "damaged-$round" none
    damaged=$(measure damaged "$round" "$work/damaged.jpg") replaced=$(metric worker_error_replacements_total)
    end_daemon
    printf '  %d: one domain %s   two domains %s (%s changes)   damaged %s (%s replacements)\n' \
        "$round" "$one" "$two" "$swaps" "$damaged" "$replaced"
done
