package import HTTPSemantics

/// Where an original is.
package enum OriginTarget: Hashable, Sendable {
    case url(OriginURL)
    /// A path below the source's root: decoded segments joined by "/".
    case file(String)

    /// The URL; `nil` for a file.
    package var url: OriginURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The URL to ask, or the path.
    package var text: String {
        switch self {
        case .url(let url): url.text
        case .file(let path): path
        }
    }
}
