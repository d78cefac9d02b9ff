extension UInt16 {
    /// The bytes, most significant first.
    var octets: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}

extension UInt32 {
    /// The bytes, most significant first.
    var octets: [UInt8] { UInt16(self >> 16).octets + UInt16(self & 0xFFFF).octets }
}
