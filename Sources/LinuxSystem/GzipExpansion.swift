import CZlib

/// What bytes in the gzip coding (RFC 1952) hold, up to a bound that the caller sets: a few bytes may stand for gigabytes.
package struct GzipExpansion: Sendable {
    /// How the expansion ended.
    package enum End: Hashable, Sendable {
        /// All of it is there, its checksum is right, and nothing but further members stood behind it.
        case complete
        /// The coded bytes end before what they hold does.
        case cut
        /// There is more than the bound allows.
        case full
        /// The bytes are no gzip, or damaged.
        case damaged
    }

    /// The expanded bytes, at most as many as the bound.
    package private(set) var bytes: [UInt8] = []
    package private(set) var end = End.damaged

    /// Room that is made at first.
    private static let firstRoom = 64 << 10
    /// Coded bytes given to zlib at a time, whose counts have 32 bits.
    private static let largestInput = 1 << 30

    /// Expands; what stands behind the first `limit` bytes is not looked at.
    package init(of coded: Span<UInt8>, atMost limit: Int) {
        var stream = unsafe z_stream()
        // 16: gzip's header and trailer, and not zlib's own.
        let opened = unsafe inflateInit2_(
            &stream,
            16 + MAX_WBITS,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        guard opened == Z_OK else { return }
        defer { unsafe inflateEnd(&stream) }
        var filled = 0
        bytes = [UInt8](repeating: 0, count: min(limit + 1, max(Self.firstRoom, coded.count)))
        end = unsafe coded.withUnsafeBufferPointer { coded -> End in
            var rest = unsafe coded[...]
            while true {
                if filled == bytes.count {
                    guard filled <= limit else { return .full }
                    bytes += [UInt8](repeating: 0, count: min(limit + 1 - filled, filled))
                }
                let input = unsafe UnsafeBufferPointer(rebasing: rest.prefix(Self.largestInput))
                unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.avail_in = uInt(input.count)
                let room = bytes.count - filled
                let status = unsafe bytes.withUnsafeMutableBufferPointer { output in
                    unsafe stream.next_out = output.baseAddress.map { unsafe $0 + filled }
                    unsafe stream.avail_out = uInt(clamping: room)
                    return unsafe inflate(&stream, Z_NO_FLUSH)
                }
                filled += unsafe min(room, Int(UInt32.max)) - Int(stream.avail_out)
                unsafe rest = rest.dropFirst(input.count - Int(stream.avail_in))
                switch status {
                case Z_STREAM_END:
                    guard filled <= limit else { return .full }
                    if unsafe rest.isEmpty { return .complete }
                    // RFC 1952 §2.2: members follow each other with nothing between them.
                    guard unsafe inflateReset(&stream) == Z_OK else { return .damaged }
                case Z_OK: continue
                case Z_BUF_ERROR:
                    // No progress for want of room, or of input.
                    if filled == bytes.count { continue }
                    return .cut
                default: return .damaged
                }
            }
        }
        bytes.removeSubrange(min(filled, limit)...)
    }
}
