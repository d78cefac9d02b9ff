/// Repairs GIFs whose frames lack the end code of their LZW data (GIF89a, appendix F).
///
/// Some encoders omit the required end code. libnsgif of libvips 8.14 then drops a final code that ends at the last bit, and with it the
/// frame's last pixels. No pixels are decoded here: the width of a code follows from the number of codes before it.
enum GIFEndCodes {
    /// Returns a file in which every frame has its end code; `nil` if no repair is needed.
    static func added(to bytes: Span<UInt8>) -> [UInt8]? {
        var walk = Walk(bytes.count)
        walk.run(bytes)
        guard !walk.repairs.isEmpty else { return nil }
        var file: [UInt8] = []
        file.reserveCapacity(bytes.count + 4 * walk.repairs.count)
        var position = 0
        for repair in walk.repairs {
            unsafe bytes.extracting(position..<repair.terminator).withUnsafeBufferPointer { part in
                unsafe file.append(contentsOf: part)
            }
            file[file.count - 1] = repair.lastByte
            if !repair.block.isEmpty { file += [UInt8(repair.block.count)] + repair.block }
            position = repair.terminator
        }
        unsafe bytes.extracting(position..<bytes.count).withUnsafeBufferPointer { part in
            unsafe file.append(contentsOf: part)
        }
        return file
    }

    /// The repair of one frame.
    private struct Repair {
        /// The offset of the block terminator after the frame's last data sub-block.
        var terminator: Int
        /// The replacement of the last data byte, if it has unused bits.
        var lastByte: UInt8
        /// The content of an additional data sub-block.
        var block: [UInt8]
    }

    /// A walk over the blocks up to the first malformed one, which is left to the decoder.
    private struct Walk {
        let count: Int
        var repairs: [Repair] = []

        init(_ count: Int) { self.count = count }

        mutating func run(_ bytes: Span<UInt8>) {
            guard count > 13 else { return }
            var offset = 13 + Self.colourTable(bytes[10])
            while offset < count {
                switch bytes[offset] {
                case 0x21:
                    guard let end = Self.end(ofSubBlocks: offset + 2, bytes) else { return }
                    offset = end
                case 0x2C:
                    guard offset + 10 < count else { return }
                    let start = offset + 10 + Self.colourTable(bytes[offset + 9])
                    guard start < count, (1...11).contains(bytes[start]) else { return }
                    var codes = CodeReader(minimumSize: Int(bytes[start]))
                    guard let end = codes.read(bytes, from: start + 1) else { return }
                    if let repair = codes.repair(bytes, terminator: end - 1) { repairs.append(repair) }
                    offset = end
                default: return
                }
            }
        }

        /// Returns the bytes of the colour table that a packed field announces.
        private static func colourTable(_ packed: UInt8) -> Int { packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1) }

        private static func end(ofSubBlocks start: Int, _ bytes: Span<UInt8>) -> Int? {
            var offset = start
            while offset < bytes.count {
                if bytes[offset] == 0 { return offset + 1 }
                offset += 1 + Int(bytes[offset])
            }
            return nil
        }
    }

    /// Reads a frame's codes to find the end of the last one and the width of the next.
    private struct CodeReader {
        private let minimumSize: Int
        private var size: Int
        /// The next entry of the table.
        private var next: Int
        private var isFirst = true
        private var hasEnded = false
        private var pending = 0
        private var pendingBits = 0
        private var lastData: Int?

        private var clear: Int { 1 << minimumSize }

        init(minimumSize: Int) {
            self.minimumSize = minimumSize
            size = minimumSize + 1
            next = 1 << minimumSize + 2
        }

        /// Reads data sub-blocks; returns the offset after them, or `nil` if they are truncated.
        mutating func read(_ bytes: Span<UInt8>, from start: Int) -> Int? {
            var offset = start
            while offset < bytes.count {
                let length = Int(bytes[offset])
                offset += 1
                if length == 0 { return offset }
                guard offset + length <= bytes.count else { return nil }
                if !hasEnded { take(bytes, offset..<offset + length) }
                offset += length
            }
            return nil
        }

        private mutating func take(_ bytes: Span<UInt8>, _ range: Range<Int>) {
            lastData = range.upperBound - 1
            for index in range {
                pending |= Int(bytes[index]) << pendingBits
                pendingBits += 8
                while pendingBits >= size {
                    let code = pending & (1 << size - 1)
                    pending >>= size
                    pendingBits -= size
                    if code == clear + 1 {
                        hasEnded = true
                        return
                    }
                    advance(code)
                }
            }
        }

        /// Adds an entry to the table for each code but the first, and widens codes when the table needs it.
        private mutating func advance(_ code: Int) {
            if code == clear {
                (size, next, isFirst) = (minimumSize + 1, clear + 2, true)
            } else if isFirst {
                isFirst = false
            } else if next < 4096 {
                next += 1
                if next == 1 << size, size < 12 { size += 1 }
            }
        }

        /// Returns the repair; `nil` if the end code exists or the data end within a code.
        func repair(_ bytes: Span<UInt8>, terminator: Int) -> Repair? {
            guard !hasEnded, let lastData, pendingBits < 8 else { return nil }
            let kept = Int(bytes[lastData]) & (1 << (8 - pendingBits) - 1)
            var bits = kept | (clear + 1) << (8 - pendingBits)
            var rest = 8 - pendingBits + size
            var block: [UInt8] = []
            let first = UInt8(truncatingIfNeeded: bits)
            (bits, rest) = (bits >> 8, rest - 8)
            while rest > 0 {
                block.append(UInt8(truncatingIfNeeded: bits))
                (bits, rest) = (bits >> 8, rest - 8)
            }
            return Repair(terminator: terminator, lastByte: first, block: block)
        }
    }
}
