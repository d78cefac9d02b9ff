import CLinux
import CVips
import Glibc

/// Which of libvips' loadable modules come into the worker.
///
/// libvips loads every module of its folder when it starts: ImageMagick, poppler and OpenSlide, with dozens of libraries, take a
/// third of a worker's start and are blocked afterwards. Here only those are loaded that a loader or saver is allowed of, when
/// the first job needs them.
enum VipsModules {
    /// Where libvips looks for its own folder; a place without modules makes it load none.
    private static let homeVariable = "VIPSHOME"

    /// The folder of modules beside the library, as libvips itself builds it; `nil` where the library has none and holds
    /// everything itself.
    private static let folder: String? = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe edge_library_of("vips_version", &path, path.count) == 0 else { return nil }
        let library = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = library.lastIndex(of: "/") else { return nil }
        let folder = "\(library[..<slash])/vips-modules-\(vips_version(0)).\(vips_version(1))"
        return unsafe access(folder, R_OK | X_OK) == 0 ? folder : nil
    }()

    /// Keeps libvips from loading any module; to be called before it starts.
    static func suppress() {
        guard folder != nil else { return }
        unsafe setenv(homeVariable, "/nonexistent", 1)
    }

    /// Loads AVIF and HEIC, once; to be called before the first of them is read or written.
    ///
    /// A module that is not installed leaves its formats out, as it does in libvips: jobs for them are unsupported.
    static func loadHEIF() { _ = heif }

    private static let heif = load("vips-heif")

    private static func load(_ name: String) -> Bool {
        guard let folder else { return false }
        return unsafe edge_vips_open_module("\(folder)/\(name).so") == 0
    }
}
