import CZlib

/// Data in gzip format (RFC 1952), without a name or time, so that equal data gives equal bytes.
package enum GzipCompression {
    /// The maximum number of bytes; zlib's counts have 32 bits.
    package static let largestInput = 1 << 30

    /// Compresses all of `bytes` at zlib's default level.
    ///
    /// - Returns: `nil` if there are more than `largestInput` bytes, or memory for zlib's state is lacking.
    package static func compress(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard bytes.count <= largestInput else { return nil }
        var stream = unsafe z_stream()
        // 16 selects the gzip format instead of zlib's own.
        let opened = unsafe deflateInit2_(
            &stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            16 + MAX_WBITS,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        guard opened == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var output = unsafe [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(output.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        output.removeSubrange(unsafe (output.count - Int(stream.avail_out))...)
        return output
    }
}
