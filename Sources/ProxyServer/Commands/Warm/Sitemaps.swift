import CCurl
import Foundation
import Glibc
import LinuxSystem
import OriginTransfer

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
            bytes = try download(place)
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

    /// Downloads a sitemap with libcurl, on behalf of the user who runs the command; blocks.
    private static func download(_ url: String) throws(WarmInput.Problem) -> [UInt8] {
        guard let easy = EasyHandle() else { throw WarmInput.Problem("there is no memory for \(url)") }
        defer { easy.dispose() }
        easy.set(CURLOPT_URL, url)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_USERAGENT, "Edgeprint/\(Version.text)")
        easy.set(CURLOPT_FOLLOWLOCATION, 1)
        easy.set(CURLOPT_MAXREDIRS, 5)
        easy.set(CURLOPT_TIMEOUT_MS, 60_000)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_FAILONERROR, 1)
        let content = CollectedContent(limit: largest)
        easy.collect(into: content)
        let code = withExtendedLifetime(content) { easy.perform() }
        guard code == CURLE_OK else {
            throw WarmInput.Problem("\(url): \(unsafe String(cString: curl_easy_strerror(code)))")
        }
        return content.bytes
    }
}
