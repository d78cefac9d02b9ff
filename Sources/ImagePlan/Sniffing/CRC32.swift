/// The checksum of PNG's chunks (ISO 3309, reflected polynomial EDB88320), for a few bytes at a time.
enum CRC32 {
    /// Computes the checksum of bytes that are at hand.
    static func checksum(of bytes: Span<UInt8>, in range: Range<Int>) -> Int {
        var remainder: UInt32 = 0xFFFF_FFFF
        for index in range {
            remainder ^= UInt32(bytes[index])
            for _ in 0..<8 {
                remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
            }
        }
        return Int(~remainder)
    }
}
