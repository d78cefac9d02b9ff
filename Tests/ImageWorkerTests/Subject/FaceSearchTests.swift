import Foundation
import Glibc
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// The search for faces with a cascade that is written here, and what crops make of faces.
@Suite(.timeLimit(.minutes(1)))
struct FaceSearchTests {
    /// A cascade in OpenCV's format for a window of 8 × 8 pixels: the upper half is brighter than the lower one, and of these, the
    /// left quarter is brighter than the right one.
    static let cascade = """
        <?xml version="1.0"?>
        <!-- > not the end -->
        <opencv_storage>
        <cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
          <featureType>HAAR</featureType>
          <height>8</height>
          <width>8</width>
          <stageNum>1</stageNum>
          <stages>
            <_>
              <maxWeakCount>1</maxWeakCount>
              <stageThreshold>5.0000000000000000e-01</stageThreshold>
              <weakClassifiers>
                <_>
                  <internalNodes>
                    0 1 0 5.0e-01 -1 -2 1 4.0e-01</internalNodes>
                  <leafValues>
                    0. 0. 1.</leafValues></_></weakClassifiers></_></stages>
          <features>
            <_>
              <rects>
                <_>
                  0 0 8 8 -1.</_>
                <_>
                  0 0 8 4 2.</_></rects></_>
            <_>
              <rects>
                <_>
                  0 0 8 4 -1.</_>
                <_>
                  0 0 4 4 2.</_></rects><tilted>0</tilted></_></features></cascade>
        </opencv_storage>
        """

    /// Draws a square whose upper left quarter is bright and whose others are dark or grey.
    private func plane(at square: (x: Int, y: Int), side: Int) -> GreyPlane {
        var levels = [UInt8](repeating: 120, count: 120 * 90)
        for y in 0..<side {
            for x in 0..<side {
                let level: UInt8 = y >= side / 2 ? 10 : x < side / 2 ? 250 : 140
                levels[(square.y + y) * 120 + square.x + x] = level
            }
        }
        return GreyPlane(width: 120, height: 90, levels: levels)
    }

    @Test(arguments: [(8, 40, 30), (24, 61, 50), (60, 10, 20)])
    func `finds what a cascade describes, in any size`(side: Int, x: Int, y: Int) throws {
        let cascade = try FaceCascade(parsing: Array(Self.cascade.utf8))
        let found = FaceSearch(cascade, stride: 121).windows(in: plane(at: (x, y), side: side))
        let best = try #require(found.min { distance($0, x, y, side) < distance($1, x, y, side) })
        #expect(distance(best, x, y, side) < 0.3)
        // Turned upside down, nothing is bright above dark.
        let upright = plane(at: (x, y), side: side)
        let turned = GreyPlane(width: 120, height: 90, levels: upright.levels.reversed())
        let wrong = FaceSearch(cascade, stride: 121).windows(in: turned).filter {
            distance($0, 120 - x - side, 90 - y - side, side) < 0.3
        }
        #expect(wrong.isEmpty)
    }

    @Test
    func `large windows are as sharp as the reduced picture`() throws {
        // One bright column of eight: the contrast that is required is lost in a reduction of reductions.
        let text = Self.cascade.replacing("0 0 8 4 2.", with: "3 0 1 8 8.").replacing("5.0e-01 -1", with: "3.9 -1")
            .replacing("4.0e-01", with: "-1.0e9")
        let levels = (0..<120 * 90).map { index -> UInt8 in
            let (x, y) = (index % 120 - 30, index / 120 - 20)
            guard (0..<56).contains(x), (0..<56).contains(y) else { return 120 }
            return x / 7 == 3 ? 250 : 60
        }
        let plane = GreyPlane(width: 120, height: 90, levels: levels)
        let found = FaceSearch(try FaceCascade(parsing: Array(text.utf8)), stride: 121).windows(in: plane)
        #expect(found.contains { $0.width > 30 })
    }

    /// The sum of the differences of three measures, in sides of the square.
    private func distance(_ box: FaceBox, _ x: Int, _ y: Int, _ side: Int) -> Double {
        (abs(box.left - Double(x)) + abs(box.top - Double(y)) + abs(box.width - Double(side))) / Double(side)
    }

    @Test
    func `reads the size, stages, trees and features of a cascade`() throws {
        let cascade = try FaceCascade(parsing: Array(Self.cascade.utf8))
        #expect(cascade.width == 8 && cascade.height == 8)
        #expect(cascade.stages.map(\.roots) == [[0]] && cascade.stages[0].threshold == 0.5)
        #expect(cascade.nodes.map(\.low) == [.leaf(0), .leaf(0)])
        #expect(cascade.nodes.map(\.high) == [.node(1), .leaf(1)])
        #expect(cascade.features[1][1] == .init(left: 0, top: 0, width: 4, height: 4, weight: 2))
    }

