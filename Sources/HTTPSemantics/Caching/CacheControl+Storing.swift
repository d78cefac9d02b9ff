extension CacheControl {
    /// Whether a shared cache may store a 200 that carries these directives (RFC 9111 §3).
    ///
    /// A qualified `private` prevents storing only if it names a field that the cache keeps (RFC 9111 §5.2.2.7).
    package var isStorable: Bool {
        // RFC 9111 §5.2.2.3: a cache that understands the status code ignores no-store next to must-understand.
        if noStore && !mustUnderstand { return false }
        return !CacheControl.covers(self.private)
    }

    /// Whether every use of the stored response requires validation (RFC 9111 §5.2.2.4).
    package var requiresValidation: Bool { CacheControl.covers(noCache) }

    /// Whether a stale response must not be used without successful validation (RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10).
    package var forbidsStale: Bool {
        mustRevalidate || proxyRevalidate || sMaxAge != nil || requiresValidation
    }

    /// Whether a directive applies to the whole response, or to a field that is stored with it.
    private static func covers(_ directive: Qualified) -> Bool {
        switch directive {
        case .absent: false
        case .whole: true
        case .fields(let names): !keptFields.isDisjoint(with: names)
        }
    }

    private static let keptFields: Set<String> = [
        "age", "cache-control", "content-length", "content-type", "date", "etag", "expires", "last-modified", "vary",
    ]
}
