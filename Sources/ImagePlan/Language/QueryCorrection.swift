extension RequestLanguage {
    /// The queries that a query with an invalid parameter may have meant, most likely first; they may be invalid in other ways.
    ///
    /// In place of the parameter, a query has the parameter of the nearest name, or the nearest value, or the first of several, or none.
    ///
    /// - Parameters:
    ///   - query: the raw query.
    ///   - parameter: the name that the error has.
    /// - Returns: raw queries, at most five; none if the query does not contain the parameter.
    package static func corrections(of query: [UInt8], parameter: String, options: ParseOptions) -> [String] {
        let raw = query.split(separator: UInt8(ascii: "&")).map { String(decoding: $0, as: UTF8.self) }
        guard raw.count <= QueryPair.maximumCount else { return [] }
        let places = raw.indices.filter { QueryFilter.name(of: raw[$0]) == parameter }
        guard let place = places.first else { return [] }
        func with(_ pair: String?, at place: Int) -> String {
            var pairs = raw
            if let pair { pairs[place] = pair } else { pairs.remove(at: place) }
            return pairs.joined(separator: "&")
        }
        // The first of several is as likely wrong as any other.
        var found: [String] = []
        for place in places.prefix(triedPlaces) where found.count < maximumCorrections {
            found += replacements(of: raw[place], parameter, options).map { with($0, at: place) }
        }
        if let last = places.last, places.count > 1 { found.append(with(nil, at: last)) }
        found.append(with(nil, at: place))
        return Array(found.prefix(maximumCorrections))
    }

    private static let maximumCorrections = 5
    /// How many pairs of the same name are compared with what is known, which takes a while for each.
    private static let triedPlaces = 8

    /// The pairs that a pair may have meant.
    private static func replacements(of raw: String, _ name: String, _ options: ParseOptions) -> [String] {
        let value = raw.utf8.firstIndex(of: UInt8(ascii: "=")).map { String(raw[raw.utf8.index(after: $0)...]) }
        let known = ParameterRole.names + options.query.names.sorted()
        guard ParameterRole(of: name) != nil else {
            let meant = NearestName.of(name, among: known, otherNames: ParameterRole.otherNames)
            guard let meant, !meant.contains("=") else { return meant.map { [$0] } ?? [] }
            return value.map { ["\(meant)=\($0)"] } ?? []
        }
        guard let value, let text = try? PercentCoding.decode(Array(value.utf8)[...]) else { return [] }
        let values =
            name == "preset"
            ? NearestName.of(text, among: options.presets.keys.sorted()).map { [$0] } ?? []
            : ParameterTable[name]?.form.nearest(to: text) ?? []
        return values.filter { $0 != text }.map { "\(name)=\(PercentCoding.encodedValue($0))" }
    }
}
