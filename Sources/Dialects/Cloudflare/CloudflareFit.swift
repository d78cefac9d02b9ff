/// A value of `fit`.
enum CloudflareFit {
    case scaleDown, contain, cover, crop, aspectCrop, pad, squeeze

    static let table: KeyValuePairs<String, CloudflareFit> = [
        "scale-down": .scaleDown, "contain": .contain, "cover": .cover, "crop": .crop, "aspect-crop": .aspectCrop,
        "pad": .pad, "squeeze": .squeeze,
    ]

    /// Our name; `nil` for the default.
    var name: String? {
        switch self {
        case .scaleDown, .contain: nil
        case .cover, .aspectCrop: "cover"
        case .crop: "crop"
        case .pad: "pad"
        case .squeeze: "fill"
        }
    }

    /// Whether it enlarges small pictures.
    var enlarges: Bool {
        switch self {
        case .contain, .cover, .pad, .squeeze: true
        case .scaleDown, .crop, .aspectCrop: false
        }
    }

    /// Whether it crops, so that `gravity` matters.
    var crops: Bool { [.cover, .crop, .aspectCrop].contains(self) }
}
