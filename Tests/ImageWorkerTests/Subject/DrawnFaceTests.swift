import Foundation
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImageWorker

/// `gravity=subject` on drawn faces, with the cascade of Debian's package opencv-data.
@Suite(.timeLimit(.minutes(3)))
struct DrawnFaceTests {
    private static let isInstalled = FileManager.default.fileExists(atPath: FaceData.path)

    /// The search with the installed cascade, which must be usable.
    private static func finder() throws -> FaceFinder {
        let finder: FaceFinder? = if case .ready(let finder) = FaceData.state { finder } else { nil }
        return try #require(finder, "\(FaceData.state)")
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `reads all stages, trees and nodes of the installed cascade`() throws {
        let cascade = try FaceCascade(parsing: #require(try FaceData.read(FaceData.path).get()))
        #expect(cascade.stages.count == 20)
        #expect(cascade.stages.reduce(0) { $0 + $1.roots.count } == 1047)
        #expect(cascade.nodes.count == 2094)
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `releases the file's content when it is parsed`() throws {
        _ = try Self.finder()
        FaceData.load()
        #expect(try FaceData.content.withLock { $0 }.get() == nil)
    }

    /// Returns the grey level of a drawn head at a place relative to its middle, in units of half its width; `nil` beside it.
    private func level(_ x: Double, _ y: Double) -> UInt8? {
        func isIn(_ left: Double, _ top: Double, _ width: Double, _ height: Double) -> Bool {
            let (across, down) = ((x - left) / width, (y - top) / height)
            return across * across + down * down <= 1
        }
        // Mouth, nose and its shadow; eyes and brows, mirrored; face; hair.
        if isIn(0, 0.68, 0.3, 0.09) { return 90 }
        if isIn(0, 0.42, 0.18, 0.06) { return 135 }
        if isIn(0, 0.2, 0.1, 0.28) { return 225 }
        for side in [-0.36, 0.36] {
            if abs(x - side) <= 0.24, abs(y + 0.315) <= 0.045 { return 70 }
            if isIn(side, -0.08, 0.15, 0.08) { return 60 }
            if isIn(side, -0.12, 0.26, 0.15) { return 120 }
        }
        if isIn(0, 0.1, 0.78, 1.05) { return 195 }
        return isIn(0, -0.15, 1, 1.35) ? 40 : nil
    }

    /// A grey head of 70 pixels around a place, and a bright disc, which stands out more, around another.
    private func picture(head: (x: Int, y: Int), disc: (x: Int, y: Int)) -> PixelImage {
        PixelImage(width: 480, height: 200, channels: 3) { x, y in
            if let level = level(Double(x - head.x) / 36, Double(y - head.y) / 36) { return [level, level, level] }
            let (across, down) = (x - disc.x, y - disc.y)
            return across * across + down * down < 2500 ? [250, 30, 20] : [120, 120, 120]
        }
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `finds a face where it is drawn, and none without`() throws {
        let finder = try Self.finder()
        for head in [(70, 110), (240, 90), (400, 120)] {
            let raster = try Workbench.decoded(Workbench.png(picture(head: head, disc: (-100, 0))), as: .png)
            let face = try #require(try finder.faces(in: raster, SmallPicture(of: raster)).first)
            #expect(abs((face.box.left + face.box.right) / 2 * 480 - Double(head.0)) < 8)
            #expect(abs((face.box.top + face.box.bottom) / 2 * 200 - Double(head.1)) < 14)
            #expect(face.weight > 0.9)
        }
        let disc = try Workbench.decoded(Workbench.png(picture(head: (-100, -100), disc: (100, 100))), as: .png)
        #expect(try finder.faces(in: disc, SmallPicture(of: disc)).isEmpty)
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"), arguments: [(70, 400), (400, 70)])
    func `keeps a face rather than what stands out more`(head: Int, disc: Int) throws {
        _ = try Self.finder()
        let source = Workbench.png(picture(head: (head, 110), disc: (disc, 100)))
        let pixels = try Workbench.pixels("crop=120x200&gravity=subject", of: source)
        let reds = (0..<pixels.width).count { pixels[$0, 100][0] > 200 && pixels[$0, 100][1] < 90 }
        #expect(reds == 0)
        // Hair on both sides.
        let dark = (0..<pixels.width).filter { pixels[$0, 100][0] < 60 }
        #expect(try #require(dark.first) > 0 && #require(dark.last) < pixels.width - 1)
    }
}
