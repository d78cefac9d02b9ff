internal import ImagePlan

/// What a scoped signature lets clients choose: names of parameters with their values.
///
/// A client may use no parameter that the scope does not name.
///
/// ```swift
/// let scope = URLScope()
///     .allow("w", [.range(320...1920)], isRequired: true)
///     .allow("format", ["webp", "avif"])
///     .allow("gravity", [.any])
/// ```
public struct URLScope: Hashable, Sendable {
    /// A permitted value, or several.
    public enum Value: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Every value; the only one of its parameter.
        case any
        /// One value.
        case text(String)
        /// Numbers, both ends included.
        case range(ClosedRange<Double>)

        /// Creates one value.
        public init(stringLiteral text: String) {
            self = .text(text)
        }

        fileprivate var text: String {
            switch self {
            case .any: "*"
            case .text(let text): URLScope.escaped(text)
            case .range(let range): "\(NumberText.of(range.lowerBound))-\(NumberText.of(range.upperBound))"
            }
        }
    }

    /// The value of `scope`, such as `w!:320-1920,dpr:1-3,format:*`.
    public private(set) var text = ""

    /// Creates a scope that permits nothing yet; it needs at least one entry.
    public init() {}

    /// The scope with one more parameter.
    ///
    /// - Parameters:
    ///   - name: the parameter, once in a scope; `url` permits URLs of `/fetch`.
    ///   - values: the permitted values.
    ///   - isRequired: whether the parameter must be given.
    public func allow(_ name: String, _ values: [Value], isRequired: Bool = false) -> URLScope {
        var result = self
        result.text += result.text.isEmpty ? "" : ","
        result.text += Self.escaped(name) + (isRequired ? "!:" : ":") + values.map(\.text).joined(separator: "|")
        return result
    }

    /// Parses the value of `scope`.
    ///
    /// - Throws: `ImageURLError`, naming `scope`.
    public init(_ text: String) throws(ImageURLError) {
        self.text = text
        _ = try parsed()
    }

    func parsed() throws(ImageURLError) -> SignatureScope {
        do throws(RequestError) {
            return try SignatureScope(parsing: Parameter(SignatureScope.name, text))
        } catch {
            throw ImageURLError(error)
        }
    }

    /// Checks that the parameters of a request are permitted; those that are required may be added later.
    func check(_ location: ImageLocation, _ transform: ImageTransform) throws(ImageURLError) {
        let scope = try parsed()
        if let name = location.pair?.prefix(while: { $0 != "=" }), !scope.names.contains(String(name)) {
            throw ImageURLError(parameter: "scope", reason: "must name \(name), which the request has")
        }
        for pair in transform.pairs {
            if let refusal = scope.refusal(of: pair.name, value: pair.value) { throw ImageURLError(refusal) }
        }
    }

    /// Encodes what separates entries and values.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if ",:|-*!%".utf8.contains(byte) { PercentCoding.append(byte, to: &bytes) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The pair of the query.
    var pair: String { "\(SignatureScope.name)=\(PercentCoding.encodedValue(text))" }
}
