/// A bounded walk over the marker segments of a JPEG up to its first scan (ITU-T T.81 §B.1.1).
struct JPEGSegmentWalk {
    private var position: Int
    private var steps = 0

    /// The maximum number of segments, and of fill bytes between them.
    private static let maximumSteps = 4096

    /// Starts after the marker of an image at an offset.
    init(from start: Int) { position = start + 2 }

    /// Returns the next segment, without marker and length; `nil` at the scan, and for anything that is no segment.
    mutating func next(in file: inout FileProbe) -> (marker: Int, content: Range<Int>)? {
        while steps < Self.maximumSteps {
            steps += 1
            guard file.bigEndian(at: position, bytes: 1) == 0xFF,
                let marker = file.bigEndian(at: position + 1, bytes: 1)
            else { return nil }
            switch marker {
            // Fill bytes may precede a marker; TEM and RSTn have no length.
            case 0xFF: position += 1
            case 0x01, 0xD0...0xD7: position += 2
            case 0xD8...0xDA: return nil
            default:
                guard let length = file.bigEndian(at: position + 2, bytes: 2), length >= 2 else { return nil }
                let start = position + 4
                position += 2 + length
                return (marker, start..<position)
            }
        }
        return nil
    }
}
