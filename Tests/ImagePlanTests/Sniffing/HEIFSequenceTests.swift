import HostileTestSupport
import TestSupport
import Testing

@testable import ImagePlan

/// AVIF and HEIC sequences, built box by box.
@Suite(.timeLimit(.minutes(1)))
struct HEIFSequenceTests {
    private typealias Build = HeaderBuilder

    private func frames(_ bytes: [UInt8]) -> Int? {
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else { return nil }
        return header.frames
    }

    private func sequence(_ bytes: [UInt8]) -> HEIFSequence? { HEIFSequence(bytes.span) }

    @Test(arguments: ["avis", "msf1", "hevc", "hevx"])
    func `counts the samples of the image track`(brand: String) {
        #expect(frames(Build.sequence(brand: brand, frames: 7)) == 7)
        #expect(frames(Build.sequence(brand: brand, frames: 7, sampleSize: 9)) == 7, "all of one size")
    }

    @Test func `a file with a still brand is a still, whatever its tracks`() {
        for brand in ["avif", "heic", "mif1"] { #expect(frames(Build.sequence(brand: brand, frames: 7)) == 1) }
    }

    @Test func `rejects a count that exceeds the file`() {
        for (claimed, expected) in [(8, 1), (0xFFFF_FFFF, 1), (0, 1), (1, 1), (7, 7), (6, 6)] {
            #expect(frames(Build.sequence(frames: 7, claimed: claimed)) == expected, "\(claimed)")
            // Samples of a common size take at least a byte each.
            let huge = frames(Build.sequence(frames: 7, claimed: claimed, sampleSize: 1))
            #expect(huge == (claimed < 9 ? max(1, claimed) : 1), "\(claimed)")
        }
    }

    @Test func `reads the image track, not the alpha track`() {
        let bytes = Build.sequence(frames: 3, handlers: ["auxv", "pict"])
        #expect(frames(bytes) == 3)
        #expect(frames(Build.sequence(frames: 3, handlers: ["soun"])) == 1)
    }

    @Test func `reads durations and loop count`() throws {
        let plain = try #require(sequence(Build.sequence(frames: 3)))
        #expect(plain.frames == 3 && plain.delays == [100, 100, 250] && plain.rounds == 0)
        // Flag 1 of an edit list: repeat until the track header's duration, here 900 in units of 450.
        #expect(sequence(Build.sequence(frames: 3, edit: (repeats: true, track: 900)))?.rounds == 2)
        #expect(sequence(Build.sequence(frames: 3, edit: (repeats: true, track: 0xFFFF_FFFF)))?.rounds == 0)
        #expect(sequence(Build.sequence(frames: 3, edit: (repeats: false, track: 450)))?.rounds == 1)
        #expect(sequence(Build.avif(width: 3, height: 2)) == nil)
    }

    @Test func `never reads out of bounds`() {
        let whole = Build.sequence(frames: 3, edit: (repeats: true, track: 900))
        for count in 0..<whole.count { _ = HEIFSequence(Array(whole.prefix(count)).span) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = HEIFSequence(bytes.span)
                if let picture = HEIFPicture(bytes.span) { _ = picture.untransformed(bytes.span) }
            }
        }
    }
}

extension HeaderBuilder {
    /// A still image, and a movie with one track per handler: 1000 ticks a second, samples of 100 ticks and a last one of 250.
    static func sequence(
        brand: String = "avis",
        frames: Int,
        claimed: Int? = nil,
        sampleSize: Int = 0,
        handlers: [String] = ["pict"],
        edit: (repeats: Bool, track: Int)? = nil
    ) -> [UInt8] {
        let sizes = sampleSize == 0 ? (0..<frames).flatMap { _ in big(3, 4) } : []
        let table =
            box("stsz", big(0, 4) + big(sampleSize, 4) + big(claimed ?? frames, 4) + sizes)
            + box("stts", big(0, 4) + big(2, 4) + big(frames - 1, 4) + big(100, 4) + big(1, 4) + big(250, 4))
        let tracks = handlers.flatMap { handler in
            let count = handler == "pict" ? table : box("stsz", big(0, 4) + big(5, 4) + big(9, 4))
            let media =
                box("mdhd", big(0, 12) + big(1000, 4) + big(450, 4) + big(0, 4))
                + box("hdlr", big(0, 8) + text(handler) + big(0, 12)) + box("minf", box("stbl", count))
            let list = edit.map {
                box("edts", box("elst", big($0.repeats ? 1 : 0, 4) + big(1, 4) + big(450, 4) + big(0, 8)))
            }
            return box("trak", box("tkhd", big(0, 20) + big(edit?.track ?? 450, 4)) + (list ?? []) + box("mdia", media))
        }
        let still = Array(avif(width: 30, height: 20, brand: brand).dropLast(11))
        return still + box("moov", box("mvhd", big(0, 100)) + tracks) + box("mdat", [1, 2, 3])
    }
}
