import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// PDF, if libvips can render it.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Workbench.decodes(.pdf)))
struct DocumentTests {
    private let red = "1 0 0 rg 0 0 100 100 re f"

    @Test(arguments: [
        ("", 200, 100), ("dpi=144", 400, 200), ("w=50", 50, 25), ("w=800&enlarge=1", 800, 400), ("w=800", 800, 400),
    ])
    func `a page is rendered on white, at the requested size`(query: String, width: Int, height: Int) throws {
        let made = try Workbench.make("\(query)&format=png", of: TestDocuments.pdf([red]), as: .pdf)
        #expect(made.description.width == width && made.description.height == height)
        #expect(!made.description.hasAlpha)
        let pixels = try Workbench.decode(made)
        // Rendered rather than enlarged: the edge is at most a pixel wide.
        #expect(Array(pixels[width / 2 - 2, height / 2]) == [255, 0, 0])
        #expect(Array(pixels[width / 2 + 1, height / 2]) == [255, 255, 255])
    }

    @Test func `the first of several pages is rendered`() throws {
        let source = TestDocuments.pdf([red, "0 0 1 rg 0 0 200 100 re f"])
        let made = try Workbench.make("format=png", of: source, as: .pdf)
        #expect(made.description.frames == 1)
        #expect(Array(try Workbench.decode(made)[10, 50]) == [255, 0, 0])
    }

    @Test func `a page over the limit at its resolution is refused before it is rendered`() throws {
        let source = TestDocuments.pdf([red])
        #expect(throws: WorkerReply.Failure.refused("80000 pixels; the limit is 79999", parameter: "dpi")) {
            try Workbench.make("dpi=144&format=png", of: source, as: .pdf, maximumPixels: 79_999)
        }
        #expect(try Workbench.make("format=png", of: source, as: .pdf, maximumPixels: 79_999).description.width == 200)
    }

    @Test func `a page over the limit at 72 dpi is rendered at a lower resolution`() throws {
        let source = TestDocuments.pdf([red])
        let made = try Workbench.make("dpi=36&format=png", of: source, as: .pdf, maximumPixels: 5_000)
        #expect(made.description.width == 100 && made.description.height == 50)
        #expect(throws: WorkerReply.Failure.refused("20000 pixels; the limit is 5000")) {
            try Workbench.make("w=9&format=png", of: source, as: .pdf, maximumPixels: 5_000)
        }
    }

    @Test func `a damaged file is broken, and does no harm`() throws {
        let source = TestDocuments.pdf([red])
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("format=png", of: Array("%PDF-1.4\nnothing".utf8), as: .pdf)
        }
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            var bytes = source
            for _ in 0..<4 {
                bytes[Int.random(in: 5..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? Workbench.make("w=20&format=png", of: bytes, as: .pdf)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `a document written by another program is rendered`() throws {
        let made = try Workbench.make("w=200&format=png", of: Workbench.photograph("page-box.pdf"), as: .pdf)
        #expect(made.description.width == 200 && made.description.height == 269)
        #expect(Set(try Workbench.decode(made).bytes).count > 8)
    }
}
