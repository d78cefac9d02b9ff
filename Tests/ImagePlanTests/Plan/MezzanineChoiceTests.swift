import ImagePlan
import TestSupport
import Testing

/// Which mezzanines a width makes, and which one it can use.
@Suite(.timeLimit(.minutes(1)))
struct MezzanineChoiceTests {
    @Test(
        arguments: [
            // A small JPEG is not decoded at half of its size for a width that needs an eighth.
            (.jpeg, 2000, 1334, "w=64", 4, [4]), (.jpeg, 2000, 1334, "w=250", 4, [4]),
            (.jpeg, 2000, 1334, "w=400", 2, [2]),
            (.jpeg, 2000, 1334, "w=1500", nil, [2]), (.jpeg, 1200, 800, "w=64", nil, []),
            // Others are decoded at their size for any width.
            (.png, 2000, 1334, "w=64", 2, [2]), (.webp, 2000, 1334, "w=400", 2, [2]),
            (.jpeg, 4032, 3024, "w=100", 4, [4]), (.jpeg, 4032, 3024, "w=900", 2, [4, 2]),
            (.png, 4032, 3024, "w=900", 2, [4, 2]), (.jpeg, 4032, 3024, "w=3000", nil, [4, 2]),
        ] as [(ImageFormat, Int, Int, String, Int?, [Int])]
    )
    func `a width makes what its own decode has room for`(
        format: ImageFormat,
        width: Int,
        height: Int,
        query: String,
        smallest: Int?,
        made: [Int]
    ) throws {
        let header = ImageHeader(format: format, width: width, height: height)
        let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
        #expect(Mezzanine.smallest(for: plan, of: header)?.factor == smallest)
        #expect(Mezzanine.made(with: plan, of: header).map(\.factor) == made)
    }
}
