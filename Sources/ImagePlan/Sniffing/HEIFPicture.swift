/// A HEIF file's primary picture apart from its transformations, for a decoder that is to leave them to its caller.
///
/// libheif 1.15 mirrors eight bits a channel alone, drops the alpha plane of a picture that is cut or turned on its side, and leaves
/// that of a mirrored one as it is. Without the transformations it gives the stored picture with its alpha, and what is left to do are
/// a crop and an EXIF orientation.
package struct HEIFPicture: Sendable {
    package let placement: HEIFPlacement
    private let transformations: HEIFPrimaryItem.TransformationPlaces

    /// Reads a whole file; `nil` where its boxes cannot be read.
    package init?(_ bytes: Span<UInt8>) {
        guard let item = try? HEIFHeader.primaryItem(bytes, of: bytes.count), let placement = item.placement else {
            return nil
        }
        self.placement = placement
        transformations = item.transformations
    }

    /// The file with the transformations taken out; `nil` where it has none.
    ///
    /// Their boxes stay where they are, as boxes of free space (ISO/IEC 14496-12 §8.1.2), which no decoder need understand.
    package func untransformed(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard !transformations.types.isEmpty else { return nil }
        var file = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        for offset in transformations.types { file.replaceSubrange(offset..<offset + 4, with: Array("free".utf8)) }
        for offset in transformations.flags { file[offset] &= 0x7F }
        return file
    }
}
