import HTTPCache

extension ValueFormat where Value == ContinuePolicy {
    /// `always`, `never`, or a map with `past`: a percentage or a size.
    static var continuation: ValueFormat {
        let expectation = "always, never, { past: 75% } or { past: 256KiB }"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                switch node.content {
                case .scalar("always"): return .always
                case .scalar("never"): return .never
                case .map(let members):
                    guard members.count == 1, let member = members.first, member.key == "past" else { break }
                    problems.note(["past"], at: member.place)
                    if case .scalar(let text) = member.value.content, let policy = past(text) { return policy }
                    var inner = ValueProblems()
                    inner.expected("a percentage such as 75%, or a size such as 256KiB", member.value)
                    for problem in inner.all { problems.add(problem.message, at: problem.place, path: ["past"]) }
                    return nil
                default: break
                }
                problems.expected(expectation, node)
                return nil
            },
            write: { policy in
                switch policy {
                case .always: .plain("always")
                case .never: .plain("never")
                case .pastBytes(let bytes):
                    .map([("past", .plain(ScaledNumber.text(bytes, units: ScaledNumber.sizes)))])
                case .pastPercent(let percent): .map([("past", .plain("\(percent)%"))])
                }
            },
            schema: .either([
                .words(["always", "never"]),
                .object(
                    [("past", .either([.text(pattern: "^[0-9]+%$"), .scaled(ScaledNumber.sizes, bare: true)]))],
                    required: ["past"]
                ),
            ])
        )
    }

    private static func past(_ text: String) -> ContinuePolicy? {
        guard text.hasSuffix("%") else {
            return ScaledNumber.parse(text, units: ScaledNumber.sizes, bare: 1).map { .pastBytes($0) }
        }
        let digits = text.dropLast()
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let percent = Int(digits), (0...100).contains(percent)
        else { return nil }
        return .pastPercent(percent)
    }
}
