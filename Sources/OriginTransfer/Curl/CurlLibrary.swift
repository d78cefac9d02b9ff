import CCurl

/// The libcurl loaded at run time, which may differ from the build-time version.
package struct CurlLibrary: Hashable, Sendable {
    /// The version, for example `7.88.1`.
    package var version: String
    /// The TLS library, for example `OpenSSL/3.0.22`; `nil` if there is none.
    package var tls: String?
    /// Whether it supports HTTP/2.
    package var hasHTTP2: Bool
    /// Whether it resolves names asynchronously; otherwise each look-up blocks all transfers.
    package var resolvesInThreads: Bool

    /// The loaded library.
    package static var current: CurlLibrary {
        func text(_ start: UnsafePointer<CChar>?) -> String? { unsafe start.map { unsafe String(cString: $0) } }
        // The first version of the struct contains all of these fields.
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
