/// Why a request is refused: names the parameter, and says to a person what is wrong with it.
package struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The class of the answer's status.
    package enum Status: Hashable, Sendable {
        /// 400: the request itself is malformed.
        case malformed
        /// 422: the request is well formed, but this picture cannot satisfy it.
        case unprocessable
    }

    /// The query parameter's name; `path` for the path, `plan` for a canonical text.
    package let parameter: String
    /// What is wrong, in a clause without the parameter's name in front.
    package let reason: String
    package let status: Status

    /// The longest parameter name that an error repeats, in characters.
    private static let longestName = 64

    /// Creates an error; control characters of the name are replaced and long names cut, since they come from outside.
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
