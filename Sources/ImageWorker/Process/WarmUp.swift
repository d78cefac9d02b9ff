import CVips
import Glibc
import ImagePlan
import LinuxSystem

/// Loads everything that a job may need.
///
/// A locked worker can load no library, and open no file but fonts. What a coder does beyond loading is not repeated at each start: the
/// canary makes a tiny picture with every coder after it has been locked.
enum WarmUp {
    /// Loads the libraries; libvips must have been started.
    ///
    /// Two threads share the work, since a worker's start delays the first picture.
    static func load() { share(loads.count) { index in loads[index]() } }

    /// Tries all coders, and returns the results.
    ///
    /// Failures are results, too: a library may be missing.
    static func tryCoders() -> [WorkerCapabilities.Codec] {
        let coders = CoderRegistry.all
        // The threads end at about the same time if the long trials are first.
        let slow = coders.indices.filter { slowest.contains(coders[$0].format) }
        let order = slow + coders.indices.filter { !slowest.contains(coders[$0].format) }
        let codecs = Lock<[Int: WorkerCapabilities.Codec]>([:])
        share(order.count) { number in
            let codec = CodecTrial.attempt(coders[order[number]])
            codecs.withLock { $0[order[number]] = codec }
        }
        return codecs.withLock { codecs in codecs.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The formats whose trials take many milliseconds.
    private static let slowest: Set<ImageFormat> = [.pdf, .avif, .jxl, .jpeg]

    /// Calls `body` with each number below a count, in two threads.
    private static func share(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let state = Monitor((next: 0, ended: 0))
        let work: @Sendable () -> Void = {
            while true {
                let index = state.withLock { state in
                    defer { state.next += 1 }
                    return state.next
                }
                guard index < count else { return }
                body(index)
                state.update { $0.ended += 1 }
            }
        }
        // Without a second thread, the first does everything.
        try? SystemThread.start(name: "warm-up", work)
        work()
        state.wait { $0.ended == count ? () : nil }
    }

    /// What takes longest is first: text through librsvg with cairo, as in SVGs, and through libvips, as in watermarks; libvips'
    /// modules, libheif's plug-ins; the time zone, character encodings, the cascade of faces, and libvips' classes.
    private static let loads: [@Sendable () -> Void] = [
        {
            let drawn = try? rendered(picture)
            _ = try? drawn?.resized(width: 4, height: 4).inMemory()
            _ = try? Raster.make("text") { out in unsafe edge_vips_text(&out, "a", "sans 8") }.inMemory()
        },
        { VipsModules.Module.poppler.load() },
        {
            VipsModules.Module.heif.load()
            _ = LibraryVersions.canDecodeHEVC
        },
        { VipsModules.Module.jxl.load() },
        {
            tzset()
            TextEncodings.load()
            FaceData.load()
        },
        { _ = CodecTrial.attempt(JPEGCoder()) },
    ]

    private static func rendered(_ text: String) throws -> Raster {
        let mapping = try unsafe Array(text.utf8).withUnsafeBytes { try unsafe SourceMapping(copying: $0) }
        return try withExtendedLifetime(mapping) { try SVGCoder().open(mapping, DecodingOptions()).inMemory() }
    }

    /// Text, a filter, and embedded PNG, JPEG and GIF images of one pixel: librsvg decodes these with gdk-pixbuf, which loads modules.
    private static let picture = """
        <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='8' height='8'>
        <filter id='f'><feGaussianBlur stdDeviation='1'/></filter>
        <text y='7' font-size='6' filter='url(#f)'>aж漢</text>
        <image width='1' height='1' xlink:href='data:image/gif;base64,\(EmbeddedPictures.gif)'/>
        <image width='1' height='1' xlink:href='data:image/png;base64,\(EmbeddedPictures.png)'/>
        <image width='1' height='1' xlink:href='data:image/jpeg;base64,\(EmbeddedPictures.jpeg)'/>
        </svg>
        """
}

/// The modules of the C library for character encodings that XML declarations of SVGs name.
private enum TextEncodings {
    /// The legacy encodings of the WHATWG Encoding Standard that are not UTF; conversion modules stay loaded while a descriptor is open.
    private static let names = [
        "IBM866", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "ISO-8859-8",
        "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "KOI8-R", "KOI8-U", "MACINTOSH",
        "CP874", "CP1250", "CP1251", "CP1252", "CP1253", "CP1254", "CP1255", "CP1256", "CP1257", "CP1258", "GBK",
        "GB18030", "BIG5", "EUC-JP", "ISO-2022-JP", "SHIFT_JIS", "EUC-KR",
    ]

    /// Opened once and never closed.
    private static let isLoaded: Bool = {
        for name in names { _ = unsafe iconv_open("UTF-8", name) }
        return true
    }()

    static func load() { _ = isLoaded }
}

/// Images of one pixel in base64, for SVGs that embed them.
private enum EmbeddedPictures {
    static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAACklEQVQI12NgAAAAAgAB4iG8"
        + "MwAAAABJRU5ErkJggg=="
    static let jpeg =
        "/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////wAAL"
        + "CAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AE//Z"
    static let gif =
        "R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
}
