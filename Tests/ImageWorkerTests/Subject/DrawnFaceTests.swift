import Foundation
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImageWorker

/// `gravity=subject` on drawn faces, with the cascade of Debian's package opencv-data.
@Suite(.timeLimit(.minutes(3)))
struct DrawnFaceTests {
    private static let path = FaceData.Kind.cascade.path
    private static let isInstalled = FileManager.default.fileExists(atPath: path)

    /// The installed cascade, which must be usable.
    private static func cascade() throws -> FaceCascade {
        try FaceCascade(parsing: #require(try FaceData.read(path).get()))
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `reads all stages, trees and nodes of the installed cascade`() throws {
        let cascade = try Self.cascade()
        #expect(cascade.stages.count == 20)
        #expect(cascade.stages.reduce(0) { $0 + $1.roots.count } == 1047)
        #expect(cascade.nodes.count == 2094)
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `releases the file's content when it is parsed`() throws {
        guard case .ready = FaceData.state else {
            Issue.record("\(FaceData.state)")
            return
        }
        FaceData.load()
        #expect(try FaceData.installed.withLock { try $0?.content.get() } == nil)
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"))
    func `finds a face where it is drawn, and none without`() throws {
        let finder = CascadeFaceFinder(try Self.cascade())
        for head in [(70, 110), (240, 90), (400, 120)] {
            let raster = try Workbench.decoded(Workbench.png(DrawnFace.picture(head: head, disc: (-100, 0))), as: .png)
            let face = try #require(try finder.faces(in: raster, SmallPicture(of: raster)).first)
            #expect(abs((face.box.left + face.box.right) / 2 * 480 - Double(head.0)) < 8)
            #expect(abs((face.box.top + face.box.bottom) / 2 * 200 - Double(head.1)) < 14)
            #expect(face.weight > 0.9)
        }
        let disc = try Workbench.decoded(
            Workbench.png(DrawnFace.picture(head: (-100, -100), disc: (100, 100))),
            as: .png
        )
        #expect(try finder.faces(in: disc, SmallPicture(of: disc)).isEmpty)
    }

    @Test(.enabled(if: isInstalled, "needs opencv-data"), arguments: [(70, 400), (400, 70)])
    func `keeps a face rather than what stands out more`(head: Int, disc: Int) throws {
        let source = Workbench.png(DrawnFace.picture(head: (head, 110), disc: (disc, 100)))
        let pixels = try Workbench.pixels("crop=120x200&gravity=subject", of: source)
        let reds = (0..<pixels.width).count { pixels[$0, 100][0] > 200 && pixels[$0, 100][1] < 90 }
        #expect(reds == 0)
        // Hair on both sides.
        let dark = (0..<pixels.width).filter { pixels[$0, 100][0] < 60 }
        #expect(try #require(dark.first) > 0 && #require(dark.last) < pixels.width - 1)
    }
}
