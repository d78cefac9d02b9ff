/// What an AVIF or HEIC file says of its RGB values in the numbers of ITU-T H.273 (ISO/IEC 14496-12 §12.1.5, `nclx`).
package struct HEIFColour: Hashable, Sendable {
    /// ColourPrimaries, H.273 table 2.
    package let primaries: Int
    /// TransferCharacteristics, H.273 table 3.
    package let transfer: Int

    /// Bytes of the box up to the transfer characteristics.
    private static let length = 8

    /// Reads the primary item's; `nil` where the file says none, or cannot be read.
    ///
    /// - Parameter bytes: the whole file.
    package init?(_ bytes: Span<UInt8>) {
        guard let colour = try? HEIFHeader.primaryItem(bytes, of: bytes.count).colour else { return nil }
        self = colour
    }

    /// Reads the content of a `colr` box; `nil` for other kinds.
    init?(_ bytes: Span<UInt8>, in content: Range<Int>) {
        guard content.count >= Self.length, content.upperBound <= bytes.count,
            bytes.has("nclx", at: content.lowerBound),
            let primaries = try? bytes.bigEndian(content.lowerBound + 4, bytes: 2, of: bytes.count),
            let transfer = try? bytes.bigEndian(content.lowerBound + 6, bytes: 2, of: bytes.count)
        else { return nil }
        self.primaries = primaries
        self.transfer = transfer
    }
}
