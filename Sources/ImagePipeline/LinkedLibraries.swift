import CCrypto
import CSQLite
import OriginTransfer

/// The versions of the C libraries loaded at run time, which may differ from those at build time.
package struct LinkedLibraries: Hashable, Sendable {
    /// libcurl's version, such as `7.88.1`.
    package var curl: String
    /// libcurl's TLS library, such as `OpenSSL/3.0.22`; `nil` without TLS support.
    package var tls: String?
    /// Whether libcurl supports HTTP/2.
    package var hasHTTP2: Bool
    /// Whether libcurl resolves names asynchronously; otherwise each look-up blocks all transfers.
    package var resolvesInThreads: Bool
    /// SQLite's version, such as `3.40.1`.
    package var sqlite: String
    /// libcrypto's version, such as `3.0.22`.
    package var crypto: String

    /// Creates a description.
    package init(
        curl: String,
        tls: String?,
        hasHTTP2: Bool,
        resolvesInThreads: Bool,
        sqlite: String,
        crypto: String
    ) {
        self.curl = curl
        self.tls = tls
        self.hasHTTP2 = hasHTTP2
        self.resolvesInThreads = resolvesInThreads
        self.sqlite = sqlite
        self.crypto = crypto
    }

    /// Queries the loaded libraries.
    package static var current: LinkedLibraries {
        func text(_ start: UnsafePointer<CChar>?) -> String? { unsafe start.map { unsafe String(cString: $0) } }
        let curl = CurlLibrary.current
        return unsafe LinkedLibraries(
            curl: curl.version,
            tls: curl.tls,
            hasHTTP2: curl.hasHTTP2,
            resolvesInThreads: curl.resolvesInThreads,
            sqlite: text(sqlite3_libversion()) ?? "unknown",
            crypto: text(OpenSSL_version(OPENSSL_VERSION_STRING)) ?? "unknown"
        )
    }
}
