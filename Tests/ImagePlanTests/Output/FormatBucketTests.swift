import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FormatBucketTests {
    @Test(arguments: [
        ("", FormatBucket.rest), ("*/*", .rest), ("image/*", .rest), ("image/png", .rest), ("image/webp", .webp),
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .avif), ("image/avif", .avif),
        ("image/webp,image/avif;q=0.1", .avif), ("image/avif;q=0,image/webp", .webp), ("image/AVIF;q=0", .rest),
        ("image/avif-sequence", .rest),
        ("IMAGE/WebP", .webp), ("image/png, image/webp ; q=0.5", .webp), ("image/webp;q=0", .rest),
        ("image/webp;q=0.000", .rest),
        ("image/webp; Q=0", .rest), ("image/webp;q=0.001", .webp), ("image/webp;q=1", .webp),
        ("image/webp;q=1.000", .webp),
        ("image/webp;q=1.1", .rest), ("image/webp;q=0.0001", .rest), ("image/webp;q=", .rest),
        ("image/webp;q=x", .rest),
        ("image/webp;q=.5", .rest), ("image/webp;level=1;q=0", .rest), ("image/webp;level=1", .webp),
        ("image/webpx", .rest),
        ("ximage/webp", .rest), ("text/html;x=\",image/webp,\"", .rest), ("text/html;x=\"\\\",\",image/webp", .webp),
        ("image/webp;q=0,image/webp", .webp), (",,\timage/webp\t,", .webp),
        ("text/html;x=\"unclosed,image/webp", .rest),
    ])
    func `counts a type only if named with a weight over 0`(value: String, expected: FormatBucket) {
        #expect(FormatBucket(accept: Array(value.utf8).span) == expected)
    }

    @Test func `several fields take the greatest bucket`() {
        #expect(max(FormatBucket.rest, .webp) == .webp)
        #expect(max(FormatBucket.avif, .webp) == .avif)
    }
}
