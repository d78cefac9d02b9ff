internal import ImagePlan

/// The reason for which a URL would be refused by every server, found before it is sent.
public struct ImageURLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The query parameter at fault; `path` for the path of an image, `base` for the address of the server.
    public let parameter: String
    /// The problem as a clause whose subject is the parameter, such as `must be a number from 0.3 to 250`.
    public let reason: String

    /// Creates an error.
    public init(parameter: String, reason: String) {
        self.parameter = parameter
        self.reason = reason
    }

    init(_ error: RequestError) {
        self.init(parameter: error.parameter, reason: error.reason)
    }

    /// `blur: must be a number from 0.3 to 250`.
    public var description: String { "\(parameter): \(reason)" }
}
