import Dialects
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// A request in Edgeprint's own language: what its target means, in whatever language it was sent.
struct OwnTarget: Sendable, Hashable {
    /// The raw path.
    let path: [UInt8]
    /// The raw query, without the `?`.
    let query: [UInt8]
    /// What the request states in another server's language; `nil` if it was sent in Edgeprint's own.
    var foreign: ForeignRequest?
    /// Whether the request encrypts the image's address, which responses must not reveal.
    let isEncrypted: Bool

    /// A translated request.
    init(_ place: ImagePlace, _ translation: Translation) {
        isEncrypted = if case .encrypted = translation.image { true } else { false }
        path = Array(place.path.utf8)
        let parts = place.pairs + (translation.parameters.isEmpty ? [] : [translation.query])
        query = Array(parts.joined(separator: "&").utf8)
    }

    init(path: [UInt8], query: [UInt8]) {
        (self.path, self.query, isEncrypted) = (path, query, false)
    }

    /// Path and query in one.
    var bytes: [UInt8] { query.isEmpty ? path : path + [UInt8(ascii: "?")] + query }
}

extension RequestResolver {
    /// The request in Edgeprint's own language that a target stands for: another server's is translated, parameters in the path
    /// become part of the query, and everything else stays as it is.
    ///
    /// The signature of another language is verified before anything is decrypted, so that answers do not tell what decrypts.
    ///
    /// - Parameter target: the raw path and query, as sent.
    /// - Throws: 400 for what cannot be translated, 403 for a signature that is wrong or missing.
    func own(_ target: [UInt8]) throws(Problem) -> OwnTarget {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        // Absolute-form may have no path (RFC 9110 §4.2.3).
        let path = mark == 0 ? Array("/".utf8) : Array(target[..<mark])
        let query = Array(target[min(mark + 1, target.count)...])
        if let dialect = table.dialect { return try translated(path, query, from: dialect, base: table.dialectBase) }
        let name = RequestPath.name(in: path)
        guard let reading = table.sources[name]?.reading else { return OwnTarget(path: path, query: query) }
        if let dialect = reading.dialect {
            let rest = Array(path.dropFirst().drop { $0 != UInt8(ascii: "/") })
            let base = reading.dialectSource ?? name
            return try translated(rest.isEmpty ? Array("/".utf8) : rest, query, from: dialect, base: base)
        }
        guard reading.isPathStyle else { return OwnTarget(path: path, query: query) }
        do throws(RequestError) {
            let unfolded = try PathStyle.unfolded(path: path, query: query)
            return OwnTarget(path: unfolded?.path ?? path, query: unfolded?.query ?? query)
        } catch {
            throw Problem(error)
        }
    }

    /// Translates a request of another server.
    ///
    /// - Parameter base: the source of images without a host; `nil` for none.
    private func translated(
        _ path: [UInt8],
        _ query: [UInt8],
        from dialect: Dialect,
        base: String?
    ) throws(Problem) -> OwnTarget {
        var translation: Translation
        do throws(RequestError) {
            translation = try dialect.translate(path: path, query: query, source: base)
        } catch {
            throw Problem(error)
        }
        let foreign = ForeignRequest(translation.signature, in: dialect, by: table.verifier)
        if permission != nil { try foreign.check(table.verifier.keys) }
        do throws(RequestError) {
            let place = try ImagePlace(of: translation.image, base: base, in: table)
            // imagor keeps metadata unless told otherwise, but no source need serve it for that.
            if dialect == .imagor, rule(of: place)?.originals != .serve {
                translation.parameters.removeAll { $0.name == "meta" && $0.value == "keep" }
            }
            // The original itself, which neither the source's preset nor a rule's may change.
            if translation.isOriginal, !table.remote.options.presets.isEmpty {
                translation.parameters.append(Parameter("preset", "none"))
            }
            var own = OwnTarget(place, translation)
            own.foreign = foreign
            return own
        } catch {
            throw Problem(error)
        }
    }

    /// The rule of the source that an image belongs to.
    private func rule(of place: ImagePlace) -> SourceRule? {
        let name = place.path.dropFirst().prefix { $0 != "/" }
        return name == "fetch" ? table.remote.rule : table.sources[String(name)]?.rule
    }
}
