import Glibc
import ImagePlan

/// The versions of the loaded libraries that libvips uses.
///
/// Looked up by name at run time: the worker links libvips alone, and distributions build it with different libraries.
enum LibraryVersions {
    private typealias Text = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    private typealias Number = @convention(c) () -> CInt
    private typealias Answer = @convention(c) (CInt) -> CInt

    /// Returns the known versions; call it after the codec trial, since libvips loads some libraries on demand.
    static func all() -> [WorkerCapabilities.Library] {
        let versions: [(String, String?)] = [
            ("libwebp", number("WebPGetEncoderVersion").map { "\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)" }),
            ("libpng", number("png_access_version_number").map { "\($0 / 10_000).\($0 / 100 % 100).\($0 % 100)" }),
            ("libtiff", text("TIFFGetVersion").flatMap(lastWordOfFirstLine)),
            ("libheif", text("heif_get_version", in: "libheif.so.1")),
            ("libavif", text("avifVersion")),
            ("libjxl", number("JxlDecoderVersion").map { "\($0 / 1_000_000).\($0 / 1000 % 1000).\($0 % 1000)" }),
            ("aom", text("aom_codec_version_str", in: "libaom.so.3")),
            ("libde265", text("de265_get_version", in: "libde265.so.0")),
            ("lcms2", number("cmsGetEncodedCMMversion").map { "\($0 / 1000).\($0 % 1000 / 10)" }),
            ("zlib", text("zlibVersion")),
            ("orc", text("orc_version_string")),
        ]
        return versions.compactMap { name, version in version.map { .init(name: name, version: $0) } }
    }

    /// Whether libheif can decode HEVC; the call loads all of its plug-ins.
    static var canDecodeHEVC: Bool {
        guard let symbol = unsafe symbol("heif_have_decoder_for_format", in: "libheif.so.1") else { return false }
        // enum heif_compression_format: heif_compression_HEVC = 1.
        return unsafe unsafeBitCast(symbol, to: Answer.self)(1) != 0
    }

    private static func text(_ name: String, in library: String? = nil) -> String? {
        guard let symbol = unsafe symbol(name, in: library) else { return nil }
        // Functions without parameters ignore the argument (System V AMD64 and AAPCS64 pass it in a register).
        return unsafe unsafeBitCast(symbol, to: Text.self)(nil).map { unsafe String(cString: $0) }
    }

    private static func number(_ name: String) -> Int? {
        guard let symbol = unsafe symbol(name, in: nil) else { return nil }
        return unsafe Int(unsafeBitCast(symbol, to: Number.self)())
    }

    /// "LIBTIFF, Version 4.5.0", then lines of copyright.
    private static func lastWordOfFirstLine(_ text: String) -> String? {
        text.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
    }

    /// Looks a symbol up in the loaded libraries without loading any.
    private static func symbol(_ name: String, in library: String?) -> UnsafeMutableRawPointer? {
        guard let library else { return unsafe dlsym(nil, name) }
        guard let handle = unsafe dlopen(library, RTLD_NOW | RTLD_NOLOAD) else { return nil }
        return unsafe dlsym(handle, name)
    }
}
