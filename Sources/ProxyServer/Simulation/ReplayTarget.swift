import HTTPCache
import ImagePipeline
import ImagePlan

/// What a logged target asks for: an original, and the response that is made from it.
struct ReplayTarget {
    /// How a response relates to its original.
    enum Kind: Sendable {
        /// Made from the original by parameters.
        case variant
        /// The bare original.
        case original
        /// The response of a raw source.
        case raw
    }

    let kind: Kind
    /// The text by which equal responses are recognised, without signatures.
    let response: [UInt8]
    /// The text by which equal originals are recognised.
    let original: [UInt8]

    /// Parameters that never change the response.
    private static let ignored: Set<String> = [
        "sig", "exp", "scope", "timing", "refresh", "retry", "wait-store", "filename", "download",
    ]
    /// Parameters of `/fetch` that name the original.
    private static let naming: Set<String> = ["url", "enc"]

    /// - Parameter isRaw: whether the source is a plain HTTP cache, whose whole query belongs to the original.
    init(_ target: [UInt8], isRaw: Bool) {
        guard !isRaw else {
            (kind, response, original) = (.raw, target, target)
            return
        }
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var path = Array(target[..<mark])
        var pairs: [ArraySlice<UInt8>] = []
        for pair in target[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            if Self.ignored.contains(name) { continue }
            if path == Array("/fetch".utf8), Self.naming.contains(name) {
                path += [UInt8(ascii: "?")] + pair
            } else {
                pairs.append(pair)
            }
        }
        original = path
        kind = pairs.isEmpty ? .original : .variant
        response = pairs.isEmpty ? path : path + [0] + Array(pairs.joined(separator: [UInt8(ascii: "&")]))
    }

    /// The first segment of a path: the name of its source.
    static func source(of target: [UInt8]) -> [UInt8] {
        Array(RequestPath.name(in: target).utf8)
    }
}

/// What a replay must know of a source.
struct ReplaySource: Sendable {
    var isRaw = false
    /// Whether the originals are local files, which are not copied to the disk cache.
    var isFolder = false
    var tiers = CachePolicy(.all)

    /// The sources of a configuration by name; others have the defaults.
    static func all(_ configuration: Configuration) -> [[UInt8]: ReplaySource] {
        var sources: [[UInt8]: ReplaySource] = [:]
        for source in configuration.sources {
            sources[Array(source.rule.localName.utf8)] = ReplaySource(
                isRaw: source.rule.isRaw,
                isFolder: source.rule.isFolder,
                tiers: source.rule.cache
            )
        }
        sources[Array("fetch".utf8)] = ReplaySource(isRaw: configuration.remote.raw)
        return sources
    }
}
