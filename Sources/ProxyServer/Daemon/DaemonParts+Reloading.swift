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
        resolver.replace(try RequestResolver(configuration, time: time))
        live.loaded = loaded
        logLevel.set(configuration.log.level)
        memory.resize(capacity: configuration.cache.memory)
        store.setQuotas(originals: configuration.cache.originals, variants: configuration.cache.variants)
        pipeline.setWaiterLimit(configuration.limits.waiters)
        workers.setQueueLimit(configuration.limits.queue)
        publicServer.adjust(
            timeouts: ServerTimeouts(configuration.timeouts),
            maximumConnections: configuration.limits.connections
        )
    }
}
