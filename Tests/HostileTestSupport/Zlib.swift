import CZlib

/// Compression of streams (RFC 1950, RFC 1952) with zlib.
package enum Zlib {
    /// A zlib stream, or a gzip member, of a prefix, one byte many times, and a suffix.
    package static func bomb(
        _ byte: UInt8,
        count: Int,
        prefix: [UInt8] = [],
        suffix: [UInt8] = [],
        isGzip: Bool = false
    ) -> [UInt8] {
        var stream = unsafe z_stream()
        let size = unsafe CInt(MemoryLayout<z_stream>.size)
        let bits = isGzip ? 16 + MAX_WBITS : MAX_WBITS
        unsafe precondition(
            deflateInit2_(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        )
        defer { unsafe deflateEnd(&stream) }
        var output: [UInt8] = []
        unsafe append(prefix, Z_NO_FLUSH, &stream, to: &output)
        let block = [UInt8](repeating: byte, count: min(count, 1 << 20))
        var left = count
        while left > 0 {
            unsafe append(left >= block.count ? block : Array(block.prefix(left)), Z_NO_FLUSH, &stream, to: &output)
            left -= min(left, block.count)
        }
        unsafe append(suffix, Z_FINISH, &stream, to: &output)
        return output
    }

    /// A zlib stream of bytes.
    package static func compress(_ bytes: [UInt8]) -> [UInt8] { bomb(0, count: 0, suffix: bytes) }

    /// The checksum of PNG chunks and gzip members.
    package static func crc32(_ bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBufferPointer { unsafe Int(CZlib.crc32(0, $0.baseAddress, uInt($0.count))) }
    }

    private static func append(_ bytes: [UInt8], _ flush: CInt, _ stream: inout z_stream, to output: inout [UInt8]) {
        var input = bytes
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = uInt(input.count)
            var count = 0
            repeat {
                count = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                    unsafe stream.next_out = buffer.baseAddress
                    unsafe stream.avail_out = uInt(buffer.count)
                    unsafe deflate(&stream, flush)
                    return unsafe buffer.count - Int(stream.avail_out)
                }
                output += buffer[..<count]
            } while count == buffer.count
        }
    }
}
