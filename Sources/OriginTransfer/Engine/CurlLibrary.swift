import CCurl

/// The libcurl that this process runs with, which need not be the one that it was built with.
package struct CurlLibrary: Hashable, Sendable {
    /// Such as `7.88.1`.
    package var version: String
    /// The TLS library, such as `OpenSSL/3.0.22`; `nil` where there is none.
    package var tls: String?
    /// Whether it speaks HTTP/2.
    package var hasHTTP2: Bool
    /// Whether it resolves names beside its transfers: a build that does not stops all of them for each name.
    package var resolvesInThreads: Bool

    /// Asks the library.
    package static var current: CurlLibrary {
        func text(_ start: UnsafePointer<CChar>?) -> String? { unsafe start.map { unsafe String(cString: $0) } }
        // All of these fields are in the first form of the struct.
        let info = unsafe curl_version_info(CURLVERSION_FIRST)
        let features = unsafe Int(info?.pointee.features ?? 0)
        return unsafe CurlLibrary(
            version: text(info?.pointee.version) ?? "unknown",
            tls: text(info?.pointee.ssl_version),
            hasHTTP2: features & Int(CURL_VERSION_HTTP2) != 0,
            resolvesInThreads: features & Int(CURL_VERSION_ASYNCHDNS) != 0
        )
    }
}
