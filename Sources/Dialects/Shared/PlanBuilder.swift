import ImagePlan

/// Builds a query of Edgeprint's language, and remembers which option of the other server each parameter stands for.
///
/// What our language refuses is then an error about the option as the client wrote it.
struct PlanBuilder {
    private struct Entry {
        let parameter: Parameter
        let option: String
    }

    private var steps: [Entry] = []
    private var settings: [Entry] = []
    /// Parameters about the request, which are not part of a plan: `filename`, `download`, `exp`.
    private var request: [Entry] = []

    /// Appends a step.
    ///
    /// - Parameter option: the option that it stands for, as the client wrote it.
    mutating func step(_ name: String, _ value: String, for option: String) {
        steps.append(Entry(parameter: Parameter(name, value), option: option))
    }

    /// Sets an attribute or a setting, which a plan has once.
    ///
    /// - Throws: 400, naming the option, if another option has set another value.
    mutating func set(_ name: String, _ value: String, for option: String) throws(RequestError) {
        try Self.add(name, value, for: option, to: &settings)
    }

    /// Sets a colour; a transparent one is our default.
    mutating func setBackground(_ color: Color, for option: String) throws(RequestError) {
        try set("bg", color.text, for: option)
    }

    /// Sets a parameter about the request.
    ///
    /// - Throws: 400, naming the option, if another option has set another value.
    mutating func setRequest(_ name: String, _ value: String, for option: String) throws(RequestError) {
        try Self.add(name, value, for: option, to: &request)
    }

    private static func add(
        _ name: String,
        _ value: String,
        for option: String,
        to entries: inout [Entry]
    ) throws(RequestError) {
        if let other = entries.first(where: { $0.parameter.name == name }) {
            guard other.parameter.value != value else { return }
            throw RequestError(
                parameter: option,
                reason:
                    "becomes \(name)=\(value), but \(other.option) has become \(name)=\(other.parameter.value), and there is one"
            )
        }
        entries.append(Entry(parameter: Parameter(name, value), option: option))
    }

    /// Whether a setting has a value.
    func has(_ name: String) -> Bool { settings.contains { $0.parameter.name == name } }

    /// The value of a setting; `nil` if it is not set.
    func value(of name: String) -> String? { settings.first { $0.parameter.name == name }?.parameter.value }

    /// Removes a setting.
    mutating func remove(_ name: String) { settings.removeAll { $0.parameter.name == name } }

    /// Parses the parameters as a request of ours, and returns them in canonical form, so that equal pictures have equal texts.
    ///
    /// - Throws: what our language says of a parameter, about the option that it stands for.
    func parameters() throws(RequestError) -> [Parameter] {
        let request = try requestParameters()
        let entries = steps + settings
        // Client hints replace `auto`: that is for the server to do.
        let hasHints = entries.contains { $0.parameter.value == "auto" && ["w", "dpr"].contains($0.parameter.name) }
        var options = ParseOptions()
        if hasHints { options.hints = ClientHintOptions(fields: Set(ClientHint.allCases), ladder: HintLadder()) }
        let plan: Plan
        do {
            plan = try RequestLanguage.parse(query: Self.query(entries.map(\.parameter)), options: options).plan
        } catch {
            throw renamed(error)
        }
        if hasHints { return entries.map(\.parameter) + request }
        let text = plan.canonicalText.dropFirst(Plan.canonicalVersion.count + 1)
        return try QueryPair.split(Array(text.utf8)).map { Parameter($0.name, $0.value ?? "") } + request
    }

    /// The parameters about the request alone; a file name has the extension of the format, if that is set.
    ///
    /// - Throws: what our language says of a parameter, about the option that it stands for.
    func requestParameters() throws(RequestError) -> [Parameter] {
        guard !request.isEmpty else { return [] }
        let parameters = request.map { entry in
            guard entry.parameter.name == "filename", let format = value(of: "format") else { return entry.parameter }
            return Parameter("filename", FileName.completed(entry.parameter.value, for: format))
        }
        do {
            _ = try RequestLanguage.parse(query: Self.query(parameters), options: ParseOptions())
        } catch {
            throw renamed(error)
        }
        return parameters
    }

    private static func query(_ parameters: [Parameter]) -> String {
        parameters.map { "\($0.name)=\(PercentCoding.encodedValue($0.value))" }.joined(separator: "&")
    }

    private func renamed(_ error: RequestError) -> RequestError {
        let stated = (steps + settings + request).filter { $0.parameter.name == error.parameter }
        // A repeated step: the one that is refused on its own.
        let refused = stated.first { entry in
            let query = Self.query([entry.parameter])
            return (try? RequestLanguage.parse(query: query, options: ParseOptions())) == nil
        }
        guard let entry = refused ?? stated.last else { return error }
        return RequestError(
            parameter: entry.option,
            reason: "becomes \(entry.parameter.name)=\(entry.parameter.value), which \(error.reason)",
            status: error.status
        )
    }
}
