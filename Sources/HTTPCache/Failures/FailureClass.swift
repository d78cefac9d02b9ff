/// Kinds of failures, each remembered for a time of its own (SDWebImage's `shouldBlockFailedURL`).
package enum FailureClass: String, Hashable, Sendable, CaseIterable {
    /// The origin says that there is no such thing: 404, 410, 451, a file that is not there.
    case missing
    /// The origin, or the address policy, does not let us: 401, 403.
    case denied
    /// The bytes came, and no picture comes of them: no image, broken, over a limit, deadly to its decoder.
    case undecodable
    /// The origin is in trouble: other statuses, no answer, none in time.
    case failing
}
