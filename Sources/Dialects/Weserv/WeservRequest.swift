package import ImagePlan

/// A request of images.weserv.nl, `/?url=example.org/cat.jpg&w=300`: everything is in the query.
///
/// Source: the API's documentation (github.com/weserv/docs), and for the order of operations github.com/weserv/images.
package struct WeservRequest {
    /// The parameters by their main names.
    let options: [String: OptionValue]
    /// The address of the image.
    let url: String

    /// Translates a request; see `Dialect.translate(path:query:)`.
    package static func translate(path: [UInt8], query: [UInt8]) throws(RequestError) -> Translation {
        let request = try WeservRequest(path: path, query: query)
        var plan = WeservPlan(request)
        return Translation(image: .url(request.url), parameters: try plan.parameters(), signature: .none)
    }

    private init(path: [UInt8], query: [UInt8]) throws(RequestError) {
        guard path == [UInt8(ascii: "/")] || path.isEmpty else {
            throw RequestError(parameter: "path", reason: "must be / (the image is in url)")
        }
        var options: [String: OptionValue] = [:]
        for pair in try Self.pairs(query) {
            let name = Self.synonyms[pair.name] ?? pair.name
            guard Self.names.contains(name) else {
                let hint = NearestName.hint(pair.name, among: Self.names.sorted())
                throw RequestError(parameter: pair.name, reason: "is not a parameter of images.weserv.nl\(hint)")
            }
            let isBare = pair.value == "true" && Self.bare.contains(name)
            let value = OptionValue(name: pair.name, text: isBare ? "" : pair.value ?? "")
            guard options.updateValue(value, forKey: name) == nil else {
                throw RequestError(parameter: pair.name, reason: "is given more than once")
            }
        }
        guard let stated = options["url"] else {
            throw RequestError(parameter: "url", reason: "is missing: the address of the image")
        }
        self.options = options
        url = try WeservSource.url(stated)
    }

    private static func pairs(_ query: [UInt8]) throws(RequestError) -> [QueryPair] {
        do {
            // weserv takes a percent sign that encodes nothing for itself, as in `cw=50%`.
            return try QueryPair.split(PercentCoding.repaired(query[...]))
        } catch {
            throw error.parameter.isEmpty ? RequestError(parameter: "query", reason: error.reason) : error
        }
    }

    private static let names: Set<String> = [
        "a", "af", "bg", "blur", "bri", "cbg", "ch", "con", "crop", "cw", "cx", "cy", "default", "delay", "dpr",
        "encoding", "errorredirect", "filename", "filt", "fit", "flip", "flop", "fpx", "fpy", "fsol", "gam", "h", "hue",
        "il", "l", "ll", "loop", "mask", "maxage", "mbg", "mod", "mtrim", "n", "output", "page", "precrop", "q", "rbg",
        "ro", "sat", "sharp", "sharpf", "sharpj", "start", "stop", "tbg", "tint", "trim", "url", "v", "w", "we",
    ]

    /// Parameters with a number, which may be left out or be `true` instead.
    private static let bare: Set<String> = ["blur", "gam", "sharp", "trim"]

    private static let synonyms = [
        "align": "a", "height": "h", "level": "l", "lossless": "ll", "or": "ro", "pages": "n", "quality": "q",
        "shape": "mask", "strim": "mtrim", "t": "fit", "width": "w",
    ]

    /// A parameter with a value; an empty value counts as none.
    subscript(name: String) -> OptionValue? { options[name].flatMap { $0.text.isEmpty ? nil : $0 } }

    /// Whether a parameter that needs no value is on: `we`, `we=1`, `we=true`.
    func flag(_ name: String) throws(RequestError) -> Bool {
        guard let value = options[name] else { return false }
        return value.text.isEmpty ? true : try value.keyword(["1": true, "true": true, "0": false, "false": false])
    }

    func color(_ name: String) throws(RequestError) -> Color? {
        guard let value = self[name] else { return nil }
        return try WeservColor.parse(value)
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
        try self[name]?.integer(in: range)
    }

    func decimal(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> FixedDecimal? {
        try self[name]?.decimal(in: range)
    }
}
