import ImagePipeline
import ImagePlan
import LinuxSystem

extension ValueFormat where Value == Bool {
    /// A flag that is written as `true` or `false`.
    static var flag: ValueFormat { words("true or false", "true", "false") }

    /// A flag that is written as `on` or `off`.
    static var onOff: ValueFormat { words("on or off", "on", "off") }

    private static func words(_ expectation: String, _ yes: String, _ no: String) -> ValueFormat {
        .scalar(expectation, schema: .flag) { text in
            switch text.lowercased() {
            case "true", "on", "yes": true
            case "false", "off", "no": false
            default: nil
            }
        } write: {
            .plain($0 ? yes : no)
        }
    }
}

extension ValueFormat where Value == String {
    /// Any text without control characters.
    static func text(_ expectation: String, isEmptyAllowed: Bool = false) -> ValueFormat {
        .scalar(expectation) { text in
            let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            return isPrintable && (isEmptyAllowed || !text.isEmpty) ? text : nil
        } write: {
            .quoted($0)
        }
    }
}

extension ValueFormat where Value == Secret {
    /// A text that is redacted in output.
    static var token: ValueFormat {
        .scalar("visible ASCII characters, or an empty string") { text in
            text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? Secret(text) : nil
        } write: {
            .quoted($0.description)
        }
        .secret
    }
}

extension ValueFormat where Value == Secret {
    /// Any text without control characters, redacted in output.
    static var password: ValueFormat {
        let text = ValueFormat<String>.text("a string without control characters", isEmptyAllowed: true)
        return ValueFormat(
            expectation: text.expectation,
            read: { node, problems in text.read(node, &problems).map(Secret.init) },
            write: { .quoted($0.description) }
        )
        .secret
    }
}

extension ValueFormat where Value == SigningKey {
    /// A key that is redacted in output.
    static var signingKey: ValueFormat {
        let bytes = SigningKey.lengths
        return .scalar("a key of \(bytes.lowerBound * 2) to \(bytes.upperBound * 2) hexadecimal digits") {
            SigningKey(hexadecimal: $0)
        } write: {
            .quoted($0.description)
        }
        .secret
    }
}

extension ValueFormat where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// A case of an enumeration.
    static var choice: ValueFormat { choice(of: Array(Value.allCases)) }

    /// One of some cases of an enumeration.
    static func choice(of cases: [Value]) -> ValueFormat {
        let words = cases.map(\.rawValue)
        let format = ValueFormat.scalar("one of " + words.joined(separator: ", "), schema: .words(words)) { text in
            cases.first { $0.rawValue == text }
        } write: {
            .plain($0.rawValue)
        }
        return ValueFormat(
            expectation: format.expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content, !words.contains(text),
                    let nearest = NearestName.of(text.lowercased(), among: words)
                else { return format.read(node, &problems) }
                problems.expected(format.expectation, node, hint: "; did you mean \(nearest)?")
                return nil
            },
            write: format.write,
            schema: format.schema
        )
    }
}

extension ValueFormat {
    /// A format for an optional value; `nil` is not written.
    static func optional<Wrapped>(_ format: ValueFormat<Wrapped>) -> ValueFormat where Value == Wrapped? {
        ValueFormat(
            expectation: format.expectation,
            read: { node, problems in format.read(node, &problems).map(Optional.some) },
            write: { $0.flatMap(format.write) },
            schema: format.schema
        )
    }

    /// A list; a single value is a list of one, and commas separate values in the environment.
    static func list<Element>(of format: ValueFormat<Element>) -> ValueFormat where Value == [Element] {
        ValueFormat(
            expectation: "a list, each \(format.expectation)",
            read: { node, problems in
                let nodes: [TreeNode]
                switch node.content {
                case .list(let items): nodes = items
                case .scalar(let text) where node.isFlat:
                    nodes = text.split(separator: ",").map { item in
                        TreeNode(content: .scalar(item.trimmed), place: node.place)
                    }
                case .scalar: nodes = [node]
                case .null, .map:
                    problems.expected("a list, each \(format.expectation)", node)
                    return nil
                }
                let values = nodes.compactMap { format.read($0, &problems) }
                return values.count == nodes.count ? values : nil
            },
            write: { .list($0.compactMap(format.write)) },
            schema: .list(of: format.schema, isEmptyAllowed: true)
        )
    }

    /// A non-empty list without duplicates; an empty one, of a key that was not set, is not written.
    static func nonEmptyList<Element: Hashable & Sendable>(of format: ValueFormat<Element>) -> ValueFormat
    where Value == [Element] {
        let list = ValueFormat.list(of: format)
        return ValueFormat(
            expectation: list.expectation,
            read: { node, problems in
                guard let values = list.read(node, &problems) else { return nil }
                guard !values.isEmpty, Set(values).count == values.count else {
                    problems.add(values.isEmpty ? "is empty" : "contains a duplicate", at: node.place)
                    return nil
                }
                return values
            },
            write: { $0.isEmpty ? nil : list.write($0) },
            schema: .list(of: format.schema, isEmptyAllowed: false)
        )
    }
}

extension Substring {
    /// The text without leading and trailing spaces.
    fileprivate var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension ValueFormat<FormatPolicy.Use> {
    /// The use of a format by a source; YAML's booleans mean `on` and `off`.
    static func use(of format: ImageFormat) -> ValueFormat {
        // A format without an encoder is read or not.
        let uses: [Value] = FormatPolicy.writable.contains(format) ? Value.allCases : [.on, .off]
        let words = uses.map(\.rawValue)
        return .scalar(
            "one of " + words.joined(separator: ", "),
            schema: .either([.flag, .words(words)])
        ) { text in
            switch text.lowercased() {
            case "true", "yes": .on
            case "false", "no": .off
            case let word: uses.first { $0.rawValue == word }
            }
        } write: {
            .plain($0.rawValue)
        }
    }
}
