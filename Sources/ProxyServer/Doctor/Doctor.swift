import ImagePipeline

/// Everything that `edgeprint doctor` checks, in the order in which it prints.
struct Doctor: Sendable {
    let checks: [any DoctorCheck]

    /// Checks the machine for a configuration.
    init(_ loaded: LoadedConfiguration) {
        let configuration = loaded.configuration
        let workers = configuration.workers.processes
        let listeners = configuration.listen + configuration.admin.listen
        checks =
            [
                DescriptorLimitCheck(connections: configuration.limits.connections, workers: workers),
                ProcessLimitCheck(workerMemory: configuration.workers.memory),
                MemoryCheck(configuration),
            ] + Self.machine
            + [
                CacheFolderCheck(path: configuration.cache.path),
                DiskSpaceCheck(cache: configuration.cache),
            ]
            + listeners.map { ListenCheck(address: $0, cachePath: configuration.cache.path) }
            + [
                SecretCheck(loaded),
                SourceFolderCheck(sources: configuration.sources, cachePath: configuration.cache.path),
                LibraryCheck(needsTLS: configuration.sources.contains { $0.asksTLS } || configuration.remote.isOpen),
                WorkerCheck(memory: configuration.workers.memory),
            ]
    }

    /// Checks what needs no configuration, where there is none that is right.
    init() {
        checks = Self.machine + [LibraryCheck(needsTLS: true), WorkerCheck(memory: Configuration().workers.memory)]
    }

    /// Runs all checks, each after the other.
    func run(_ probe: any SystemProbe) -> [Finding] { checks.flatMap { $0.findings(probe) } }

    private static let machine: [any DoctorCheck] = [
        KernelCheck(), SandboxCheck(), PressureCheck(), ClockCheck(), UserCheck(),
    ]
}

extension MemoryCheck {
    /// Checks for what a configuration may take.
    init(_ configuration: Configuration) {
        self.init(
            cache: configuration.cache.memory,
            workers: configuration.workers.processes,
            workerResident: configuration.workers.rss
        )
    }
}

extension Configuration.Workers {
    /// How many there will be.
    fileprivate var processes: Int { count == 0 ? ProcessorCount.online + 1 : count }
}

extension ConfiguredSource {
    fileprivate var asksTLS: Bool {
        guard case .http(let prefix) = rule.location else { return false }
        return prefix.hasPrefix("https:")
    }
}

extension Configuration.Remote {
    /// Whether anybody's URL may ever be asked.
    fileprivate var isOpen: Bool { !allow.isEmpty }
}

/// One thing that `edgeprint doctor` looks at.
///
/// A check knows what the daemon needs; what there is, it asks of the probe, so that a test can recount any machine.
protocol DoctorCheck: Sendable {
    /// What it finds, at least one finding; blocks.
    func findings(_ probe: any SystemProbe) -> [Finding]
}
