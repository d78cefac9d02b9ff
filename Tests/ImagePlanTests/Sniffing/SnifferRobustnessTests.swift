import HostileTestSupport
import ImagePlan
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SnifferRobustnessTests {
    private typealias Build = HeaderBuilder

    private static let samples: [[UInt8]] = [
        Build.jpeg(width: 640, height: 480, orientation: 6, padding: 300),
        Build.png(width: 30, height: 40, colorType: 6, frames: 12, orientation: 6),
        Build.gif(width: 20, height: 10, frames: 7, transparent: true),
        Build.riff([Build.vp8(width: 300, height: 200)]),
        Build.riff([Build.vp8l(width: 300, height: 200, alpha: true)]),
        Build.riff([
            Build.webpExtended(flags: 0x1A, width: 300, height: 200), ("ANIM", [0, 0, 0, 0, 0, 0]),
            ("ANMF", [1, 2, 3]),
            ("ANMF", [1, 2, 3]), ("EXIF", Build.tiff([(0x0112, 3, 8)])),
        ]),
        Build.avif(width: 300, height: 200, turns: 1, alpha: true),
        Build.sequence(frames: 5, handlers: ["auxv", "pict"], edit: (repeats: true, track: 900)),
        Build.tiff([(256, 3, 300), (257, 4, 200), (274, 3, 6)]),
        Build.tiff([(256, 3, 300), (257, 4, 200), (274, 3, 6)], bigEndian: true),
        Build.bmp(width: 30, height: 20),
        Build.ico(pictures: [Array(Build.bmp(width: 32, height: 64).dropFirst(14)), Build.png(width: 50, height: 40)]),
        Build.jp2(width: 300, height: 200),
        Build.jxl(width: 3000, height: 2000),
        Array("<?xml version='1.0'?><!-- c --><!DOCTYPE svg [<!ENTITY a 'b'>]>\n<svg width='3'/>".utf8),
    ]

    @Test(arguments: samples.indices)
    func `every prefix requests more bytes or gives the whole file's result`(index: Int) {
        let whole = Self.samples[index]
        let answer = ImageSniffer.sniff(whole.span, totalLength: whole.count)
        if case .image = answer {} else { Issue.record("\(answer)") }
        for length in 0..<whole.count {
            switch ImageSniffer.sniff(whole.span.extracting(first: length), totalLength: whole.count) {
            case .needsMore(let count):
                #expect(count > length && count <= whole.count)
            case let early:
                #expect(early == answer, "after \(length) bytes")
            }
        }
    }

    @Test(arguments: samples.indices)
    func `needs few calls for any file`(index: Int) {
        let whole = Self.samples[index] + [UInt8](repeating: 0, count: 1 << 20)
        var length = 0
        var calls = 0
        while case .needsMore(let count) = ImageSniffer.sniff(
            whole.span.extracting(first: length),
            totalLength: whole.count
        ) {
            length = count
            calls += 1
        }
        #expect(calls <= 12)
    }

    @Test(arguments: samples.indices)
    func `a truncated file is malformed or read, and never requests more bytes`(index: Int) {
        let whole = Self.samples[index]
        for length in 0..<whole.count {
            let result = ImageSniffer.sniff(whole.span.extracting(first: length), totalLength: length)
            if case .needsMore = result { Issue.record("asked for more than all \(length) bytes") }
        }
    }

    @Test(arguments: samples.indices)
    func `random damage does no harm`(index: Int) {
        var generator = SeededGenerator(seed: UInt64(index))
        for _ in 0..<4_000 {
            var bytes = Self.samples[index]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...4, using: &generator) {
                case 0: bytes[position] = .random(in: 0...255, using: &generator)
                case 1: bytes[position] = 0xFF
                case 2: bytes[position] = 0
                case 3: bytes.remove(at: position)
                default: bytes.insert(bytes[position], at: position)
                }
            }
            let claimed =
                Bool.random(using: &generator)
                ? bytes.count : bytes.count + Int.random(in: 0...1_000_000, using: &generator)
            if case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: claimed) {
                #expect(header.width >= 0 && header.height >= 0 && header.frames >= 1)
                #expect((1...8).contains(header.orientation))
            }
        }
    }

    @Test func `noise after each magic number does no harm`() {
        var generator = SeededGenerator(seed: 99)
        for sample in Self.samples {
            for _ in 0..<1_000 {
                let kept = Int.random(in: 0...min(40, sample.count), using: &generator)
                let noise = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                let bytes = Array(sample.prefix(kept)) + noise
                _ = ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
            }
        }
    }

    @Test func `bounds the work on files designed to be slow`() {
        let clock = ContinuousClock()
        let frames = 2 << 20
        let hostile: [[UInt8]] = [
            // One-byte sub-blocks, empty extensions, fill bytes, empty chunks, empty boxes, unterminated comments.
            Build.gif(width: 2, height: 2, frames: 1, trailer: false) + [0x21, 0xFE]
                + (0..<frames).flatMap { _ in [1, 0] as [UInt8] },
            Build.gif(width: 2, height: 2, frames: 1, trailer: false)
                + (0..<frames).flatMap { _ in [0x21, 0xFE, 0] as [UInt8] },
            [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 4 << 20),
            [0xFF, 0xD8] + (0..<frames).flatMap { _ in [0xFF, 0xD0] as [UInt8] },
            Array(Build.png(width: 2, height: 2).prefix(33))
                + (0..<300_000).flatMap { _ in Build.big(0, 4) + Build.text("zzZz0000") },
            Build.riff(
                [Build.webpExtended(flags: 2, width: 2, height: 2)] + Array(repeating: ("ANMF", []), count: 300_000)
            ),
            Build.box("ftyp", Build.text("avif") + Build.big(0, 4))
                + (0..<300_000).flatMap { _ in Build.box("free", []) },
            Array("<svg<!--".utf8) + [UInt8](repeating: 0x3C, count: 4 << 20),
            Array("<!--".utf8) + [UInt8](repeating: 0x2D, count: 4 << 20),
        ]
        for bytes in hostile {
            let elapsed = clock.measure { _ = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) }
            #expect(elapsed < .seconds(5), "\(bytes.prefix(12))")
        }
    }
}
