import HTTPSemantics

/// A bucket of an S3 object store and the key prefix of a source's originals.
package struct ObjectBucket: Hashable, Sendable {
    /// The bucket's name: letters, digits, `-` and `.`.
    package var name: String
    /// The common prefix of all object keys, not percent-encoded; empty, or ends with a slash.
    package var prefix: String
    /// The region for which requests are signed.
    package var region: String
    /// `http(s)://host[:port]` of a store other than AWS, without a trailing slash; `nil` for AWS.
    package var endpoint: String?

    /// The region for stores without regions.
    package static let defaultRegion = "us-east-1"

    /// Creates a bucket.
    package init(name: String, prefix: String, region: String = defaultRegion, endpoint: String? = nil) {
        self.name = name
        self.prefix = prefix
        self.region = region
        self.endpoint = endpoint
    }

    /// The URL prefix of the objects: the bucket is a subdomain at AWS and the first path segment elsewhere.
    ///
    /// A bucket with a dot in its name is a path segment at AWS too, because no certificate covers it as a subdomain.
    package var urlPrefix: String {
        let path = AWSEncoding.path(prefix.utf8)
        if let endpoint { return "\(endpoint)/\(name)/\(path)" }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let store = "s3.\(region).\(domain)"
        return name.contains(".") ? "https://\(store)/\(name)/\(path)" : "https://\(name).\(store)/\(path)"
    }

    /// Returns the URL of an object in the encoding that is signed.
    ///
    /// All but unreserved characters are encoded, because S3 reads a literal `+` in paths and queries as a space.
    ///
    /// - Parameters:
    ///   - rawPath: the key below the prefix, in any percent-encoding.
    ///   - rawQuery: query parameters, in any percent-encoding; may be empty.
    package func url(rawPath: String, rawQuery: String) -> String {
        let url = urlPrefix + AWSEncoding.path(PercentEncoding.decode(rawPath.utf8))
        return rawQuery.isEmpty ? url : "\(url)?\(AWSEncoding.query(rawQuery))"
    }
}
