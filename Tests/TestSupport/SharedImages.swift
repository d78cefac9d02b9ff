import Glibc

/// A collection of real photographs next to the package and not part of it: `../shared/images`.
///
/// Enable tests that need it with `.enabled(if: SharedImages.isAvailable)`.
package enum SharedImages {
    /// The folder, without a trailing slash; `EDGEPRINT_SHARED_IMAGES` overrides the default if that is missing.
    package static let folder: String = {
        let beside = Checkout.path("../shared/images")
        if exists(beside) { return beside }
        guard let named = unsafe getenv("EDGEPRINT_SHARED_IMAGES") else { return beside }
        return unsafe String(cString: named)
    }()

    package static let isAvailable = exists(folder)

    /// The path of a file in the folder.
    package static func path(_ name: String) -> String { folder + "/" + name }

    /// The bytes of a file; `nil` if it cannot be read.
    package static func bytes(_ name: String) -> [UInt8]? {
        let descriptor = unsafe open(path(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }
}
