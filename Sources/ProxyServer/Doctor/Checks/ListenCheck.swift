import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Whether an address can be listened on, or is held by the daemon that runs, which is never disturbed.
struct ListenCheck: DoctorCheck {
    let address: ListenAddress
    /// Whoever has this folder is the daemon that runs.
    let cachePath: String

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "listen \(address)"
        guard let error = probe.bindError(address) else { return [.ok(subject, "free")] }
        switch (address, error.code) {
        case (_, EADDRINUSE): return [taken(subject, probe)]
        case (.tcp, EACCES):
            let fix = "use a port from 1024 on behind nginx, a socket unit, or AmbientCapabilities=CAP_NET_BIND_SERVICE"
            return [.failure(subject, "this user may not bind it: \(error)", fix: fix)]
        case (.tcp, EADDRNOTAVAIL):
            let fix = "name an address that ip address shows, or :PORT for all of them"
            return [.failure(subject, "no interface of this machine has it", fix: fix)]
        case (.unix(let path), ENOENT) where path.hasPrefix("/run/"):
            return [
                .note(
                    subject,
                    "its folder is not there",
                    fix: "start the service: the unit makes it (RuntimeDirectory=)"
                )
            ]
        case (.unix(let path), _):
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
            let fix = "create \(folder) for the user that serves (the unit: RuntimeDirectory=)"
            return [.failure(subject, "no socket can be made in \(folder): \(error)", fix: fix)]
        default: return [.failure(subject, "cannot be bound: \(error)", fix: "name another address")]
        }
    }

    private func taken(_ subject: String, _ probe: any SystemProbe) -> Finding {
        if case .unix(let path) = address, !isListening(path, probe) {
            guard probe.status(path)?.kind == .socket else {
                return .failure(subject, "\(path) is there and no socket", fix: "remove it, or name another path")
            }
            return .ok(subject, "left by a daemon that has ended; the next one replaces it")
        }
        switch probe.cacheFolder(cachePath) {
        case .cache(let cache) where cache.isLocked:
            return .ok(subject, "held, as is the cache folder: a daemon runs")
        case .unreadable(let error) where error.code == EACCES:
            let fix = "run edgeprint doctor as root, which sees whether it is the daemon"
            return .warning(subject, "another process has it, the daemon or not", fix: fix)
        default: break
        }
        let fix =
            switch address {
            case .tcp(_, let port): "ss -ltnp 'sport = :\(port)' names who has it; end that, or name another port"
            default: "ss -lxp names who has it; end that, or name another path"
            }
        return .failure(subject, "another process has it", fix: fix)
    }

    /// Whether somebody accepts at a path: flag `__SO_ACCEPTCON` of proc_net(5), without connecting.
    private func isListening(_ path: String, _ probe: any SystemProbe) -> Bool {
        guard let table = probe.text("/proc/net/unix") else { return true }
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
            return fields.count == 8 && fields[3] == "00010000" && fields[7] == path
        }
    }
}
