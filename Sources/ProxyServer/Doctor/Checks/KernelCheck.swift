import Glibc

/// Checks the kernel's version and the features that the daemon needs.
struct KernelCheck: DoctorCheck {
    /// The first version with openat2(2), which confines `file:` sources; close_range(2), used to start workers, came with 5.9.
    private static let least = (5, 6)
    private static let good = (5, 9)

    func findings(_ probe: any SystemProbe) -> [Finding] { [version(probe), memoryFiles(probe), ioUring(probe)] }

    private func version(_ probe: any SystemProbe) -> Finding {
        let release = probe.kernelRelease
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else {
            return .note(
                "kernel",
                "cannot parse the version '\(Printing.plain(release))'",
                fix: "run Linux 5.9 or later"
            )
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
                "memfd_create or its seals are refused: originals and results are passed in sealed memory files",
                fix: "allow memfd_create in the system call filter of the container or unit"
            )
        }
        return .ok("memory files", "can be sealed")
    }

    private func ioUring(_ probe: any SystemProbe) -> Finding {
        let state =
            switch probe.ioUringError {
            case ENOSYS: "not in this kernel"
            case EPERM, EACCES: "disabled"
            default: "there"
            }
        return .ok("io_uring", "\(state); not used")
    }
}
