import HTTPCache
import HTTPSemantics
import ImagePlan

/// Request targets and upstream URLs as operators' pages show them: without signatures, credentials, parameters of origins, and
/// addresses of internal hosts.
enum ShownTarget {
    /// Stands for what is not shown.
    static let hidden = "…"
    /// The maximum characters of a text.
    private static let longest = 200
    /// Parameters of the language whose values are secret, or URLs.
    private static let secret: Set<String> = ["sig", "enc"]
    private static let urls: Set<String> = ["url", "url64"]

    /// A request target: the path, and the parameters of the language.
    ///
    /// Any other parameter is forwarded to an origin or ignored, and may authorise its reader, so its value is hidden.
    static func text(_ target: [UInt8]) -> String {
        let target = LoggedTarget.redacted(target.span) ?? target
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = readable(parts.first ?? [])
        // An absolute-form target names a host, which may be internal.
        let shown = path.hasPrefix("/") || path == "*" ? path : hidden
        guard parts.count > 1 else { return cut(shown) }
        let pairs = parts[1].split(separator: UInt8(ascii: "&")).map(pair)
        return cut(shown + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")))
    }

    /// The image that a request target names, without its parameters: a path, or for `/fetch` its URL.
    static func picture(_ target: [UInt8]) -> String {
        let whole = text(target)
        guard let mark = whole.firstIndex(of: "?") else { return whole }
        guard whole.hasPrefix("/fetch?") else { return String(whole[..<mark]) }
        let pairs = whole[whole.index(after: mark)...].split(separator: "&")
        return "/fetch " + (pairs.first { $0.hasPrefix("url=") }.map { String($0.dropFirst(4)) } ?? hidden)
    }

    /// An original: its source, and the path of its upstream URL; for `/fetch` also the host.
    ///
    /// - Parameter url: the URL, or for a `file:` source the decoded path below its root.
    static func original(source: String, url: String) -> String {
        if CacheNamespace.name(of: source) == "fetch" { return cut("\(source) \(remote(url))") }
        return cut("/\(source)\(path(of: url))")
    }

    /// A text in which the hosts of URLs are hidden as in targets, and their credentials removed.
    static func withoutInternalHosts(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !$0.isWhitespace && !"/?#\"'<>(),;".contains($0) }
            result += shownHost(authority)
            rest = rest[authority.endIndex...]
        }
        return result + rest
    }

    private static func pair(_ bytes: some Collection<UInt8>) -> String {
        let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = readable(parts.first ?? bytes.dropFirst(bytes.count))
        guard parts.count > 1 else { return RequestLanguage.isReserved(name) ? name : hidden }
        if urls.contains(name) { return "\(name)=\(name == "url" ? remote(readable(parts[1])) : hidden)" }
        guard RequestLanguage.isReserved(name), !secret.contains(name) else { return "\(name)=\(hidden)" }
        return "\(name)=\(readable(parts[1]))"
    }

    /// The host and the path of a URL; the host is hidden if it is an address or a name without a public suffix.
    private static func remote(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return hidden }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        return shownHost(authority) + path(of: url)
    }

    /// The host of an authority without credentials, if it may be shown.
    private static func shownHost(_ authority: Substring) -> String {
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        return isPublic(host) ? String(host) : hidden
    }

    /// Whether an authority is a name that may be shown: not an address, and not one of an internal network.
    private static func isPublic(_ authority: some StringProtocol) -> Bool {
        let name = authority.prefix { $0 != ":" }.lowercased()
        let labels = name.split(separator: ".")
        guard labels.count > 1, let last = labels.last, !name.hasPrefix("[") else { return false }
        return last.allSatisfy(\.isLetter) && !["internal", "local", "localhost", "lan", "home", "corp"].contains(last)
    }

    /// The path of a URL, without its query; a text without a scheme is a path itself, in which `?` and `#` mean nothing.
    private static func path(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "/" + visible(url) }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(where: { "/?#".contains($0) }), rest[slash] == "/" else { return "/" }
        return String(rest[slash...].prefix { $0 != "?" && $0 != "#" })
    }

    /// Percent-decodes, and replaces invisible characters.
    private static func readable(_ bytes: some Sequence<UInt8>) -> String {
        visible(String(decoding: PercentEncoding.decode(bytes), as: UTF8.self))
    }

    /// Replaces invisible characters.
    private static func visible(_ text: String) -> String {
        var line: [UInt8] = []
        LogText.appendUnquoted(text, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? text.prefix(longest - 1) + hidden : text
    }
}
