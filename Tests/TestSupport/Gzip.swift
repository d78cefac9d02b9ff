import CZlib

/// Gzip compression (RFC 1952) with zlib.
package enum Gzip {
    /// Compresses bytes into one member, at zlib's best level.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        let size = unsafe CInt(MemoryLayout<z_stream>.size)
        unsafe precondition(
            deflateInit2_(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        )
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: unsafe Int(deflateBound(&stream, uLong(bytes.count))))
        let count = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(output.count)
                unsafe precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return unsafe output.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }
}
