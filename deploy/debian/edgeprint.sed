# What the package's configuration says otherwise than config/edgeprint.yaml: the admin listener is a socket file in the
# service's RuntimeDirectory, for root and the group edgeprint.
/^  # Health and metrics: HOST:PORT/,/^  listen: 127\.0\.0\.1:8081$/ {
  s|^  listen: 127\.0\.0\.1:8081$|  listen: unix:/run/edgeprint/admin.sock\
  # Also by TCP, for a collector of metrics or nginx, where every local user may connect: with a token from a file, in place of the\
  # two lines `listen` and `token` here.\
  #     openssl rand -hex 32 \| install -o root -g edgeprint -m 0640 /dev/stdin /etc/edgeprint/admin-token\
  # listen: ["unix:/run/edgeprint/admin.sock", "127.0.0.1:8081"]\
  # token: !file /etc/edgeprint/admin-token|
}
