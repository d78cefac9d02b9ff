import ImagePlan
import Testing

/// Which originals a JPEG XL can stand for, and the plans that make it.
@Suite(.timeLimit(.minutes(1)))
struct OriginalTranscodingPlanTests {
    private func header(_ format: ImageFormat = .jpeg, hasCredentials: Bool = false, hasGainMap: Bool? = false)
        -> ImageHeader
    {
        var header = ImageHeader(format: format, width: 40, height: 30)
        (header.hasCredentials, header.hasGainMap) = (hasCredentials, hasGainMap)
        return header
    }

    @Test func `a JPEG with manifests or a gain map is transcoded only without them`() {
        for (header, isPossible) in [
            (header(), true), (header(hasCredentials: true), false), (header(hasGainMap: true), false),
            // Records of earlier releases do not tell.
            (header(hasGainMap: nil), false),
        ] {
            #expect(OriginalTranscoding.isPossible(for: header, isClean: false) == isPossible)
            #expect(OriginalTranscoding.isPossible(for: header, isClean: true))
        }
        for format in ImageFormat.allCases where format != .jpeg {
            #expect(!OriginalTranscoding.isPossible(for: header(format), isClean: true), "\(format)")
        }
    }

    @Test func `no request can contain its plans, which say whether metadata is removed`() {
        for isClean in [false, true] {
            let text = OriginalTranscoding.planText(isClean: isClean)
            #expect(OriginalTranscoding.isClean(inPlan: text) == isClean)
            #expect(throws: RequestError.self) { try Plan(canonicalText: text) }
        }
        #expect(OriginalTranscoding.isClean(inPlan: MetadataCleaner.planText) == nil)
        #expect(OriginalTranscoding.isClean(inPlan: "1?format=jxl&lossless=1") == nil)
    }
}
