import CLinux
import LinuxSystem

/// What a worker has on top of the daemon's niceness (setpriority(2)).
enum WorkerNiceness: CInt, Sendable {
    /// Of each client's first running job, and of a worker at its start: below the daemon, which answers other clients meanwhile.
    case usual = 5
    /// Of a client's further jobs, of background jobs, and of a job that has taken too long once.
    case low = 15

    /// Whether a process can return to `usual`, which needs `CAP_SYS_NICE` or a limit on niceness (`LimitNICE=` in systemd's unit).
    ///
    /// Without it, only jobs that have taken too long are `low`, and their worker is replaced afterwards.
    static let isReversible: Bool = {
        let result = Monitor<Bool?>(nil)
        do throws(Errno) {
            // The thread keeps the niceness that it cannot leave.
            try SystemThread.start(name: "niceness") {
                let isAllowed = edge_can_lower_niceness(WorkerNiceness.usual.rawValue) != 0
                result.update { $0 = isAllowed }
            }
        } catch {
            return false
        }
        return result.wait { $0 } ?? false
    }()
}
