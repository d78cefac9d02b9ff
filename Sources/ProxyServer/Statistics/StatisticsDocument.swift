extension JSONValue {
    /// The response of `GET /stats`: the statistics of a table that have a path, nested by it.
    init<Reading>(_ table: [Statistic<Reading>], of reading: Reading) {
        self = .object([])
        for statistic in table {
            guard let path = statistic.path else { continue }
            let names = path.split(separator: ".").map(String.init)
            put(statistic.isListed(reading) ? statistic.value(reading) : nil, at: names[...])
        }
    }

    /// Appends a member and creates the objects on its path; for `nil`, a missing object becomes `null`.
    private mutating func put(_ value: JSONValue?, at path: ArraySlice<String>) {
        guard let name = path.first else {
            if let value { self = value }
            return
        }
        if path.count == 1, value == nil { return }
        var members = if case .object(let members) = self { members } else { [Member]() }
        let index = members.firstIndex { $0.name == name } ?? members.count
        if index == members.count { members.append(Member(name, .null)) }
        members[index].value.put(value, at: path.dropFirst())
        self = .object(members)
    }
}
