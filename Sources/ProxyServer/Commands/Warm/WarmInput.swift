import Foundation
import Glibc
import LinuxSystem

/// Reads lists of URLs for `edgeprint warm`.
enum WarmInput {
    /// Why a list cannot be read.
    struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The maximum bytes of all URLs; an order of the admin listener may have 16 MiB.
    static let largest = 15 << 20
    /// The longest line of a list or log, in bytes.
    private static let longestLine = 64 << 10
    /// The maximum number of different targets that are counted in an access log.
    private static let mostTargets = 1_000_000

    /// The lines of a file without empty ones and comments, which begin with `#`; `-` is standard input.
    static func list(_ path: String) throws(Problem) -> [String] {
        var urls: [String] = []
        var bytes = 0
        try lines(path) { line throws(Problem) in
            let text = line.trimmingCharacters(in: .whitespaces)
            guard !text.isEmpty, !text.hasPrefix("#") else { return }
            urls.append(text)
            try add(text, to: &bytes)
        }
        return urls
    }

    /// The most frequent targets of successful requests in an access log, the most frequent first.
    ///
    /// - Parameter isWarmed: whether a target can be warmed; all others are left out.
    static func accessLog(_ path: String, top: Int, where isWarmed: (String) -> Bool) throws(Problem) -> [String] {
        var counts: [String: Int] = [:]
        var isEmpty = true
        var isReadable = false
        try lines(path) { line throws(Problem) in
            isEmpty = false
            guard let value = JSONValue(parsing: line), case .string(let target)? = value["target"] else { return }
            isReadable = true
            guard value["method"] == .string("GET") || value["method"] == .string("HEAD"),
                let status = value["status"]?.int, status == 200 || status == 206 || status == 304,
                let plain = unsigned(target)
            else { return }
            guard counts[plain] != nil || counts.count < mostTargets else { return }
            counts[plain, default: 0] += 1
        }
        guard isReadable || isEmpty else {
            throw Problem("\(path) has no line of an access log in JSON (log.format: json)")
        }
        let sorted = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        var bytes = 0
        var targets: [String] = []
        for (target, _) in sorted {
            guard targets.count < top else { break }
            guard isWarmed(target) else { continue }
            try add(target, to: &bytes)
            targets.append(target)
        }
        return targets
    }

    /// A logged target without its signature; `nil` if it is not that of an image, or was cut off in the log.
    private static func unsigned(_ target: String) -> String? {
        guard target.hasPrefix("/"), target.utf8.count > 1, !target.hasSuffix("…"),
            !["/robots.txt", "/favicon.ico"].contains(target)
        else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return target }
        let signing = Set(["sig", "exp", "scope", "timing"] + SignedOptions.names.map(\.name))
        let pairs = parts[1].split(separator: "&").filter { pair in
            !signing.contains(String(pair.prefix { $0 != "=" }))
        }
        return pairs.isEmpty ? String(parts[0]) : "\(parts[0])?\(pairs.joined(separator: "&"))"
    }

    /// Removes the public URL of the daemon from a URL that begins with it.
    static func local(_ url: String, publicURL: String?) -> String {
        guard let publicURL else { return url }
        let prefix = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        guard url.hasPrefix(prefix + "/") else { return url }
        return String(url.dropFirst(prefix.count))
    }

    /// Counts the bytes of a URL against `largest`.
    static func add(_ url: String, to bytes: inout Int) throws(Problem) {
        bytes += url.utf8.count + 4
        guard bytes <= largest else {
            throw Problem("the list has more than \(largest >> 20) MiB of URLs; warm it in parts")
        }
    }

    private static func lines(_ path: String, _ body: (String) throws(Problem) -> Void) throws(Problem) {
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem("\(path): \(Errno(errno, "open"))") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var reader = LineReader(descriptor: descriptor, bound: longestLine)
        // Lines that are typed are seen anyway.
        let isShown = isatty(STDERR_FILENO) == 1 && isatty(descriptor) == 0
        var progress = ProgressLine(total: ProgressLine.length(of: descriptor), unit: .bytes, isTerminal: isShown)
        defer { progress.clear() }
        var (count, read) = (0, 0)
        while let line = reader.next() {
            (count, read) = (count + 1, read + line.bytes.count + 1)
            if isShown { progress.show(read, Printing.count(count, "line")) }
            if line.isCut { continue }
            var bytes = line.bytes[...]
            if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
            try body(String(decoding: bytes, as: UTF8.self))
        }
    }
}
