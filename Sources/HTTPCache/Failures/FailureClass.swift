/// A class of failures, each remembered for its own period (SDWebImage's `shouldBlockFailedURL`).
package enum FailureClass: String, Hashable, Sendable, CaseIterable {
    /// The resource does not exist: 404, 410, 451, a missing file.
    case missing
    /// The origin or the address policy denies access: 401, 403.
    case denied
    /// The body cannot be decoded: it is not an image, is corrupt, exceeds a limit, or crashes its decoder.
    case undecodable
    /// The origin fails: other statuses, no response, a timeout.
    case failing

    /// Whether failures of the class survive a restart.
    ///
    /// An origin in trouble may have recovered, and one that denied access may have been given other credentials.
    var survivesRestart: Bool { self == .missing || self == .undecodable }
}
