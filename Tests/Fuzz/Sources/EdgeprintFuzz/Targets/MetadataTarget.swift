import ImagePlan

/// The reader of EXIF blocks, for descriptions of images.
enum MetadataTarget: FuzzTarget {
    static let name = "metadata"

    static var seeds: [[UInt8]] { PictureSeeds.metadata }

    static func run(_ bytes: [UInt8]) {
        _ = CameraFacts(exif: bytes).isEmpty
    }
}
