/// When a download continues although no request waits for it any longer (SDWebImage: `ContinueInBackground`).
package enum ContinuePolicy: Hashable, Sendable {
    /// Always, and so does the transform of its result.
    case always
    /// From this number of received bytes on.
    case pastBytes(Int)
    /// From this percentage of a known length on.
    case pastPercent(Int)
    /// Never.
    case never

    /// The default: downloads continue from 256 KiB on.
    package static let standard = ContinuePolicy.pastBytes(256 << 10)

    /// Whether a download continues.
    ///
    /// - Parameters:
    ///   - received: bytes received so far.
    ///   - expected: the length of the whole; `nil` if it is unknown.
    func continues(received: Int, expected: Int?) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .pastBytes(let bytes): return received >= bytes
        case .pastPercent(let percent):
            guard let expected else { return false }
            return Double(received) * 100 >= Double(expected) * Double(percent)
        }
    }
}
