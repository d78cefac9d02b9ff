import ImagePlan
import LinuxSystem

extension SourceMapping {
    /// The SVG that compressed SVG holds.
    ///
    /// Only markup comes out: librsvg would expand what is compressed twice, and without a bound.
    /// - Parameter limit: the most bytes that it may hold.
    /// - Throws: `WorkerReply.Failure`: `.broken` for damaged bytes or anything but SVG in them, `.refused` for more than the limit.
    func expanded(atMost limit: Int) throws(WorkerReply.Failure) -> SourceMapping {
        let expansion = withSpan { bytes in GzipExpansion(of: bytes, atMost: limit) }
        switch expansion.end {
        case .complete: break
        case .cut: throw .broken("the compressed markup ends early")
        case .damaged: throw .broken("the compressed markup is damaged")
        case .full: throw .refused("more than \(limit) bytes when expanded; that is the limit (limits.source-bytes)")
        }
        guard SVGCoder().canDecode(from: expansion.bytes.span) else {
            throw .broken("what is compressed is no SVG")
        }
        let length = fileLength
        return try unsafe expansion.bytes.span.bytes.withUnsafeBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes, fileLength: length)
        }
    }
}

extension ImageFormat {
    /// What an expanded source is.
    var expanded: ImageFormat { self == .svgz ? .svg : self }
}
