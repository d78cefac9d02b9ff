import ImagePipeline

/// The checks of `edgeprint doctor`, in the order of its output.
struct Doctor: Sendable {
    let checks: [any DoctorCheck]

    /// Creates the checks for a configuration.
    init(_ loaded: LoadedConfiguration) {
        let configuration = loaded.configuration
        let plan = configuration.memoryPlan
        let listeners = configuration.listen + configuration.admin.listen
        checks =
            [
                DescriptorLimitCheck(configuration),
                ProcessLimitCheck(workerMemory: plan.workerMemory),
                MemoryCheck(configuration: configuration),
            ] + Self.machine
            + [CacheFolderCheck(path: configuration.cache.path)]
            + (configuration.cache.hasDisk ? [DiskSpaceCheck(cache: configuration.cache)] : [])
            + listeners.map { ListenCheck(address: $0, cachePath: configuration.cache.path) }
            + [
                ClientAddressCheck(listeners: configuration.listen, proxies: configuration.proxies),
                SecretCheck(loaded),
                SourceFolderCheck(sources: configuration.allSources, cachePath: configuration.cache.path),
                SourceRouteCheck(sources: configuration.allSources),
                RuleReachCheck(configuration: configuration),
                PixelLimitCheck(configuration: configuration),
                UnsignedUseCheck(configuration),
                LibraryCheck(needsTLS: configuration.allSources.contains { $0.asksTLS } || configuration.remote.isOpen),
                WorkerCheck(memory: plan.workerMemory, sandbox: configuration.workers.sandbox),
            ] + (configuration.cluster.log.map { [ClusterCheck(location: $0, name: configuration.cluster.name)] } ?? [])
            + (configuration.cluster.bucket.map { [StoreCheck($0, configuration.cluster)] } ?? [])
    }

    /// Creates the checks that need no configuration, for when it is invalid.
    init() {
        checks =
            Self.machine + [LibraryCheck(needsTLS: true), WorkerCheck(memory: Configuration().memoryPlan.workerMemory)]
    }

    /// Runs all checks in sequence.
    ///
    /// - Parameter progress: called before each check with the number of those that have run, and the last finding.
    func run(
        _ probe: any SystemProbe,
        progress: (_ done: Int, _ last: Finding?) -> Void = { _, _ in }
    ) -> [Finding] {
        var findings: [Finding] = []
        for (done, check) in checks.enumerated() {
            progress(done, findings.last)
            findings += check.findings(probe)
        }
        return findings
    }

    private static let machine: [any DoctorCheck] = [
        KernelCheck(), PressureCheck(), ClockCheck(), UserCheck(),
    ]
}

extension ConfiguredSource {
    fileprivate var asksTLS: Bool {
        guard case .http(let prefix) = rule.location else { return false }
        return prefix.hasPrefix("https:")
    }
}

extension Configuration.Remote {
    /// Whether `/fetch` can be used.
    fileprivate var isOpen: Bool { !allow.isEmpty }
}

/// A check of `edgeprint doctor`.
///
/// A check knows what the daemon needs, and queries the machine through a probe, so that tests can simulate any machine.
protocol DoctorCheck: Sendable {
    /// Runs the check; returns at least one finding. Blocks.
    func findings(_ probe: any SystemProbe) -> [Finding]
}
