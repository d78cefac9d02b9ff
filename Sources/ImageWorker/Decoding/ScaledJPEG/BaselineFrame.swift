import ImagePlan

/// The headers of a baseline JPEG up to its scan, if `ScaledJPEG` decodes such files (ITU-T T.81 §B.2).
///
/// Huffman-coded, 8 bits, one scan of a grey component or of Y, Cb and Cr, with the colours of each pixel or of four pixels.
struct BaselineFrame {
    let size: PixelSize
    /// The blocks of the first component per unit and direction: 2 if colours are halved, otherwise 1.
    let lumaFactor: Int
    let components: [Component]
    /// Units between restart markers; 0 for none.
    let restartInterval: Int
    /// The offset of the entropy-coded data.
    let scan: Int

    /// A component of the frame.
    struct Component {
        /// The factors of the coefficients, in the order column + 8 · row.
        var quantisation: [UInt16]
        var dc: EntropyTables.DC
        var ac: EntropyTables.AC
    }

    /// The markers that are read; most others are skipped (§B.1.1.3).
    fileprivate enum Marker {
        static let frame = 0xC0
        static let huffman = 0xC4
        static let otherFrames = [0xC1...0xC3, 0xC5...0xCF]
        static let start = 0xD8
        static let scan = 0xDA
        static let quantisation = 0xDB
        static let lines = 0xDC
        static let restart = 0xDD
        static let jfif = 0xE0
        static let adobe = 0xEE
    }

    /// What the segments before a scan state.
    fileprivate struct Segments {
        var quantisation = [[UInt16]?](repeating: nil, count: 4)
        var tables = EntropyTables()
        var restartInterval = 0
        var frame: Range<Int>?
        var hasJFIF = false
        /// The colour transform of an Adobe segment.
        var transform: UInt8?
    }

    /// The most segments, and fill bytes between them, that are read.
    private static let mostSegments = 4096

    /// Reads the headers; `nil` for damaged ones, and for a file of another kind.
    init?(_ file: Span<UInt8>) {
        guard file.count > 4, file[0] == 0xFF, Int(file[1]) == Marker.start else { return nil }
        var segments = Segments()
        var position = 2
        for _ in 0..<Self.mostSegments {
            guard position + 4 <= file.count, file[position] == 0xFF else { return nil }
            let marker = Int(file[position + 1])
            guard marker != 0xFF else {
                // A fill byte (§B.1.1.2).
                position += 1
                continue
            }
            let end = position + 2 + Self.word(file, position + 2)
            guard end >= position + 4, end <= file.count else { return nil }
            let content = position + 4..<end
            if marker == Marker.scan {
                guard let frame = Self.frame(file, segments, scan: content) else { return nil }
                self = frame
                return
            }
            guard segments.read(marker, content, of: file) else { return nil }
            position = end
        }
        return nil
    }

    private init(size: PixelSize, lumaFactor: Int, components: [Component], scan: Int, _ segments: Segments) {
        self.size = size
        self.lumaFactor = lumaFactor
        self.components = components
        self.scan = scan
        restartInterval = segments.restartInterval
    }

    fileprivate static func word(_ file: Span<UInt8>, _ position: Int) -> Int {
        Int(file[position]) << 8 | Int(file[position + 1])
    }

