import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct PageTests {
    private let tiff = TestImages.tiff(pages: [(6, 4, 10), (3, 8, 200), (5, 5, 90)])

    @Test(arguments: [(0, 6, 4, 10), (1, 3, 8, 200), (2, 5, 5, 90)])
    func `a page is opened at its own size`(page: Int, width: Int, height: Int, grey: Int) throws {
        let pixels = try Workbench.pixels("page=\(page)", of: tiff, as: .tiff)
        #expect([pixels.width, pixels.height] == [width, height])
        #expect(Int(pixels[1, 1][0]) == grey)
    }

    @Test func `steps use the page's size`() throws {
        let pixels = try Workbench.pixels("page=1&crop=0,5,3,3", of: tiff, as: .tiff)
        #expect([pixels.width, pixels.height] == [3, 3])
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
        let pictures = [(8, UInt8(40)), (32, 90), (16, 200)].map { side, grey in
            let pixel: [UInt8] = [grey, grey, grey, 255]
            let rgba = (0..<side * side).flatMap { _ in pixel }
            let png = TestImages.png(width: side, height: side, rgba: rgba)
            return (width: side, height: side, bits: 32, bytes: png)
        }
        let icon = BitmapFile.icon(pictures)
        for (page, side, grey) in [(0, 32, 90), (1, 16, 200), (2, 8, 40)] {
            let pixels = try Workbench.pixels("page=\(page)", of: icon, as: .ico)
            #expect(pixels.width == side)
            #expect(Int(pixels[0, 0][0]) == grey)
        }
        #expect(throws: WorkerReply.Failure.refused("page: is 3, but the last page is 2", parameter: "page")) {
            try Workbench.make("page=3", of: icon, as: .ico)
        }
    }
}
