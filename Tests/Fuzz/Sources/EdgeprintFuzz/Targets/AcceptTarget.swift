import ImagePlan

/// The formats that a client accepts.
enum AcceptTarget: FuzzTarget {
    static let name = "accept"

    static let seeds: [[UInt8]] = [
        "image/avif,image/webp,*/*;q=0.8", "image/webp; q=0.000, image/AVIF;v=\"a,b\\\"\";q=1", "text/html, */*",
        "image/avif ; q=0 , image/webp;q=1.000",
        "image/webp,image/avif,image/jxl,image/*;q=0.8",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "image/avif", "image/jxl", "image/webp", "image/*", "*/*", ";q=0", ";q=1.000", "\"", "\\\"", ", ",
    ]

    static func run(_ bytes: [UInt8]) {
        let bucket = FormatBucket(accept: bytes.span)
        // Types and the parameter's name are case-insensitive (RFC 9110 §8.3.1, §12.4.2).
        let upper = bytes.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        expectEqual(FormatBucket(accept: upper.span), bucket, "in upper case")
        // Further elements only add formats.
        let more = Array("image/webp, ".utf8) + bytes
        expectEqual(FormatBucket(accept: more.span), max(bucket, .webp), "with WebP")
        let blank = [0x20, 0x09] + bytes + [0x20]
        expectEqual(FormatBucket(accept: blank.span), bucket, "with blanks")
    }
}
