extension CacheControl {
    /// Parses a targeted field such as `CDN-Cache-Control` (RFC 9213 §2.1), a structured field dictionary (RFC 9651 §3.2).
    ///
    /// `nil` if it is empty or malformed, in which case it counts as absent. A directive with a value of the wrong type is ignored.
    /// Of repeated directives the last counts (RFC 9651 §3.2).
    package init?(targeted text: String) {
        self.init(targeted: text.utf8Span.span)
    }

    /// As `init(targeted:)`, from the field value's bytes.
    package init?(targeted bytes: Span<UInt8>) {
        guard let members = StructuredDictionary.parse(bytes), !members.isEmpty else { return nil }
        self.init()
        for (name, value) in members { take(name, value) }
    }

    /// Whether a field is a targeted one, which the caches that it names follow in place of `Cache-Control` (RFC 9213 §2.2).
    ///
    /// - Parameter key: the field's name in lower case.
    package static func isTargeted(_ key: String) -> Bool {
        key.hasSuffix("-cache-control") || key == "surrogate-control"
    }

    private mutating func take(_ name: String, _ value: StructuredDictionary.Value) {
        switch name {
        case "max-age": take(value, \.maxAge)
        case "s-maxage": take(value, \.sMaxAge)
        case "stale-while-revalidate": take(value, \.staleWhileRevalidate)
        case "stale-if-error": take(value, \.staleIfError)
        case "no-cache": take(value, \.noCache)
        case "private": take(value, \.private)
        case "no-store": take(value, \.noStore)
        case "public": take(value, \.public)
        case "must-revalidate": take(value, \.mustRevalidate)
        case "proxy-revalidate": take(value, \.proxyRevalidate)
        case "must-understand": take(value, \.mustUnderstand)
        case "no-transform": take(value, \.noTransform)
        case "immutable": take(value, \.immutable)
        default: break
        }
    }

    private mutating func take(_ value: StructuredDictionary.Value, _ key: WritableKeyPath<CacheControl, Int64?>) {
        guard case .integer(let seconds) = value else { return }
        self[keyPath: key] = min(max(0, seconds), CacheControl.ceiling)
    }

    private mutating func take(_ value: StructuredDictionary.Value, _ key: WritableKeyPath<CacheControl, Bool>) {
        if case .boolean(let flag) = value { self[keyPath: key] = flag }
    }

    private mutating func take(_ value: StructuredDictionary.Value, _ key: WritableKeyPath<CacheControl, Qualified>) {
        switch value {
        case .boolean(let flag): self[keyPath: key] = flag ? .whole : .absent
        case .text(let names):
            self[keyPath: key] = CacheControl.qualified(by: names.utf8Span.span)
        default: break
        }
    }
}
