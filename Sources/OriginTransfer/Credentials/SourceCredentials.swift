package import LinuxSystem

/// The proof of access that a source's own origin gets, and no host that it redirects to.
package enum SourceCredentials: Hashable, Sendable {
    /// RFC 7617; the user holds no colon.
    case basic(user: String, password: Secret)
    /// RFC 6750.
    case bearer(Secret)
    /// Keys of an object store, which sign each request and never travel.
    case accessKey(id: String, secret: Secret, session: Secret?)

    /// Names of header fields that these credentials set themselves, lower-case.
    package var ownFields: Set<String> {
        switch self {
        case .basic, .bearer: ["authorization"]
        case .accessKey: ["authorization", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]
        }
    }
}
