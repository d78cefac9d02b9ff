import Glibc

/// The files that a locked worker may still read: fonts, fontconfig's configuration and cache, and poppler's character maps.
///
/// A font or a script that an image uses first after locking is read from here.
enum ReadableFiles {
    /// The folders of Debian and other distributions, and those that fontconfig names on this machine; they need not exist.
    static func paths() -> [String] {
        let others = Set(configured()).filter { path in !fixed.contains { path == $0 || path.hasPrefix($0 + "/") } }
        return fixed + others.sorted()
    }

    private static let fixed = [
        "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts", "/usr/share/texmf/fonts",
        "/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig", "/usr/lib/fontconfig/cache",
        "/usr/share/poppler",
    ]

    private typealias List = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias Next = @convention(c) (OpaquePointer?) -> UnsafePointer<UInt8>?
    private typealias Done = @convention(c) (OpaquePointer?) -> Void

    /// The folders and files of fontconfig's current configuration, if a library has loaded fontconfig.
    private static func configured() -> [String] {
        guard let next = unsafe symbol("FcStrListNext"), let done = unsafe symbol("FcStrListDone") else { return [] }
        var found: [String] = []
        for name in ["FcConfigGetFontDirs", "FcConfigGetCacheDirs", "FcConfigGetConfigFiles"] {
            guard let list = unsafe symbol(name),
                let entries = unsafe unsafeBitCast(list, to: List.self)(nil)
            else { continue }
            while let text = unsafe unsafeBitCast(next, to: Next.self)(entries) {
                found.append(unsafe String(cString: text))
            }
            unsafe unsafeBitCast(done, to: Done.self)(entries)
        }
        // A relative or a root folder would be a mistake of the configuration.
        return found.filter { $0.hasPrefix("/") && $0 != "/" }
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { unsafe dlsym(nil, name) }
}
