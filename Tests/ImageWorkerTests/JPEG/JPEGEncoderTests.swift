import CVips
import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(2)))
struct JPEGEncoderTests {
    /// Soft waves with a little noise and an edge, as a photograph has them.
    private static func texture(_ width: Int, _ height: Int, seed: UInt64 = 1, channels: Int = 3) -> PixelImage {
        var generator = SeededGenerator(seed: seed)
        let phase = Double(seed)
        return PixelImage(width: width, height: height, channels: channels) { x, y in
            let (u, v) = (Double(x), Double(y))
            let coarse: Double = 50 * sin(u / 17 + phase) + 40 * cos(v / 11 - u / 29)
            let fine: Double = 14 * sin((u * phase + v) / 2.3) * sin(v / 40)
            let edge = x * 2 > width + y ? 30.0 : -20
            let noise = Double.random(in: -6...6, using: &generator)
            let light: Double = 128 + coarse + fine + edge + noise
            let green: Double = light * 0.8 + 20 * sin(u / 31)
            let all: [Double] = [light, green, 200 - light * 0.5 + 15 * cos(v / 23)]
            return all[..<channels].map { UInt8(min(max($0.rounded(), 0), 255)) }
        }
    }

    private static func encode(
        _ picture: PixelImage,
        quality: Int = 80,
        halvesColours: Bool = true,
        isProgressive: Bool = false,
        effort: Int = 4,
        deadline: Deadline = Deadline(milliseconds: 60_000)
    ) throws -> [UInt8] {
        let encoder = JPEGEncoder(
            quality: quality,
            halvesColours: halvesColours,
            isProgressive: isProgressive,
            effort: .init(effort),
            deadline: deadline
        )
        let size = PixelSize(width: picture.width, height: picture.height)
        return try unsafe picture.bytes.withUnsafeBytes { pixels in
            let header = JPEGFile.jfif(density: (72, 72))
            return try unsafe encoder.encode(pixels, size: size, bands: picture.channels, header: header)
        }
    }

    /// Encodes with libvips' saver, whose tables are ITU-T T.81's.
    private static func encodeByLibvips(_ picture: PixelImage, quality: Int) throws -> [UInt8] {
        let raster = try Raster.sRGB(picture.bytes, width: picture.width, height: picture.height, bands: 3)
        return try JPEGCoder().save { bytes, count in
            unsafe edge_vips_save_jpeg(
                raster.pointer,
                &bytes,
                &count,
                CInt(quality),
                1,
                0,
                VIPS_FOREIGN_SUBSAMPLE_ON,
                1
            )
        }
        .copy
    }

    /// The contents of a file's segments before the first scan's data, by marker.
    private static func segments(of file: [UInt8]) -> [(marker: UInt8, content: ArraySlice<UInt8>)] {
        var found: [(marker: UInt8, content: ArraySlice<UInt8>)] = []
        var start = 2
        while start + 4 <= file.count, file[start] == 0xFF, found.last?.marker != 0xDA {
            let end = start + 2 + Int(file[start + 2]) << 8 + Int(file[start + 3])
            found.append((file[start + 1], file[start + 4..<end]))
            start = end
        }
        return found
    }

