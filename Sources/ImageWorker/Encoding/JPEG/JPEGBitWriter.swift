/// Receives the symbols of a scan with the bits that follow them.
protocol JPEGSymbolSink {
    /// Receives a symbol of a Huffman table and `count` bits.
    mutating func put(_ symbol: Int, table: Int, bits: UInt32, count: Int)
    /// Receives up to 16 bits without a symbol.
    mutating func put(bits: UInt32, count: Int)
}

/// Counts the symbols of a scan for its Huffman tables.
@safe
struct JPEGSymbolCounter: JPEGSymbolSink {
    /// The bits that are not part of codes.
    private(set) var plainBits = 0
    private let counts = Samples<Int>(count: 256 * JPEGScan.tableCount)

    /// For each table, how often each symbol occurs.
    var tables: [[Int]] {
        (0..<JPEGScan.tableCount).map { table in (0..<256).map { unsafe counts.start[table << 8 | $0] } }
    }

    @inline(__always)
    mutating func put(_ symbol: Int, table: Int, bits: UInt32, count: Int) {
        unsafe counts.start[table &<< 8 | symbol] &+= 1
        plainBits &+= count
    }

    @inline(__always)
    mutating func put(bits: UInt32, count: Int) { plainBits &+= count }
}

/// Writes codes and bits into a growing buffer, with a zero byte after each 0xFF (ITU-T T.81 §F.1.2.3).
@safe
struct JPEGBitWriter: JPEGSymbolSink {
    /// Bits that are not in the buffer yet, the last one lowest.
    private var pending: UInt64 = 0
    private var free = 64
    private var buffer: Samples<UInt8>
    private var used = 0
    /// For each table and symbol, the code and its length as in `JPEGHuffmanTable.codes`.
    private let codes: Samples<UInt32>

    /// Creates a writer for about `expectedBytes`.
    init(tables: [JPEGHuffmanTable], expectedBytes: Int) {
        codes = Samples(tables.flatMap(\.codes))
        // One byte in 256 is 0xFF.
        buffer = Samples(count: expectedBytes + expectedBytes / 128 + 256)
    }

    @inline(__always)
    mutating func put(_ symbol: Int, table: Int, bits: UInt32, count: Int) {
        let code = unsafe codes.start[table &<< 8 | symbol]
        // A code has at most 16 bits, and at most 16 follow it.
        append(UInt64(code &>> 8) &<< UInt64(count) | UInt64(bits), Int(code & 0xFF) &+ count)
    }

    @inline(__always)
    mutating func put(bits: UInt32, count: Int) { append(UInt64(bits), count) }

    @inline(__always)
    private mutating func append(_ bits: UInt64, _ count: Int) {
        guard count > free else {
            pending = pending &<< UInt64(count) | bits
            free &-= count
            return
        }
        let rest = count &- free
        pending = pending &<< UInt64(free) | bits &>> UInt64(rest)
        writeWord()
        pending = bits & ((1 &<< UInt64(rest)) &- 1)
        free = 64 &- rest
    }

    /// Writes the 64 pending bits.
    private mutating func writeWord() {
        // Every byte can be 0xFF.
        reserve(16)
        // Whether a byte may be 0xFF, since only those keep their highest bit after the addition of one to each.
        if pending & 0x8080_8080_8080_8080 & ~(pending &+ 0x0101_0101_0101_0101) == 0 {
            unsafe UnsafeMutableRawPointer(buffer.start + used).storeBytes(of: pending.bigEndian, as: UInt64.self)
            used &+= 8
        } else {
            for shift in stride(from: 56, through: 0, by: -8) {
                write(UInt8(truncatingIfNeeded: pending &>> UInt64(shift)))
            }
        }
    }

    private mutating func write(_ byte: UInt8) {
        unsafe buffer.start[used] = byte
        used &+= 1
        guard byte == 0xFF else { return }
        unsafe buffer.start[used] = 0
        used &+= 1
    }

    /// Makes room for some bytes.
    private mutating func reserve(_ count: Int) {
        guard used + count > buffer.count else { return }
        let larger = Samples<UInt8>(count: buffer.count * 2)
        unsafe larger.start.update(from: buffer.start, count: used)
        buffer = larger
    }

    /// Fills the last byte with ones and appends all bytes to `file`.
    consuming func finish(to file: inout [UInt8]) {
        reserve(16)
        let missing = free % 8
        pending = pending << UInt64(missing) | ((1 << UInt64(missing)) - 1)
        for shift in stride(from: 56 - (free - missing), through: 0, by: -8) {
            write(UInt8(truncatingIfNeeded: pending >> UInt64(shift)))
        }
        unsafe file.append(contentsOf: UnsafeBufferPointer(start: buffer.start, count: used))
    }
}
