/// How a value of the configuration is written: reads it from any layer, and writes it as the file would.
struct ValueFormat<Value>: Sendable {
    /// What a person is told to write: "a size such as 256MiB".
    let expectation: String
    /// Reads a node; `nil` exactly when it has reported a problem.
    let read: @Sendable (TreeNode, inout ValueProblems) -> Value?
    /// Writes a value; `nil` leaves the key out.
    let write: @Sendable (Value) -> YAMLValue?
}

/// What is wrong with one value, collected while it is read.
struct ValueProblems {
    /// A problem at the value, or below it.
    struct ValueProblem {
        /// Names below the value's own key.
        var path: [String]
        var place: Place
        var message: String
    }

    private(set) var all: [ValueProblem] = []
    /// Where names below the value's own key stand, for rules that are checked later.
    private(set) var places: [(path: [String], place: Place)] = []

    /// Remembers where a name stands.
    mutating func note(_ path: [String], at place: Place) {
        places.append((path, place))
    }

    /// Adds a problem.
    mutating func add(_ message: String, at place: Place, path: [String] = []) {
        all.append(ValueProblem(path: path, place: place, message: message))
    }

    /// Adds "expected …, found …", where the text is shown only as far as a line bears.
    mutating func expected(_ expectation: String, _ node: TreeNode, hint: String = "") {
        let found =
            switch node.content {
            case .null: "nothing"
            case .scalar(let text): text.isEmpty ? "an empty text" : "'\(ValueProblems.excerpt(text))'"
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
    /// A format of values that are one text.
    static func scalar(
        _ expectation: String,
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
            write: write
        )
    }

    /// The same format for values that must not be shown, neither in a problem nor when printed.
    var secret: ValueFormat {
        ValueFormat(
            expectation: expectation,
            read: { [read, expectation] node, problems in
                var inner = ValueProblems()
                if let value = read(node, &inner) { return value }
                problems.add("expected \(expectation)", at: node.place)
                return nil
            },
            write: write
        )
    }
}
