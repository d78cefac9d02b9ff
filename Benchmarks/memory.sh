#!/usr/bin/env bash
# The memory of the daemon and its workers: proportional set sizes (PSS, which divides shared pages by the processes that map them),
# idle after the start, after BENCH_COUNT (500) transforms of distinct originals, two at a time, and idle again after limits.memory-idle.
# Reading the daemon's sizes needs root, since it is not dumpable.
source "$(dirname "$0")/common.sh"
need curl awk pgrep
count=${BENCH_COUNT:-500}
photograph=${BENCH_IMAGE:-$root/demo/landscape.jpg}
mkdir -p "$work/source"
cp -p "$photograph" "$work/source/photograph.jpg"
for ((i = 0; i < count; i++)); do ln "$work/source/photograph.jpg" "$work/source/$i.jpg"; done

pss_kib() { awk '/^Pss:/ {print $2}' "/proc/$1/smaps_rollup" 2>/dev/null || true; }

# report NAME: prints the sizes in MB of the daemon, of each worker, and of all.
report() {
    local pid size sum workers=
    sum=$(pss_kib "$daemon")
    [[ $sum ]] || { echo "bench: /proc/$daemon/smaps_rollup is not readable; run as root" >&2; exit 1; }
    printf '%-28s daemon %5.1f' "$1" "$(awk "BEGIN {print $sum / 1024}")"
    for pid in $(pgrep -P "$daemon"); do
        size=$(pss_kib "$pid")
        workers+=$(awk "BEGIN {printf \" %.1f\", ${size:-0} / 1024}")
        sum=$((sum + ${size:-0}))
    done
    printf '  workers%s  all %5.1f MB\n' "$workers" "$(awk "BEGIN {print $sum / 1024}")"
}

# transforms PORT: one JPEG of 512 px of each original.
transforms() {
    local i
    : >"$work/urls"
    for ((i = 0; i < count; i++)); do
        printf 'url = "http://127.0.0.1:%d/bench/%d.jpg?w=512&format=jpeg"\noutput = "/dev/null"\n' "$1" "$i" >>"$work/urls"
    done
    curl --no-progress-meter --fail --retry 5 --parallel --parallel-max 2 -K "$work/urls"
}

start_edgeprint 18180 18181 "$work/source" "$work/cache"
sleep 3
report "idle"
curl -fsS -o /dev/null "http://127.0.0.1:18180/bench/photograph.jpg?w=256&format=jpeg"
sleep 3
report "after a transform"
transforms 18180
report "after $count transforms"
sleep "${BENCH_IDLE:-35}"
report "after ${BENCH_IDLE:-35} s idle"
