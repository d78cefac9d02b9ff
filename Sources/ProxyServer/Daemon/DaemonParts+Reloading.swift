import OriginTransfer
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan

extension DaemonParts {
    /// Applies another configuration to subsequent requests; those in progress finish with the old one.
    ///
    /// Keys that need a restart must be unchanged: see `ConfigurationChange.effective`.
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded; nothing has changed then.
    func apply(_ loaded: LoadedConfiguration) throws(RequestError) {
        let configuration = loaded.configuration
        let old = live.current
        let narrowed = Self.narrowedSources(from: old, to: configuration)
        resolver.replace(try RequestResolver(configuration, time: time))
        live.loaded = loaded
        warnOfFolders(configuration)
        warnOfRoutes(configuration)
        transfers.adjust(scheduling: configuration.transfers, breaker: configuration.breaker)
        suspended.keep(only: Set(configuration.sources.map(\.rule.name) + [configuration.remoteRule.name]))
        logLevel.set(configuration.log.level)
        pressure.configure(shares: configuration.memoryShares, isOn: configuration.cache.memoryPressure)
        memory.setMaximumEntries(configuration.memoryEntries.pictures)
        raw.cache.setMaximumEntries(configuration.memoryEntries.raw)
        store.setLimits(DiskLimits(configuration.cache))
        pipeline.setWaiterLimit(configuration.limits.waiters)
        raw.setWaiterLimit(configuration.limits.waiters)
        pipeline.setDeferredLimit(configuration.avif.queue)
        pipeline.failures.setPolicy(configuration.negative)
        workers.setQueueLimit(configuration.limits.queue)
        workers.setDecodeBudget(configuration.workers.decodeBytes)
        publicServer.adjust(
            timeouts: ServerTimeouts(configuration.timeouts),
            maximumConnections: configuration.limits.connections,
            halfClose: configuration.clients.halfClose
        )
        // A request that failed under the old rule may succeed under the new one.
        for source in configuration.sources where old.source(named: source.rule.name) != source {
            pipeline.failures.remove(.source(source.rule.name))
            transfers.closeBreakers(of: source.rule.name)
        }
        if old.rules != configuration.rules {
            for name in configuration.sources.map(\.rule.name) + [configuration.remoteRule.name] {
                pipeline.failures.remove(.source(name))
            }
        }
        if old.remoteRule != configuration.remoteRule {
            pipeline.failures.remove(.source(configuration.remoteRule.name))
            transfers.closeBreakers(of: configuration.remoteRule.name)
        }
        // Entries in a tier that a source no longer uses, and formats that it no longer allows, must not be served.
        for name in narrowed { _ = pipeline.purge(.source(name), beside: raw.purge) { _ in } }
    }

    /// Sources that no longer use some tier, or no longer allow a format.
    private static func narrowedSources(from old: Configuration, to new: Configuration) -> [String] {
        let pairs =
            [(old.remoteRule, new.remoteRule)]
            + new.sources.compactMap { source in
                old.source(named: source.rule.name).map { ($0.rule, source.rule) }
            }
        return pairs.filter { old, new in
            !new.cache.contains(old.cache) || !new.formats.readsAll(of: old.formats)
                || !new.formats.writesAll(of: old.formats)
        }.map(\.1.name)
    }
}
