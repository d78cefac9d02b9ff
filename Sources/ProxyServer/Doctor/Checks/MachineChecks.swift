import Cluster

/// Checks that the limits of workers can be set, and whether a crash would write a core dump.
struct ProcessLimitCheck: DoctorCheck {
    /// The address space limit of a worker in bytes (`workers.memory`).
    let workerMemory: Int

    /// The limits of a worker's CPU time in seconds and of its files in bytes (`WorkerPool.Configuration`).
    private static let processorTime = 3600
    private static let fileSize = 64 << 20

    func findings(_ probe: any SystemProbe) -> [Finding] { workerFindings(probe) + [core(probe)] }

    /// Checks hard limits, which can only be lowered (setrlimit(2)).
    private func workerFindings(_ probe: any SystemProbe) -> [Finding] {
        let limits: [(ProcessResource, Int, String, String)] = [
            (.addressSpace, workerMemory, "address space", "ulimit -v unlimited, or LimitAS=infinity in the unit"),
            (.processorTime, Self.processorTime, "processor time", "ulimit -t unlimited, or LimitCPU=infinity"),
            (.fileSize, Self.fileSize, "file size", "ulimit -f unlimited, or LimitFSIZE=infinity"),
        ]
        let short = limits.compactMap { resource, wanted, name, fix -> Finding? in
            guard let hard = probe.limit(resource).hard, hard < wanted else { return nil }
            let message = "the hard limit \(hard) is below a worker's limit of \(wanted): no worker would start"
            return .failure(name, message, fix: resource == .addressSpace ? fix + ", or a lower workers.memory" : fix)
        }
        return short.isEmpty ? [.ok("process limits", "sufficient for workers")] : short
    }

    private func core(_ probe: any SystemProbe) -> Finding {
        let limit = probe.limit(.core)
        guard limit.soft != 0 else { return .ok("core dumps", "off") }
        return .note(
            "core dumps",
            "a crash of the daemon may write its memory, keys and tokens included, to disk",
            fix: "ulimit -c 0 before serve, or LimitCORE=0 in the unit"
        )
    }
}

/// Checks that the hard limit of descriptors (`RLIMIT_NOFILE`) is sufficient for `limits.connections`.
struct DescriptorLimitCheck: DoctorCheck {
    let connections: Int
    let workers: Int
    /// Whether there is a store that nodes share.
    var hasSharedStore = false

    /// Descriptors of index, logs, listeners, event loops and admin connections.
    private static let fixed = 300
    /// Descriptors per worker: its socket and its source.
    private static let perWorker = 4
    /// Descriptors of transfers, and of files that are being written or read.
    private static let underWay = 256

    /// Descriptors of the shared store: the files that wait to be written, a connection and a file for each read, and writes.
    private static let sharedStore = StoreQueue.maximumFiles + 2 * 64 + 16

    /// The required descriptors: one per connection, and for a quarter of them a file that is being sent.
    private var wanted: Int {
        Self.fixed + Self.underWay + Self.perWorker * workers + connections + connections / 4
            + (hasSharedStore ? Self.sharedStore : 0)
    }
    private var least: Int { Self.fixed + Self.perWorker * workers }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "open files"
        // The daemon raises the soft limit to the hard one.
        guard let limit = probe.limit(.files).hard else { return [.ok(subject, "no limit")] }
        guard limit < wanted else {
            return [.ok(subject, "\(limit) descriptors, sufficient for limits.connections \(connections)")]
        }
        let fix =
            "ulimit -n \(wanted) before serve, or LimitNOFILE=\(wanted) in the unit, or a lower limits.connections"
        guard limit >= least else {
            let message = "\(limit) descriptors: the daemon needs at least \(least) (ulimit -Hn)"
            return [.failure(subject, message, fix: fix)]
        }
        let message = "\(limit) descriptors, but limits.connections \(connections) may need \(wanted) (ulimit -Hn)"
        return [.warning(subject, message, fix: fix)]
    }
}

extension DescriptorLimitCheck {
    /// Creates the check for a configuration.
    init(_ configuration: Configuration) {
        self.init(
            connections: configuration.limits.connections,
            workers: configuration.memoryPlan.workers,
            hasSharedStore: configuration.cluster.bucket != nil
        )
    }
}

/// Checks that the wall clock is plausible, as freshness and `exp` depend on it.
struct ClockCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        var text = TimestampText()
        text.update(to: probe.wallSeconds)
        let stamp = String(decoding: text.bytes, as: UTF8.self)
        guard probe.wallSeconds >= Version.releaseSeconds else {
            let message = "\(stamp) is earlier than this release: all responses look fresh, and no signature expires"
            return [.failure("clock", message, fix: "set the time: timedatectl set-ntp true")]
        }
        switch probe.isClockSynchronised {
        case true?: return [.ok("clock", "\(stamp), synchronised")]
        case false?:
            let fix = "install chrony or systemd-timesyncd, unless the host keeps the time: timedatectl"
            return [.note("clock", "\(stamp), not synchronised", fix: fix)]
        case nil: return [.ok("clock", "\(stamp); the kernel does not report whether it is synchronised")]
        }
    }
}

/// Checks that the kernel reports memory pressure (PSI, proc_pressure(5)).
struct PressureCheck: DoctorCheck {
    /// The share of the last minute, in percent, in which some task waited for memory, that causes a warning.
    private static let much = 10.0

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let text = probe.text("/proc/pressure/memory") else {
            let message = "the kernel does not report memory pressure (PSI)"
            return [.note("pressure", message, fix: "boot with psi=1, or a kernel with CONFIG_PSI")]
        }
        let share = PressureStall.some60(text)
        guard let share, share > Self.much else { return [.ok("pressure", "reported by the kernel (PSI)")] }
        let message = "tasks waited for memory in \(Printing.rounded(share)) % of the last minute"
        return [
            .warning("pressure", message, fix: "lower cache.memory or workers.count, or give the machine more memory")
        ]
    }
}

/// Reports the current user, as root has permissions that the service's user lacks.
struct UserCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard probe.user == 0 else { return [.ok("user", "uid \(probe.user)")] }
        return [
            .note(
                "user",
                "root: the findings about files, folders and limits do not apply to other users",
                fix: "run it as the daemon's user: setpriv --reuid edgeprint --clear-groups edgeprint doctor"
            )
        ]
    }
}
