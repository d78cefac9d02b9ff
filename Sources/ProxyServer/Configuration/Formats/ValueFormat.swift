/// The format of a configuration value: parses it from any layer, and prints it as in the file.
struct ValueFormat<Value>: Sendable {
    /// A description for error messages, such as "a size such as 256MiB".
    let expectation: String
    /// Parses a node; returns `nil` if and only if it has reported a problem.
    let read: @Sendable (TreeNode, inout ValueProblems) -> Value?
    /// Prints a value; `nil` omits the key.
    let write: @Sendable (Value) -> YAMLValue?
    /// What an editor can check.
    var schema = ValueSchema.scalar
}

/// Collects the problems of one value.
struct ValueProblems {
    /// A problem at the value, or below it.
    struct ValueProblem {
        /// Names below the value's own key.
        var path: [String]
        var place: Place
        var message: String
    }

    private(set) var all: [ValueProblem] = []
    /// The places of names below the value's own key, for later checks.
    private(set) var places: [(path: [String], place: Place)] = []

    /// Records the place of a name.
    mutating func note(_ path: [String], at place: Place) {
        places.append((path, place))
    }

    /// Adds a problem.
    mutating func add(_ message: String, at place: Place, path: [String] = []) {
        all.append(ValueProblem(path: path, place: place, message: message))
    }

    /// Adds "expected …, found …" with an excerpt of the value.
    mutating func expected(_ expectation: String, _ node: TreeNode, hint: String = "") {
        let found =
            switch node.content {
            case .null: "nothing"
            case .scalar(let text): text.isEmpty ? "an empty string" : "'\(ValueProblems.excerpt(text))'"
            case .list: "a list"
            case .map: "a map"
            }
        add("expected \(expectation), found \(found)\(hint)", at: node.place)
    }

    private static func excerpt(_ text: String) -> String {
        let printable = text.unicodeScalars.prefix(64).map { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : String(scalar)
        }
        return printable.joined() + (text.unicodeScalars.count > 64 ? "…" : "")
    }
}

extension ValueFormat {
    /// A format for scalar values.
    ///
    /// - Parameter schema: what an editor can check; any scalar by default.
    static func scalar(
        _ expectation: String,
        schema: ValueSchema = .scalar,
        parse: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> YAMLValue?
    ) -> ValueFormat {
        ValueFormat(
            expectation: expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content, let value = parse(text) else {
                    problems.expected(expectation, node)
                    return nil
                }
                return value
            },
            write: write,
            schema: schema
        )
    }

    /// The same format for secrets, which are redacted in problems and output.
    var secret: ValueFormat {
        ValueFormat(
            expectation: expectation,
            read: { [read, expectation] node, problems in
                var inner = ValueProblems()
                if let value = read(node, &inner) { return value }
                problems.add("expected \(expectation)", at: node.place)
                return nil
            },
            write: write,
            schema: schema
        )
    }
}
