extension Explanation {
    /// `target`, `problem`, `omitted` if defaults were left out, and an object per section: `{"w":{"value":…,"from":{"kind":…}}}`.
    var json: JSONValue {
        .object(
            [.init("target", .string(target)), .init("problem", problem.map(\.value) ?? .null)]
                + (omitted > 0 ? [.init("omitted", .number(omitted))] : [])
                + sections.map { .init($0.name, $0.json) }
        )
    }
}

extension Explanation.Section {
    fileprivate var json: JSONValue {
        isList ? .array(facts.map(\.json)) : .object(facts.map { .init($0.name, $0.json) })
    }
}

extension Explanation.Fact {
    fileprivate var json: JSONValue {
        var members = [JSONValue.Member("value", value)]
        if let origin { members.append(.init("from", origin.json)) }
        if !details.isEmpty {
            members.append(.init("of", .array(details.map { .object([.init("name", .string($0.name))] + $0.members) })))
        }
        return .object(members)
    }

    private var members: [JSONValue.Member] {
        guard case .object(let members) = json else { return [] }
        return members
    }
}

extension Problem {
    /// The members of the problem (RFC 9457 §3).
    fileprivate var value: JSONValue {
        .object(
            [
                .init("title", .string(StatusPhrase.of(status))), .init("status", .number(Int(status))),
                .init("detail", .string(detail)),
            ] + (parameter.map { [.init("parameter", .string($0))] } ?? [])
        )
    }
}
