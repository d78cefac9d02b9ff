import CZlib

/// The decompressed form of gzip data (RFC 1952), up to a limit, since a few bytes may expand to gigabytes.
package struct GzipExpansion: Sendable {
    /// How decompression ended.
    package enum End: Hashable, Sendable {
        /// The data is complete and its checksum correct; nothing but further members followed.
        case complete
        /// The compressed data is truncated.
        case cut
        /// The data exceeds the limit.
        case full
        /// The data is not gzip, or damaged.
        case damaged
    }

    /// The decompressed bytes, up to the limit.
    package private(set) var bytes: [UInt8] = []
    package private(set) var end = End.damaged

    /// The initial size of the output buffer in bytes.
    private static let firstRoom = 64 << 10
    /// The maximum number of bytes to pass to zlib at a time; its counts have 32 bits.
    private static let largestInput = 1 << 30

    /// Decompresses up to `limit` bytes.
    package init(of coded: Span<UInt8>, atMost limit: Int) {
        var stream = unsafe z_stream()
        // 16 selects the gzip format instead of zlib's own.
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
                    // RFC 1952 §2.2: members follow each other without separators.
                    guard unsafe inflateReset(&stream) == Z_OK else { return .damaged }
                case Z_OK: continue
                case Z_BUF_ERROR:
                    // No progress for lack of output space, or of input.
                    if filled == bytes.count { continue }
                    return .cut
                default: return .damaged
                }
            }
        }
        bytes.removeSubrange(min(filled, limit)...)
    }
}
