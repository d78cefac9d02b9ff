import HTTPSemantics

/// A bucket of an S3 object store, and the prefix below which a source's originals are.
package struct ObjectBucket: Hashable, Sendable {
    /// Letters, digits, `-` and `.`.
    package var name: String
    /// What each object's key begins with, as it is and not percent-encoded; empty, or ends in a slash.
    package var prefix: String
    /// The region that requests are signed for.
    package var region: String
    /// `http(s)://host[:port]` of a store that is not AWS, without a slash at its end; `nil` for AWS.
    package var endpoint: String?

    /// The region of stores that have none.
    package static let defaultRegion = "us-east-1"

    /// Names a bucket.
    package init(name: String, prefix: String, region: String = defaultRegion, endpoint: String? = nil) {
        self.name = name
        self.prefix = prefix
        self.region = region
        self.endpoint = endpoint
    }

    /// The URL below which the objects are: with the bucket as its host at AWS, as its first segment elsewhere.
    ///
    /// A bucket with a dot in its name is a segment at AWS, too: no certificate covers it as a host.
    package var urlPrefix: String {
        let path = AWSEncoding.path(prefix.utf8)
        if let endpoint { return "\(endpoint)/\(name)/\(path)" }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let store = "s3.\(region).\(domain)"
        return name.contains(".") ? "https://\(store)/\(name)/\(path)" : "https://\(name).\(store)/\(path)"
    }

    /// The URL of an object, spelled as it is signed.
    ///
    /// S3 reads a `+` in a path or a query as a blank, which a URL does not mean: all but unreserved characters are encoded.
    ///
    /// - Parameters:
    ///   - rawPath: the key below the prefix, percent-encoded however it came.
    ///   - rawQuery: parameters to go along, percent-encoded however they came; may be empty.
    package func url(rawPath: String, rawQuery: String) -> String {
        let url = urlPrefix + AWSEncoding.path(PercentEncoding.decode(rawPath.utf8))
        return rawQuery.isEmpty ? url : "\(url)?\(AWSEncoding.query(rawQuery))"
    }
}
