import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

// The parts' own configurations, from the daemon's.

extension DiskLimits {
    /// Creates the configuration of the disk cache, with the quotas of sites.
    init(_ configuration: Configuration) {
        let cache = configuration.cache
        self.init(
            originals: cache.originals,
            variants: cache.variants,
            minimumFree: cache.minimumFree,
            maximumAge: Int64(cache.maximumAge / 1000)
        )
        for site in configuration.sites where site.quota.originals != nil || site.quota.variants != nil {
            reserved[site.name] = Reservation(originals: site.quota.originals, variants: site.quota.variants)
        }
    }
}

extension Configuration {
    /// The limit on bodies that are received into files in the cache's folder, in bytes: the quota of originals, but at least one body of
    /// any length that a source accepts, which is used even if the quota has no room for it.
    var bodiesOnDisk: Int { allRules.reduce(cache.originals) { max($0, $1.limits.sourceBytes) } }
}

extension WorkerPool.Configuration {
    /// Creates the workers' configuration.
    init(_ configuration: Configuration) {
        let plan = configuration.memoryPlan
        self.init(workers: plan.workers)
        idleTime = configuration.limits.memoryIdle
        queueLimit = configuration.limits.queue
        queueTime = configuration.overload.queueTime
        decodeBytes = plan.decoded
        addressSpace = Int64(plan.workerMemory)
        jobsPerWorker = configuration.workers.jobs
        residentLimit = plan.workerResident
        sandbox = configuration.workers.sandbox
    }
}

extension ServerTimeouts {
    /// Creates the server's timeouts.
    init(_ timeouts: Configuration.ServiceTimeouts) {
        self.init(header: timeouts.header, idle: timeouts.idle, write: timeouts.write)
    }
}

extension Configuration {
    /// Whether clients on Unix sockets are trusted, so that connecting must be restricted.
    var trustsSockets: Bool { (proxies.trust + purge.allow).contains(PeerAddress.unix) }
}

extension ServerConfiguration {
    /// Creates the public server's configuration.
    init(
        _ configuration: Configuration,
        sockets: ActivatedSockets,
        loops: Int,
        time: any TimeSource
    ) {
        self.init(
            addresses: sockets.publicAddresses(beside: configuration.listen),
            loops: loops,
            limits: ServerLimits(body: configuration.limits.requestBody),
            timeouts: ServerTimeouts(configuration.timeouts),
            maximumConnections: configuration.limits.connections,
            socketMode: configuration.trustsSockets ? .ownerAndGroup : .everybody,
            halfClose: configuration.clients.halfClose,
            proxies: TrustedProxies(usesProxyProtocol: configuration.proxies.proxyProtocol) {
                configuration.proxies.trust.contains($0)
            },
            time: time
        )
        inherited = sockets.ownPublic
        maximumConnectionsPerClient = configuration.clients.connections
    }
}
