/// An error in a request: the parameter that caused it and a message for the client.
package struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status to answer with.
    package enum Status: Hashable, Sendable {
        /// 400: the request itself is malformed.
        case malformed
        /// 403: the request needs a signature, or a signature that permits more.
        case forbidden
        /// 422: the request is well-formed, but cannot be met for this image.
        case unprocessable
    }

    /// The query parameter's name; `path` for the path, `plan` for a canonical text.
    package let parameter: String
    /// The problem as a clause whose subject is the parameter, such as `must be 0 or 1`.
    package let reason: String
    package let status: Status

    /// The longest parameter name to repeat, in characters.
    private static let longestName = 64

    /// Creates an error; control characters in the name are replaced and long names cut, since names are untrusted.
    package init(parameter: String, reason: String, status: Status = .malformed) {
        let printable = parameter.unicodeScalars.prefix(Self.longestName).map { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : Character(scalar)
        }
        self.parameter = String(printable)
        self.reason = reason
        self.status = status
    }

    /// `w: must be a whole number from 1 to 16384`.
    package var description: String { "\(parameter): \(reason)" }
}
