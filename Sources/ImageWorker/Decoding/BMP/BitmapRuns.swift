import ImagePlan

/// Decodes BI_RLE4 and BI_RLE8.
enum BitmapRuns {
    /// The indices, row by row from the top; what the runs skip is 0.
    ///
    /// - Throws: `WorkerReply.Failure.broken` where they end without saying so, or leave the picture.
    static func decode(_ header: BitmapHeader, _ bytes: Span<UInt8>, at start: Int) throws(WorkerReply.Failure)
        -> [UInt8]
    {
        var indices = [UInt8](repeating: 0, count: header.width * header.height)
        var (x, y, place) = (0, 0, start)
        func set(_ value: UInt8) {
            // Some writers pad runs beyond a row's end.
            if x < header.width, y < header.height { indices[(header.height - 1 - y) * header.width + x] = value }
            x = min(x + 1, header.width)
        }
        let isNibbles = header.bitsPerPixel == 4
        while place + 2 <= bytes.count {
            let (count, value) = (Int(bytes[place]), bytes[place + 1])
            place += 2
            if count > 0 {
                for index in 0..<count { set(isNibbles ? nibble(value, index) : value) }
                continue
            }
            switch value {
            case 0: (x, y) = (0, y + 1)
            case 1: return indices
            case 2:
                guard place + 2 <= bytes.count else { throw .broken("runs that end in a jump") }
                x = min(x + Int(bytes[place]), header.width)
                y += Int(bytes[place + 1])
                place += 2
            default:
                let literal = isNibbles ? (Int(value) + 1) / 2 : Int(value)
                guard place + literal <= bytes.count else { throw .broken("runs that end too early") }
                for index in 0..<Int(value) {
                    set(isNibbles ? nibble(bytes[place + index / 2], index) : bytes[place + index])
                }
                // Padded to 16 bits.
                place += literal + literal % 2
            }
            guard y <= header.height else { throw .broken("runs that leave the picture") }
        }
        throw .broken("runs that end too early")
    }

    private static func nibble(_ byte: UInt8, _ index: Int) -> UInt8 { index.isMultiple(of: 2) ? byte >> 4 : byte & 15 }
}
