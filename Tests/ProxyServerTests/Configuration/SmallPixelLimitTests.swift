import Foundation
import TestSupport
import Testing

@testable import ProxyServer

private let sources = "sources: { a: { url: \"https://a.example/\" } }"

/// Limits in pixels that were probably meant in megapixels.
@Suite(.timeLimit(.minutes(1)))
struct SmallPixelLimitTests {
    @Test(
        arguments: [
            ("limits: { pixels: 50 }\n\(sources)", ["limits.pixels"]),
            ("limits: { pixels: 99999, animation: 1 }\n\(sources)", ["limits.pixels", "limits.animation"]),
            ("limits: { pixels: 100000 }\n\(sources)", []),
            ("limits: { pixels: 0.1MP }\n\(sources)", []),
            (sources, []),
            (
                "sources: { a: { url: \"https://a.example/\", limits: { animation: 50 } } }",
                ["sources.a.limits.animation"]
            ),
            (
                "limits: { pixels: 50 }\nsources: { a: { url: \"https://a.example/\", limits: { pixels: 50MP } } }",
                ["limits.pixels"]
            ),
            (
                "sites: { shop: { hosts: [b.example], limits: { pixels: 20 }, sources: { b: { url: \"https://b.example/\" } } } }",
                ["sites.shop.limits.pixels"]
            ),
        ] as [(String, [String])]
    )
    func `finds each limit below 0.1 megapixels once, where it is set`(yaml: String, keys: [String]) throws {
        let configuration = try load(yaml)
        #expect(SmallPixelLimit.all(in: configuration).map(\.key) == keys)
        let findings = PixelLimitCheck(configuration: configuration).findings(RecordedProbe())
        #expect(findings.count == keys.count && findings.allSatisfy { $0.severity == .warning })
    }

    @Test func `check and serve warn with what was probably meant`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/edgeprint.yaml"
        try "\(sources)\nlimits:\n  pixels: 50\n".write(toFile: path, atomically: true, encoding: .utf8)
        let run = try CommandRun(["check", "--config", path])
        #expect(run.code == 0 && run.output.contains("pixels"))
        let reason = "50 pixels are fewer than nearly every image has; megapixels are written as 50MP"
        #expect(run.errors.contains("warning: \(path):3: limits.pixels: \(reason)"), "\(run.errors)")
        let served = "\(sources)\nlimits: { pixels: 50 }\ncache: { path: \"off\" }\n"
        try DaemonProcess(served, in: folder).waitForLog(reason)
    }
}
