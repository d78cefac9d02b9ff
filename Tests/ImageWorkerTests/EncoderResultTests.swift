import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Results are checked before they are returned.
struct EncoderResultTests {
    /// The file that libheif 1.15 writes without an error when its encoder runs out of memory.
    private static let shell: [UInt8] = {
        let item = box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array("av01".utf8) + [0])
        let colour = box("colr", Array("nclx".utf8) + [0, 2, 0, 2, 0, 6, 0x80])
        let metadata =
            box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
            + box("pitm", [0, 0, 0, 0, 0, 0]) + box("iloc", [0, 0, 0, 0, 0x44, 0x40, 0, 0])
            + box("iinf", [0, 0, 0, 0, 0, 1] + item)
            + box("iprp", box("ipco", colour) + box("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x81]))
        return box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("avifmif1miaf".utf8))
            + box("meta", [0, 0, 0, 0] + metadata) + box("mdat", [])
    }()

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    private func accepts(_ bytes: [UInt8], of width: Int, _ height: Int, by coder: any Coder) -> Bool {
        do throws(WorkerReply.Failure) {
            try coder.check(EncodedPicture(bytes), isOf: PixelSize(width: width, height: height))
            return true
        } catch {
            guard case .refused = error else {
                Issue.record("\(error)")
                return true
            }
            return false
        }
    }

    @Test func `an AVIF file without an image is refused`() throws {
        #expect(Self.shell.count == 201)
        #expect(!accepts(Self.shell, of: 8160, 6120, by: AVIFCoder()))
        try #require(Workbench.encodes(.avif))
        let source = TestImages.gradient(width: 33, height: 21)
        let made = try Workbench.make("format=avif", of: source, as: .png)
        #expect(accepts(made.bytes, of: 33, 21, by: AVIFCoder()))
        #expect(!accepts(made.bytes, of: 33, 22, by: AVIFCoder()))
        #expect(!accepts(made.bytes, of: 33, 21, by: JXLCoder()))
        // All boxes before the data, but no data.
        #expect(!accepts(Array(made.bytes.dropLast(8)), of: 33, 21, by: AVIFCoder()))
    }

    @Test(arguments: ["avif", "avif&chroma=444", "avif&lossless=1", "jxl", "tiff"], [(1, 1), (33, 21), (64, 1)])
    func `results have the requested format and size`(format: String, size: (Int, Int)) throws {
        let name = format.split(separator: "&")[0]
        let wanted = try #require(ImageFormat.allCases.first { "\($0)" == name })
        try #require(Workbench.encodes(wanted))
        let source = TestImages.gradient(width: size.0, height: size.1)
        let made = try Workbench.make("format=\(format)", of: source, as: .png)
        #expect(made.description.width == size.0 && made.description.height == size.1)
    }
}
