import HTTPKit
import ImagePipeline
import LinuxSystem

/// What a request says in `Authorization` (RFC 6750 §2.1).
struct BearerCredentials {
    private let value: [UInt8]?

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        value = head.value(of: .authorization).map { bytes.copy($0) }
    }

    /// Whether the token is the one that was asked for, which must not be empty.
    func matches(_ token: Secret) -> Bool {
        guard let value, !token.isEmpty else { return false }
        // RFC 9110 §11.1: the scheme is compared without case.
        let scheme = String(decoding: value.prefix(7), as: UTF8.self)
        return scheme.lowercased() == "bearer " && token.matches(value.dropFirst(7))
    }
}

extension Span<UInt8> {
    /// A range of a read buffer as an array of its own.
    func copy(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for index in range { result.append(self[index]) }
        return result
    }
}
