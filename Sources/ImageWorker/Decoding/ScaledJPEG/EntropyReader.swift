import Glibc

/// Reads the entropy-coded data of a baseline JPEG (ITU-T T.81 §F.2): without the stuffed bytes, and from interval to interval.
///
/// Bounds-checked: damaged data gives wrong values or an error, and never a read outside the file.
struct EntropyReader: ~Copyable {
    /// Data that is damaged, or that another decoder must judge.
    enum Failure: Error {
        case damaged
    }

    /// A block for coefficients at `ReducedTransform.places`.
    ///
    /// What damaged data puts beyond the last one is written to the places after them.
    static let emptyBlock = [Int16](repeating: 0, count: 128)

    private var cursor = BitCursor()
    /// The data without stuffed bytes, as far as it has been read.
    private var window: [UInt8]
    /// The end of the data in the window; bytes beyond it are padding.
    private var end = 0
    /// The next byte of the file, and whether a marker follows.
    private var source: Int
    private var isAtMarker = false

    /// The most bytes that reading a unit loads: six blocks, whose 64 coefficients have at most 27 bits each, and those ahead.
    private static let largestUnit = 6 * 64 * 27 / 8 + 16
    private static let windowLength = 64 << 10
    /// Room for whatever reads beyond the end of the data before that is noticed.
    private static let padding = 2 * largestUnit

    /// The place of a zigzag position in a block; beyond the last one, a place that nobody reads.
    private let places: [UInt8] = (0..<256).map { $0 < 64 ? ReducedTransform.places[$0] : 64 }

    /// Creates a reader of the data at an offset of a file.
    init(at offset: Int) {
        source = offset
        window = [UInt8](repeating: 0, count: Self.windowLength + Self.padding)
    }

    /// Makes sure that the next unit is in the window.
    ///
    /// - Throws: `Failure` if more has been read than there was.
    @inline(__always)
    mutating func prepare(_ file: Span<UInt8>) throws(Failure) {
        if cursor.place &+ Self.largestUnit > end { try advance(file) }
    }

    /// Moves the rest of the window to its start and fills it up; near the end of the data there is nothing to fill it with.
    private mutating func advance(_ file: Span<UInt8>) throws(Failure) {
        guard cursor.consumed <= end * 8 else { throw .damaged }
        guard !isAtMarker, source < file.count, cursor.place <= end else { return }
        for index in cursor.place..<end { window[index - cursor.place] = window[index] }
        end -= cursor.place
        cursor.place = 0
        fill(file)
    }

    /// Copies data up to the next marker, or until the window is full, without the zero after each 0xFF (§B.1.1.5).
    private mutating func fill(_ file: Span<UInt8>) {
        // Bits that are loaded from beyond the end are loaded again from what comes there.
        defer { for index in end..<end + 8 { window[index] = 0 } }
        while end < Self.windowLength, source < file.count {
            let room = min(Self.windowLength - end, file.count - source)
            let run = Self.run(file, from: source, atMost: room)
            Self.copy(source..<source + run, of: file, to: &window, at: end)
            end += run
            source += run
            guard run < room else { continue }
            guard source + 1 < file.count, file[source + 1] == 0 else {
                isAtMarker = true
                return
            }
            window[end] = 0xFF
            end += 1
            source += 2
        }
    }

    /// Copies bytes of the file into the window.
    private static func copy(_ range: Range<Int>, of file: Span<UInt8>, to window: inout [UInt8], at offset: Int) {
        let source = unsafe file.bytes
        var span = window.mutableSpan
        var target = unsafe span.mutableBytes
        var index = 0
        // What is copied too much is overwritten, since the window has room after its end.
        while index < range.count, range.lowerBound &+ index &+ 16 <= source.byteCount {
            // Any bits are 8-bit numbers.
            let some = unsafe source.unsafeLoadUnaligned(
                fromByteOffset: range.lowerBound &+ index,
                as: SIMD16<UInt8>.self
            )
            target.storeBytes(of: some, toByteOffset: offset &+ index, as: SIMD16<UInt8>.self)
            index &+= 16
        }
        while index < range.count {
            target.storeBytes(of: file[range.lowerBound &+ index], toByteOffset: offset &+ index, as: UInt8.self)
            index &+= 1
        }
    }

    /// The number of bytes before the next 0xFF.
    private static func run(_ file: Span<UInt8>, from start: Int, atMost count: Int) -> Int {
        unsafe file.extracting(start..<start + count).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base, 0xFF, count) else { return count }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// Ends an interval, whose data must have been read to its last byte, and begins the next one at its restart marker.
    mutating func restart(_ file: Span<UInt8>, number: Int) throws(Failure) {
        try finishInterval()
        guard source + 1 < file.count, file[source] == 0xFF, file[source + 1] == 0xD0 + UInt8(number & 7) else {
            throw .damaged
        }
        source += 2
        (cursor, end, isAtMarker) = (BitCursor(), 0, false)
        fill(file)
    }

    /// Ends the last interval.
    ///
    /// - Throws: `Failure` unless the end of the image follows.
    mutating func finish(_ file: Span<UInt8>) throws(Failure) {
        try finishInterval()
        guard source + 1 < file.count, file[source] == 0xFF, file[source + 1] == 0xD9 else { throw .damaged }
    }

    private func finishInterval() throws(Failure) {
        guard isAtMarker, (end * 8 - 7...end * 8).contains(cursor.consumed) else { throw .damaged }
    }

    /// Reads a block's coefficients.
    ///
    /// - Parameters:
    ///   - dc: the component's table for the DC coefficient.
    ///   - ac: the table for the others.
    ///   - prediction: the DC coefficient of the component's last block.
    /// - Returns: whether all coefficients but DC are 0.
    @inline(__always)
    mutating func read(
        _ block: inout MutableSpan<Int16>,
        _ dc: EntropyTables.DC,
        _ ac: EntropyTables.AC,
        prediction: inout Int16
    ) throws(Failure) -> Bool {
        try Self.read(&block, &cursor, window, places, dc, ac, &prediction)
    }

    @inline(__always)
    private static func read(
        _ block: inout MutableSpan<Int16>,
        _ place: inout BitCursor,
        _ window: [UInt8],
        _ places: [UInt8],
        _ dc: EntropyTables.DC,
        _ ac: EntropyTables.AC,
        _ prediction: inout Int16
    ) throws(Failure) -> Bool {
        // A copy, which the compiler keeps in registers.
        var cursor = place
        let data = unsafe window.span.bytes
        let places = places.span
        let entries = ac.entries.span
        cursor.refill(data)
        let code = dc.entries[Int(cursor.bits &>> UInt64(64 - EntropyTables.dcBits))]
        var size = UInt64(code &>> 8)
        if code > 0 { cursor.drop(UInt64(code & 0xFF)) } else { size = UInt64(try cursor.symbol(dc.codes)) }
        if size > 0 { prediction &+= cursor.value(size) }
        for index in 0..<64 { block[index] = 0 }
        block[0] = prediction
        var last = 0
        // A coefficient has at most 27 bits, so that two of them, or two entries, are within the bits of one refill.
        try cursor.step(&block, &last, entries, places, ac.codes)
        while last < 63 {
            cursor.refill(data)
            try cursor.step(&block, &last, entries, places, ac.codes)
            if last >= 63 { break }
            try cursor.step(&block, &last, entries, places, ac.codes)
        }
        guard last == 63 || last >= EntropyTables.end else { throw .damaged }
        place = cursor
        return last == EntropyTables.end
    }
}
