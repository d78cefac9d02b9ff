import ImagePlan

/// Builds a query of Edgeprint's language, and remembers which option of the other server each parameter stands for.
///
/// What our language refuses is then an error about the option as the client wrote it.
struct PlanBuilder {
    private struct Entry {
        let parameter: Parameter
        let option: String
    }

    /// A colour that lies under the picture as it is after some steps.
    private struct Backdrop {
        let color: Color
        let option: String
        /// The number of steps before it.
        let place: Int
    }

    private var steps: [Entry] = []
    private var backdrops: [Backdrop] = []
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

    /// Lays a colour under the picture as it is now; a transparent one, and one under an opaque one, has no effect.
    mutating func setBackground(_ color: Color, for option: String) {
        guard color.alpha > 0 else { return }
        if let last = backdrops.last, last.place == steps.count, last.color.isOpaque { return }
        backdrops.append(Backdrop(color: color, option: option, place: steps.count))
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
        let entries = entries
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
        let stated = (entries + request).filter { $0.parameter.name == error.parameter }
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

// MARK: Colours under the picture

extension PlanBuilder {
    /// Steps and settings, with each colour as `bg` if that means the same, else as a step in its place.
    ///
    /// `bg` is one colour for the whole plan: it also fills what later steps make transparent, and is already there when earlier steps
    /// extend the canvas.
    private var entries: [Entry] {
        guard let first = backdrops.first else { return steps + settings }
        if backdrops.count == 1, commutes(first) {
            return steps + [Entry(parameter: Parameter("bg", first.color.text), option: first.option)] + settings
        }
        var entries: [Entry] = []
        for (index, step) in steps.enumerated() {
            entries += backdrops.filter { $0.place == index }.map(Self.tint)
            entries.append(step)
        }
        return entries + backdrops.filter { $0.place == steps.count }.map(Self.tint) + settings
    }

    private static func tint(_ backdrop: Backdrop) -> Entry {
        let mode = BlendMode.destOver.rawValue
        return Entry(parameter: Parameter(TintStep.name, "\(backdrop.color.text),\(mode)"), option: backdrop.option)
    }

    /// Whether no step after a colour does more than move pixels, and none between the first canvas and the colour changes them.
    private func commutes(_ backdrop: Backdrop) -> Bool {
        let after = steps[backdrop.place...]
        let before = steps[..<backdrop.place].drop { !extendsCanvas($0.parameter) }
        return after.allSatisfy { movesPixels($0.parameter) && !extendsCanvas($0.parameter) }
            && before.allSatisfy { movesPixels($0.parameter) || extendsCanvas($0.parameter) }
    }

    /// Whether a step only moves pixels, cuts some off, or scales the picture.
    private func movesPixels(_ step: Parameter) -> Bool {
        switch step.name {
        case "w", "h", CropStep.name, FlipStep.name: true
        case RotateStep.name: Int(step.value)?.isMultiple(of: 90) == true
        default: false
        }
    }

    /// Whether a step leaves room around the picture that `bg` fills at once.
    private func extendsCanvas(_ step: Parameter) -> Bool {
        switch step.name {
        case "w", "h": value(of: "fit") == Fit.pad.rawValue
        case PadStep.name: true
        case RotateStep.name: !movesPixels(step)
        default: false
        }
    }
}
