import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// Faces that the network YuNet finds; `scripts/install-engines` installs its model.
@Suite(.timeLimit(.minutes(2)))
struct FaceNetworkTests {
    private static let path = EngineProcess.file("yunet.onnx")
    private static let isEnabled = path != nil || TestEnvironment.value("EDGEPRINT_ENGINES") == "required"

    private static func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: #require(path)))) }

    /// Boxes of OpenCV 5.0's `FaceDetectorYN` with the same model, in a copy of 320 pixels, in the picture's pixels: left, top, width, height.
    static let drawn: [(head: (x: Int, y: Int), box: [Double])] = [
        ((70, 110), [41, 78, 58, 77]), ((240, 90), [211, 58, 60, 76]), ((400, 120), [372, 86, 57, 75]),
    ]

    @Test(.enabled(if: isEnabled, "needs scripts/install-engines"))
    func `finds drawn faces where OpenCV does, and none without`() throws {
        let finder = NetworkFaceFinder(try FaceNetwork(parsing: Self.bytes()))
        for (head, box) in Self.drawn {
            let source = Workbench.png(DrawnFace.picture(head: head, disc: (-100, 0)))
            let raster = try Workbench.decoded(source, as: .png)
            let faces = try finder.faces(in: raster, SmallPicture(of: raster))
            #expect(faces.count == 1)
            let face = try #require(faces.first)
            let (left, top) = (face.box.left * 480, face.box.top * 200)
            let found = [left, top, face.box.right * 480 - left, face.box.bottom * 200 - top]
            for (one, other) in zip(found, box) { #expect(abs(one - other) < 3) }
            #expect(0.88...0.94 ~= face.weight)
        }
        let disc = Workbench.png(DrawnFace.picture(head: (-100, -100), disc: (100, 100)))
        let raster = try Workbench.decoded(disc, as: .png)
        #expect(try finder.faces(in: raster, SmallPicture(of: raster)).isEmpty)
    }

    @Test(.enabled(if: isEnabled, "needs scripts/install-engines"))
    func `finds two faces, which share the weight by their areas`() throws {
        let finder = NetworkFaceFinder(try FaceNetwork(parsing: Self.bytes()))
        let (one, other) = (
            DrawnFace.picture(head: (70, 110), disc: (-100, 0)), DrawnFace.picture(head: (370, 90), disc: (-100, 0))
        )
        let both = PixelImage(width: 480, height: 200, channels: 3) { x, y in x < 220 ? one[x, y] : other[x, y] }
        let raster = try Workbench.decoded(Workbench.png(both), as: .png)
        let faces = try finder.faces(in: raster, SmallPicture(of: raster)).sorted { $0.box.left < $1.box.left }
        try #require(faces.count == 2)
        #expect(faces[0].box.right < 0.3 && faces[1].box.left > 0.6)
        #expect(faces.allSatisfy { 0.4...0.5 ~= $0.weight })
    }

    @Test(.enabled(if: isEnabled, "needs scripts/install-engines"))
    func `the installed model is a network and a part of it is not`() throws {
        let bytes = try Self.bytes()
        guard case .ready(let finder, .network) = FaceData.parsed(.success(bytes), as: .network) else {
            Issue.record("is not ready")
            return
        }
        #expect(finder is NetworkFaceFinder)
        for count in stride(from: 0, to: bytes.count, by: 4_999) {
            guard case .malformed(_, .network) = FaceData.parsed(.success(Array(bytes[..<count])), as: .network) else {
                Issue.record("\(count) bytes were parsed")
                return
            }
        }
    }

    /// A network with YuNet's outputs whose only face is where the picture is bright, with a box of one step around it.
    private static func bright(scale: Float = 1) -> [UInt8] {
        var writer = ONNXWriter()
        let half = ["kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 0, 0, 0]]
        for (index, grid) in [2, 4, 8, 16, 32].enumerated() {
            let (from, to) = (index == 0 ? "input" : "at\(grid / 2)", "at\(grid)")
            writer.add("MaxPool", [from], to, half)
            guard grid >= 8 else { continue }
            for name in ["cls", "obj"] {
                // Above half of all levels, and only in the finest grid.
                writer.convolve(
                    to,
                    "\(name)_\(grid)",
                    shape: [1, 3, 1, 1],
                    [1, 0, 0],
                    bias: [grid == 8 ? -127 : -300]
                )
            }
            writer.convolve(
                to,
                "bbox_\(grid)",
                shape: [4, 3, 1, 1],
                [Float](repeating: 0, count: 12),
                bias: [0.5, 0.5, scale, scale]
            )
        }
        return writer.bytes
    }

    @Test
    func `reads places and sizes of boxes from the grids, and joins those that overlap`() throws {
        let network = try FaceNetwork(parsing: Self.bright(scale: 0))
        // Not a multiple of the alignment; bright in blue within one place of the finest grid, and in two that are neighbours.
        var pixels = [SIMD3<Float>](repeating: SIMD3(0, 255, 255), count: 50 * 40)
        pixels[9 * 50 + 17] = SIMD3(255, 0, 0)
        let faces = network.faces(width: 50, height: 40, pixels: pixels)
        #expect(faces.map { [$0.left, $0.top, $0.width, $0.height] } == [[16, 8, 8, 8]])
        #expect(faces.allSatisfy { $0.score > 0.99 })
        pixels[9 * 50 + 25] = SIMD3(200, 0, 0)
        #expect(network.faces(width: 50, height: 40, pixels: pixels).count == 2)
        // Boxes of 22 pixels at places 8 pixels apart overlap by more than 0.3.
        let large = try FaceNetwork(parsing: Self.bright()).faces(width: 50, height: 40, pixels: pixels)
        #expect(large.count == 1 && abs(large[0].width - 8 * 2.718_281_828) < 1e-4)
    }

    @Test(arguments: [([0, 0, 255], 1), ([255, 0, 0], 0)] as [([UInt8], Int)])
    func `the network gets blue first`(colour: [UInt8], count: Int) throws {
        let finder = NetworkFaceFinder(try FaceNetwork(parsing: Self.bright(scale: 0)))
        let picture = PixelImage(width: 64, height: 64, channels: 3) { x, y in
            (16..<24).contains(x) && (8..<16).contains(y) ? colour : [0, 0, 0]
        }
        let raster = try Workbench.decoded(Workbench.png(picture), as: .png)
        #expect(try finder.faces(in: raster, SmallPicture(of: raster)).count == count)
    }

    @Test
    func `ignores boxes whose size is no number, and refuses outputs of other shapes`() throws {
        let network = try FaceNetwork(parsing: Self.bright(scale: 2_000))
        let pixels = [SIMD3<Float>](repeating: SIMD3(255, 0, 0), count: 32 * 32)
        #expect(network.faces(width: 32, height: 32, pixels: pixels).isEmpty)
        var writer = ONNXWriter()
        for grid in [8, 16, 32] {
            for (name, count) in [("cls", 1), ("obj", 1), ("bbox", 4)] {
                writer.convolve(
                    "input",
                    "\(name)_\(grid)",
                    shape: [count, 3, 1, 1],
                    [Float](repeating: 0, count: 3 * count),
                    bias: [Float](repeating: 0, count: count)
                )
            }
        }
        #expect(throws: FaceData.Malformed("has outputs of other shapes than YuNet's")) {
            try FaceNetwork(parsing: writer.bytes)
        }
    }
}
