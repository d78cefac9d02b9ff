import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct PageTests {
    private let tiff = TestImages.tiff(pages: [(6, 4, 10), (3, 8, 200), (5, 5, 90)])

    /// Three grey images.
    private static let icon = BitmapFile.icon(
        [(8, UInt8(40)), (32, 90), (16, 200)].map { side, grey in
            let pixel: [UInt8] = [grey, grey, grey, 255]
            let rgba = (0..<side * side).flatMap { _ in pixel }
            let png = TestImages.png(width: side, height: side, rgba: rgba)
            return (width: side, height: side, bits: 32, bytes: png)
        }
    )

    @Test(arguments: [(0, 6, 4, 10), (1, 3, 8, 200), (2, 5, 5, 90)])
    func `a page is opened at its own size`(page: Int, width: Int, height: Int, grey: Int) throws {
        let pixels = try Workbench.pixels("page=\(page)", of: tiff, as: .tiff)
        #expect(pixels.width == width && pixels.height == height)
        #expect(Int(pixels[1, 1][0]) == grey)
    }

    @Test func `steps use the page's size`() throws {
        let pixels = try Workbench.pixels("page=1&crop=0,5,3,3", of: tiff, as: .tiff)
        #expect(pixels.width == 3 && pixels.height == 3)
    }

    @Test func `outputs with different pages do not share their decoding`() throws {
        let queries = ["w=3&format=png", "w=3&page=1&format=png", "w=3&page=2&format=png", "format=png"]
        let made = try Workbench.makeAll(queries, of: tiff, as: .tiff)
        let greys = try made.map { try Workbench.decode($0)[1, 1][0] }
        #expect(greys == [10, 200, 90, 10])
    }

    @Test func `json describes the page`() throws {
        let made = try Workbench.make("page=1&format=json", of: tiff, as: .tiff)
        let text = String(decoding: made.bytes, as: UTF8.self)
        #expect(text.contains("\"width\":3,\"height\":8"), "\(text)")
    }

    @Test func `json states the number of pages if there are several`() throws {
        func description(_ query: String, _ source: [UInt8], _ format: ImageFormat) throws -> String {
            String(decoding: try Workbench.make("\(query)&format=json", of: source, as: format).bytes, as: UTF8.self)
        }
        for query in ["", "page=2", "w=2"] {
            let text = try description(query, tiff, .tiff)
            #expect(text.contains(#""frames":1,"orientation":1,"pages":3,"#), "\(text)")
        }
        #expect(try description("", Self.icon, .ico).contains(#""pages":3,"#))
        #expect(try !description("", TestImages.tiff(pages: [(6, 4, 10)]), .tiff).contains("pages"))
        #expect(try !description("", TestImages.gradient(width: 4, height: 4), .png).contains("pages"))
    }

    @Test(.enabled(if: Workbench.decodes(.pdf)))
    func `json states the number of pages of a document`() throws {
        let made = try Workbench.make("format=json", of: TestDocuments.pdf(["", ""]), as: .pdf)
        #expect(String(decoding: made.bytes, as: UTF8.self).contains(#""pages":2,"#))
    }

    @Test(
        .enabled(if: Workbench.decodes(.jp2)),
        arguments: ["gradient-8bit.jp2", "gradient-16bit.jp2"]
    )
    func `the resolutions of a JPEG 2000 are no pages`(name: String) throws {
        let source = try [UInt8](
            Data(contentsOf: URL(filePath: Checkout.path("Tests/ImageWorkerTests/Samples/\(name)")))
        )
        #expect(throws: WorkerReply.Failure.refused("page: is 1, but the last page is 0", parameter: "page")) {
            try Workbench.make("page=1&format=png", of: source, as: .jp2)
        }
        let made = try Workbench.make("page=0&format=json", of: source, as: .jp2)
        #expect(!String(decoding: made.bytes, as: UTF8.self).contains("pages"))
    }

    @Test func `a page after the last is refused`() throws {
        #expect(throws: WorkerReply.Failure.refused("page: is 3, but the last page is 2", parameter: "page")) {
            try Workbench.make("page=3&format=png", of: tiff, as: .tiff)
        }
        let still = TestImages.gradient(width: 4, height: 4)
        #expect(throws: WorkerReply.Failure.refused("page: is 1, but the last page is 0", parameter: "page")) {
            try Workbench.make("page=1", of: still, as: .png)
        }
    }

    @Test func `a page over the pixel limit is refused although the first is not`() {
        let tiff = TestImages.tiff(pages: [(6, 4, 10), (30, 8, 200)])
        #expect(throws: WorkerReply.Failure.refused("240 pixels; the limit is 100")) {
            try Workbench.make("page=1&format=png", of: tiff, as: .tiff, maximumPixels: 100)
        }
    }

    @Test func `a page is served although the first is over the pixel limit`() throws {
        let tiff = TestImages.tiff(pages: [(30, 8, 200), (6, 4, 10)])
        let made = try Workbench.make("page=1&format=png", of: tiff, as: .tiff, maximumPixels: 100)
        #expect(made.description.width == 6 && made.description.height == 4)
    }

    @Test func `an icon's pages are its images, the largest first`() throws {
        for (page, side, grey) in [(0, 32, 90), (1, 16, 200), (2, 8, 40)] {
            let pixels = try Workbench.pixels("page=\(page)", of: Self.icon, as: .ico)
            #expect(pixels.width == side)
            #expect(Int(pixels[0, 0][0]) == grey)
        }
        #expect(throws: WorkerReply.Failure.refused("page: is 3, but the last page is 2", parameter: "page")) {
            try Workbench.make("page=3", of: Self.icon, as: .ico)
        }
    }
}
