import CCurl
import Foundation
import Glibc
import LinuxSystem

/// Reads a sitemap, with those that an index names.
enum Sitemaps {
    /// The largest sitemap, in bytes, after decompression: what sitemaps.org allows.
    private static let largest = 50 << 20
    /// The maximum number of sitemaps of an index.
    private static let most = 1000

    /// The addresses of images in a sitemap; of pages, if no image is named.
    ///
    /// - Parameter place: a file, or an http or https URL.
    static func images(_ place: String) throws(WarmInput.Problem) -> [String] {
        var waiting = [place]
        var seen: Set<String> = [place]
        var pages: [String] = []
        var images: [String] = []
        var bytes = 0
        var progress = ProgressLine(total: nil)
        defer { progress.clear() }
        while let next = waiting.popLast() {
            progress.show(seen.count - waiting.count - 1, of: seen.count, "reading \(Printing.plain(next))")
            let content = SitemapScanner.scan(try read(next, isNamed: next == place))
            guard !content.isEmpty else { throw WarmInput.Problem("\(next) is not a sitemap, or is empty") }
            for sitemap in content.sitemaps where isURL(sitemap) && seen.insert(sitemap).inserted {
                // The first one is the index itself.
                guard seen.count <= most + 1 else {
                    throw WarmInput.Problem("\(place) has more than \(most) sitemaps; warm them one by one")
                }
                waiting.append(sitemap)
            }
            for address in content.pages + content.images { try WarmInput.add(address, to: &bytes) }
            pages += content.pages
            images += content.images
        }
        return images.isEmpty ? pages : images
    }

    private static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }

    /// - Parameter isNamed: whether the user named it, so that it may be a file.
    private static func read(_ place: String, isNamed: Bool) throws(WarmInput.Problem) -> [UInt8] {
        let bytes: [UInt8]
        if isURL(place) {
            bytes = try Download(place, limit: largest).bytes()
        } else {
            guard isNamed, let data = FileManager.default.contents(atPath: place) else {
                throw WarmInput.Problem("\(place): there is no such file")
            }
            guard data.count <= largest else { throw WarmInput.Problem("\(place) is larger than \(largest >> 20) MiB") }
            bytes = Array(data)
        }
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        let expanded = expanded(bytes)
        guard expanded.end == .complete else {
            throw WarmInput.Problem("\(place) is damaged, or larger than \(largest >> 20) MiB")
        }
        return expanded.bytes
    }
}

extension Sitemaps {
    private static func expanded(_ bytes: [UInt8]) -> GzipExpansion { GzipExpansion(of: bytes.span, atMost: largest) }
}

/// A download with libcurl, on behalf of the user who runs a command; blocks.
@safe
private final class Download {
    private final class Received {
        var bytes: [UInt8] = []
        let limit: Int

        init(limit: Int) { self.limit = limit }
    }

    private let easy: UnsafeMutableRawPointer
    private let url: String
    private let received: Received

    init(_ url: String, limit: Int) throws(WarmInput.Problem) {
        guard let easy = unsafe curl_easy_init() else { throw WarmInput.Problem("there is no memory for \(url)") }
        unsafe self.easy = easy
        (self.url, received) = (url, Received(limit: limit))
        unsafe edge_easy_set_string(easy, CURLOPT_URL, url)
        unsafe edge_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe edge_easy_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        unsafe edge_easy_set_string(easy, CURLOPT_USERAGENT, "Edgeprint/\(Version.text)")
        for (option, value) in [
            (CURLOPT_FOLLOWLOCATION, 1), (CURLOPT_MAXREDIRS, 5), (CURLOPT_TIMEOUT_MS, 60_000), (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FAILONERROR, 1),
        ] {
            unsafe edge_easy_set_long(easy, option, value)
        }
        unsafe edge_easy_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
        unsafe edge_easy_set_write_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            guard let owner = unsafe owner else { return 0 }
            let received = unsafe Unmanaged<Received>.fromOpaque(owner).takeUnretainedValue()
            guard received.bytes.count + size * count <= received.limit else { return 0 }
            unsafe received.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
    }

    deinit { unsafe curl_easy_cleanup(easy) }

    func bytes() throws(WarmInput.Problem) -> [UInt8] {
        let code = unsafe curl_easy_perform(easy)
        guard code == CURLE_OK else {
            throw WarmInput.Problem("\(url): \(unsafe String(cString: curl_easy_strerror(code)))")
        }
        return received.bytes
    }
}