    /// The peak signal-to-noise ratio of what libjpeg decodes, in decibels.
    private static func fidelity(_ file: [UInt8], to picture: PixelImage) throws -> Double {
        let decoded = try Workbench.decode(file, as: .jpeg)
        #expect(decoded.width == picture.width && decoded.height == picture.height)
        var sum = 0.0
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let (left, right) = (picture[x, y], decoded[x, y])
                for band in 0..<3 {
                    let difference = Double(left[left.count == 1 ? 0 : band]) - Double(right[band])
                    sum += difference * difference
                }
            }
        }
        return 10 * log10(255 * 255 / max(sum / Double(picture.width * picture.height * 3), 1e-9))
    }

    @Test(arguments: [(1, 1), (7, 9), (17, 33), (64, 48), (8, 200), (333, 5)])
    func `libjpeg decodes every size, sampling and order of scans`(width: Int, height: Int) throws {
        for channels in [1, 3] {
            let picture = Self.texture(width, height, channels: channels)
            for (halves, progressive, effort) in [
                (true, false, 0), (true, true, 4), (false, false, 4), (false, true, 0), (true, true, 9),
                (false, false, 9),
            ] {
                let file = try Self.encode(
                    picture,
                    quality: 97,
                    halvesColours: halves,
                    isProgressive: progressive,
                    effort: effort
                )
                // Colours at half resolution lose the noise.
                let least = channels == 3 && halves ? 31.0 : 37
                let reached = try Self.fidelity(file, to: picture)
                #expect(reached > least, "\(channels), \(halves), \(progressive), \(effort)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `progressive scans change no pixel`(halvesColours: Bool) throws {
        for quality in [30, 80, 100] {
            let picture = Self.texture(150, 90, seed: 3)
            let files = try [(false, 4), (true, 4)].map { progressive, effort in
                try Self.encode(
                    picture,
                    quality: quality,
                    halvesColours: halvesColours,
                    isProgressive: progressive,
                    effort: effort
                )
            }
            #expect(try Workbench.decode(files[0], as: .jpeg) == Workbench.decode(files[1], as: .jpeg))
            #expect(files[0] != files[1])
            let searched = try Self.encode(
                picture,
                quality: quality,
                halvesColours: halvesColours,
                isProgressive: true,
                effort: 9
            )
            #expect(try Workbench.decode(files[0], as: .jpeg) == Workbench.decode(searched, as: .jpeg))
        }
    }

    @Test func `at an equal score, files are smaller than libjpeg's`() throws {
        var ratios: [Double] = []
        for seed in 1...3 {
            let picture = Self.texture(192, 144, seed: UInt64(seed))
            for quality in [50, 80] {
                let theirs = try Self.encodeByLibvips(picture, quality: quality)
                let wanted = try Workbench.score(picture, Workbench.decode(theirs, as: .jpeg))
                // The lowest quality with at least their score.
                var range = 10...100
                while range.count > 1 {
                    let middle = (range.lowerBound + range.upperBound) / 2
                    let tried = try Self.encode(picture, quality: middle)
                    let isGood = try Workbench.score(picture, Workbench.decode(tried, as: .jpeg)) >= wanted
                    range = isGood ? range.lowerBound...middle : middle + 1...range.upperBound
                }
                let ours = try Self.encode(picture, quality: range.lowerBound)
                ratios.append(Double(ours.count) / Double(theirs.count))
            }
        }
        let mean = ratios.reduce(0, +) / Double(ratios.count)
        #expect(mean < 0.98, "\(ratios)")
    }

    @Test func `more effort makes smaller files`() throws {
        let large = Self.texture(400, 300)
        let searched = try Self.encode(large, effort: 9)
        #expect(try searched.count < Self.encode(large, effort: 4).count)
        for seed in 1...3 {
            for quality in [40, 80, 92] {
                let picture = Self.texture(200, 160, seed: UInt64(seed))
                let sizes = try [0, 4, 9].map { try Self.encode(picture, quality: quality, effort: $0).count }
                #expect(sizes[0] > sizes[1] && sizes[1] >= sizes[2], "\(quality): \(sizes)")
            }
        }
    }

    @Test func `a higher quality makes finer tables and larger, more faithful files`() throws {
        let picture = Self.texture(128, 96)
        var last: (count: Int, fidelity: Double) = (0, 0)
        for quality in [1, 10, 30, 50, 70, 85, 95, 100] {
            let file = try Self.encode(picture, quality: quality)
            let reached = try Self.fidelity(file, to: picture)
            #expect(file.count > last.count && reached > last.fidelity, "\(quality)")
            last = (file.count, reached)
        }
        for quality in 1..<100 {
            let (coarse, fine) = (JPEGTables(quality: quality), JPEGTables(quality: quality + 1))
            for (left, right) in [(coarse.luma, fine.luma), (coarse.chroma, fine.chroma)] {
                #expect(left.count == 64 && left.allSatisfy { (1...255).contains($0) })
                #expect(zip(left, right).allSatisfy { $0 >= $1 }, "\(quality)")
            }
        }
    }

    @Test func `the same pixels make the same bytes`() throws {
        let picture = Self.texture(120, 80, seed: 9)
        for effort in [0, 4, 9] {
            #expect(try Self.encode(picture, effort: effort) == Self.encode(picture, effort: effort))
        }
    }

    @Test func `a picture without colours has one component`() throws {
        let grey = PixelImage(width: 50, height: 30, channels: 3) { x, y in
            [UInt8](repeating: UInt8(x * 4 + y), count: 3)
        }
        for progressive in [false, true] {
            let file = try Self.encode(grey, quality: 95, isProgressive: progressive)
            let frame = try #require(Self.segments(of: file).first { [0xC0, 0xC2].contains($0.marker) })
            #expect(frame.content.count == 6 + 3)
            #expect(try Self.fidelity(file, to: grey) > 35)
        }
        let coloured = try Self.encode(Self.texture(50, 30))
        let frame = try #require(Self.segments(of: coloured).first { $0.marker == 0xC0 })
        #expect(frame.content.count == 6 + 3 * 3)
    }

    @Test func `a long strip of empty blocks is encoded, and decoded without damage`() throws {
        // More blocks than a run of ends can state (0x7FFF), with one mark at the end.
        let width = JPEGEncoder.longestSide
        let flat = PixelImage(width: width, height: 40, channels: 1) { x, y in [x > width - 20 && y > 30 ? 250 : 90] }
        let file = try Self.encode(flat, quality: 90, isProgressive: true)
        let decoded = try Workbench.decode(file, as: .jpeg)
        #expect(decoded.width == width)
        #expect(abs(Int(decoded[width - 4, 37][0]) - 250) < 8)
        #expect(abs(Int(decoded[width / 2, 10][0]) - 90) < 3)
    }

    @Test func `encoding ends at the deadline`() {
        #expect(throws: WorkerReply.Failure.deadline) {
            try Self.encode(Self.texture(64, 64), deadline: Deadline(milliseconds: 0))
        }
    }

    @Test(arguments: ["", "&progressive=1", "&effort=9", "&chroma=444", "&effort=0"])
    func `requests reach the encoder, and metadata is kept or stripped`(query: String) throws {
        let picture = Self.texture(90, 70)
        let raster = try Raster.sRGB(picture.bytes, width: 90, height: 70, bands: 3)
        let source = try Workbench.tagged(raster, as: .jpeg)
        let stripped = try Workbench.make("format=jpeg\(query)", of: source, as: .jpeg)
        let markers = Self.segments(of: stripped.bytes).map(\.marker)
        #expect(markers.filter { (0xE1...0xEF).contains($0) }.isEmpty)
        #expect(markers.first == 0xE0)
        let kept = try Workbench.make("format=jpeg&meta=keep\(query)", of: source, as: .jpeg)
        let metadata = try Workbench.metadata(kept)
        #expect(metadata.fields.contains("exif-ifd0-Copyright") && metadata.has("xmp-data"))
        #expect(try Workbench.decode(kept) == Workbench.decode(stripped))
        let frame = try #require(Self.segments(of: kept.bytes).first { [0xC0, 0xC2].contains($0.marker) })
        if query == "&progressive=1" { #expect(frame.marker == 0xC2) }
        #expect(frame.content[frame.content.startIndex + 7] == (query == "&chroma=444" ? 0x11 : 0x22))
    }
}
