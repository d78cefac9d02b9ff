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
        #expect(throws: FaceCascade.Malformed(problem)) { try FaceCascade(parsing: Array(text.utf8)) }
        guard case .malformed(let error) = FaceData.parsed(Array(text.utf8)) else {
            Issue.record("was parsed")
            return
        }
        #expect(error.description == problem)
    }

    @Test
    func `refuses every part of a cascade`() {
        let bytes = Array(Self.cascade.utf8)
        for count in 0..<bytes.count - 1 {
            #expect(throws: FaceCascade.Malformed.self) { try FaceCascade(parsing: Array(bytes[..<count])) }
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

    @Test
    func `keeps the larger of two faces, and cuts neither`() throws {
        let corner = try window(60, 100, faces: [(20, 30, 0.7), (150, 30, 0.3)])
        #expect(corner.left <= 19 && corner.left + 60 < 149)
        let both = try window(120, 100, faces: [(40, 30, 0.5), (120, 30, 0.5)])
        #expect(both.left <= 39 && both.left + 120 >= 141)
    }
}
