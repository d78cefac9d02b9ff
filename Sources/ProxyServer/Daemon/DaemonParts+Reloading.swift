import HTTPKit
import ImagePipeline
import ImagePlan

extension DaemonParts {
    /// Goes by another configuration from now on; requests under way end by the one that they began with.
    ///
    /// What needs a restart must be as it was: see `ConfigurationChange.effective`.
    /// - Throws: `RequestError` when a preset is not of the request language, which validation has excluded; nothing has
    ///   changed then.
    func apply(_ loaded: LoadedConfiguration) throws(RequestError) {
        let configuration = loaded.configuration
        let old = live.current
        let narrowed = Self.narrowedSources(from: old, to: configuration)
        resolver.replace(try RequestResolver(configuration, time: time))
        live.loaded = loaded
        warnOfFolders(configuration)
        logLevel.set(configuration.log.level)
        pressure.configure(shares: configuration.memoryShares, isOn: configuration.cache.memoryPressure)
        store.setLimits(DiskLimits(configuration.cache))
        pipeline.setWaiterLimit(configuration.limits.waiters)
        pipeline.setDeferredLimit(configuration.avif.queue)
        pipeline.failures.setPolicy(configuration.negative)
        workers.setQueueLimit(configuration.limits.queue)
        publicServer.adjust(
            timeouts: ServerTimeouts(configuration.timeouts),
            maximumConnections: configuration.limits.connections
        )
        // What has failed under another rule may succeed under this one.
        for source in configuration.sources where old.source(named: source.rule.name) != source {
            pipeline.failures.remove(.source(source.rule.name))
        }
        if old.remoteRule != configuration.remoteRule {
            pipeline.failures.remove(.source(configuration.remoteRule.name))
        }
        // What a tier has kept of a source must not be served once the source may not use the tier, nor documents that it refuses.
        for name in narrowed { _ = pipeline.purge(.source(name), beside: raw.purge) { _ in } }
    }

    /// Sources that some tier no longer keeps anything of, or that no longer give out documents.
    private static func narrowedSources(from old: Configuration, to new: Configuration) -> [String] {
        let pairs =
            [(old.remoteRule, new.remoteRule)]
            + new.sources.compactMap { source in
                old.source(named: source.rule.name).map { ($0.rule, source.rule) }
            }
        return pairs.filter { old, new in
            !new.cache.contains(old.cache) || old.formats.pdf && !new.formats.pdf
        }.map(\.1.name)
    }
}
