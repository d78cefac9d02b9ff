/// The two kinds of bytes on disk, each with a quota of its own.
package enum DiskClass: Int, Hashable, Sendable, CaseIterable {
    case originals = 0
    case variants = 1

    /// The folder's name below the store's path.
    var folder: String {
        switch self {
        case .originals: "originals"
        case .variants: "variants"
        }
    }
}
