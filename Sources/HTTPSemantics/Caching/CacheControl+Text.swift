extension CacheControl {
    /// The directives of a response as a `Cache-Control` value, in a fixed order.
    package var text: String {
        var members: [String] = []
        for (name, isThere) in flags where isThere { members.append(name) }
        for (name, seconds) in durations { if let seconds { members.append("\(name)=\(seconds)") } }
        for (name, directive) in [("no-cache", noCache), ("private", self.private)] {
            switch directive {
            case .absent: continue
            case .whole: members.append(name)
            case .fields(let names): members.append("\(name)=\"\(names.joined(separator: ", "))\"")
            }
        }
        return members.joined(separator: ", ")
    }

    private var flags: KeyValuePairs<String, Bool> {
        [
            "public": self.public, "no-store": noStore, "must-revalidate": mustRevalidate,
            "proxy-revalidate": proxyRevalidate, "must-understand": mustUnderstand, "no-transform": noTransform,
            "immutable": immutable,
        ]
    }

    private var durations: KeyValuePairs<String, Int64?> {
        [
            "max-age": maxAge, "s-maxage": sMaxAge, "stale-while-revalidate": staleWhileRevalidate,
            "stale-if-error": staleIfError,
        ]
    }
}
