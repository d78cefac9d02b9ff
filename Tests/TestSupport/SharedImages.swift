import Glibc

/// The public test photographs, which lie beside the package and are no part of it.
///
/// Tests that need them are `.enabled(if: SharedImages.isAvailable)`.
package enum SharedImages {
    /// The folder: `../shared/images` from the package's root, else `EDGEPRINT_SHARED_IMAGES`; `nil` where there is none.
    package static let folder: String? = {
        // Tests/TestSupport/SharedImages.swift is three steps below the root.
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let candidates = ["/\(root)/../shared/images", unsafe getenv("EDGEPRINT_SHARED_IMAGES").map { unsafe String(cString: $0) }]
        return candidates.compactMap { $0 }.first { unsafe access($0, R_OK | X_OK) == 0 }
    }()

    /// Whether the photographs are there.
    package static var isAvailable: Bool { folder != nil }

    /// The absolute path of a picture; of no file where the folder is missing.
    package static func path(_ name: String) -> String { "\(folder ?? "/nonexistent")/\(name)" }
}
