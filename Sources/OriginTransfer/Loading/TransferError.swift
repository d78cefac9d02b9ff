/// Why a load has failed; the texts name no address, path or key.
package enum TransferError: Error, Hashable, Sendable {
    /// No such file, or none that may be read.
    case notFound
    /// DNS, connect, TLS or transport failure.
    case unreachable(String)
    /// A deadline passed; the text says of what.
    case timeout(String)
    /// The origin broke HTTP: a malformed head, a body shorter than its length, too many redirects.
    case violation(String)
    /// The address policy refused the origin; the text is the rule's name.
    case addressRefused(String)
    /// The name of an origin that a client chose does not resolve.
    ///
    /// Answers must not tell that from a refused address: they would tell which names of a private network exist.
    case unresolved
    /// The body is over the limit, in bytes.
    case tooLarge(limit: Int)
    /// A bound of the loader itself is reached, or memory or descriptors are.
    case overloaded(String)
    /// The load was given up, or the loader stopped.
    case cancelled
}
