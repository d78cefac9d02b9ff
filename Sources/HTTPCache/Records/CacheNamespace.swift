/// The namespaces of sources, which separate the entries of several sites in one cache (SDWebImage: `namespace` of `SDImageCache`).
///
/// The name of a source in a namespace is `NAMESPACE/NAME`; a name without a slash belongs to the unnamed namespace. Keys, records
/// and failures contain the name of their source, so entries of different namespaces are never the same, even for equal URLs.
package enum CacheNamespace {
    /// Returns the full name of a source.
    ///
    /// - Parameter namespace: empty for the unnamed namespace.
    package static func source(_ name: String, in namespace: String) -> String {
        namespace.isEmpty ? name : "\(namespace)/\(name)"
    }

    /// Returns the namespace of a source by its full name; empty for the unnamed one.
    package static func of(source: String) -> String {
        guard let slash = source.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(source[..<slash])
    }

    /// Returns the name of a source without its namespace.
    package static func name(of source: String) -> String {
        guard let slash = source.utf8.firstIndex(of: UInt8(ascii: "/")) else { return source }
        return String(source[source.index(after: slash)...])
    }
}

extension OriginRecord {
    /// The namespace of the record's source.
    package var namespace: String { CacheNamespace.of(source: source) }
}
