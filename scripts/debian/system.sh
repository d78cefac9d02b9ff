# Creates and boots a minimal Debian in a folder; sourced by the scripts that test the package. SUITE is the release, by default this
# machine's; its mirror must have the other one, too.
# They run in their own mount and process namespace, so mounts and processes disappear with the last process.
# shellcheck shell=bash

own_suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
suite=${SUITE:-$own_suite}
# The folder of the packages that are tried.
packages=.build/deb/packages
[ "$suite" = "$own_suite" ] || packages=.build/deb/$suite

# Prints why no clean system can be created here, or nothing.
obstacle() {
  [ "$(id -u)" -eq 0 ] || { echo 'root is required'; return; }
  command -v debootstrap >/dev/null || { echo 'debootstrap is not installed'; return; }
  unshare --mount --pid --net --fork true 2>/dev/null || { echo 'namespaces are not permitted'; return; }
  [ -n "$(repositories)" ] || echo 'apt has no repository of this release'
}

# Prints this machine's apt repositories, with the release that is tried in place of its own, including updates and security: URI,
# release, component per line.
repositories() {
  # shellcheck disable=SC2016 # apt's own placeholders
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v own="$own_suite" -v suite="$suite" '$2 ~ "^" own "(-|$)" { sub("^" own, suite, $2); print }' | sort -u
}

# Prints the path of a tar file of the minimal system, which is renewed after a week.
base_system() {
  local folder=.build/chroot root tarball
  tarball=$folder/$suite-$(dpkg --print-architecture).tar
  if [ -z "$(find "$tarball" -mtime -7 2>/dev/null)" ]; then
    mkdir -p "$folder"
    root=$(mktemp -d)
    chmod 755 "$root"
    debootstrap --variant=minbase "$suite" "$root" "$(repositories | awk -v r="$suite" '$2 == r { print $1; exit }')" \
      > "$folder/debootstrap.log" 2>&1 || { rm -rf --one-file-system "$root"; tail -n 5 "$folder/debootstrap.log" >&2; return 1; }
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" --numeric-owner -cf "$tarball.new" .
    rm -rf --one-file-system "$root"
    mv "$tarball.new" "$tarball"
  fi
  echo "$tarball"
}

# Unpacks the minimal system and copies this machine's access to the repositories: mirror, proxies, names, certificates.
make_system() { # folder
  local root=$1 archives=$PWD/.build/chroot/archives
  [ "$suite" = "$own_suite" ] || archives=$PWD/.build/chroot/archives-$suite
  mkdir -p "$root" "$archives/partial"
  tar -C "$root" --numeric-owner -xpf "$(base_system)"
  repositories | sed 's/^/deb /' > "$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' > "$root/etc/apt/apt.conf.d/99machine" || true
  cp -r /etc/apt/auth.conf* "$root/etc/apt/" 2>/dev/null || true
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/apt/machine.crt"
    # Needed until ca-certificates is installed, and for mirrors or proxies that only this machine trusts.
    echo 'Acquire::https::CaInfo "/etc/apt/machine.crt";' >> "$root/etc/apt/apt.conf.d/99machine"
  fi
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  local device
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  # Downloads are kept between runs; what is installed is resolved each time.
  mount --bind "$archives" "$root/var/cache/apt/archives"
  echo 'APT::Keep-Downloaded-Packages "true";' > "$root/etc/apt/apt.conf.d/98keep"
}

# Runs a command in a system, with only the proxy settings of this machine's environment.
in_system() { # folder, command…
  local kept=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!name:-}" ] || kept+=("$name=${!name}")
  done
  chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${kept[@]}" "${@:2}"
}

# Runs a command and shows its output only if it fails.
quietly() {
  "$@" > "$scratch/output" 2>&1 && return
  tail -n 40 "$scratch/output" >&2
  fail "failed: $*"
}

# Boots a system: starts systemd as process 1 in its own namespaces and control group. Its network has only loopback, so the
# packaged ports are free and no packet leaves. Sets $init, which in_booted enters.
boot() { # folder
  local groups=$scratch/groups
  mkdir -p "$groups"
  mount -t cgroup2 cgroup2 "$groups"
  control_group=$groups/edgeprint-try-deb-$(basename "$scratch" | tr -cd '[:alnum:]')
  mkdir "$control_group"
  # A failure from here on removes the control group.
  trap halt EXIT
  # shellcheck disable=SC2016 # expanded by the inner shell
  sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"' sh "$control_group" \
    unshare --cgroup --mount --uts --ipc --net --pid --fork --kill-child sh -euc '
      # Services with their own namespaces need a root that is a mount point and is entered by pivot_root.
      mount --rbind "$1" "$1"
      cd "$1"
      mount -t proc proc proc
      mount -t sysfs -o ro sysfs sys
      mount -t cgroup2 cgroup2 sys/fs/cgroup
      mount -t tmpfs -o mode=755 tmpfs run
      mkdir -p dev/pts dev/shm
      mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
      ln -s pts/ptmx dev/ptmx
      ip link set lo up
      pivot_root . mnt
      umount --lazy /mnt
      exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --show-status=no
    ' sh "$1" > "$scratch/systemd.log" 2>&1 &
  local outer=$! state
  for _ in $(seq 200); do
    init=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null | tr -d ' ') || init=
    state=
    if [ -n "$init" ]; then state=$(in_booted systemctl is-system-running 2>/dev/null || true); fi
    case $state in running | degraded) return ;; esac
    kill -0 "$outer" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$scratch/systemd.log" >&2
  fail "systemd does not start (state '$state')"
}

# Runs a command in the booted system.
in_booted() {
  nsenter --target "$init" --mount --uts --ipc --net --pid --cgroup --root --wd \
    /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs a command of this machine in the network namespace of the booted system.
isolated() { nsenter --target "$init" --net "$@"; }

# Shuts the booted system down.
halt() {
  trap - EXIT
  [ -z "${init:-}" ] || kill -KILL "$init" 2>/dev/null || true
  wait || true
  # The system's own groups are below it and empty by now.
  find "$control_group" -depth -type d -exec rmdir {} +
}
