import Dialects
import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// Where the image of another server's request is here: a path below a source, or `/fetch` with its URL.
struct ImagePlace: Sendable, Hashable {
    /// The raw path.
    let path: String
    /// The raw pairs of the query that belong to the image.
    let pairs: [String]

    /// Finds the place of an image.
    ///
    /// A URL belongs to the source whose own URL is the longest beginning of it, else to `/fetch`, under the rules for that.
    ///
    /// - Parameters:
    ///   - base: the source of images without a host; `nil` for none.
    ///   - table: the sources of the site.
    /// - Throws: 400, naming `path`, if no source can have the image, or its URL is not one or cannot be decrypted.
    init(of image: Translation.Image, base: String?, in table: SourceTable) throws(RequestError) {
        switch image {
        case .path(let path, let query): try self.init(path: path, query: query, below: base)
        case .url(let text): try self.init(url: text, base: base, in: table)
        case .encrypted(let bytes):
            let name = "dialects.imgproxy.url-keys"
            guard !table.verifier.keys.imgproxy.urlKeys.isEmpty else {
                throw Self.error("is encrypted, and there is no key to decrypt it (\(name))")
            }
            guard let text = table.verifier.decrypted(bytes) else {
                throw Self.error("cannot be decrypted with any key of \(name)")
            }
            try self.init(of: ImgproxyRequest.image(at: text), base: base, in: table)
        }
    }

    private init(_ path: String, below source: String, pairs: [String]) {
        self.path = "/\(source)/\(path.first == "/" ? path.dropFirst() : path[...])"
        self.pairs = pairs
    }

    private init(fetching url: String) {
        path = "/fetch"
        pairs = ["url=\(PercentCoding.encodedValue(url))"]
    }

    private init(path: String, query: String, below base: String?) throws(RequestError) {
        guard let base else { throw Self.noBase }
        // Neither begins the path's end here.
        let raw = path.replacing("?", with: "%3F").replacing("#", with: "%23")
        self.init(raw, below: base, pairs: try Self.pairs(of: query[...], below: base))
    }

    /// The pairs of an image's own query, none of which may have a name of our language.
    private static func pairs(of query: Substring, below source: String) throws(RequestError) -> [String] {
        let pairs = query.split(separator: "&")
        for name in pairs.map({ QueryFilter.name(of: $0) }) where RequestLanguage.isReserved(name) {
            throw error(
                "has an image of the source '\(source)' with \(name)= in its URL, which is a parameter of Edgeprint's own"
            )
        }
        return pairs.map(String.init)
    }

    private init(url text: String, base: String?, in table: SourceTable) throws(RequestError) {
        guard !DataURL.isOne(text), let mark = text.firstRange(of: "://") else {
            self.init(fetching: text)
            return
        }
        let rest = String(text[mark.upperBound...])
        switch text[..<mark.lowerBound].lowercased() {
        case "http", "https": try self.init(at: OriginURL(Self.encoded(url: text), of: "path"), base: base, in: table)
        case "s3": try self.init(object: rest, in: table)
        case "file": try self.init(file: rest, in: table)
        case let scheme: throw Self.error("names an image by the scheme \(scheme):, which no source here has")
        }
    }

    private init(at url: OriginURL, base: String?, in table: SourceTable) throws(RequestError) {
        // Other servers complete addresses without a scheme by http.
        let secured = url.scheme == .http && url.port == 80 ? "https" + url.normalized.dropFirst(4) : nil
        let found = table.candidates.compactMap { name, entry -> (name: String, prefix: String, url: String)? in
            guard let prefix = entry.rule.location.urlPrefix, !prefix.contains("?"),
                let start = try? OriginURL(prefix).normalized,
                let url = [url.normalized, secured].compactMap(\.self).first(where: { $0.hasPrefix(start) })
            else { return nil }
            return (name, start, url)
        }
        func rank(_ candidate: (name: String, prefix: String, url: String)) -> (Int, Int) {
            (candidate.prefix.utf8.count, candidate.name == base ? 1 : 0)
        }
        guard let best = found.max(by: { rank($0) < rank($1) }) else {
            self.init(fetching: url.text)
            return
        }
        let parts = best.url.dropFirst(best.prefix.count).split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let pairs = try Self.pairs(of: parts.count > 1 ? parts[1] : "", below: best.name)
        self.init(String(parts.first ?? ""), below: best.name, pairs: pairs)
    }

    /// `BUCKET/KEY`, not percent-encoded.
    private init(object: String, in table: SourceTable) throws(RequestError) {
        let found = table.candidates.compactMap { name, entry -> (name: String, start: String)? in
            guard case .bucket(let bucket) = entry.rule.location else { return nil }
            let start = "\(bucket.name)/\(bucket.prefix)"
            return object.hasPrefix(start) ? (name, start) : nil
        }
        guard let best = found.max(by: { $0.start.utf8.count < $1.start.utf8.count }) else {
            throw Self.error("names an object that no source with an s3:// url has")
        }
        self.init(Self.encoded(path: String(object.dropFirst(best.start.count))), below: best.name, pairs: [])
    }

    /// The absolute path of a file, not percent-encoded.
    private init(file: String, in table: SourceTable) throws(RequestError) {
        let found = table.candidates.compactMap { name, entry -> (name: String, start: String)? in
            guard case .file(let root) = entry.rule.location else { return nil }
            let start = root.hasSuffix("/") ? root : root + "/"
            return file.hasPrefix(start) ? (name, start) : nil
        }
        guard let best = found.max(by: { $0.start.utf8.count < $1.start.utf8.count }) else {
            throw Self.error("names a file that no source with a file:// url has")
        }
        self.init(Self.encoded(path: String(file.dropFirst(best.start.count))), below: best.name, pairs: [])
    }

    private static let noBase = error("names an image without a host, and no source says where it is (dialect-source)")

    private static func error(_ reason: String) -> RequestError { RequestError(parameter: "path", reason: reason) }

    /// A decoded path in percent-encoding; slashes stay.
    private static func encoded(path: String) -> String {
        encoded(path) { $0.isURLUnreserved || "/!$&'()*+,;=:@".utf8.contains($0) }
    }

    /// A URL whose bytes that no URL can have, such as spaces, are encoded, as other servers do.
    private static func encoded(url: String) -> String {
        encoded(url) { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    private static func encoded(_ text: String, _ isPlain: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) { bytes.append(byte) } else { PercentCoding.append(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SourceTable {
    /// The sources that other servers' images may be of, in the order of their names: with images, and of their own.
    fileprivate var candidates: [(name: String, entry: Entry)] {
        sources.sorted { $0.key < $1.key }.compactMap { name, entry in
            entry.rule.isRaw || entry.reading.dialectSource != nil ? nil : (name, entry)
        }
    }
}
