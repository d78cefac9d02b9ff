internal import ImagePlan

/// What a request asks of an image: steps in the order in which they run, settings of the result, and options of the response.
///
/// Each method returns a transform with one more step, or with a setting replaced. Values are checked together when a URL is built,
/// by the parser of the server itself; `validate()` checks them earlier. A transform without steps and settings asks for the
/// original.
///
/// ```swift
/// let avatar = ImageTransform().resize(width: 96, height: 96, fit: .cover).round(.maximum).density(3)
/// ```
public struct ImageTransform: Hashable, Sendable {
    /// A decoded name with its value.
    struct Pair: Hashable, Sendable {
        var name: String
        var value: String
        /// Whether the origin receives the parameter.
        var isForOrigin = false
    }

    /// Names and values in the order of the query.
    private(set) var pairs: [Pair] = []

    /// Creates a transform that asks for the original.
    public init() {}

    init(_ pairs: [Pair]) {
        self.pairs = pairs
    }

    /// Parses a query such as `w=400&h=300&fit=cover`, as configurations state presets.
    ///
    /// - Throws: `ImageURLError` for a query that the server would refuse.
    public init(query: String) throws(ImageURLError) {
        do throws(RequestError) {
            for pair in try QueryPair.split(Array(query.utf8)) {
                let parameter = try pair.parameter()
                pairs.append(Pair(name: parameter.name, value: parameter.value))
            }
        } catch {
            throw ImageURLError(error)
        }
        try validate()
    }

    /// The query, without a `?`: values percent-encoded, in the order of the calls; empty for the original.
    public var query: String { Self.query(pairs) }

    /// Whether the transform asks for the original, as it is.
    public var isEmpty: Bool { pairs.isEmpty }

    /// Whether there is a resize, of which a request has at most one.
    public var hasResize: Bool { pairs.contains { $0.name == "w" || $0.name == "h" } }

    private static func query(_ pairs: [Pair]) -> String {
        pairs.map { "\(PercentCoding.encodedValue($0.name))=\(PercentCoding.encodedValue($0.value))" }.joined(
            separator: "&"
        )
    }

    /// The transform with a parameter by its name, for those of a server newer than this module.
    ///
    /// - Parameter value: not percent-encoded.
    public func parameter(_ name: String, _ value: String) -> ImageTransform { adding(name, value) }

    /// The transform with a parameter for the origin, which its source must forward (`forward-query`) or ignore (`ignore-query`).
    ///
    /// - Parameters:
    ///   - name: not one of the request language.
    ///   - value: not percent-encoded.
    public func originParameter(_ name: String, _ value: String) -> ImageTransform {
        ImageTransform(pairs + [Pair(name: name, value: value, isForOrigin: true)])
    }

    /// The transform with one more step.
    func adding(_ name: String, _ value: String) -> ImageTransform {
        ImageTransform(pairs + [Pair(name: name, value: value)])
    }

    /// The transform with a parameter that occurs once: replaced where it stands, or removed if the value is `nil`.
    func setting(_ name: String, _ value: String?) -> ImageTransform {
        guard let value else { return ImageTransform(pairs.filter { $0.name != name }) }
        guard let index = pairs.firstIndex(where: { $0.name == name }) else { return adding(name, value) }
        var result = self
        result.pairs[index].value = value
        return result
    }

    /// The transform with new parameters in place of those with some names, where the first of them stands.
    func replacing(_ names: [String], by new: [Pair]) -> ImageTransform {
        guard !new.isEmpty else { return self }
        let index = pairs.firstIndex { names.contains($0.name) } ?? pairs.count
        let rest = pairs[index...].filter { !names.contains($0.name) }
        return ImageTransform(pairs[..<index] + new + rest)
    }

    /// The value of a parameter that occurs once.
    subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
}

extension ImageTransform {
    /// Checks every value, and that the steps and settings fit together.
    ///
    /// What a preset adds is not known here. Where there is one, attributes such as `fit` are therefore allowed without a size.
    ///
    /// - Throws: `ImageURLError`, which names the parameter.
    public func validate() throws(ImageURLError) {
        do throws(RequestError) {
            try check()
        } catch {
            throw ImageURLError(error)
        }
    }

    private func check() throws(RequestError) {
        for pair in pairs {
            if Self.generated.contains(pair.name) {
                throw RequestError(parameter: pair.name, reason: "cannot be given as a parameter: it is generated")
            }
            if pair.isForOrigin, RequestLanguage.isReserved(pair.name) {
                throw RequestError(parameter: pair.name, reason: "is a parameter of the server, not of the origin")
            }
        }
        let origin = Set(pairs.filter(\.isForOrigin).map(\.name))
        let options = ParseOptions(forwardNames: origin, hints: .all)
        let presets = pairs.filter { $0.name == "preset" && $0.value != "none" }
        guard let preset = presets.first else {
            _ = try RequestLanguage.parse(query: query, options: options)
            return
        }
        guard Preset.isValid(name: preset.value) else {
            throw RequestError(parameter: "preset", reason: "must consist of letters, digits, '-', '_' and '.'")
        }
        guard presets.count == 1 else { throw RequestError(parameter: "preset", reason: "is given more than once") }
        // The steps of the preset are unknown. The others are checked as a preset's, which may have attributes of absent steps.
        let own = pairs.filter { $0.name != "preset" }
        let isOption = { (pair: Pair) in pair.isForOrigin || Self.options.contains(pair.name) }
        _ = try RequestLanguage.parse(query: Self.query(own.filter(isOption)), options: options)
        let steps = own.filter { !isOption($0) }.map { pair in
            // Presets have no hints.
            pair.value == "auto" && ["w", "dpr"].contains(pair.name) ? Pair(name: pair.name, value: "1") : pair
        }
        _ = try Preset(name: preset.value, text: Self.query(steps))
    }

    /// The parameters that `ImageServer` writes.
    private static let generated = SignatureScope.ownNames.union(RemoteURL.names)
    /// The options of the response that everybody may use.
    private static let freeOptions = ["filename", "download"]
    /// The options of the response that require a signature.
    static let signedOptions = ["refresh", "retry", "wait-store", "timing"]
    private static let options = freeOptions + signedOptions
}

extension ClientHintOptions {
    /// Accepts `w=auto` and `dpr=auto`.
    fileprivate static let all = ClientHintOptions(fields: [.width, .dpr], ladder: HintLadder())
}
