import CVips
import Glibc
import ImagePlan
import LinuxSystem

/// Loads everything that a job may need.
///
/// A locked worker can load no library, and open no file but fonts. What a coder does beyond loading is not repeated at each start: the
/// canary makes a tiny picture with every coder, and draws text, after it has been locked.
enum WarmUp {
    /// Starts to load in a second thread; call it before libvips is started, which takes as long as the first of these.
    ///
    /// A worker's start delays the first picture.
    static func begin() { helper }

    /// Loads the rest, and returns when everything has been loaded; libvips must have been started.
    static func load() {
        begin()
        modules.begin()
        modules.help()
        libraries.help()
        modules.wait()
        libraries.wait()
    }

    /// Tries all coders, and text, and returns the results of the coders.
    ///
    /// Failures are results, too: a library may be missing.
    static func tryCoders() -> [WorkerCapabilities.Codec] {
        let coders = CoderRegistry.all
        // The threads end at about the same time if the long trials are first.
        let slow = coders.indices.filter { slowest.contains(coders[$0].format) }
        let order = slow + coders.indices.filter { !slowest.contains(coders[$0].format) }
        let codecs = Lock<[Int: WorkerCapabilities.Codec]>([:])
        let attempts = order.map { index -> @Sendable () -> Void in
            {
                let codec = CodecTrial.attempt(coders[index])
                codecs.withLock { $0[index] = codec }
            }
        }
        let trials = SharedWork([drawText] + attempts)
        trials.begin()
        try? SystemThread.start(name: "trials") { trials.help() }
        trials.help()
        trials.wait()
        return codecs.withLock { codecs in codecs.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The formats whose trials take many milliseconds.
    private static let slowest: Set<ImageFormat> = [.pdf, .avif, .jxl, .jpeg]

    // Without a second thread, the first does everything.
    private static let helper: Void = {
        libraries.begin()
        try? SystemThread.start(name: "warm-up") {
            libraries.help()
            modules.help()
        }
    }()

    /// What does not need libvips: fontconfig's configuration, libraries, the time zone, character encodings, the cascade of faces.
    private static let libraries = SharedWork([
        { Fonts.load() },
        { VipsModules.Module.poppler.loadLibrary() },
        { VipsModules.Module.heif.loadLibrary() },
        {
            tzset()
            TextEncodings.load()
            FaceData.load()
        },
    ])

    /// What registers itself with libvips, and the loaders of pictures in SVGs.
    private static let modules = SharedWork([
        { _ = try? rendered(picture) },
        {
            VipsModules.Module.heif.load()
            _ = LibraryVersions.canDecodeHEVC
        },
        { VipsModules.Module.poppler.load() },
        { VipsModules.Module.jxl.load() },
    ])

    /// Draws text through librsvg with cairo, as in SVGs, and through libvips, as in watermarks.
    @Sendable private static func drawText() {
        let drawn = try? rendered(text)
        _ = try? drawn?.resized(width: 4, height: 4).inMemory()
        _ = try? Raster.make("text") { out in unsafe edge_vips_text(&out, "a", "sans 8") }.inMemory()
    }

    private static func rendered(_ text: String) throws -> Raster {
        let mapping = try unsafe Array(text.utf8).withUnsafeBytes { try unsafe SourceMapping(copying: $0) }
        return try withExtendedLifetime(mapping) { try SVGCoder().open(mapping, DecodingOptions()).inMemory() }
    }

    /// Embedded PNG, JPEG and GIF images of one pixel: librsvg decodes these with gdk-pixbuf, which loads modules.
    private static let picture = """
        <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='8' height='8'>
        <image width='1' height='1' xlink:href='data:image/gif;base64,\(EmbeddedPictures.gif)'/>
        <image width='1' height='1' xlink:href='data:image/png;base64,\(EmbeddedPictures.png)'/>
        <image width='1' height='1' xlink:href='data:image/jpeg;base64,\(EmbeddedPictures.jpeg)'/>
        </svg>
        """

    private static let text = """
        <svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'>
        <filter id='f'><feGaussianBlur stdDeviation='1'/></filter>
        <text y='7' font-size='6' filter='url(#f)'>a</text>
        </svg>
        """
}

/// Calls that several threads make together, each call once.
private final class SharedWork: Sendable {
    private let calls: [@Sendable () -> Void]
    /// `next` is `nil` until `begin`.
    private let state = Monitor<(next: Int?, ended: Int)>((nil, 0))

    init(_ calls: [@Sendable () -> Void]) { self.calls = calls }

    /// Lets threads make the calls.
    func begin() {
        state.update(wakingAll: true) { state in if state.next == nil { state.next = 0 } }
    }

    /// Makes calls until each is made or is being made; waits for `begin`.
    func help() {
        while true {
            let index = state.wait { state -> Int? in
                guard let next = state.next else { return nil }
                state.next = next + 1
                return next
            }
            guard let index, index < calls.count else { return }
            calls[index]()
            state.update(wakingAll: true) { $0.ended += 1 }
        }
    }

    /// Waits until all calls have been made.
    func wait() { state.wait { $0.ended == calls.count ? () : nil } }
}

/// fontconfig, which libraries of libvips use.
private enum Fonts {
    private typealias Initialize = @convention(c) () -> CInt

    /// Reads fontconfig's configuration and caches, if a library has loaded it.
    static func load() {
        guard let symbol = unsafe dlsym(nil, "FcInit") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Initialize.self)()
    }
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
