# Shared by the benchmarks: a temporary folder, the server under test, and CPU accounting. Sourced, not executed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
binary=${BENCH_BUILD:-$root/.build/release}/edgeprint
work=$(mktemp -d)
started=()

finish() {
    local pid
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "bench: '$tool' is missing (apt-get install $tool)" >&2; exit 1; }
    done
}

# wait_for URL: waits up to 10 s for a response.
wait_for() {
    local i
    for ((i = 0; i < 200; i++)); do
        curl -fsS -o /dev/null "$1" 2>/dev/null && return
        sleep 0.05
    done
    echo "bench: no response from $1" >&2
    exit 1
}

# start_edgeprint PORT ADMIN SOURCE-FOLDER-OR-URL CACHE-FOLDER [KEYS]: sets $daemon; KEYS are further keys of the source, as ", key: value".
start_edgeprint() {
    local source=$3
    [[ $source == *://* ]] || source=file://$source
    cat >"$work/edgeprint.yaml" <<YAML
listen: 127.0.0.1:$1
admin: { listen: "127.0.0.1:$2" }
sources: { bench: { url: "$source/"${5:-} } }
cache: { path: "$4", memory: 256MiB }
log: { access: off, level: warning }
YAML
    "$binary" serve --config "$work/edgeprint.yaml" 2>"$work/edgeprint.log" &
    daemon=$!
    started+=("$daemon")
    wait_for "http://127.0.0.1:$2/readyz"
}

# install_metric: installs ssimulacra2, numpy and the binding of libvips, at fixed versions, and sets $tools.
install_metric() {
    tools=$root/.build/bench
    local packages=(ssimulacra2==0.3.0 numpy==2.4.6 pillow==13.0.0 pyvips==3.2.0)
    [[ $(cat "$tools/packages" 2>/dev/null) == "${packages[*]}" ]] && return
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
    echo "${packages[*]}" >"$tools/packages"
}

# cpu_ticks PID…: prints the user and system time of these processes in clock ticks.
cpu_ticks() {
    local pid total=0 line
    for pid in "$@"; do
        line=$(<"/proc/$pid/stat")
        # shellcheck disable=SC2086  # split into fields, after the command's name
        set -- ${line##*) }
        total=$((total + ${12} + ${13}))
    done
    echo "$total"
}

# median NUMBER…
median() { printf '%s\n' "$@" | sort -g | awk '{a[NR]=$1} END {print NR % 2 ? a[(NR+1)/2] : (a[NR/2]+a[NR/2+1])/2}'; }

rss_kib() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }

# start_nginx PORT [DIRECTIVES] <SERVERS: starts a tuned nginx with the server blocks from standard input and further http
# directives, and sets $nginx. It logs nothing and keeps temporary files in $work. PORT must serve /picture.jpg.
start_nginx() {
    local user=
    # nginx's workers must be able to read the temporary folder.
    [[ $(id -u) -eq 0 ]] && user="user root;"
    cat >"$work/nginx.conf" <<CONF
$user
worker_processes $(nproc);
pid $work/nginx.pid;
error_log $work/nginx.log;
daemon off;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_requests 100000000;
    open_file_cache max=1000 inactive=60s;
    open_file_cache_valid 60s;
    types { image/jpeg jpg; }
    client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
    uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
    ${2:-}
    $(cat)
}
CONF
    nginx -c "$work/nginx.conf" -p "$work" &
    nginx=$!
    started+=("$nginx")
    wait_for "http://127.0.0.1:$1/picture.jpg"
}
