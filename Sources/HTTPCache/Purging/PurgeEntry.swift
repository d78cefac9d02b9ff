import Foundation

/// The content of an entry in the log of purges: a purge as JSON text (RFC 8259).
///
/// Times are ages in seconds, since the clocks of nodes differ: each node subtracts them from its own clock. A later release that
/// changes the meaning of a member also changes `v`.
package enum PurgeEntry {
    /// The maximum length of an entry, in bytes.
    package static let maximumBytes = 1 << 20

    /// The version of the entries that this release writes.
    private static let version = 1

    /// A purge with too many or too long names for one entry.
    package struct TooLarge: Error, Hashable, Sendable, CustomStringConvertible {
        /// The length of the entry in bytes.
        package var bytes: Int

        package var description: String {
            "the purge takes \(bytes) bytes in the log, which accepts \(PurgeEntry.maximumBytes): send several smaller ones"
        }
    }

    /// A purge that was read from an entry.
    package struct Decoded: Hashable, Sendable {
        /// The purge; it selects everything if the entry cannot be read.
        package var purge: Purge
        /// Why the entry cannot be read; `nil` if it can.
        package var problem: String?
    }

    /// Encodes a purge.
    ///
    /// - Parameter now: seconds of the wall clock.
    package static func encode(_ purge: Purge, now: Int64) throws(TooLarge) -> [UInt8] {
        var form = Form(v: version)
        form.soft = purge.staleFrom.map { now &- $0 }
        form.set(purge.selection, now)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A form has only texts and integers, which cannot fail.
        let bytes = (try? encoder.encode(form)).map { [UInt8]($0) } ?? []
        guard bytes.count <= maximumBytes else { throw TooLarge(bytes: bytes.count) }
        return bytes
    }

    /// Decodes an entry; one that this release cannot read purges everything.
    ///
    /// - Parameter now: seconds of the wall clock.
    package static func decode(_ bytes: [UInt8], now: Int64) -> Decoded {
        func unreadable(_ problem: String) -> Decoded { Decoded(purge: Purge(.all), problem: problem) }
        guard bytes.count <= maximumBytes else { return unreadable("it has \(bytes.count) bytes") }
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)) else {
            return unreadable("it is not a purge in JSON")
        }
        guard form.v == version else { return unreadable("it has version \(form.v) of another release") }
        guard let selection = form.selection(now) else {
            return unreadable("it has an unknown or incomplete selection")
        }
        guard let age = form.soft else { return Decoded(purge: Purge(selection)) }
        guard let time = form.time(age, now) else { return unreadable("its age is out of range") }
        return Decoded(purge: Purge(selection, staleFrom: time))
    }

    /// The members of the JSON object.
    private struct Form: Codable {
        var v: Int
        /// The kind of the selection.
        var select = ""
        /// Present for a soft purge: the seconds for which the selection has been stale.
        var soft: Int64?
        /// The namespaces to stay in, the outermost first.
        var within: [String]?
        /// The digests of the originals' keys, in base64.
        var keys: [Data]?
        var name: String?
        /// Pairs of a source and a URL.
        var prefixes: [[String]]?
        var tags: [String]?
        var age: Int64?
        var steps: String?
        var settings: [String]?

        init(v: Int) { self.v = v }

        mutating func set(_ selection: PurgeSelection, _ now: Int64) {
            switch selection {
            case .originals(let keys): (select, self.keys) = ("originals", keys.map { Data($0.bytes) })
            case .source(let name): (select, self.name) = ("source", name)
            case .prefixes(let prefixes): (select, self.prefixes) = ("prefixes", prefixes.map { [$0.source, $0.url] })
            case .tags(let tags): (select, self.tags) = ("tags", tags.sorted())
            case .confirmedBefore(let time): (select, age) = ("confirmed-before", now &- time)
            case .staleAt(let time): (select, age) = ("stale-at", now &- time)
            case .preset(let pattern):
                (select, name, steps, settings) = ("preset", pattern.name, pattern.steps, pattern.settings)
            case .all: select = "all"
            case .within(let namespace, let inner):
                within = (within ?? []) + [namespace]
                set(inner, now)
            }
        }

        func selection(_ now: Int64) -> PurgeSelection? {
            guard let own = ownSelection(now), within?.count ?? 0 <= 8 else { return nil }
            return (within ?? []).reversed().reduce(own) { .within($1, $0) }
        }

        private func ownSelection(_ now: Int64) -> PurgeSelection? {
            switch select {
            case "originals":
                guard let keys else { return nil }
                let known = keys.compactMap { CacheKey(bytes: [UInt8]($0)) }
                return known.count == keys.count ? .originals(known) : nil
            case "source": return name.map { .source($0) }
            case "prefixes":
                guard let prefixes, prefixes.allSatisfy({ $0.count == 2 }) else { return nil }
                return .prefixes(prefixes.map { OriginPrefix(source: $0[0], url: $0[1]) })
            case "tags": return tags.map { .tags(Set($0)) }
            case "confirmed-before": return age.flatMap { time($0, now) }.map { .confirmedBefore($0) }
            case "stale-at": return age.flatMap { time($0, now) }.map { .staleAt($0) }
            case "preset":
                guard let name, let steps, let settings else { return nil }
                return .preset(PresetPattern(name: name, steps: steps, settings: settings))
            case "all": return .all
            default: return nil
            }
        }

        /// The second of an age; `nil` for one that is no time of this era.
        func time(_ age: Int64, _ now: Int64) -> Int64? {
            guard (-(1 << 40)...1 << 40).contains(age) else { return nil }
            return now - age
        }
    }
}
