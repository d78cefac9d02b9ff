import HTTPKit
import ImagePipeline
import LinuxSystem

/// The bearer token in a request's `Authorization` field (RFC 6750 §2.1).
struct BearerCredentials {
    private let value: [UInt8]?

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        value = head.value(of: .authorization).map { bytes.copy($0) }
    }

    /// Whether the request has this token; false if the token is empty.
    func matches(_ token: Secret) -> Bool {
        guard let value, !token.isEmpty else { return false }
        // RFC 9110 §11.1: the scheme is case-insensitive.
        let scheme = String(decoding: value.prefix(7), as: UTF8.self)
        return scheme.lowercased() == "bearer " && token.matches(value.dropFirst(7))
    }

    /// The name of the site whose token the request has, or `nil`.
    func site(in configuration: Configuration) -> String? {
        configuration.sites.first { matches($0.token) }?.name
    }
}

extension Span<UInt8> {
    /// Copies a range of the read buffer.
    func copy(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        for index in range { result.append(self[index]) }
        return result
    }
}
