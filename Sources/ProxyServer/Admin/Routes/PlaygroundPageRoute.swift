import AdminPages
import HTTPKit
import ImagePlan

/// `GET /playground`: the page on which operators try plans.
///
/// Without scripts, it has a form for one request and the tables of all parameters.
struct PlaygroundPageRoute: AdminRoute {
    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.page(Self.text)) }

    private static let text = AdminPages.page(
        title: "Playground",
        current: "/playground",
        body: body.text,
        scripts: ["playground.js"],
        styles: ["playground.css"]
    )

    private static let body: HTML = """
        <div id="app"></div>
        <form id="plain" action="/playground/image" method="get" class="panel">
        <h1>Playground</h1>
        <p>Shows one image as the server makes it. With scripts, this page has controls for each step.</p>
        <label>Path and query <input name="path" value="/" size="60"></label> <button>Show</button>
        </form>
        <details id="reference" class="panel" open><summary>All parameters</summary>
        \(table("Steps, in the order of the URL", ParameterTable.steps.flatMap(\.parameters)))\
        \(table("Attributes of steps", ParameterTable.attributes))\
        \(table("Settings", ParameterTable.settings))</details>
        """

    private static func table(_ title: String, _ parameters: [ParameterForm]) -> HTML {
        let rows = parameters.map { parameter -> HTML in
            """
            <tr><th scope="row"><code>\(parameter.name)</code></th><td>\(parameter.form.summary)</td>\
            <td><code>\(parameter.name)=\(parameter.example)</code></td></tr>

            """
        }
        return """
            <table><caption>\(title)</caption>
            <thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">Example</th></tr></thead>
            <tbody>
            \(rows)</tbody></table>

            """
    }
}

extension ValueForm {
    /// The form in words.
    var summary: String {
        switch self {
        case .integer(let range, let unit):
            "a whole number from \(range.lowerBound) to \(range.upperBound)\(Self.words(unit))"
        case .decimal(let range, let unit):
            "a number from \(range.lowerBound.text) to \(range.upperBound.text)\(Self.words(unit))"
        case .angle: "degrees"
        case .choice(let names, _): names.count == 1 ? names[0] : "one of " + names.joined(separator: ", ")
        case .flag: "0 or 1"
        case .color: "a colour as rgb, rrggbb or rrggbbaa"
        case .text(let prefix): prefix.isEmpty ? "a text" : "\(prefix) and a text"
        case .measure: "pixels or percent"
        case .gravity: "one of \(Gravity.names.joined(separator: ", ")), or a point x,y with both from 0 to 1"
        case .rectangle: "x,y,w,h, or WxH placed by gravity, in pixels or percent"
        case .list(let items, _, let separator):
            items.map(\.name).joined(separator: separator) + ": "
                + items.map { "\($0.name) \($0.form.summary)" }.joined(separator: "; ")
        case .variants(let variants): "one of " + variants.map(\.summary).joined(separator: ", ")
        case .either(let items): items.map(\.form.summary).joined(separator: "; or ")
        }
    }

    private static func words(_ unit: Unit) -> String {
        switch unit {
        case .none: ""
        case .pixels: " px"
        case .percent: " %"
        case .bytes: " bytes"
        }
    }
}

extension ValueForm.Variant {
    fileprivate var summary: String {
        guard let arguments else { return name }
        return isOptional ? "\(name) or \(name):… (\(arguments.summary))" : "\(name):… (\(arguments.summary))"
    }
}
