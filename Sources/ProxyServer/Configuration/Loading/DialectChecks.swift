import Dialects
import ImagePipeline
import ImagePlan

/// Validates other servers' languages, their keys and path style.
enum DialectChecks {
    /// Reports settings that contradict others, have no effect, or let no request be served.
    ///
    /// - Parameter scope: the path of the map that has the sources, with a dot at the end; empty for the file's top.
    static func check(_ configuration: Configuration, scope: String = "", _ decoder: inout ConfigurationDecoder) {
        func report(_ key: String, _ message: String) {
            // Without a place of its own, a missing key is reported where its section has another.
            let section = scope + key.prefix(upTo: key.lastIndex(of: ".") ?? key.startIndex) + "."
            let place =
                decoder.places[scope + key]
                ?? decoder.places.filter { $0.key.hasPrefix(section) }.min { $0.key < $1.key }?.value
            decoder.report(message, key: scope + key, place: place)
        }
        checkKeys(configuration.dialects, report)
        let names = configuration.sources.filter { !$0.rule.isRaw }.map(\.rule.localName)
        func check(_ dialect: Dialect?, base: String?, _ own: SourceRule? = nil, below prefix: String) {
            if let base, dialect == nil {
                report(prefix + "dialect-source", "has no effect without dialect: it says where '\(base)' is used")
            } else if let base, !names.contains(base) {
                let hint = NearestName.hint(base, among: names)
                report(prefix + "dialect-source", "there is no source '\(base)' with images\(hint)")
            } else if let base, configuration.source(named: base)?.reading.dialectSource != nil {
                report(prefix + "dialect-source", "'\(base)' has no images of its own: it has a dialect-source, too")
            }
            guard let dialect else { return }
            let rule = base.flatMap { configuration.source(named: $0)?.rule } ?? own
            let needs =
                configuration.signing.required
                ? "signing.required" : rule?.unsigned == UnsignedUse.none ? "unsigned: none" : nil
            guard let needs, !configuration.dialects.hasKeys(of: dialect) else { return }
            let remedy =
                dialect.hasSignatures
                ? "requires dialects.\(dialect.rawValue).keys with \(needs)"
                : "has no signatures, which \(needs) demands"
            report(prefix + "dialect", "\(dialect.rawValue) \(remedy): otherwise no request could be served")
        }
        check(configuration.dialect, base: configuration.dialectSource, below: "")
        for source in configuration.sources {
            let (reading, prefix) = (source.reading, "sources.\(source.rule.localName).")
            if let dialect = configuration.dialect, reading.dialect != nil || reading.isPathStyle {
                let key = prefix + (reading.dialect == nil ? "path-style" : "dialect")
                report(key, "has no effect with dialect: \(dialect.rawValue), in which all paths here are read")
            } else if reading.dialect != nil, reading.isPathStyle {
                report(prefix + "path-style", "cannot be combined with dialect")
            }
            check(reading.dialect, base: reading.dialectSource, source.rule, below: prefix)
        }
    }

    private static func checkKeys(_ dialects: Configuration.DialectKeys, _ report: (String, String) -> Void) {
        let (imgproxy, imagor) = (dialects.imgproxy, dialects.imagor)
        if imgproxy.keys.count != imgproxy.salts.count {
            let message = "must be as many as keys (\(imgproxy.keys.count)), each the salt of the key at its place"
            report("dialects.imgproxy.salts", message)
        }
        if imgproxy.keys.isEmpty, !imgproxy.urlKeys.isEmpty {
            let message = "requires keys: without signatures, answers would tell everybody which texts decrypt"
            report("dialects.imgproxy.url-keys", message)
        }
        let lengths = ThumborRequest.shortestSignature...(imagor.hash.size * 4 + 2) / 3
        if imagor.truncate > 0, !lengths.contains(imagor.truncate) {
            let message =
                "must be 0, or \(lengths.lowerBound) to \(lengths.upperBound) characters with \(imagor.hash.rawValue)"
            report("dialects.imagor.truncate", message)
        }
    }

    /// The sources, each without a location of its own with that of its `dialect-source`; those whose source does not exist, which is
    /// reported later, keep none.
    static func placed(_ sources: [ConfiguredSource]) -> [ConfiguredSource] {
        sources.map { source in
            guard let base = source.reading.dialectSource,
                let owner = sources.first(where: { $0.rule.localName == base })
            else { return source }
            var source = source
            source.rule.location = owner.rule.location
            return source
        }
    }
}

extension ConfiguredSource.PathReading {
    /// The location of a source that has a `dialect-source`, until that of the other one is known; `nil` for other sources.
    var borrowedLocation: SourceRule.Location? { dialectSource == nil ? nil : .remote }
}
