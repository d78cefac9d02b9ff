import CLinux
import CVips
import Glibc

/// Which of libvips' loadable modules come into the worker.
///
/// libvips loads every module of its folder when it starts: ImageMagick, poppler and OpenSlide, with dozens of libraries, take a
/// third of a worker's start, and most are blocked afterwards. Here only those are loaded that a loader or saver is allowed of, when
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

    /// A module that is loaded once, before the first picture of its formats is read or written.
    ///
    /// One that is not installed leaves its formats out, as it does in libvips: jobs for them are unsupported.
    enum Module: String {
        /// AVIF and HEIC.
        case heif = "vips-heif"
        case jxl = "vips-jxl"
        /// PDF.
        case poppler = "vips-poppler"

        var isInstalled: Bool { path.map { unsafe access($0, R_OK) == 0 } ?? false }

        func load() {
            switch self {
            case .heif: _ = VipsModules.heif
            case .jxl: _ = VipsModules.jxl
            case .poppler: _ = VipsModules.poppler
            }
        }

        fileprivate var path: String? { VipsModules.folder.map { "\($0)/\(rawValue).so" } }
    }

    private static let heif = load(.heif)
    private static let jxl = load(.jxl)
    private static let poppler = load(.poppler)

    private static func load(_ module: Module) -> Bool {
        guard let path = module.path else { return false }
        return unsafe edge_vips_open_module(path) == 0
    }
}
