package import HTTPSemantics
package import LinuxSystem

/// An origin's response.
package struct TransferResponse: Sendable {
    /// The final response's head.
    package var head: TransferHead
    /// The heads of the redirects before it, in order.
    package var redirects: [TransferHead]
    package var body: Content
    /// The durations of the last request.
    package var timing = TransferTiming()
    /// The number of the mirror that has responded, from 1; 0 for the source's own origin.
    package var mirror = 0

    /// A response's content.
    package enum Content: Sendable {
        /// No content was requested or kept; a plain GET keeps only the content of a 200.
        case none
        /// The complete content of a 200, or of an exchange's response that was announced while it arrived.
        case file(TransferBody)
        /// The complete content of an exchange's response, whatever its status.
        case bytes([UInt8])
        /// Content that is still arriving.
        case growing(GrowingFile)
    }

    /// Creates a response.
    package init(head: TransferHead, redirects: [TransferHead] = [], body: Content) {
        self.head = head
        self.redirects = redirects
        self.body = body
    }
}

/// A response's status, fields and times.
package struct TransferHead: Hashable, Sendable {
    package var status: Int
    /// All field lines, as received.
    package var fields: FieldLines
    /// Wall-clock seconds when the request was sent (RFC 9111 §4.2.3).
    package var requestTime: Int64
    /// Wall-clock seconds when the head was received (RFC 9111 §4.2.3).
    package var responseTime: Int64

    /// Creates a head.
    package init(status: Int, fields: FieldLines, requestTime: Int64, responseTime: Int64) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// A complete body in a read-only descriptor: a sealed memory file, or a file of the source.
package struct TransferBody: Sendable {
    package var file: SharedDescriptor
    /// The number of bytes, from offset 0.
    package var length: Int
    package var digest: SHA256Digest
}

/// Why a load failed; the texts contain no address, path or key.
package enum TransferError: Error, Hashable, Sendable {
    /// The file does not exist or may not be read.
    case notFound
    /// A DNS, connect, TLS or transport failure.
    case unreachable(String)
    /// A deadline passed; the text names the phase.
    case timeout(String)
    /// The origin violated HTTP: a malformed head, a body shorter than its length, too many redirects.
    case violation(String)
    /// The address policy refused the origin; the text is the rule's name.
    case addressRefused(String)
    /// A host name chosen by a client or a redirect does not resolve.
    ///
    /// Responses must not distinguish it from a refused address, or they would reveal which names exist in a private network.
    case unresolved
    /// The request's inspection refused the beginning of the body; the text is its reason.
    case contentRefused(String)
    /// The body cannot be decrypted or decoded as the source is configured; the text is the reason.
    case undecryptable(String)
    /// The body exceeds the limit, in bytes.
    case tooLarge(limit: Int)
    /// A limit of the loader is reached, or the system is out of memory or descriptors.
    case overloaded(String)
    /// The host's circuit breaker is open: it is asked again after so many seconds.
    case circuitOpen(secondsLeft: Int64)
    /// The source is suspended.
    case suspended
    /// The load was cancelled, or the loader stopped.
    case cancelled
}