    /// Interprets the headers of frame and scan (§B.2.2, §B.2.3).
    private static func frame(_ file: Span<UInt8>, _ segments: Segments, scan: Range<Int>) -> BaselineFrame? {
        guard let header = segments.frame, header.count >= 6 else { return nil }
        let start = header.lowerBound
        let count = Int(file[start + 5])
        let size = PixelSize(width: word(file, start + 3), height: word(file, start + 1))
        guard file[start] == 8, size.width > 0, size.height > 0, [1, 3].contains(count), header.count == 6 + 3 * count,
            scan.count == 4 + 2 * count, Int(file[scan.lowerBound]) == count
        else { return nil }
        // One complete scan: all frequencies at full precision.
        let last = scan.upperBound - 3
        guard file[last] == 0, file[last + 1] == 63, file[last + 2] == 0 else { return nil }
        var (components, identifiers): ([Component], [UInt8]) = ([], [])
        var factors: [UInt8] = []
        for index in 0..<count {
            let place = start + 6 + 3 * index
            let chosen = scan.lowerBound + 1 + 2 * index
            let (dc, ac) = (Int(file[chosen + 1] >> 4), Int(file[chosen + 1] & 15))
            guard file[place] == file[chosen], file[place + 2] < 4, dc < 4, ac < 4,
                let steps = segments.quantisation[Int(file[place + 2])], let dc = segments.tables.dc(dc),
                let ac = segments.tables.ac(ac)
            else { return nil }
            identifiers.append(file[place])
            factors.append(file[place + 1])
            components.append(Component(quantisation: steps, dc: dc, ac: ac))
        }
        guard count == 1 || segments.isLuminanceFirst(identifiers),
            let luma = lumaFactor(count == 1 ? [0x11] : factors)
        else { return nil }
        return BaselineFrame(
            size: size,
            lumaFactor: luma,
            components: components,
            scan: scan.upperBound,
            segments
        )
    }

    /// The factor of the first component in both directions; a single component has no use for one (§A.2.2).
    private static func lumaFactor(_ factors: [UInt8]) -> Int? {
        guard factors.dropFirst().allSatisfy({ $0 == 0x11 }) else { return nil }
        return switch factors[0] {
        case 0x11: 1
        case 0x22: 2
        default: nil
        }
    }
}

extension BaselineFrame.Segments {
    /// Reads a segment before the scan; `false` for a damaged one, and for one of a file that is not decoded.
    fileprivate mutating func read(_ marker: Int, _ content: Range<Int>, of file: Span<UInt8>) -> Bool {
        switch marker {
        case BaselineFrame.Marker.frame:
            guard frame == nil else { return false }
            frame = content
        case BaselineFrame.Marker.huffman: return tables.read(content, of: file)
        case BaselineFrame.Marker.quantisation: return readQuantisation(content, of: file)
        case BaselineFrame.Marker.restart:
            guard content.count == 2 else { return false }
            restartInterval = BaselineFrame.word(file, content.lowerBound)
        case BaselineFrame.Marker.jfif:
            hasJFIF = hasJFIF || Self.begins(content, of: file, with: "JFIF\0")
        case BaselineFrame.Marker.adobe:
            if content.count >= 12, Self.begins(content, of: file, with: "Adobe") {
                transform = file[content.lowerBound + 11]
            }
        case BaselineFrame.Marker.lines: return false
        default: return !BaselineFrame.Marker.otherFrames.contains { $0.contains(marker) }
        }
        return true
    }

    private static func begins(_ content: Range<Int>, of file: Span<UInt8>, with text: String) -> Bool {
        guard content.count >= text.utf8.count else { return false }
        for (place, letter) in zip(content, text.utf8) where file[place] != letter { return false }
        return true
    }

    /// Reads tables of 8-bit steps (§B.2.4.1).
    private mutating func readQuantisation(_ content: Range<Int>, of file: Span<UInt8>) -> Bool {
        var position = content.lowerBound
        while position < content.upperBound {
            guard file[position] < 4, position + 65 <= content.upperBound else { return false }
            var steps = [UInt16](repeating: 0, count: 64)
            for index in 0..<64 { steps[JPEGOrder.zigzag[index]] = UInt16(file[position + 1 + index]) }
            quantisation[Int(file[position])] = steps
            position += 65
        }
        return true
    }

    /// Whether three components are Y, Cb and Cr, by libjpeg's rules.
    fileprivate func isLuminanceFirst(_ identifiers: [UInt8]) -> Bool {
        if hasJFIF { return true }
        if let transform { return transform == 1 }
        return identifiers != Array("RGB".utf8)
    }
}
