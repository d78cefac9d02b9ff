import HTTPCache
import ImagePlan

/// The responses and originals of a log, each with a dense number and its length.
struct ReplayCatalogue {
    /// The maximum number of responses, and of originals, which take about 200 bytes each, and 40 for each cache.
    static let limit = 1_000_000

    /// A response as a replay sees it.
    struct Response {
        let number: Int32
        let key: CacheKey
        let original: Int32
    }

    private var responses: [CacheKey: Int32] = [:]
    private var originals: [CacheKey: Int32] = [:]
    /// Bytes of the bodies; negative while unknown.
    private var lengths: [Int] = []
    private var originalLengths: [Int] = []

    /// Bytes that all known bodies take together, at most `Int.max`.
    private(set) var responseBytes = 0
    private let assumed: Int

    /// - Parameter assumed: the bytes of an original whose size the log does not tell.
    init(assumed: Int) { self.assumed = assumed }

    var responseCount: Int { responses.count }
    var originalCount: Int { originals.count }

    /// The number of originals whose size had to be assumed.
    var assumedCount: Int { originalLengths.count { $0 < 0 } }

    /// Enters a target.
    ///
    /// - Returns: `nil` when the catalogue is full.
    mutating func enter(_ target: ReplayTarget, format: [UInt8]) -> Response? {
        let key = CacheKey(hashing: format.isEmpty ? target.response : target.response + [0] + format)
        let originalKey = CacheKey(hashing: target.original)
        guard let number = Self.number(of: key, &responses, &lengths),
            let original = Self.number(of: originalKey, &originals, &originalLengths)
        else { return nil }
        return Response(number: number, key: key, original: original)
    }

    private static func number(of key: CacheKey, _ table: inout [CacheKey: Int32], _ lengths: inout [Int]) -> Int32? {
        if let known = table[key] { return known }
        guard table.count < limit else { return nil }
        let number = Int32(table.count)
        table[key] = number
        lengths.append(-1)
        return number
    }

    /// The bytes of a response; `nil` while no complete one was in the log.
    func length(of response: Int32) -> Int? { lengths[Int(response)] < 0 ? nil : lengths[Int(response)] }

    /// The bytes of an original, known or assumed.
    func length(ofOriginal original: Int32) -> Int {
        originalLengths[Int(original)] < 0 ? assumed : originalLengths[Int(original)]
    }

    /// Records what a complete response told of its length.
    mutating func learn(_ response: Int32, length: Int) {
        responseBytes = max(0, responseBytes - max(0, lengths[Int(response)])).addingSaturated(length)
        lengths[Int(response)] = length
    }

    /// Records what a complete response told of its original's length.
    mutating func learn(original: Int32, length: Int) { originalLengths[Int(original)] = length }
}
