#!/usr/bin/env bash
# More widths of one original. A later width of originals of 12, 6 and 2 MP, after a first of 1000 or 2000 px and after eight at once,
# against the same width as the first; what mezzanines add to the CPU of a width; and eight widths at once against the largest alone, of
# a local file and over HTTP, each of a new original and of one that has been read before. Each round uses a new original. Compare the
# ratios.
source "$(dirname "$0")/common.sh"
need curl nginx vips python3
# All workers start with the daemon and stay.
export EDGEPRINT_LIMITS_MEMORY_IDLE=0s
rounds=${BENCH_ROUNDS:-9}
mkdir -p "$work/source" "$work/cache" "$work/cache-2"
photograph=${BENCH_IMAGE:-$root/../shared/images/bus-12mp.jpg}
if [[ -r $photograph ]]; then
    cp -p "$photograph" "$work/12.jpg"
else
    echo "bench: no photograph (BENCH_IMAGE), so the drawn landscape is enlarged to 12 MP"
    vips thumbnail "$root/demo/landscape.jpg" "$work/12.jpg[Q=92]" 4032 --height 3024 --size force
fi
vips thumbnail "$work/12.jpg" "$work/6.jpg[Q=92]" 2848 --height 2136
vips thumbnail "$work/12.jpg" "$work/2.jpg[Q=92]" 1648 --height 1236
widths=(160 240 320 480 640 800 1024 1600)
later=400
# Without compression, so that there is hardly anything to decode.
vips thumbnail "$work/12.jpg" "$work/source/floor.png[compression=0]" "$later"

# original NAME [MEGAPIXELS]
original() { ln "$work/${2:-12}.jpg" "$work/source/$1.jpg"; }
# ask FILE WIDTH: prints milliseconds until the last byte.
ask() {
    curl -fsS -o /dev/null -w '%{time_total}\n' "http://127.0.0.1:$port/bench/$1?w=$2&format=jpeg&q=80" | awk '{print $1 * 1000}'
}
# ask_eight FILE: all widths at once.
ask_eight() {
    local width
    for width in "${widths[@]}"; do
        printf 'url = "http://127.0.0.1:%d/bench/%s?w=%d&format=jpeg&q=80"\noutput = "/dev/null"\n' "$port" "$1" "$width"
    done >"$work/eight"
    curl --no-progress-meter --fail -Z --parallel-immediate -K "$work/eight"
}
# timed FILE WIDTH: as ask, when the daemon is idle; sets $wall in milliseconds and $cpu in microseconds.
timed() {
    local begin
    settle
    begin=$(cpu_us)
    wall=$(ask "$@")
    settle
    cpu=$(($(cpu_us) - begin))
}
# settle: waits until the daemon and its workers are idle, since mezzanines are stored after the response.
settle() {
    local last=-9999 now
    # A timer of the daemon may run at any time.
    while now=$(cpu_us) && ((now > last + 1000)); do
        last=$now
        sleep 0.05
    done
}
# cpu_us: prints microseconds of CPU of the daemon and its workers, by the clocks of the processes, which count threads that have ended.
cpu_us() {
    python3 -c '
import sys, time
print(int(1e6 * sum(time.clock_gettime(~int(pid) << 3 | 2) for pid in sys.argv[1:])))' "$daemon" "${workers[@]}"
}
# spread NUMBER…: prints the median, the smallest and the largest.
spread() { printf '%s\n' "$@" | sort -g | awk '{a[NR] = $1} END {print NR % 2 ? a[(NR+1)/2] : (a[NR/2]+a[NR/2+1])/2, a[1], a[NR]}'; }
# ratios NAME-OF-ARRAY NAME-OF-ARRAY: the spread of the first divided by the second, round by round.
ratios() {
    local -n above=$1 below=$2
    local i all=()
    for i in "${!above[@]}"; do all+=("$(awk "BEGIN {print ${above[i]} / ${below[i]}}")"); done
    spread "${all[@]}"
}

# start PORT ADMIN SOURCE CACHE [KEYS]: sets $port and $workers, waits for all workers and warms the files.
start() {
    local i
    port=$1
    start_edgeprint "$@"
    pids=()
    for ((i = 0; i < 6; i++)); do
        original "warm-$port-$i"
        ask "warm-$port-$i.jpg" 512 >/dev/null &
        pids+=($!)
    done
    wait "${pids[@]}"
    sleep 1
    mapfile -t workers < <(pgrep -P "$daemon")
}

