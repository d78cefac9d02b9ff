/// Whether workers can be given their limits, and what a crash would leave on disk.
struct ProcessLimitCheck: DoctorCheck {
    /// Bytes of a worker's address space (`workers.memory`).
    let workerMemory: Int

    /// Seconds of processor time and bytes of a file that a worker is given (`WorkerPool.Configuration`).
    private static let processorTime = 3600
    private static let fileSize = 64 << 20

    func findings(_ probe: any SystemProbe) -> [Finding] { workerFindings(probe) + [core(probe)] }

    /// A limit can be lowered by everybody, and raised by nobody (setrlimit(2)).
    private func workerFindings(_ probe: any SystemProbe) -> [Finding] {
        let limits: [(ProcessResource, Int, String, String)] = [
            (.addressSpace, workerMemory, "address space", "ulimit -v unlimited, or LimitAS=infinity in the unit"),
            (.processorTime, Self.processorTime, "processor time", "ulimit -t unlimited, or LimitCPU=infinity"),
            (.fileSize, Self.fileSize, "file size", "ulimit -f unlimited, or LimitFSIZE=infinity"),
        ]
        let short = limits.compactMap { resource, wanted, name, fix -> Finding? in
            guard let hard = probe.limit(resource).hard, hard < wanted else { return nil }
            let message = "the hard limit \(hard) is below the \(wanted) that a worker is given: none would start"
            return .failure(name, message, fix: resource == .addressSpace ? fix + ", or a lower workers.memory" : fix)
        }
        return short.isEmpty ? [.ok("process limits", "workers can be given theirs")] : short
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

/// Whether there are descriptors enough for `limits.connections` (`RLIMIT_NOFILE`).
struct DescriptorLimitCheck: DoctorCheck {
    let connections: Int
    let workers: Int

    /// Index, logs, listeners, event loops, the admin listener's connections.
    private static let fixed = 300
    /// A socket to each worker, and its source.
    private static let perWorker = 4
    /// Transfers on the wire, and files that are being stored or read.
    private static let underWay = 256

    /// A connection, and for a part of them a file that is being sent.
    private var wanted: Int { Self.fixed + Self.underWay + Self.perWorker * workers + connections + connections / 4 }
    private var least: Int { Self.fixed + Self.perWorker * workers }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let subject = "open files"
        guard let soft = probe.limit(.files).soft else { return [.ok(subject, "no limit")] }
        guard soft < wanted else {
            return [.ok(subject, "\(soft) descriptors, enough for limits.connections \(connections)")]
        }
        let fix =
            "ulimit -n \(wanted) before serve, or LimitNOFILE=\(wanted) in the unit, or a lower limits.connections"
        guard soft >= least else {
            let message = "\(soft) descriptors: the daemon cannot work with fewer than \(least) (ulimit -n)"
            return [.failure(subject, message, fix: fix)]
        }
        let message = "\(soft) descriptors, of which limits.connections \(connections) may take \(wanted) (ulimit -n)"
        return [.warning(subject, message, fix: fix)]
    }
}

/// Whether the wall clock can be right: freshness and `exp` go by it.
struct ClockCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        var text = TimestampText()
        text.update(to: probe.wallSeconds)
        let stamp = String(decoding: text.bytes, as: UTF8.self)
        guard probe.wallSeconds >= Version.releaseSeconds else {
            let message = "\(stamp) is before this release: every response looks fresh, and no signature expires"
            return [.failure("clock", message, fix: "set the time: timedatectl set-ntp true")]
        }
        switch probe.isClockSynchronised {
        case true?: return [.ok("clock", "\(stamp), synchronised")]
        case false?:
            let fix = "install chrony or systemd-timesyncd, unless the host keeps the time: timedatectl"
            return [.note("clock", "\(stamp), which nobody synchronises", fix: fix)]
        case nil: return [.ok("clock", "\(stamp); the kernel does not say whether it is synchronised")]
        }
    }
}

/// Whether the kernel tells how long work waits for memory (PSI, proc_pressure(5)).
struct PressureCheck: DoctorCheck {
    /// Percent of the last minute in which some task waited.
    private static let much = 10.0

    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard let text = probe.text("/proc/pressure/memory") else {
            let message = "the kernel does not tell of pressure (PSI)"
            return [.note("pressure", message, fix: "boot with psi=1, or a kernel with CONFIG_PSI")]
        }
        let share = PressureStall.some60(text)
        guard let share, share > Self.much else { return [.ok("pressure", "the kernel tells (PSI)")] }
        let message = "work waited for memory in \(Printing.rounded(share)) % of the last minute"
        return [
            .warning("pressure", message, fix: "lower cache.memory or workers.count, or give the machine more memory")
        ]
    }
}

/// Who asks: the superuser may do what the service's user may not.
struct UserCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard probe.user == 0 else { return [.ok("user", "number \(probe.user)")] }
        return [
            .note(
                "user",
                "the superuser: what is said of files, folders and limits holds for no other user",
                fix: "ask as the user that serves: setpriv --reuid edgeprint --clear-groups edgeprint doctor"
            )
        ]
    }
}
