#!/usr/bin/env bash
# What locked workers cost: the time of 12 MP JPEG → 512 px JPEG transforms, and the time from the daemon's start to its first
# picture, with workers.sandbox off and best, in alternating pairs. BENCH_STARTS pairs of starts, and BENCH_ROUNDS of transforms;
# compare the medians of the differences and of the ratios.
source "$(dirname "$0")/common.sh"
need curl awk
rounds=${BENCH_ROUNDS:-7} count=${BENCH_COUNT:-40} starts=${BENCH_STARTS:-15} workers=${BENCH_WORKERS:-2}
photograph=${BENCH_IMAGE:-$root/../shared/images/bus-12mp.jpg}
[[ -r $photograph ]] || photograph=$root/demo/landscape.jpg
mkdir -p "$work/source"
cp -p "$photograph" "$work/source/photograph.jpg"
cp -p "$root/demo/landscape.jpg" "$work/source/small.jpg"

# start MODE PORT: starts a daemon; sets $daemon. No cache of pictures: every request is a transform of the original in memory.
start() {
    cat >"$work/$1.yaml" <<YAML
listen: 127.0.0.1:$2
admin: { listen: "127.0.0.1:$(($2 + 1))" }
sources: { bench: { url: "file://$work/source/" } }
cache: { path: "$work/cache-$1", memory: 256MiB }
workers: { count: $workers, sandbox: $1 }
log: { access: off, level: warning }
YAML
    "$binary" serve --config "$work/$1.yaml" 2>>"$work/$1.log" &
    daemon=$!
    started+=("$daemon")
}

stop() {
    kill "$1"
    wait "$1" 2>/dev/null || true
}

median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# spread: the median, and the smallest and the largest value.
spread() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)] " (" v[1] " to " v[NR] ")"}'; }

# A pipe that stays empty: a wait for it starts no process, as sleep would, which takes processor time from the daemon that starts.
exec {quiet}<> <(:)

# first_picture MODE PORT: milliseconds from the start of the daemon to the last byte of a picture.
first_picture() {
    local begin end answer client
    rm -rf "$work/cache-$1"
    begin=$(date +%s%N)
    start "$1" "$2"
    until { exec {client}<>"/dev/tcp/127.0.0.1/$2"; } 2>/dev/null; do read -rt 0.001 -u "$quiet" || true; done
    printf 'GET /bench/small.jpg?w=64&format=jpeg HTTP/1.0\r\nHost: localhost\r\n\r\n' >&"$client"
    read -r answer <&"$client"
    cat <&"$client" >/dev/null
    end=$(date +%s%N)
    exec {client}>&-
    [[ $answer == *" 200"* ]] || { echo "bench: $answer" >&2; exit 1; }
    stop "$daemon"
    echo $(((end - begin) / 100000)) | sed 's/.$/.&/'
}

# transforms PORT NAME: microseconds for $count misses, one after the other; each name gives other URLs.
transforms() {
    local i begin end
    : >"$work/urls"
    for ((i = 0; i < count; i++)); do
        ln -f "$work/source/photograph.jpg" "$work/source/$2-$i.jpg"
        printf 'url = "http://127.0.0.1:%d/bench/%s-%d.jpg?w=512&format=jpeg&q=80"\noutput = "/dev/null"\n' "$1" "$2" "$i" >>"$work/urls"
    done
    begin=$(date +%s%N)
    curl --no-progress-meter --fail -K "$work/urls"
    end=$(date +%s%N)
    echo $(((end - begin) / 1000))
}

echo "from start to first picture, ms: off, best, difference"
for ((round = 0; round < starts; round++)); do
    off=$(first_picture off 18180)
    best=$(first_picture best 18180)
    difference=$(awk "BEGIN {printf \"%.1f\", $best - $off}")
    echo "  $off $best $difference"
    echo "$off" >>"$work/off"
    echo "$best" >>"$work/best"
    echo "$difference" >>"$work/starts"
done
echo "off: $(spread <"$work/off") ms; best: $(spread <"$work/best") ms"
echo "difference: $(spread <"$work/starts") ms (at most 40)"

start off 18180
off_daemon=$daemon
start best 18280
wait_for http://127.0.0.1:18181/readyz
wait_for http://127.0.0.1:18281/readyz
curl -fsS http://127.0.0.1:18281/readyz
transforms 18180 warm >/dev/null
transforms 18280 warm >/dev/null
echo "12 MP → 512 px, $count transforms, µs: off, best, ratio"
for ((round = 0; round < rounds; round++)); do
    if ((round % 2)); then
        best=$(transforms 18280 "$round") off=$(transforms 18180 "$round")
    else
        off=$(transforms 18180 "$round") best=$(transforms 18280 "$round")
    fi
    ratio=$(awk "BEGIN {print $best / $off}")
    echo "  $off $best $ratio"
    echo "$ratio" >>"$work/ratios"
done
echo "median ratio: $(median <"$work/ratios") (at most 1.01)"
stop "$off_daemon"
