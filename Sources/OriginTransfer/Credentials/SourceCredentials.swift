package import LinuxSystem

/// Credentials for a source's own origin; they are not sent to hosts that it redirects to.
package enum SourceCredentials: Hashable, Sendable {
    /// Basic authentication (RFC 7617); the user name contains no colon.
    case basic(user: String, password: Secret)
    /// A bearer token (RFC 6750).
    case bearer(Secret)
    /// Access keys of an object store; they sign each request, and the secret is never sent.
    case accessKey(id: String, secret: Secret, session: Secret?)

    /// The lower-case names of the header fields that these credentials set.
    package var ownFields: Set<String> {
        switch self {
        case .basic, .bearer: ["authorization"]
        case .accessKey: ["authorization", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]
        }
    }
}
