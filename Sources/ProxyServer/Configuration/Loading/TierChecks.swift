import HTTPCache
import ImagePipeline

/// Reports combinations of cache tiers that would store what is never read, or nothing at all.
enum TierChecks {
    static func check(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let cache = configuration.cache
        var problems: [(key: String, message: String)] = []
        if let problem = problem(of: cache, memory: configuration.memoryPlan.cache) { problems.append(problem) }
        if !cache.hasDisk, !cache.seed.isEmpty { problems.append(("cache.seed", "requires cache.path, which is off")) }
        for (key, message) in problems { decoder.report(message, key: key, place: decoder.places[key]) }
        checkPolicies(configuration, &decoder)
    }

    /// Reports the tiers of sources and presets that would keep nothing.
    ///
    /// - Parameter scope: the path of the map that has the sources, with a dot at the end; empty for the file's top.
    static func checkPolicies(
        _ configuration: Configuration,
        scope: String = "",
        _ decoder: inout ConfigurationDecoder
    ) {
        for (name, policy) in policies(configuration) {
            for (kind, tiers) in [("variants", policy.variants), ("originals", policy.originals)] {
                guard let reason = reason(whyNothingIsKeptIn: tiers, configuration.cache) else { continue }
                let (key, message) = (scope + name, "\(tiers.rawValue) would keep no \(kind): \(reason)")
                decoder.report(message, key: key, place: decoder.places[key])
                break
            }
        }
        for source in configuration.sources
        where source.rule.slowMiss.policy == .placeholder && source.rule.cache.variants == .none {
            let key = "\(scope)sources.\(source.rule.localName).slow-miss"
            let message = "placeholder requires a cache: an image that is made later would be lost"
            decoder.report(message, key: key, place: decoder.places[key])
        }
    }

    /// Returns the quotas that have no room for the largest originals that their sources accept: each variant downloads these again.
    static func warnings(_ configuration: Configuration) -> [(key: String, message: String)] {
        guard configuration.cache.hasDisk, configuration.cache.tiers.writesDisk else { return [] }
        var scopes = [(key: "cache.originals", quota: configuration.cache.originals, settings: [configuration])]
        for site in configuration.sites {
            if let quota = site.quota.originals {
                scopes.append((key: "sites.\(site.name).quota.originals", quota: quota, settings: [site.settings]))
            } else {
                scopes[0].settings.append(site.settings)
            }
        }
        return scopes.compactMap { key, quota, settings in
            let rules = settings.flatMap { settings in
                settings.sources.map(\.rule) + (settings.remote.allow.isEmpty ? [] : [settings.remoteRule])
            }
            let stored = rules.filter { !$0.isFolder && $0.cache.originals.keepOnDisk }
            guard let largest = stored.max(by: { $0.limits.sourceBytes < $1.limits.sourceBytes }),
                quota < largest.limits.sourceBytes
            else { return nil }
            let size = { (bytes: Int) in ScaledNumber.text(bytes, units: ScaledNumber.sizes) }
            let original = "an original of \(size(largest.limits.sourceBytes)) (limits.source-bytes of \(largest.name))"
            return (key, "\(size(quota)) has no room for \(original); each of its variants would download it again")
        }
    }

    /// The contradiction between the tiers' own settings, if there is one.
    private static func problem(of cache: Configuration.Cache, memory: Int) -> (key: String, message: String)? {
        let (query, store) = (cache.tiers.query, cache.tiers.store)
        switch (query, store) {
        case (.concurrent, _):
            let reason = "memory responds before a disk look-up could start"
            return ("cache.tiers.query", "concurrent has no effect here, since \(reason); use serial")
        case (_, .serial):
            let reason = "the write to disk is always queued behind the insertion into memory"
            return ("cache.tiers.store", "serial has no effect here, since \(reason); use concurrent")
        case (.highest, let store) where store != .highest:
            let message = "highest never reads the disk, which cache.tiers.store (\(store.rawValue)) fills"
            return ("cache.tiers.query", "\(message); set store: highest as well")
        case (.lowest, let store) where store != .lowest:
            let message = "lowest never reads memory, which cache.tiers.store (\(store.rawValue)) fills"
            return ("cache.tiers.query", "\(message); set store: lowest as well")
        case (_, .lowest) where !cache.hasDisk:
            return ("cache.tiers.store", "lowest stores nothing, since cache.path is off")
        case (_, .highest) where memory == 0:
            return ("cache.tiers.store", "highest stores nothing, since cache.memory is 0")
        default: return nil
        }
    }

    /// The tiers of each source and preset that sets its own.
    private static func policies(_ configuration: Configuration) -> [(key: String, policy: CachePolicy)] {
        configuration.sources.map { ("sources.\($0.rule.localName).cache", $0.rule.cache) }
            + configuration.presets.compactMap { preset in
                preset.cache.map { ("presets.\(preset.name)", CachePolicy($0)) }
            }
    }

    private static func reason(whyNothingIsKeptIn tiers: CacheTiers, _ cache: Configuration.Cache) -> String? {
        switch tiers {
        case .disk where !cache.hasDisk: "cache.path is off"
        case .disk where !cache.tiers.writesDisk: "cache.tiers.store is highest"
        case .memory where !cache.tiers.fillsMemory: "cache.tiers.store is lowest"
        default: nil
        }
    }
}
