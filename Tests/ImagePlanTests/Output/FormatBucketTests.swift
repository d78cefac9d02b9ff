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
        ("text/html;x=\"unclosed,image/webp", .rest), ("image/jxl", .jxl), ("image/jxl;q=0, image/avif", .avif),
        ("image/webp,image/jxl", .jxl), ("image/jxl,image/avif;q=0.2", .avifJXL), ("image/JXL ; q=1", .jxl),
        ("image/jxlx,image/webp", .webp),
    ])
    func `counts a type only if named with a weight over 0`(value: String, expected: FormatBucket) {
        #expect(FormatBucket(accept: Array(value.utf8).span) == expected)
    }

    @Test(arguments: [
        // Safari 17 to 26, Chrome before and after JPEG XL, Firefox before and after it.
        (
            "image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,"
                + "*/*;q=0.5",
            FormatBucket.avifJXL
        ),
        ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .avif),
        ("image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .avifJXL),
        ("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", .avif),
        ("image/avif,image/jxl,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", .avifJXL),
    ])
    func `finds the bucket of browsers`(accept: String, expected: FormatBucket) {
        #expect(FormatBucket(accept: Array(accept.utf8).span) == expected)
    }

    @Test func `several fields select the formats of all`() {
        #expect(FormatBucket.rest.union(.webp) == .webp && FormatBucket.avif.union(.webp) == .avif)
        #expect(FormatBucket.avif.union(.jxl) == .avifJXL && FormatBucket.jxl.union(.avif) == .avifJXL)
        #expect(FormatBucket.jxl.union(.webp) == .jxl && FormatBucket.rest.union(.rest) == .rest)
        for bucket in FormatBucket.allCases {
            #expect(bucket.union(.avifJXL) == .avifJXL && bucket.union(bucket) == bucket)
            #expect(!bucket.withoutAVIF.hasAVIF && bucket.withoutAVIF.hasJXL == bucket.hasJXL)
        }
    }
}