start 18080 18081 "$work/source" "$work/cache"
for size in 12 6 2; do
    for before in 1000 2000 eight; do
        firsts=() laters=() floors=() first_cpu=() later_cpu=()
        for ((i = 0; i < rounds; i++)); do
            name=$size-$before-$i
            original "first-$name" "$size" && original "$name" "$size" 
            cp "$work/source/floor.png" "$work/source/floor-$name.png"
            timed "first-$name.jpg" "$later"
            firsts+=("$wall") first_cpu+=("$cpu")
            if [[ $before == eight ]]; then ask_eight "$name.jpg"; else ask "$name.jpg" "$before" >/dev/null; fi
            timed "$name.jpg" "$later"
            laters+=("$wall") later_cpu+=("$cpu")
            timed "floor-$name.png" "$later"
            floors+=("$wall")
        done
        read -r a _ < <(spread "${firsts[@]}")
        read -r b least most < <(spread "${laters[@]}")
        read -r f _ < <(spread "${floors[@]}")
        read -r r low high < <(ratios firsts laters)
        read -r c _ < <(spread "${first_cpu[@]}")
        read -r d _ < <(spread "${later_cpu[@]}")
        printf '%2d MP: %d px %.1f ms at first, %.1f (%.1f to %.1f) after %s: %.1f times faster (%.1f to %.1f); the floor is %.1f ms; CPU %.1f and %.1f ms\n' \
            "$size" "$later" "$a" "$b" "$least" "$most" "$before" "$r" "$low" "$high" "$f" \
            "$(awk "BEGIN {print $c / 1000}")" "$(awk "BEGIN {print $d / 1000}")"
    done
done

# use PORT DAEMON WORKER…: continues with a daemon that is running.
use() {
    port=$1 daemon=$2
    shift 2
    workers=("$@")
}
made=("$port" "$daemon" "${workers[@]}")
start 18086 18087 "$work/source" "$work/cache-3" ", mezzanine: false"
plain=("$port" "$daemon" "${workers[@]}")
for step in "12 400" "12 1000" "12 1000 400" "12 2000" "2 400"; do
    read -r size width before <<<"$step"
    with=() without=()
    for ((i = 0; i < rounds; i++)); do
        original "added-$size-$width-$before-$i" "$size"
        for kind in made plain; do
            declare -n which=$kind
            use "${which[@]}"
            if [[ $before ]]; then ask "added-$size-$width-$before-$i.jpg" "$before" >/dev/null; fi
            settle
            timed "added-$size-$width-$before-$i.jpg" "$width"
            if [[ $kind == made ]]; then with+=("$cpu"); else without+=("$cpu"); fi
        done
    done
    read -r a _ < <(spread "${with[@]}")
    read -r b _ < <(spread "${without[@]}")
    read -r r low high < <(ratios with without)
    awk -v a="$a" -v b="$b" -v r="$r" -v low="$low" -v high="$high" -v words="$size MP, $width px${before:+ after $before}" 'BEGIN {
        printf "%s: CPU %.1f ms with its mezzanines, %.1f without: %.3f times as much (%.3f to %.3f)\n",
            words, a / 1000, b / 1000, r, low, high
    }'
done
use "${made[@]}"

# eight SUFFIX WORDS: eight widths against the largest alone, of new originals, then of known ones.
eight() {
    local state kind i begin
    for state in cold known; do
        together=() alone=()
        for ((i = 0; i < rounds; i++)); do
            for kind in alone eight; do
                name=$kind-$1-$state-$i
                original "$name"
                if [[ $state == known ]]; then
                    curl -fsS -o /dev/null "http://127.0.0.1:$port/bench/$name.jpg"
                    settle
                fi
                begin=$(cpu_us)
                if [[ $kind == alone ]]; then ask "$name.jpg" 1600 >/dev/null; else ask_eight "$name.jpg"; fi
                settle
                if [[ $kind == alone ]]; then
                    alone+=($(($(cpu_us) - begin)))
                else
                    together+=($(($(cpu_us) - begin)))
                fi
            done
        done
        read -r a _ < <(spread "${alone[@]}")
        read -r b _ < <(spread "${together[@]}")
        read -r r low high < <(ratios together alone)
        awk -v a="$a" -v b="$b" -v r="$r" -v low="$low" -v high="$high" -v words="$2, $state" 'BEGIN {
            printf "eight widths at once, %s: %.0f ms of CPU, the largest (1600) alone %.0f ms: %.2f times as much (%.2f to %.2f)\n",
                words, b / 1000, a / 1000, r, low, high
        }'
    done
}
eight file "of a file"

cp "$work/12.jpg" "$work/source/picture.jpg"
start_nginx 18084 <<<"server { listen 127.0.0.1:18084; root $work/source; }"
start 18082 18083 http://127.0.0.1:18084 "$work/cache-2" ", allow-private: true, ttl: 1d"
eight http "over HTTP"
echo "medians of $rounds rounds; smallest and largest in parentheses"
curl -fsS http://127.0.0.1:18083/metrics | awk '/^edgeprint_(mezzanine|decodes_shared)/ {print "  " $0}'
