import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `gravity=subject` on pictures whose subject is known, since they are drawn here; without the search for faces.
@Suite(.timeLimit(.minutes(1)))
struct SubjectWindowTests {
    private static let size = PixelSize(width: 300, height: 200)

    private struct Corner: Hashable {
        var left: Int
        var top: Int

        init(_ corner: (left: Int, top: Int)) { (left, top) = corner }
    }

    /// What is drawn: the colours of a disc and of what is around it.
    struct Subject: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var colour: @Sendable (_ x: Int, _ y: Int) -> [UInt8]
        var background: @Sendable (_ x: Int, _ y: Int) -> [UInt8]
    }

    private static let all = [
        Subject(testDescription: "a coloured disc on a gradient") { _, _ in
            [200, 40, 60]
        } background: { x, y in
            [UInt8(90 + x / 5), UInt8(110 + y / 4), UInt8(150 + x / 6)]
        },
        Subject(testDescription: "a disc with texture before a blur") { x, y in
            (x / 4 + y / 4) % 2 == 0 ? [70, 110, 60] : [120, 160, 110]
        } background: { x, y in
            let wave = 60 - abs(x % 120 - 60)
            return [UInt8(80 + wave / 3), UInt8(120 + wave / 3), UInt8(70 + wave / 3)]
        },
        Subject(testDescription: "a grey disc with texture on grey") { x, y in
            (x / 5 + y / 5) % 2 == 0 ? [90, 90, 90] : [190, 190, 190]
        } background: { _, y in
            [UInt8(120 + y / 8), UInt8(120 + y / 8), UInt8(120 + y / 8)]
        },
        Subject(testDescription: "a dark disc on snow") { _, _ in
            [40, 45, 50]
        } background: { x, y in
            let grain = UInt8((x &* 7 &+ y &* 13) % 9)
            return [230 + grain, 232 + grain, 236 + grain]
        },
    ]

    /// Draws a disc of a radius of 30 pixels.
    private func picture(_ subject: Subject, at center: (x: Int, y: Int)) -> PixelImage {
        PixelImage(width: Self.size.width, height: Self.size.height, channels: 3) { x, y in
            let (right, down) = (x - center.x, y - center.y)
            return right * right + down * down <= 900 ? subject.colour(x, y) : subject.background(x, y)
        }
    }

    private func corner(of width: Int, _ height: Int, in picture: PixelImage) throws -> Corner {
        let raster = try Raster.sRGB(
            picture.bytes,
            width: picture.width,
            height: picture.height,
            bands: picture.channels
        )
        let map = SubjectMap(of: try SmallPicture(of: raster.inMemory()))
        let whole = PixelSize(width: picture.width, height: picture.height)
        return Corner(SubjectWindow.corner(of: PixelSize(width: width, height: height), in: whole, map))
    }

    @Test(arguments: all, [40, 90, 150, 210, 260])
    func `keeps all of the subject wherever it is`(subject: Subject, middle: Int) throws {
        precondition(Workbench.isStarted)
        let square = try corner(of: 120, 200, in: picture(subject, at: (middle, 100)))
        #expect(square.left <= middle - 30 && square.left + 120 >= middle + 30, "\(square.left)")
        #expect(square.top == 0)
        let row = middle * 200 / 300
        let band = try corner(of: 300, 90, in: picture(subject, at: (150, max(32, min(168, row)))))
        #expect(band.top <= max(32, min(168, row)) - 30 && band.top + 90 >= max(32, min(168, row)) + 30, "\(band.top)")
        let both = try corner(of: 100, 80, in: picture(subject, at: (middle, 70)))
        #expect(both.left <= middle - 30 && both.left + 100 >= middle + 30, "\(both.left)")
        #expect(both.top <= 40 && both.top + 80 >= 100, "\(both.top)")
    }

    @Test func `keeps the head of a tall figure`() throws {
        precondition(Workbench.isStarted)
        // A face of skin above dark clothes that the bottom cuts off, before a pale wall.
        for skin: [UInt8] in [[224, 172, 140], [150, 100, 75], [245, 205, 185]] {
            let figure = PixelImage(width: 200, height: 600, channels: 3) { x, y in
                let (right, down) = (x - 100, (y - 95) * 3 / 4)
                if right * right + down * down < 1_000 { return skin }
                return y > 130 && abs(x - 100) < 55 ? [60, 62, 80] : [205, 208, 202]
            }
            for height in [150, 200, 300] {
                let found = try corner(of: 200, height, in: figure)
                #expect(found.top <= 55 && found.top + height >= 137, "\(skin), \(height): \(found.top)")
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `keeps a subject that a side of the picture cuts off`(side: Int) throws {
        precondition(Workbench.isStarted)
        let cut = PixelImage(width: 240, height: 240, channels: 3) { x, y in
            let inward = [x, 239 - x, y, 239 - y][side]
            let along = side < 2 ? y : x
            if inward < 60 && (80..<160).contains(along) { return [190, 30, 40] }
            return [UInt8(130 + x / 16), UInt8(140 + y / 16), 150]
        }
        let found = try side < 2 ? corner(of: 120, 240, in: cut) : corner(of: 240, 120, in: cut)
        let start = side < 2 ? found.left : found.top
        #expect(side % 2 == 0 ? start <= 20 : start >= 100, "\(start)")
    }

    @Test(arguments: [(300, 201), (41, 30), (7, 9)], [[0, 0, 0], [128, 130, 120], [255, 255, 255]] as [[UInt8]])
    func `takes the middle of a flat picture, as center does`(size: (width: Int, height: Int), colour: [UInt8]) throws {
        precondition(Workbench.isStarted)
        let flat = PixelImage(width: size.width, height: size.height, channels: 3) { _, _ in colour }
        for (width, height) in [(size.width / 2, size.height), (size.width, size.height / 3), (4, 4)] {
            let whole = PixelSize(width: size.width, height: size.height)
            let placement = CropPlacement(of: PixelSize(width: width, height: height), in: whole, gravity: .center)
            guard case .rectangle(let middle) = placement else { preconditionFailure("center needs no pixels") }
            let found = try corner(of: width, height, in: flat)
            #expect(found == Corner((middle.left, middle.top)), "\(width)×\(height)")
        }
    }

    @Test(arguments: [(1, 1), (1, 400), (400, 1), (2, 3), (95, 97), (97, 40), (193, 20)])
    func `the window is inside the picture in every proportion`(width: Int, height: Int) throws {
        precondition(Workbench.isStarted)
        var generator = SeededGenerator(seed: 19)
        let noise = PixelImage(width: width, height: height) { _, _ in
            (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        for w in Set([1, (width + 1) / 2, max(1, width - 1), width]) {
            for h in Set([1, (height + 1) / 2, max(1, height - 1), height]) {
                let found = try corner(of: w, h, in: noise)
                #expect((0...width - w).contains(found.left), "\(w)×\(h)")
                #expect((0...height - h).contains(found.top), "\(w)×\(h)")
            }
        }
    }

    @Test(arguments: [50, 150, 250])
    func `what is transparent is background, whatever its hidden colours`(middle: Int) throws {
        precondition(Workbench.isStarted)
        // Grey on nothing, beside colours that nobody sees.
        let cutOut = PixelImage(width: 300, height: 200) { x, y in
            let (right, down) = (x - middle, y - 100)
            if right * right + down * down <= 900 { return [128, 128, 128, 255] }
            return (x / 20 + y / 20) % 2 == 0 ? [255, 0, 0, 0] : [0, 255, 255, 0]
        }
        let found = try corner(of: 120, 200, in: cutOut)
        #expect(found.left <= middle - 30 && found.left + 120 >= middle + 30, "\(found.left)")
        let nothing = PixelImage(width: 300, height: 200) { x, _ in [UInt8(x % 256), 0, 0, 0] }
        #expect(try corner(of: 120, 200, in: nothing) == Corner((90, 0)))
    }

    @Test func `a grey image of one channel has a subject, too`() throws {
        precondition(Workbench.isStarted)
        let drawn = picture(Self.all[2], at: (230, 100))
        let grey = stride(from: 0, to: drawn.bytes.count, by: 3).map { drawn.bytes[$0] }
        let raster = try Raster.greyscale(grey, width: 300, height: 200)
        let found = try Corner(raster.subjectOffset(of: PixelSize(width: 120, height: 200)))
        let coloured = try corner(of: 120, 200, in: drawn)
        #expect(found == coloured)
    }
}
