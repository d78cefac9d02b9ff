import Glibc

/// The kernel's version, and what the daemon cannot do without.
struct KernelCheck: DoctorCheck {
    /// openat2(2), by which a `file:` source cannot be left, came with 5.6; close_range(2), which a worker starts with, with 5.9.
    private static let least = (5, 6)
    private static let good = (5, 9)

    func findings(_ probe: any SystemProbe) -> [Finding] { [version(probe), memoryFiles(probe), ioUring(probe)] }

    private func version(_ probe: any SystemProbe) -> Finding {
        let release = probe.kernelRelease
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else {
            return .note("kernel", "'\(Printing.plain(release))' tells no version", fix: "run Linux 5.9 or later")
        }
        let version = (numbers[0], numbers[1])
        if version < Self.least {
            return .failure(
                "kernel",
                "\(release) has no openat2: file: sources cannot be served",
                fix: "run Linux 5.9 or later"
            )
        }
        if version < Self.good {
            let message = "\(release) has no close_range: workers may inherit descriptors"
            return .warning("kernel", message, fix: "run Linux 5.9 or later")
        }
        return .ok("kernel", release)
    }

    private func memoryFiles(_ probe: any SystemProbe) -> Finding {
        guard probe.sealsMemoryFiles else {
            return .failure(
                "memory files",
                "memfd_create or its seals are refused: originals and results travel by them",
                fix: "allow memfd_create in the container's or the unit's system call filter"
            )
        }
        return .ok("memory files", "can be sealed")
    }

    private func ioUring(_ probe: any SystemProbe) -> Finding {
        let state =
            switch probe.ioUringError {
            case ENOSYS: "not in this kernel"
            case EPERM, EACCES: "switched off"
            default: "there"
            }
        return .ok("io_uring", "\(state); not used")
    }
}
