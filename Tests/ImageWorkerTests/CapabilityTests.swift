import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct CapabilityTests {
    @Test func `tries every format and reports library versions`() throws {
        // Starts libvips.
        _ = try Workbench.make(
            "w=1&format=png",
            of: Workbench.png(.init(width: 2, height: 2, channels: 4, bytes: Array(repeating: 9, count: 16))),
            as: .png
        )
        let codecs = WarmUp.tryCoders()
        #expect(
            codecs.map(\.format) == [
                "jpeg", "png", "gif", "webp", "avif", "heic", "tiff", "jxl", "jp2", "bmp", "ico", "svg",
                "pdf",
            ]
        )
        for codec in codecs where ["jpeg", "png", "gif", "webp"].contains(codec.format) {
            #expect(codec.decodes && codec.encodes == true && codec.problem == nil, "\(codec)")
        }
        for codec in codecs where ["bmp", "ico"].contains(codec.format) {
            #expect(codec == WorkerCapabilities.Codec(format: codec.format, decodes: true))
        }
        // The encoders for negotiation are those of the trial.
        for codec in codecs where codec.encodes != nil {
            let format = try #require(ImageFormat.allCases.first { "\($0)" == codec.format })
            #expect((CoderRegistry.encoders[format] != nil) == (codec.encodes == true), "\(codec)")
        }
        let versions = LibraryVersions.all()
        for name in ["libpng", "zlib", "libwebp"] {
            let version = versions.first { $0.name == name }?.version ?? ""
            #expect(version.split(separator: ".").count >= 3 && version.first?.isNumber == true, "\(name) \(version)")
        }
    }

    @Test func `writes valid JSON whatever a library reports`() throws {
        let made = WorkerCapabilities(
            protocolVersion: 1,
            libvips: "8.14.1",
            codecs: [
                .init(format: "jpeg", decodes: true, encodes: false, problem: "a \"b\" \\ c: größer"),
                .init(format: "heic", decodes: false, settings: ["a", "b\"c"]),
            ],
            libraries: [.init(name: "x", version: "1")],
            faces: .init(areFound: false, method: "cascade", problem: "a \"b\"")
        )
        #expect(try JSONDecoder().decode(WorkerCapabilities.self, from: Data(made.json.utf8)) == made)
        let broken = WorkerCapabilities.Codec(format: "\n\u{1B}\u{85}", decodes: true)
        let text = WorkerCapabilities(protocolVersion: 1, libvips: "", codecs: [broken], libraries: []).json
        #expect(text.contains("\"format\":\"   \""))
        #expect(try JSONDecoder().decode(WorkerCapabilities.self, from: Data(text.utf8)).codecs[0].format == "   ")
    }
}
