import HTTPSemantics
import ImagePipeline
import OriginTransfer

extension ValueFormat where Value == SourceRule.Location {
    /// One of a source's `mirrors`.
    static var mirror: ValueFormat {
        let whole = ValueFormat<SourceRule.Location?>.location
        return ValueFormat(
            expectation: "a URL such as https://mirror.example.com/originals/",
            read: { node, problems in whole.read(node, &problems) ?? nil },
            write: { whole.write($0) },
            schema: whole.schema
        )
    }
}

extension ValueFormat where Value == SourceRule.Location? {
    /// A source's `url`.
    static var location: ValueFormat {
        ValueFormat(
            expectation: "a URL such as https://photos.example.com/originals/ or file:///srv/images/",
            read: { node, problems in
                guard case .scalar(let text) = node.content else {
                    problems.expected("a URL such as https://photos.example.com/originals/", node)
                    return nil
                }
                switch LocationParser.parse(text) {
                case .success(let location): return .some(location)
                case .failure(let failure):
                    problems.add(failure.message, at: node.place)
                    return nil
                }
            },
            write: { location in
                switch location {
                case .http(let prefix): .quoted(prefix)
                case .file(let root): .quoted(LocationParser.fileURL(root))
                case .bucket(let bucket): .quoted("s3://\(bucket.name)/\(bucket.prefix)")
                case .remote, nil: nil
                }
            },
            schema: .text(pattern: "^(https?|s3|file)://")
        )
    }
}
