/// Everything stored for one URL of a raw source: a response a variant, in a bounded number.
struct RawEntry: Sendable {
    /// The most variants of one URL; the oldest goes for a new one.
    static let maximumVariants = 16
    /// Bytes of all of them; the oldest go for a new one, which stays whatever its size.
    static let maximumBytes = 64 << 20

    /// For purging.
    private let subject: PurgeSubject
    private(set) var responses: [StoredResponse] = []
    /// Seconds since 1970 until which requests for it do not wait for each other: the last answer could not be shared.
    var separateUntil: Int64 = .min
    /// Seconds since 1970 until which parts are not answered by fetching the whole, which was too large.
    var partsUntil: Int64 = .min

    init(_ subject: PurgeSubject, responses: [StoredResponse] = []) {
        self.subject = subject
        self.responses = responses
    }

    /// Keeps a response in place of those for the same selection.
    mutating func keep(_ response: StoredResponse, for request: CacheRequest<some CacheOrigin>) {
        responses.removeAll { $0.vary == response.vary || $0.matches(request) }
        if responses.count >= Self.maximumVariants { responses.removeFirst() }
        responses.append(response)
        while responses.count > 1, cost > Self.maximumBytes { responses.removeFirst() }
    }

    /// Changes the responses that a condition names.
    mutating func change(
        where condition: (StoredResponse) -> Bool,
        _ change: (inout StoredResponse) -> Void
    ) {
        for index in responses.indices where condition(responses[index]) { change(&responses[index]) }
    }

    /// Drops the responses that a condition names.
    mutating func remove(where condition: (StoredResponse) -> Bool) { responses.removeAll(where: condition) }

    /// Whether a purge is about it, or about a response of it; one without responses holds nothing.
    func holds(_ selection: PurgeSelection) -> Bool {
        responses.contains { selection.covers(subject(of: $0)) == true }
    }

    /// Drops the responses that a purge is about, or lets them count as stale.
    mutating func purge(_ purge: Purge) {
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
        subject.known(tags: response.tags, confirmedAt: response.confirmedAt)
    }

    /// The marks for purging of all responses, each once.
    var tags: [String] {
        var tags: [String] = []
        for tag in responses.flatMap(\.tags) where !tags.contains(tag) { tags.append(tag) }
        return tags
    }

    /// Bytes that it fills.
    var cost: Int { responses.reduce(64) { $0 + $1.cost } }
}
