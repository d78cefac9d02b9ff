import OriginTransfer

extension ValueFormat where Value == [ConfiguredKey] {
    /// Named keys, redacted in output.
    static var cipherKeys: ValueFormat {
        let key = ValueFormat<CipherKey>.scalar("a key of \(CipherKey.length * 2) hexadecimal digits") {
            CipherKey(hexadecimal: $0)
        } write: {
            .quoted($0.description)
        }
        .secret
        return ValueFormat(
            expectation: "a map of names to keys",
            read: { node, problems in
                if node.content == .null { return [] }
                guard case .map(let entries) = node.content else {
                    problems.add("expected a map of names to keys", at: node.place)
                    return nil
                }
                var keys: [ConfiguredKey] = []
                for entry in entries {
                    problems.note([entry.key], at: entry.place)
                    var inner = ValueProblems()
                    if let value = key.read(entry.value, &inner) {
                        keys.append(ConfiguredKey(name: entry.key, key: value))
                    }
                    for problem in inner.all { problems.add(problem.message, at: problem.place, path: [entry.key]) }
                }
                return keys.count == entries.count ? keys : nil
            },
            write: { keys in .map(keys.map { ($0.name, key.write($0.key) ?? .quoted("")) }) },
            schema: .either([.map(of: .scalar), .null])
        )
    }
}

extension ValueFormat where Value == BodyDecryption.Method? {
    /// A source's `decrypt`; `none` for `nil`.
    static var decryption: ValueFormat {
        let none = "none"
        let words = [none] + BodyDecryption.Method.allCases.map(\.rawValue)
        return .scalar("one of " + words.joined(separator: ", "), schema: .words(words)) {
            text -> BodyDecryption.Method?? in
            text == none ? .some(nil) : BodyDecryption.Method(rawValue: text).map { .some($0) }
        } write: {
            .plain($0?.rawValue ?? none)
        }
    }
}
