import CLinux
import CVips
import Glibc

/// The loadable modules of libvips that the worker uses.
///
/// libvips loads all of its modules on start. ImageMagick, poppler and OpenSlide with dozens of libraries take a third of a worker's
/// start, and most of their operations are blocked. The worker loads only modules of allowed loaders and savers, on first use.
enum VipsModules {
    /// The variable with libvips' prefix; a prefix without modules makes libvips load none.
    private static let homeVariable = "VIPSHOME"

    /// The folder of modules next to the library, named as by libvips; `nil` for builds without modules.
    private static let folder: String? = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe edge_library_of("vips_version", &path, path.count) == 0 else { return nil }
        let library = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = library.lastIndex(of: "/") else { return nil }
        let folder = "\(library[..<slash])/vips-modules-\(vips_version(0)).\(vips_version(1))"
        return unsafe access(folder, R_OK | X_OK) == 0 ? folder : nil
    }()

    /// Keeps libvips from loading modules on start; call it before libvips starts.
    static func suppress() {
        guard folder != nil else { return }
        unsafe setenv(homeVariable, "/nonexistent", 1)
    }

    /// A module, loaded once before the first use of its formats.
    ///
    /// Formats of a module that is not installed are unsupported.
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

        /// The library in C++ that the module needs.
        ///
        /// Most of its symbols are its own; looked up in a hundred others first, those of poppler take 7 ms more.
        private var library: String? {
            switch self {
            case .heif: "libheif.so.1"
            case .jxl: nil
            case .poppler: "libpoppler-glib.so.8"
            }
        }

        /// Loads the library of the module; libvips need not have been started.
        ///
        /// If it has another version, the module loads it itself.
        func loadLibrary() {
            guard isInstalled, let library else { return }
            _ = unsafe edge_load_library(library)
        }

        fileprivate var path: String? { VipsModules.folder.map { "\($0)/\(rawValue).so" } }
    }

    private static let heif = load(.heif)
    private static let jxl = load(.jxl)
    private static let poppler = load(.poppler)

    private static func load(_ module: Module) -> Bool {
        guard let path = module.path else { return false }
        module.loadLibrary()
        return unsafe edge_vips_open_module(path) == 0
    }
}
