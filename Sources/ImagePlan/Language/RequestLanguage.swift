/// The language of queries: which names it has, and what a query means.
package enum RequestLanguage {
    /// Whether a name belongs to the language: naming it in `forward-query` is a mistake.
    package static func isReserved(_ name: String) -> Bool {
        ParameterRole(of: name) != nil
    }

    /// Reads a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: String, options: ParseOptions) throws(RequestError) -> ParsedQuery {
        try parse(query: Array(query.utf8), options: options)
    }

    /// Reads the bytes of a raw query, without the `?`.
    ///
    /// - Throws: 400, naming the parameter.
    package static func parse(query: [UInt8], options: ParseOptions) throws(RequestError) -> ParsedQuery {
        var reader = QueryReader(options: options)
        for pair in try QueryPair.split(query) { try reader.read(pair) }
        return try reader.finish(query: query)
    }
}
