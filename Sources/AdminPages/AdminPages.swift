/// The files of the admin listener's web application, embedded in the program, and the frame of its pages.
package enum AdminPages {
    /// The file that is served at `/assets/NAME`; `nil` if there is none.
    package static func file(_ name: String) -> AdminFile? { files[name] }

    /// The names of all files.
    package static var names: [String] { files.keys.sorted() }

    private static let script = "text/javascript; charset=utf-8"
    private static let sheet = "text/css; charset=utf-8"

    private static let files: [String: AdminFile] = [
        "console.css": AdminFile(PackageResources.console_css, sheet, isOpen: true),
        "icon.svg": AdminFile(PackageResources.icon_svg, "image/svg+xml", isOpen: true),
        "live.js": AdminFile(PackageResources.live_js, script),
        "score.js": AdminFile(PackageResources.score_js, script),
        "overlay.js": AdminFile(PackageResources.overlay_js, script),
        "playground.css": AdminFile(PackageResources.playground_css, sheet),
        "playground.js": AdminFile(PackageResources.playground_js, script),
    ]

    /// The pages that the navigation lists, by path.
    private static let pages = [("/", "Live"), ("/playground", "Playground")]

    /// A complete page.
    ///
    /// - Parameters:
    ///   - title: the title, as text.
    ///   - current: the path of the page, which the navigation marks; empty for a page without navigation.
    ///   - body: the markup of the main part; values in it must be escaped, as `HTML` does.
    ///   - scripts: the names of files that the page runs as modules.
    ///   - styles: the names of style sheets in addition to `console.css`.
    ///   - canSignOut: whether the reader has a session to end.
    package static func page(
        title: String,
        current: String,
        body: String,
        scripts: [String],
        styles: [String] = [],
        canSignOut: Bool = false
    ) -> String {
        let sheets = (["console.css"] + styles).map {
            "<link rel=\"stylesheet\" href=\"/assets/\($0)\">\n" as HTML
        }
        let modules = scripts.map { "<script type=\"module\" src=\"/assets/\($0)\"></script>\n" as HTML }
        let head: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · Edgeprint</title>
            <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
            \(sheets)\(modules)</head>
            <body>
            <a class="skip" href="#main">Skip to content</a>
            \(header(current, canSignOut: canSignOut))<main id="main" tabindex="-1">

            """
        return head.text + body + "\n</main>\n</body>\n</html>\n"
    }

    private static func header(_ current: String, canSignOut: Bool) -> HTML {
        let links = pages.map { path, name -> HTML in
            path == current
                ? "<a href=\"\(path)\" aria-current=\"page\">\(name)</a>" : "<a href=\"\(path)\">\(name)</a>"
        }
        let navigation: HTML = current.isEmpty ? "" : "<nav aria-label=\"Pages\">\(links)</nav>"
        let out: HTML =
            canSignOut
            ? "<form method=\"post\" action=\"/logout\" class=\"out\"><button class=\"quiet\">Sign out</button></form>"
            : ""
        return """
            <header class="top">
            <span class="brand"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 13V3h12v10z"/>\
            <path d="M2 11l4-4 3 3 2-2 3 3"/></svg>Edgeprint</span>
            \(navigation)\(out)
            </header>

            """
    }
}
