import ImagePlan

/// The container of a JPEG XL with EXIF or XMP metadata (ISO/IEC 18181-2 §9); libvips 8.14 writes neither.
struct JXLContainer {
    /// The EXIF block, which begins with the TIFF header.
    let exif: [UInt8]?
    let packet: [UInt8]?

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x87, 0x0A]

    /// Returns the file of a codestream, or of a container, with the metadata; without any, the same.
    func file(of picture: EncodedPicture) -> EncodedPicture {
        // The place of the TIFF header in the box.
        let boxes =
            (exif.map { Self.box("Exif", [0, 0, 0, 0] + $0) } ?? []) + (packet.map { Self.box("xml ", $0) } ?? [])
        guard !boxes.isEmpty else { return picture }
        let file = picture.copy
        // Boxes may follow the codestream.
        guard file.starts(with: [0xFF, 0x0A]) else { return EncodedPicture(file + boxes) }
        let type = Self.box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))
        return EncodedPicture(Self.box("JXL ", Self.signature) + type + boxes + Self.box("jxlc", file))
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        UInt32(content.count + 8).octets + Array(type.utf8) + content
    }
}
