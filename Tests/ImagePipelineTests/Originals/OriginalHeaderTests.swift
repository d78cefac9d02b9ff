import HTTPCache
import ImagePlan
import OriginTransfer
import TestSupport
import Testing

@testable import ImagePipeline

/// Headers that end behind megabytes of pixels.
@Suite(.timeLimit(.minutes(1)))
struct OriginalHeaderTests {
    /// More than a photograph's metadata takes.
    private static let pixels = 17 << 20

    private static func header(of bytes: [UInt8]) throws -> ImageHeader {
        try OriginalHeader.read(OriginBody(copying: bytes), of: SourceRule(name: "s", location: .remote))
    }

    private static func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 255) } }

    @Test func `the directory of a TIFF may follow its pixels`() throws {
        let start = Array("II".utf8) + [42, 0] + Self.word(8 + Self.pixels)
        let entries: [UInt8] =
            [0, 1, 4, 0] + Self.word(1) + Self.word(3000) + [1, 1, 4, 0] + Self.word(1) + Self.word(2000)
        let file = start + [UInt8](repeating: 0, count: Self.pixels) + [2, 0] + entries + Self.word(0)
        let header = try Self.header(of: file)
        #expect(header.format == .tiff && header.width == 3000 && header.height == 2000)
    }

    @Test func `the frames of a large GIF are counted`() throws {
        let screen = Array("GIF89a".utf8) + [10, 0, 10, 0, 0, 0, 0]
        let descriptor: [UInt8] = [0x2C, 0, 0, 0, 0, 10, 0, 10, 0, 0, 8]
        var file = screen + descriptor
        let block = [255] + [UInt8](repeating: 1, count: 255)
        for _ in 0..<Self.pixels / 256 { file += block }
        file += [0] + descriptor + [1, 1, 0, 0x3B]
        let header = try Self.header(of: file)
        #expect(header.format == .gif && header.frames == 2)
    }

    @Test func `the frames of a large WebP are counted`() throws {
        let frame = Array("ANMF".utf8) + Self.word(Self.pixels) + [UInt8](repeating: 0, count: Self.pixels)
        let content = Array("WEBPVP8X".utf8) + Self.word(10) + [2, 0, 0, 0, 9, 0, 0, 9, 0, 0] + frame + frame
        let header = try Self.header(of: Array("RIFF".utf8) + Self.word(content.count) + content)
        #expect(header.format == .webp && header.frames == 2 && header.width == 10)
    }

    @Test func `a file that ends in its header is broken`() {
        let start = Array("II".utf8) + [42, 0] + Self.word(8 + Self.pixels)
        let file = start + [UInt8](repeating: 0, count: Self.pixels) + [2, 0]
        let error = #expect(throws: PipelineError.self) { try Self.header(of: file) }
        guard case .broken(let reason, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "the file is truncated in its header")
    }
}
