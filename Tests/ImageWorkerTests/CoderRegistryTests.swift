import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct CoderRegistryTests {
    @Test func `has one coder per format, including every format that a request can name`() {
        let formats = CoderRegistry.all.map(\.format)
        #expect(Set(formats).count == formats.count)
        for setting in FormatSetting.allCases where setting != .auto && setting != .source && !setting.isMetadata {
            #expect(CoderRegistry.all.contains { "\($0.format)" == setting.rawValue && $0.traits != nil }, "\(setting)")
        }
    }

    @Test func `each coder knows its own format's bytes and no other's`() throws {
        let source = TestImages.gradient(width: 20, height: 10)
        for coder in CoderRegistry.all where coder.traits != nil {
            let made = try Workbench.make("format=\(coder.format)", of: source, as: .png)
            #expect(made.description.format == .picture(coder.format))
            for other in CoderRegistry.all {
                #expect(other.canDecode(from: made.bytes.span) == (other.format == coder.format), "\(other.format)")
            }
            let decoded = try Workbench.decode(made)
            #expect(decoded.width == 20 && decoded.height == 10)
        }
    }

    @Test func `each coder uses the settings that it names and no others`() throws {
        let source = Workbench.png(
            PixelImage(width: 64, height: 64) { x, y in
                [UInt8(x * 4), UInt8(y * 4), UInt8((x * y) & 255), UInt8(max(60, 255 - x))]
            }
        )
        let values = [
            "lossless": "1", "progressive": "1", "effort": "0", "chroma": "444", "near_lossless": "0", "sharp_yuv": "1",
            "alpha_q": "0", "max_bytes": "1500",
        ]
        for coder in CoderRegistry.all where coder.traits != nil && coder.format != .gif {
            let plain = try Workbench.make("q=90&format=\(coder.format)", of: source, as: .png)
            for (name, standard) in values {
                // A value other than the format's default.
                let value =
                    switch (coder.format, name) {
                    case (.jpeg, "chroma"), (.avif, "chroma"): "420"
                    case (.avif, "effort"): "5"
                    case (.jxl, "effort"): "3"
                    case (.png, "max_bytes"), (.tiff, "max_bytes"): "300"
                    default: standard
                    }
                let isNamed = coder.settings.contains { $0.name == name }
                let query = "q=90&format=\(coder.format)&\(name)=\(value)"
                // JPEG refuses lossless; formats without a quality refuse what they cannot meet.
                if coder.format == .jpeg && name == "lossless" || !isNamed && name == "max_bytes" {
                    #expect(throws: (any Error).self) { try Workbench.make(query, of: source, as: .png) }
                    continue
                }
                let made = try Workbench.make(query, of: source, as: .png)
                #expect((made.bytes != plain.bytes) == isNamed, "\(coder.format) \(name)")
            }
        }
    }

    @Test func `a format without an encoder is unsupported`() throws {
        #expect(CoderRegistry.encoders[.heic] == nil)
        let options = EncodingOptions(quality: 50, deadline: Deadline(milliseconds: 1000))
        let picture = try FinishedPicture(
            frames: [Raster.sRGB([1, 2, 3], width: 1, height: 1, bands: 3)],
            animation: nil,
            filter: MetadataFilter(policy: .strip)
        )
        #expect(throws: WorkerReply.Failure.unsupported("encoding heic is not supported")) {
            try HEICCoder().encode(picture, options)
        }
    }
}
