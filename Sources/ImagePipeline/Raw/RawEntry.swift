/// Everything stored for one URL of a raw source: a response a variant, in a bounded number.
struct RawEntry: Sendable {
    /// The most variants of one URL; the oldest goes for a new one.
    static let maximumVariants = 16

    /// For purging.
    let subject: FlightSubject
    private(set) var responses: [StoredResponse] = []
    /// Seconds since 1970 until which requests for it do not wait for each other: the last answer could not be shared.
    var separateUntil: Int64 = .min

    init(_ subject: FlightSubject) { self.subject = subject }

    /// Keeps a response in place of those for the same selection.
    mutating func keep(_ response: StoredResponse, for request: RawRequest) {
        responses.removeAll { $0.selection == response.selection || $0.selection.matches(request.fields) }
        if responses.count >= Self.maximumVariants { responses.removeFirst() }
        responses.append(response)
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

    /// Bytes that it fills.
    var cost: Int { responses.reduce(64) { $0 + $1.cost } }
}
