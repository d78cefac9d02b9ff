/// A table of routes by method and literal path, for the admin listener: no patterns, no decoding.
///
/// Built once. A lookup compares bytes and allocates only if the method is wrong.
package struct RouteTable<Route: Sendable>: Sendable {
    /// The result of a lookup.
    package enum Match {
        /// A route, and for a prefix route the rest of the path after its slash.
        case route(Route, rest: Range<Int>)
        /// The path exists, but not for this method; the value of `Allow` (RFC 9110 §15.5.6).
        case methodNotAllowed(allow: String)
        /// No path has a method of this name (RFC 9110 §9.1).
        case unknownMethod(String)
        /// No such path.
        case notFound
    }

    private struct Entry {
        var method: HTTPMethod
        var path: [UInt8]
        var isPrefix: Bool
        var route: Route
    }

    private var entries: [Entry] = []

    /// Creates an empty table.
    package init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - method: GET also answers HEAD.
    ///   - path: the whole raw path, or a prefix that ends in `/*` and needs at least one more byte after the slash.
    ///   - route: the result of `match`; if several routes match, the first one added wins.
    package mutating func add(_ method: HTTPMethod, _ path: String, _ route: Route) {
        let isPrefix = path.hasSuffix("/*")
        let bytes = Array((isPrefix ? String(path.dropLast()) : path).utf8)
        entries.append(Entry(method: method, path: bytes, isPrefix: isPrefix, route: route))
    }

    /// Looks up a request.
    package func match(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Match {
        if case .other(let name) = head.method {
            return .unknownMethod(String(decoding: bytes.copy(name), as: UTF8.self))
        }
        let path = head.path(in: bytes)
        var isKnown = false
        for entry in entries where leads(entry, path, bytes) {
            if entry.method == head.method || (entry.method == .get && head.method == .head) {
                // An empty path, which means the root, is shorter than the root's.
                return .route(
                    entry.route,
                    rest: min(path.lowerBound + entry.path.count, path.upperBound)..<path.upperBound
                )
            }
            isKnown = true
        }
        return isKnown ? .methodNotAllowed(allow: allowed(path, bytes)) : .notFound
    }

    private func leads(_ entry: Entry, _ path: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        // Absolute-form without a path means the root.
        if path.isEmpty { return !entry.isPrefix && entry.path == [0x2F] }
        let count = entry.path.count
        guard entry.isPrefix ? path.count > count : path.count == count else { return false }
        for offset in 0..<count where bytes[path.lowerBound + offset] != entry.path[offset] { return false }
        return true
    }

    private func allowed(_ path: Range<Int>, _ bytes: Span<UInt8>) -> String {
        var names: [String] = []
        for entry in entries where leads(entry, path, bytes) {
            guard let name = entry.method.name, !names.contains(name) else { continue }
            names.append(name)
            if entry.method == .get { names.append("HEAD") }
        }
        return names.joined(separator: ", ")
    }
}
