import ImagePlan

/// The daemon's reader of image headers.
enum SnifferTarget: FuzzTarget {
    static let name = "sniffer"

    static var seeds: [[UInt8]] { PictureSeeds.headers }

    static let dictionary = [
        "ftyp", "avif", "avis", "heic", "mif1", "meta", "pitm", "iinf", "infe", "iprp", "ipco", "ipma", "ispe", "irot",
        "auxC",
        "iloc", "iref", "grid", "moov", "trak", "mdat", "jxlc", "jxlp", "jP  ", "jp2h", "ihdr", "IHDR", "acTL", "fcTL",
        "eXIf",
        "tRNS", "IDAT", "VP8X", "VP8L", "VP8 ", "ANIM", "ANMF", "EXIF", "Exif", "GIF89a", "NETSCAPE2.0", "<svg",
        "<?xml",
        "<!DOCTYPE", "<!--", "%PDF-",
    ]

    static func run(_ bytes: [UInt8]) {
        let whole = ImageSniffer.sniff(bytes.span, totalLength: bytes.count)
        if case .needsMore = whole { fatalError("asks for more than the whole file") }
        if case .image(let header) = whole { check(header) }

        // Reading piece by piece ends, gets longer each time, and agrees with reading at once.
        var count = 0
        var calls = 0
        while case .needsMore(let next) = ImageSniffer.sniff(
            bytes.span.extracting(first: count),
            totalLength: bytes.count
        ) {
            expect(next > count && next <= bytes.count, "asks for \(next) of \(bytes.count) bytes after \(count)")
            count = next
            calls += 1
            expect(calls <= 32, "asks for more bytes \(calls) times")
        }
        expectEqual(
            ImageSniffer.sniff(bytes.span.extracting(first: count), totalLength: bytes.count),
            whole,
            "a prefix of \(count) bytes"
        )
        // A server may announce any length.
        for claimed in [bytes.count + 1, 1 << 40, Int.max] {
            if case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: claimed) { check(header) }
        }
    }

    private static func check(_ header: ImageHeader) {
        expect(header.width >= 0 && header.height >= 0 && header.frames >= 1, "\(header)")
        expect((1...8).contains(header.orientation), "\(header)")
        _ = header.orientedSize
    }
}