    @Test(arguments: [
        ("HAAR", "LBP", "has no Haar features"),
        ("<width>8", "<width>80", "has a window of 80 × 8 pixels"),
        ("<width>8", "<width>8.5", "has a window of 0 × 8 pixels"),
        ("0 0 8 4 2.", "0 5 8 4 2.", "has a feature outside its window"),
        ("0 0 8 4 2.", "0 0 8 4", "has 4 numbers for 5"),
        ("0 0 8 4 2.", "0 9e18 8 9e18 2.", "has a feature outside its window"),
        ("0 0 8 4 2.", "0 9e30 8 4 2.", "has an odd rectangle"),
        ("0 0 8 4 2.", "0 0 8 4 nan", "has \"nan\" instead of a number"),
        ("<tilted>0", "<tilted>1", "has tilted features"),
        ("0 1 0 5.0e-01", "0 0 0 5.0e-01 1", "has an odd tree"),
        ("0 1 0 5.0e-01", "0 2 0 5.0e-01", "has a tree that leads nowhere"),
        ("-1 -2 1", "-1 1 1", "has a tree that leads nowhere"),
        ("-1 -2 1", "-1 -3 1", "has a tree that leads nowhere"),
        ("-1 -2 1", "-1 -2 2", "has a tree without its feature"),
        ("</rects><tilted>", "</rect><tilted>", "has an end tag at a wrong place"),
        ("</opencv_storage>", "", "ends too early"),
        ("</opencv_storage>", "</opencv_storage", "has a tag without end"),
    ])
    func `says what is wrong with a malformed cascade`(part: String, other: String, problem: String) {
        let text = Self.cascade.replacing(part, with: other)
        #expect(text != Self.cascade)
        #expect(throws: FaceData.Malformed(problem)) { try FaceCascade(parsing: Array(text.utf8)) }
        guard case .malformed(let error, .cascade) = FaceData.parsed(.success(Array(text.utf8)), as: .cascade) else {
            Issue.record("was parsed")
            return
        }
        #expect(error.description == problem)
    }

