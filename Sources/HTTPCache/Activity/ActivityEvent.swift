/// Something that happened to a transfer or to a tier (SDWebImage: `SDWebImageDownloadStart`, `ReceiveResponse`, `Finish`, `Stop`).
package struct ActivityEvent: Hashable, Sendable {
    /// What happened.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A transfer has been given to its loader.
        case started
        /// The head of the response has been received; for a file, the whole of it.
        case received
        /// A transfer has ended with a response.
        case finished
        /// A transfer has ended without one.
        case failed
        /// A transfer was given up because no request waits for it any more.
        case cancelled
        /// A tier has accepted an original, a variant or a raw response.
        case stored
    }

    package var kind: Kind
    /// The source's name.
    package var source: String
    /// The URL or the path of the original, without credentials and query.
    package var url: String
    /// The number of the transfer since the daemon's start; `nil` for other events.
    package var transfer: Int?
    /// The plan of a variant.
    package var plan: String?
    /// The status of the response.
    package var status: Int?
    /// The announced bytes of a response that has begun, and the bytes of what was received or stored; `nil` if unknown.
    package var bytes: Int?
    /// The duration since the transfer's start.
    package var milliseconds: Int?
    /// `memory` or `disk`.
    package var tier: String?
    /// The kind of failure.
    package var error: String?

    /// Creates an event.
    ///
    /// - Parameter url: the URL or path, as it was requested.
    package init(_ kind: Kind, source: String, url: String) {
        self.kind = kind
        self.source = source
        self.url = Self.withoutSecrets(url)
    }

    /// Removes user name, password and query, which may authorise the reader.
    package static func withoutSecrets(_ url: String) -> String {
        var text = url
        if let mark = text.firstIndex(of: "?") { text = text[..<mark] + "?…" }
        guard let scheme = text.firstRange(of: "://") else { return text }
        let end = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
        if let at = text[scheme.upperBound..<end].lastIndex(of: "@") { text.removeSubrange(scheme.upperBound...at) }
        return text
    }
}

/// Receives events; any thread, must not block.
package protocol ActivityObserving: Sendable {
    /// Whether events are wanted now; events need not be created otherwise.
    var isObserving: Bool { get }
    /// Receives an event.
    func note(_ event: ActivityEvent)
}
