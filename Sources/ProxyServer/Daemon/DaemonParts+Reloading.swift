import OriginTransfer
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

extension DaemonParts {
    /// Applies another configuration to subsequent requests; those in progress finish with the old one.
    ///
    /// Keys that need a restart must be unchanged: see `ConfigurationChange.effective`.
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded; nothing has changed then.
    func apply(_ loaded: LoadedConfiguration) throws(RequestError) {
        let configuration = loaded.configuration
        let old = live.current
        let narrowed = Self.narrowedSources(from: old, to: configuration)
        resolver.replace(try Self.sites(configuration, time, metrics))
        metrics.siteRequests.keep(only: configuration.siteTitles)
        live.loaded = loaded
        warnOfFolders(configuration)
        warnOfRoutes(configuration)
        transfers.adjust(scheduling: configuration.scheduling, breaker: configuration.breaker)
        suspended.keep(only: Set(configuration.allRules.map(\.name)))
        logLevel.set(configuration.log.level)
        tracer.apply(configuration.tracing)
        pressure.configure(shares: configuration.memoryShares, isOn: configuration.cache.memoryPressure)
        memory.setMaximumEntries(configuration.memoryEntries.pictures)
        raw.cache.setMaximumEntries(configuration.memoryEntries.raw)
        store.setLimits(DiskLimits(configuration))
        pipeline.setWaiterLimit(configuration.limits.waiters)
        raw.setWaiterLimit(configuration.limits.waiters)
        pipeline.setDeferredLimit(configuration.avif.queue)
        pipeline.failures.setPolicy(configuration.failurePolicy)
        workers.setQueueLimit(configuration.limits.queue)
        workers.setQueueTime(configuration.overload.queueTime)
        workers.setIdleTime(configuration.limits.memoryIdle)
        workers.setDecodeBudget(configuration.memoryPlan.decoded)
        transfers.ledgers.memory.setLimit(configuration.memoryPlan.bodies)
        transfers.ledgers.disk.setLimit(configuration.bodiesOnDisk)
        publicServer.adjust(
            timeouts: ServerTimeouts(configuration.timeouts),
            maximumConnections: configuration.limits.connections,
            perClient: configuration.clients.connections,
            halfClose: configuration.clients.halfClose
        )
        // A request that failed under the old rule may succeed under the new one.
        let before = Self.parts(of: old)
        for (name, part) in Self.parts(of: configuration) where before[name] != part || old.rules != configuration.rules
        {
            pipeline.failures.remove(.source(name))
            if before[name] != part { transfers.closeBreakers(of: name) }
        }
        // Entries in a tier that a source no longer uses, and formats and networks that it no longer allows, must not be served.
        for name in narrowed { _ = pipeline.purge(.source(name), beside: raw.purge) { _ in } }
    }

    /// The sources of all sites by their full names, and the rules of `/fetch`.
    private static func parts(of configuration: Configuration) -> [String: ConfiguredSource] {
        let fetch = [configuration.remoteRule] + configuration.sites.map(\.settings.remoteRule)
        let parts = configuration.allSources + fetch.map { ConfiguredSource(rule: $0) }
        return Dictionary(parts.map { ($0.rule.name, $0) }) { first, _ in first }
    }

    /// Sources that no longer use some tier, or no longer allow a format or private networks; no entry knows its origin's address.
    private static func narrowedSources(from old: Configuration, to new: Configuration) -> [String] {
        let before = Dictionary(old.allRules.map { ($0.name, $0) }) { first, _ in first }
        let pairs = new.allRules.compactMap { rule in before[rule.name].map { ($0, rule) } }
        return pairs.filter { old, new in
            !new.cache.contains(old.cache) || !new.formats.readsAll(of: old.formats)
                || !new.formats.writesAll(of: old.formats) || old.allowPrivate && !new.allowPrivate
        }.map(\.1.name)
    }
}
