/// What a reduced image shows, in its own pixels: a fraction of the last one if the picture ends in it.
///
/// It begins at the first pixel, or ends at the last one of a picture that has been mirrored.
struct LoadedExtent {
    var left = 0.0
    var top = 0.0
    var width: Double
    var height: Double

    /// Whether it consists of whole pixels.
    var isWhole: Bool { width.rounded() == width && height.rounded() == height }
}