    @Test
    func `a file that is missing is absent, and any other that cannot be read is a problem`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "faces-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "cascade").path
        #expect(FaceData.read(file) == .success(nil))
        #expect(unsafe symlink(file, file) == 0)
        #expect(FaceData.read(file) == .failure(.init("cannot be read: Too many levels of symbolic links")))
        #expect(FaceData.read(folder.path) == .failure(.init("cannot be read: Is a directory")))
        try FileManager.default.removeItem(atPath: file)
        try Data(count: 4 << 20).write(to: URL(fileURLWithPath: file))
        #expect(try FaceData.read(file).get()?.count == 4 << 20)
        #expect(FaceData.read("\(file)/other") == .success(nil))
        #expect(FaceData.found([(.network, "\(file)/other"), (.cascade, file)])?.kind == .cascade)
        #expect(FaceData.found([(.network, file), (.cascade, file)])?.kind == .network)
        #expect(FaceData.found([(.network, folder.path), (.cascade, file)])?.kind == .network, "it is not passed over")
        #expect(FaceData.found([(.network, "\(file)/other")]) == nil)
        try Data(count: 4 << 20 + 1).write(to: URL(fileURLWithPath: file))
        #expect(FaceData.read(file) == .failure(.init("is larger than 4 MiB")))
    }

    @Test(arguments: [("1.000005", true), ("1.00005", false)])
    func `a stage's sum may be below its threshold by an error of rounding`(threshold: String, passes: Bool) throws {
        let text = Self.cascade.replacing("5.0000000000000000e-01", with: threshold)
        let search = FaceSearch(try FaceCascade(parsing: Array(text.utf8)), stride: 121)
        #expect(search.windows(in: plane(at: (40, 30), side: 8)).isEmpty == !passes)
    }

    @Test
    func `refuses every part of a cascade`() {
        let bytes = Array(Self.cascade.utf8)
        for count in 0..<bytes.count - 1 {
            #expect(throws: FaceData.Malformed.self) { try FaceCascade(parsing: Array(bytes[..<count])) }
        }
    }

    @Test
    func `joins the windows that agree, and drops others`() throws {
        let near = [0.0, 1, 2].map { FaceBox(left: 10 + $0, top: 20, width: 20, height: 20) }
        let inside = (0..<3).map { _ in FaceBox(left: 18, top: 26, width: 6, height: 6) }
        let alone = FaceBox(left: 70, top: 20, width: 20, height: 20)
        let found = FaceBox.agreed(near + [alone] + inside, votes: 3)
        #expect(found == [FaceBox(left: 11, top: 20, width: 20, height: 20, votes: 3)])
        #expect(FaceBox.agreed(near + [alone], votes: 1).count == 2)
        #expect(FaceBox.agreed([], votes: 1).isEmpty)
    }

    // MARK: - Crops

    /// Returns the window of a size in a grey picture of 200 × 100 pixels with faces of 20 pixels at the given places.
    private func window(_ width: Int, _ height: Int, faces: [(x: Double, y: Double, weight: Double)]) throws -> (
        left: Int, top: Int
    ) {
        let grey = PixelImage(width: 200, height: 100, channels: 3) { _, _ in [128, 128, 128] }
        let picture = try SmallPicture(of: Workbench.decoded(Workbench.png(grey), as: .png))
        let faces = faces.map { face in
            let box = Face.Box(
                left: face.x / 200,
                top: face.y / 100,
                right: (face.x + 20) / 200,
                bottom: (face.y + 20) / 100
            )
            return Face(box: box, weight: face.weight)
        }
        let map = SubjectMap(of: picture, faces: faces)
        return SubjectWindow.corner(
            of: PixelSize(width: width, height: height),
            in: PixelSize(width: 200, height: 100),
            map,
            faces: faces
        )
    }

    @Test
    func `keeps a head whole wherever it is`() throws {
        for x in stride(from: 0.0, through: 180, by: 20) {
            for y in [0.0, 35, 80] {
                let corner = try window(60, 60, faces: [(x, y, 1)])
                #expect(Double(corner.left) <= max(0, x - 1) && Double(corner.left + 60) >= min(200, x + 21), "\(x)")
                #expect(Double(corner.top) <= max(0, y - 4) && Double(corner.top + 60) >= min(100, y + 22), "\(y)")
            }
        }
    }

    /// Returns the window of a size in a grey picture with the face in a box of pixels.
    private func window(_ size: PixelSize, in picture: PixelSize, box: Face.Box) throws -> (left: Int, top: Int) {
        let (width, height) = (Double(picture.width), Double(picture.height))
        let grey = PixelImage(width: picture.width / 20, height: picture.height / 20, channels: 3) { _, _ in
            [128, 128, 128]
        }
        let part = Face.Box(
            left: box.left / width,
            top: box.top / height,
            right: box.right / width,
            bottom: box.bottom / height
        )
        let faces = [Face(box: part, weight: 1)]
        let map = SubjectMap(of: try SmallPicture(of: Workbench.decoded(Workbench.png(grey), as: .png)), faces: faces)
        return SubjectWindow.corner(of: size, in: picture, map, faces: faces)
    }

    @Test
    func `keeps a head whole that is almost as large as the window`() throws {
        let large = PixelSize(width: 4000, height: 3000)
        let box = Face.Box(left: 1025, top: 300, right: 1325, bottom: 600)
        let corner = try window(PixelSize(width: 400, height: 400), in: large, box: box)
        #expect((940...1010).contains(corner.left) && (230...240).contains(corner.top), "\(corner)")
        let wide = Face.Box(left: 1010, top: 300, right: 1360, bottom: 600)
        let slim = try window(PixelSize(width: 400, height: 1000), in: PixelSize(width: 4000, height: 1000), box: wide)
        #expect((978...992).contains(slim.left), "\(slim)")
        // The window is 3 % larger than the head of 330 × 390 pixels.
        for (x, y) in [(100, 200), (777, 1234), (1903, 1501), (3333, 2222), (3600, 2600)] {
            let box = Face.Box(left: Double(x), top: Double(y), right: Double(x + 300), bottom: Double(y + 300))
            let corner = try window(PixelSize(width: 340, height: 402), in: large, box: box)
            #expect(corner.left <= x - 15 && corner.left + 340 >= x + 315, "\(corner)")
            #expect(corner.top <= y - 60 && corner.top + 402 >= y + 330, "\(corner)")
        }
    }

    @Test
    func `rather cuts a little of a head than much, and rather leaves it out than cuts it`() {
        let face = Face(box: .init(left: 0.4, top: 0.4, right: 0.6, bottom: 0.6), weight: 1)
        let head = face.head
        let scores = [0, 0.5, 0.9, 1].map { share in
            let start = head.right - share * (head.right - head.left)
            return Face.keeping(of: [face], columns: start...start + 0.3, rows: 0...1)
        }
        #expect(scores[1] < scores[2] && scores[2] < scores[0] && scores[0] < scores[3])
    }

    @Test
    func `keeps the larger of two faces, and cuts neither`() throws {
        let corner = try window(60, 100, faces: [(20, 30, 0.7), (150, 30, 0.3)])
        #expect(corner.left <= 19 && corner.left + 60 < 149)
        let both = try window(120, 100, faces: [(40, 30, 0.5), (120, 30, 0.5)])
        #expect(both.left <= 39 && both.left + 120 >= 141)
    }
}
