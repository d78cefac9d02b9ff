import ImagePlan

/// The parameters that cause work beyond a response, which only a signature permits; never part of the cache key.
struct SignedOptions: OptionSet, Sendable {
    let rawValue: UInt8

    /// `refresh=1`: the origin is contacted although a stored response is fresh.
    static let refresh = SignedOptions(rawValue: 1)
    /// `retry=1`: remembered failures are ignored.
    static let retry = SignedOptions(rawValue: 2)
    /// `wait-store=1`: the response waits until it is stored on disk.
    static let waitStore = SignedOptions(rawValue: 4)

    /// The parameters' names.
    static let names: [(name: String, option: SignedOptions)] = [
        ("refresh", .refresh), ("retry", .retry), ("wait-store", .waitStore),
    ]
}

extension SignedOptions {
    /// The options of a parsed query; the signature is not verified here.
    init(_ query: ParsedQuery) {
        self = []
        if query.refresh { insert(.refresh) }
        if query.retry { insert(.retry) }
        if query.waitStore { insert(.waitStore) }
    }
}
