/// How a resize fills its box when both sides are given.
package enum Fit: String, Hashable, Sendable, CaseIterable {
    /// The whole picture, as large as fits into the box.
    case contain
    /// The whole box, the picture's rest cut away.
    case cover
    /// The box exactly, the picture's shape given up.
    case fill
    /// The whole picture on a canvas of the box's size.
    case pad

    /// What CSS, SDWebImage and other image proxies call these.
    static let otherNames = [
        "aspectfill": "cover", "aspectfit": "contain", "bounds": "contain", "clip": "contain", "crop": "cover",
        "inside": "contain", "letterbox": "pad", "max": "contain", "scale": "fill", "stretch": "fill",
    ]
}
