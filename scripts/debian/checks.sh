# Counted checks; sourced by the scripts that test the package. The caller sets $scratch to a temporary folder.
# shellcheck shell=bash
checks=0

# The sourcing script may define diagnose, which prints details after a failure.
fail() {
  echo "${0##*/}: $1" >&2
  if declare -F diagnose > /dev/null; then diagnose >&2; fi
  exit 1
}
equal() { # what, found, wanted
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}
holds() { # what, command…
  checks=$((checks + 1))
  "${@:2}" || fail "$1"
}

# Runs a command and shows its output only if it fails.
quietly() {
  "$@" > "$scratch/output" 2>&1 && return
  tail -n 40 "$scratch/output" >&2
  fail "failed: $*"
}

# Waits up to 10 s until a command succeeds.
eventually() { # what, command…
  local _
  for _ in $(seq 200); do
    if "${@:2}" > /dev/null 2>&1; then return; fi
    sleep 0.05
  done
  fail "$1, after 10 s"
}

picture() { # URL, type, size, curl's arguments…
  local found
  found=$(isolated curl -sS -o "$scratch/body" -w '%{http_code} %{content_type}' "${@:4}" "$1") || fail "no response to $1"
  case $found in 200*) ;; *) cat "$scratch/body" >&2 ;; esac
  equal "$1" "$found" "200 $2"
  equal "$1 size" "$(vipsheader -f width "$scratch/body" 2>/dev/null)x$(vipsheader -f height "$scratch/body" 2>/dev/null)" "$3"
}

# Every format that the package must read and write, made from the demo images.
pictures() { # base URL, curl's arguments…
  picture "$1/demo/landscape.jpg?w=400&format=jpeg" image/jpeg 400x267 "${@:2}"
  picture "$1/demo/landscape.jpg?w=300" image/webp 300x200 -H 'Accept: image/webp,*/*' "${@:2}"
  picture "$1/demo/landscape.jpg?w=200&h=200&fit=cover&format=avif" image/avif 200x200 "${@:2}"
  picture "$1/demo/badge.png?w=100&round=max" image/png 100x100 "${@:2}"
  picture "$1/demo/wheel.gif?w=120&format=gif" image/gif 120x120 "${@:2}"
}
