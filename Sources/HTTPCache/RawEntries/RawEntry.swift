import HTTPSemantics

/// The stored responses of one URL of a raw source, one per variant (RFC 9111 §4.1), in a bounded number.
struct RawEntry: Sendable {
    /// The maximum number of variants per URL; the oldest is evicted to make room.
    static let maximumVariants = 16
    /// The maximum size of all variants in bytes; the oldest are evicted to make room.
    ///
    /// The newest is kept whatever its size.
    static let maximumBytes = 64 << 20

    /// The URL as purges select it.
    private let subject: PurgeSubject
    /// The full name of the source.
    var source: String { subject.source }
    /// The namespace of the source.
    var namespace: String { CacheNamespace.of(source: subject.source) }
    private(set) var responses: [StoredResponse] = []
    /// Seconds since 1970 until which requests for the URL are not collapsed, because the last response could not be shared.
    var separateUntil: Int64 = .min
    /// Seconds since 1970 until which range requests do not fetch the whole, because it was too large.
    var partsUntil: Int64 = .min

    init(_ subject: PurgeSubject, responses: [StoredResponse] = []) {
        self.subject = subject
        self.responses = responses
    }

    /// Stores a response in place of those with the same `Vary` key.
    ///
    /// A partial response is combined with the parts that are stored; it never replaces a complete response.
    mutating func keep(_ response: StoredResponse, for request: CacheRequest<some CacheOrigin>) {
        var response = response
        if response.isPartial {
            let rivals = responses.filter { $0.vary == response.vary || $0.matches(request) }
            guard rivals.allSatisfy(\.isPartial) else { return }
            if let whole = rivals.lazy.compactMap({ $0.combined(with: response) }).first { response = whole }
        }
        responses.removeAll { $0.vary == response.vary || $0.matches(request) }
        if responses.count >= Self.maximumVariants { responses.removeFirst() }
        responses.append(response)
        while responses.count > 1, cost > Self.maximumBytes { responses.removeFirst() }
    }

    /// Changes the responses that satisfy a condition.
    mutating func change(
        where condition: (StoredResponse) -> Bool,
        _ change: (inout StoredResponse) -> Void
    ) {
        for index in responses.indices where condition(responses[index]) { change(&responses[index]) }
    }

    /// Removes the responses that satisfy a condition.
    mutating func remove(where condition: (StoredResponse) -> Bool) { responses.removeAll(where: condition) }

    /// Whether a purge selects one of the responses.
    func holds(_ selection: PurgeSelection) -> Bool {
        // The frequent form, and the subjects are expensive.
        if case .originals(let keys) = selection { return !responses.isEmpty && keys.contains(subject.origin) }
        return responses.contains { selection.covers(subject(of: $0)) == true }
    }

    /// Removes the responses that a purge selects, or marks them as stale.
    mutating func purge(_ purge: Purge) {
        guard holds(purge.selection) else { return }
        let subjects = responses.map(subject(of:))
        for index in responses.indices.reversed() where purge.selection.covers(subjects[index]) == true {
            if let time = purge.staleFrom {
                responses[index].expire(at: time)
            } else {
                responses.remove(at: index)
            }
        }
    }

    private func subject(of response: StoredResponse) -> PurgeSubject {
        subject.known(
            tags: response.tags,
            confirmedAt: response.confirmedAt,
            staleAt: response.policy.freshness.staleAt
        )
    }

    /// The purge tags of all responses, without duplicates.
    var tags: [String] {
        var tags: [String] = []
        for tag in responses.flatMap(\.tags) where !tags.contains(tag) { tags.append(tag) }
        return tags
    }

    /// Whether all content is in memory.
    var isInMemory: Bool { responses.allSatisfy(\.isInMemory) }

    /// The size in memory, in bytes.
    var cost: Int { responses.reduce(64) { $0 + $1.cost } }
}
