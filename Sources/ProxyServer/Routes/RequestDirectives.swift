import HTTPCache
import HTTPKit
import HTTPSemantics
import LinuxSystem

/// How a request for an image wants the cache to be used: by its fields, and by its signed query.
struct RequestDirectives {
    private(set) var demand = CacheDemand.none
    /// Whether the response waits until it is stored on disk.
    private(set) var waitsForStore = false

    /// No directives.
    static let none = RequestDirectives()

    private init() {}

    /// Reads the directives of a request.
    ///
    /// Those that cause work need a token, because signed URLs may be public, or a parameter that the signature covers.
    ///
    /// - Parameter tokens: those of operators and of the site.
    init(of request: ResolvedRequest, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, tokens: [Secret]) {
        let control = CacheControl(ofRequest: head, bytes)
        let credentials = BearerCredentials(head, bytes)
        let isTrusted = tokens.contains { credentials.matches($0) }
        demand = CacheDemand(control, isTrusted: isTrusted)
        if request.options.contains(.refresh) { demand.noCache = true }
        demand.retryFailed = request.options.contains(.retry) || isTrusted && control.retryFailed
        waitsForStore = request.options.contains(.waitStore) || isTrusted && control.waitStore
    }

    /// Whether the request may be answered by any fresh stored response.
    var isNone: Bool { demand == .none && !waitsForStore }
}

extension CacheControl {
    /// The directives of a request; `Pragma: no-cache` counts if there is no `Cache-Control` (RFC 9111 §5.4).
    init(ofRequest head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        func text(_ field: KnownField) -> String {
            var text: [UInt8] = []
            head.forEach(field) { text += Array(", ".utf8) + bytes.copy($0) }
            return String(decoding: text, as: UTF8.self)
        }
        self.init(text(.cacheControl))
        guard !head.has(.cacheControl), head.has(.pragma) else { return }
        if FieldLines.members(text(.pragma)).contains("no-cache") { noCache = .whole }
    }
}
