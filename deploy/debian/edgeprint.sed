# The package's configuration differs from config/edgeprint.yaml in one point: the admin listener is a Unix socket in the
# service's RuntimeDirectory, restricted to root and the group edgeprint.
/^  # Health and metrics: HOST:PORT/,/^  listen: 127\.0\.0\.1:8081$/ {
  s|^  listen: 127\.0\.0\.1:8081$|  listen: unix:/run/edgeprint/admin.sock\
    # To listen on TCP as well, for a metrics collector or nginx, replace the two lines `listen` and `token` by those below. Every\
    # local user can connect to TCP, hence the token, read from a file.\
  #     openssl rand -hex 32 \| install -o root -g edgeprint -m 0640 /dev/stdin /etc/edgeprint/admin-token\
  # listen: ["unix:/run/edgeprint/admin.sock", "127.0.0.1:8081"]\
  # token: !file /etc/edgeprint/admin-token|
}
