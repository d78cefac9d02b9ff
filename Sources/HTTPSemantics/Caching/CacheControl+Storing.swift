extension CacheControl {
    /// Whether a shared cache may store a 200 that carries these directives (RFC 9111 §3).
    ///
    /// A `private` that is qualified forbids storing only when it names a field that the cache keeps (RFC 9111 §5.2.2.7).
    package var isStorable: Bool {
        // RFC 9111 §5.2.2.3: who understands the status code ignores no-store beside must-understand.
        if noStore && !mustUnderstand { return false }
        return !CacheControl.covers(self.private)
    }

    /// Whether each use of the stored response must be validated first (RFC 9111 §5.2.2.4).
    package var requiresValidation: Bool { CacheControl.covers(noCache) }

    /// Whether a stale response may never be used without successful validation (RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10).
    package var forbidsStale: Bool {
        mustRevalidate || proxyRevalidate || sMaxAge != nil || requiresValidation
    }

    /// Whether a response may be stored by a shared cache and later be used for another request.
    ///
    /// - Parameters:
    ///   - cacheControl: the field's value, several fields joined with a comma; `nil` where there is none.
    ///   - vary: the same of `Vary`; `*` never matches a later request (RFC 9111 §4.1).
    package static func isStorable(cacheControl: String?, vary: String? = nil) -> Bool {
        if let vary, vary.utf8.split(separator: UInt8(ascii: ",")).contains(where: { isStar($0) }) { return false }
        return cacheControl.map { CacheControl($0).isStorable } ?? true
    }

    private static func isStar(_ member: Substring.UTF8View) -> Bool {
        member.filter { !FieldSyntax.isWhitespace($0) } == [UInt8(ascii: "*")]
    }

    /// Whether a directive is about the response, or about a field of it that a stored original keeps.
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
