import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct CoderRegistryTests {
    @Test func `has one coder a format, and every format that a request can name`() {
        let formats = CoderRegistry.all.map(\.format)
        #expect(Set(formats).count == formats.count)
        for setting in FormatSetting.allCases where setting != .auto && setting != .source {
            #expect(CoderRegistry.all.contains { "\($0.format)" == setting.rawValue && $0.traits != nil }, "\(setting)")
        }
    }

    @Test func `each coder knows its own format's bytes and no other's`() throws {
        let source = TestImages.gradient(width: 20, height: 10)
        for coder in CoderRegistry.all where coder.traits != nil {
            let made = try Workbench.make("format=\(coder.format)", of: source, as: .png)
            #expect(made.description.format == coder.format)
            for other in CoderRegistry.all {
                #expect(other.canDecode(from: made.bytes.span) == (other.format == coder.format), "\(other.format)")
            }
            let decoded = try Workbench.decode(made)
            #expect(decoded.width == 20 && decoded.height == 10)
        }
    }

    @Test func `a format that nothing encodes here is unsupported, by name`() throws {
        #expect(CoderRegistry.encoders[.heic] == nil)
        let options = EncodingOptions(quality: 50, deadline: Deadline(milliseconds: 1000))
        let picture = try FinishedPicture(
            frames: [Raster.sRGB([1, 2, 3], width: 1, height: 1, bands: 3)],
            animation: nil,
            filter: MetadataFilter(policy: .strip)
        )
        #expect(throws: WorkerReply.Failure.unsupported("heic is not encoded here")) {
            try HEICCoder().encode(picture, options)
        }
    }
}
