import Glibc
import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

/// Checks that an address can be bound, or is in use by the running daemon, which is not disturbed.
struct ListenCheck: DoctorCheck {
    let address: ListenAddress
    /// The cache folder, which the running daemon has locked.
    let cachePath: String

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "listen \(address)"
        guard let error = probe.bindError(address) else { return [.ok(subject, "free")] }
        switch (address, error.code) {
        case (_, EADDRINUSE): return [taken(subject, probe)]
        case (.unix(let path), ENOENT) where path.hasPrefix("/run/"):
            let fix = "start the service: the unit creates it (RuntimeDirectory=)"
            return [.note(subject, "its folder does not exist", fix: fix)]
        default:
            let trouble = ListenTrouble(address, error)
            return [.failure(subject, trouble.message, fix: trouble.fix)]
        }
    }

    private func taken(_ subject: String, _ probe: any SystemProbe) -> Finding {
        if case .unix(let path) = address, !isListening(path, probe) {
            guard probe.status(path)?.kind == .socket else {
                let trouble = ListenTrouble(address, Errno(EEXIST, "bind"))
                return .failure(subject, trouble.message, fix: trouble.fix)
            }
            return .ok(subject, "left over from a stopped daemon; the next one replaces it")
        }
        switch probe.cacheFolder(cachePath) {
        case .cache(let cache) where cache.isLocked && !cachePath.isEmpty:
            return .ok(subject, "in use, and so is the cache folder: a daemon is running")
        case .unreadable(let error) where error.code == EACCES:
            let fix = "run edgeprint doctor as root, which can tell whether it is the daemon"
            return .warning(subject, "in use by another process, possibly the daemon", fix: fix)
        default: break
        }
        let trouble = ListenTrouble(address, Errno(EADDRINUSE, "bind"))
        return .failure(subject, trouble.message, fix: trouble.fix)
    }

    /// Whether a process is listening at a path, by the flag `__SO_ACCEPTCON` of proc_net(5), without connecting.
    private func isListening(_ path: String, _ probe: any SystemProbe) -> Bool {
        guard let table = probe.text("/proc/net/unix") else { return true }
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
            return fields.count == 8 && fields[3] == "00010000" && fields[7] == path
        }
    }
}
