#!/usr/bin/env bash
# What it takes to restore JPEG originals that are stored as JPEG XL (serialize: jxl): the bare original, and a width without a
# mezzanine, against the same of originals stored as received, in turn. Photographs of 12, 6 and 2 MP, or FILE…; each request has an
# original of its own with distinct bytes.
source "$(dirname "$0")/common.sh"
need curl nginx
rounds=${BENCH_ROUNDS:-9}
images=${BENCH_IMAGES:-$root/../shared/images}
files=("$@")
[[ ${#files[@]} -gt 0 ]] || files=("$images"/{bus-12mp,hato,exif-landscape-1}.jpg)
mkdir -p "$work/source" "$work/plain" "$work/jxl"
cp "${files[0]}" "$work/source/picture.jpg"
start_nginx 18084 <<<"server { listen 127.0.0.1:18084; root $work/source; }"
keys=", allow-private: true, ttl: 1d, mezzanine: false"
start_edgeprint 18080 18081 http://127.0.0.1:18084 "$work/plain" "$keys"
plain=$daemon
start_edgeprint 18082 18083 http://127.0.0.1:18084 "$work/jxl" "$keys, serialize: jxl"

# ask PORT TARGET: prints milliseconds until the last byte.
ask() { curl -fsS -o "$work/answer" -w '%{time_total}\n' "http://127.0.0.1:$1/bench/$2" | awk '{print $1 * 1000}'; }
# cpu_us PID: prints microseconds of CPU of a daemon and its workers, over all threads.
cpu_us() {
    local pid
    # Threads and workers may end meanwhile.
    for pid in "$1" $(pgrep -P "$1"); do cat "/proc/$pid/task/"*/schedstat 2>/dev/null || true; done |
        awk '{sum += $1} END {printf "%d\n", sum / 1000}'
}
# settle PID: waits until a daemon and its workers have been idle for a second.
settle() {
    local last=-9999 now calm=0
    while ((calm < 10)); do
        now=$(cpu_us "$1")
        if ((now > last + 2000)); then calm=0; else calm=$((calm + 1)); fi
        last=$now
        sleep 0.1
    done
}
# stored PORT: prints the bytes of originals on disk.
stored() { curl -fsS "http://127.0.0.1:$1/metrics" | awk '/^edgeprint_cache_bytes{tier="originals"}/ {print $2}'; }
# spread NUMBER…: prints the median, and the smallest and largest.
spread() {
    printf '%s\n' "$@" | sort -g | awk '{a[NR] = $1} END {
        printf "%.1f (%.1f to %.1f)", NR % 2 ? a[(NR+1)/2] : (a[NR/2]+a[NR/2+1])/2, a[1], a[NR]
    }'
}

for file in "${files[@]}"; do
    name=$(basename "$file" .jpg)
    for ((i = 0; i < 2 * rounds; i++)); do
        { cat "$file"; printf 'restoration-%d' "$i"; } >"$work/source/$name-$i.jpg"
        # A width, since a large original that is requested bare is passed on as it arrives, and is not in use then.
        ask 18080 "$name-$i.jpg?w=64&format=jpeg" >/dev/null
        ask 18082 "$name-$i.jpg?w=64&format=jpeg" >/dev/null
    done
    settle "$plain"
    settle "$daemon"
    [[ $(stored 18083) -eq 0 ]] || { echo "bench: originals are still stored as received: $(stored 18083) bytes" >&2; exit 1; }
    for kind in bare width; do
        unset wall cpu
        declare -A wall=() cpu=()
        for ((i = 0; i < rounds; i++)); do
            target=$name-$i.jpg
            if [[ $kind == width ]]; then target="$name-$((rounds + i)).jpg?w=400&format=jpeg"; fi
            for port in 18080 18082; do
                pid=$plain
                if [[ $port == 18082 ]]; then pid=$daemon; fi
                begin=$(cpu_us "$pid")
                wall[$port]+=" $(ask "$port" "$target")"
                sleep 0.3
                cpu[$port]+=" $(awk "BEGIN {print ($(cpu_us "$pid") - $begin) / 1000}")"
                if [[ $kind == bare ]]; then
                    cmp "$work/answer" "$work/source/$name-$i.jpg"
                fi
            done
        done
        # shellcheck disable=SC2086  # lists of numbers
        printf '%s, %s: %s ms stored as JPEG XL, %s as received; CPU %s and %s ms\n' "$name" "$kind" "$(spread ${wall[18082]})" \
            "$(spread ${wall[18080]})" "$(spread ${cpu[18082]})" "$(spread ${cpu[18080]})"
    done
done
echo "medians of $rounds rounds; smallest and largest in parentheses"
