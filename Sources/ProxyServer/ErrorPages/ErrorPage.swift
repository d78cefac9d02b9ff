import AdminPages
import HTTPKit
import ImagePlan
import OriginTransfer

/// The page that a person gets for an invalid request: the URL with the wrong part marked, what is wrong, and the nearest right URL.
///
/// It runs no script and loads nothing.
struct ErrorPage: Sendable {
    private let problem: Problem
    private let parts: TargetParts
    private let correction: TargetCorrection?
    private let id: String

    init(_ problem: Problem, reader: PageReader, id: String) {
        self.problem = problem
        self.id = id
        let correction = TargetCorrection(of: reader.target, after: problem, at: reader.site)
        self.correction = correction
        // A problem of a known source has a Cache-Status.
        let isOfSource = problem.status == 404 && problem.cacheStatus == nil && reader.site.mount.isEmpty
        parts = TargetParts(reader.target, problem.parameter, marksSource: isOfSource)
    }

    /// The longest part of a URL that is shown, in Unicode scalars.
    static let longest = 2_000

    /// The page.
    var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(Int(problem.status)) \(StatusPhrase.of(problem.status))</title>
        <style>\(HTML(stringLiteral: Self.style))</style>
        </head>
        <body>
        <main>
        <p class="status">\(Int(problem.status)) \(StatusPhrase.of(problem.status))</p>
        <h1>\(LogText.visible(problem.detail))</h1>
        <p class="url"><code>\(parts.html)</code></p>
        \(suggestion)<p class="id">Edgeprint · request \(id)</p>
        </main>
        </body>
        </html>

        """
    }

    private var suggestion: HTML {
        guard let correction else { return "" }
        let shown = LogText.visible(TargetParts.shown(correction.target))
        guard correction.isLink else {
            return "<p>Did you mean this? It has to be signed again.</p>\n<p class=\"url\"><code>\(shown)</code></p>\n"
        }
        return
            "<p>Did you mean this?</p>\n<p class=\"url\"><a href=\"\(correction.target)\"><code>\(shown)</code></a></p>\n"
    }

    /// The fields of the problem document with those of a page.
    func fields(replacing fields: [UInt8]) -> [UInt8] {
        let kept = String(decoding: fields, as: UTF8.self).split(separator: "\r\n").filter { line in
            !["content-type", "cache-control"].contains(line.prefix { $0 != ":" }.lowercased())
        }
        var block = FieldBlock()
        block.append("Content-Type", "text/html; charset=utf-8")
        // The page shows the request target, and a cache that ignores Vary would send it to programs.
        block.append("Cache-Control", "no-store")
        block.append("Content-Security-Policy", Self.policy)
        block.append("Referrer-Policy", "no-referrer")
        return block.bytes + Array(kept.map { $0 + "\r\n" }.joined().utf8)
    }

    private static let style =
        ":root{color-scheme:light dark;--i:#1b1f24;--m:#5d6670;--b:#f6f7f9;--p:#fff;--l:#d9dee4;--w:#b42318;--a:#0b62d6}"
        + "@media(prefers-color-scheme:dark){:root{--i:#e8ebef;--m:#9aa4af;--b:#14171b;--p:#1d2126;--l:#343b44;--w:#ff8a7a;"
        + "--a:#7ab8ff}}*{box-sizing:border-box}body{margin:0;background:var(--b);color:var(--i);"
        + "font:16px/1.5 system-ui,sans-serif}main{max-width:46rem;margin:0 auto;padding:12vh 1.25rem 3rem}"
        + "h1{font-size:1.35rem;line-height:1.35;margin:.25rem 0 1.5rem;overflow-wrap:anywhere}p{margin:.75rem 0}"
        + ".status{color:var(--w);font-weight:600;margin:0}.id{color:var(--m);font-size:.8rem;margin-top:3rem}"
        + ".url{background:var(--p);border:1px solid var(--l);border-radius:10px;padding:.85rem 1rem}"
        + "code{font:.9rem/1.6 ui-monospace,monospace;overflow-wrap:anywhere}mark{background:none;color:var(--w);"
        + "font-weight:600;text-decoration:underline wavy 1px;text-underline-offset:4px}a{color:var(--a)}"
        + "a:focus-visible{outline:2px solid var(--a);outline-offset:3px;border-radius:4px}"

    private static let policy =
        "default-src 'none'; style-src 'sha256-\(Base64.encode(SHA256Digest(hashing: style).bytes))'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

/// A request target in parts, one of which is wrong.
struct TargetParts: Sendable {
    /// The markup, with the wrong part in `mark`.
    let html: HTML

    /// - Parameters:
    ///   - parameter: the wrong parameter; `path` for the path.
    ///   - marksSource: whether the first segment of the path is wrong.
    init(_ target: [UInt8], _ parameter: String?, marksSource: Bool) {
        let text = Self.shown(String(decoding: target, as: UTF8.self))
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = halves[0]
        var parts: [HTML] = []
        if parameter == "path" {
            parts.append("<mark>\(LogText.visible(path))</mark>")
        } else if marksSource, path.hasPrefix("/") {
            let name = path.dropFirst().prefix { $0 != "/" }
            let rest = LogText.visible(String(path.dropFirst(name.count + 1)))
            parts.append("/<mark>\(LogText.visible(String(name)))</mark>\(rest)")
        } else {
            parts.append("\(LogText.visible(path))")
        }
        if halves.count > 1 {
            parts.append("?")
            for (index, pair) in halves[1].split(separator: "&", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { parts.append("&amp;") }
                let isWrong = parameter != nil && QueryFilter.name(of: pair) == parameter
                let shown = LogText.visible(String(pair))
                parts.append(isWrong ? "<mark>\(shown)</mark>" : "\(shown)")
            }
        }
        html = HTML(parts)
    }

    /// A target as it is shown: without the values of signatures, and cut if it is long.
    static func shown(_ target: String) -> String {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count > 1 else { return cut(target) }
        let pairs = halves[1].split(separator: "&", omittingEmptySubsequences: false).map { pair in
            QueryFilter.name(of: pair) == "sig" ? "sig=…" : String(pair)
        }
        return cut("\(halves[0])?\(pairs.joined(separator: "&"))")
    }

    private static func cut(_ text: String) -> String {
        text.unicodeScalars.count <= ErrorPage.longest
            ? text : String(text.unicodeScalars.prefix(ErrorPage.longest)) + "…"
    }
}
