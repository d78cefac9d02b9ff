import ImagePlan
package import OriginTransfer

extension FileLoader.Recognition {
    /// Images: any other file of a folder is reported as missing, however large it is.
    package static let images = FileLoader.Recognition(prefix: ImageSniffer.preferredPrefix) { bytes, length in
        if case .unknown = ImageSniffer.sniff(bytes.span, totalLength: length) { return false }
        return true
    }
}
