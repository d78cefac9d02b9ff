import ImagePlan

/// The segments of a JPEG file (ITU-T T.81 §B).
struct JPEGFile {
    private var bytes: [UInt8]

    /// Starts a file with the segments of `header`.
    init(header: [UInt8]) {
        bytes = [0xFF, 0xD8] + header
    }

    /// Returns a JFIF segment (JFIF §10).
    ///
    /// - Parameter density: pixels per inch in both directions.
    static func jfif(density: (x: Int, y: Int)) -> [UInt8] {
        let (x, y) = (UInt16(clamping: density.x), UInt16(clamping: density.y))
        // Version 1.1, dots per inch, no thumbnail.
        return [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 1] + x.octets + y.octets + [0, 0]
    }

    /// Adds quantisation tables, numbered from 0 (§B.2.4.1).
    mutating func append(tables: [[Int]]) {
        for (number, table) in tables.enumerated() {
            append(0xDB, [UInt8(number)] + JPEGOrder.zigzag.map { UInt8(table[$0]) })
        }
    }

    /// Adds the frame header (§B.2.2).
    mutating func append(frameOf parts: [JPEGComponent], _ size: PixelSize, isProgressive: Bool) {
        var content: [UInt8] = [8] + UInt16(size.height).octets + UInt16(size.width).octets + [UInt8(parts.count)]
        for (index, part) in parts.enumerated() {
            // A component alone has no MCUs of several blocks.
            let sampling = parts.count == 1 ? 1 : UInt8(part.sampling)
            content += [UInt8(index + 1), sampling << 4 | sampling, index == 0 ? 0 : 1]
        }
        append(isProgressive ? 0xC2 : 0xC0, content)
    }

    /// Adds a scan with the best Huffman tables for it (§B.2.3).
    mutating func append(_ scan: JPEGScan, of parts: [JPEGComponent]) {
        let counter = scan.counted(parts)
        let tables = counter.tables.map { JPEGHuffmanTable(counts: $0) }
        for (index, table) in tables.enumerated() where !table.symbols.isEmpty {
            append(0xC4, [JPEGScan.number(ofTable: index)] + table.stated)
        }
        var content = [UInt8(scan.components.count)]
        for component in scan.components { content += [UInt8(component + 1), component == 0 ? 0 : 0x11] }
        content += [UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound), UInt8(scan.high << 4 | scan.low)]
        append(0xDA, content)
        let bits = zip(tables, counter.tables).reduce(counter.plainBits) { $0 + $1.0.bits(of: $1.1) }
        var writer = JPEGBitWriter(tables: tables, expectedBytes: bits / 8)
        scan.walk(parts, into: &writer)
        writer.finish(to: &bytes)
    }

    /// Returns the file with its end.
    consuming func finished() -> [UInt8] {
        bytes += [0xFF, 0xD9]
        return bytes
    }

    /// Adds a segment with its length.
    private mutating func append(_ marker: UInt8, _ content: [UInt8]) {
        bytes += [0xFF, marker] + UInt16(content.count + 2).octets + content
    }
}
