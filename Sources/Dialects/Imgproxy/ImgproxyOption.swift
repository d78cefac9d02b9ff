import ImagePlan

/// A processing option of imgproxy as a URL states it: `%name:%argument:…`.
struct ImgproxyOption {
    /// The name as written, perhaps abbreviated; errors repeat it.
    let name: String
    let arguments: [String]

    /// A 400 error about this option.
    func error(_ reason: String) -> RequestError { RequestError(parameter: name, reason: reason) }

    /// Throws if there are more arguments than the option takes.
    func takes(atMost count: Int) throws(RequestError) {
        guard arguments.count <= count else {
            throw error(count == 1 ? "takes one argument" : "takes at most \(count) arguments")
        }
    }

    /// An argument; `nil` if it is missing or empty.
    func argument(_ index: Int) -> String? {
        index < arguments.count && !arguments[index].isEmpty ? arguments[index] : nil
    }

    /// The only argument, which must not be empty.
    func single() throws(RequestError) -> String {
        try takes(atMost: 1)
        guard let argument = argument(0) else { throw error("has no value") }
        return argument
    }

    /// An argument that turns something on or off, in the spellings of Go's `strconv.ParseBool`; `nil` if it is missing.
    func flag(_ index: Int) throws(RequestError) -> Bool? {
        switch argument(index) {
        case nil: return nil
        case "1", "t", "T", "true", "TRUE", "True": return true
        case "0", "f", "F", "false", "FALSE", "False": return false
        default: throw error("must be 1, t or true, or 0, f or false")
        }
    }

    /// The only argument as a flag.
    func singleFlag() throws(RequestError) -> Bool {
        _ = try single()
        return try flag(0) ?? false
    }

    /// An argument as a whole number; `nil` if it is missing.
    func integer(_ index: Int, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
        guard let text = argument(index) else { return nil }
        return try Parameter(name, text).integer(in: range)
    }

    /// The only argument as a whole number.
    func singleInteger(in range: ClosedRange<Int>) throws(RequestError) -> Int {
        _ = try single()
        return try integer(0, in: range) ?? range.lowerBound
    }

    /// An argument as a number; `nil` if it is missing.
    func number(_ index: Int, in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal? {
        guard let text = argument(index) else { return nil }
        return try Parameter(name, text).decimal(in: range)
    }

    /// The only argument as a number.
    func singleNumber(in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal {
        _ = try single()
        return try number(0, in: range) ?? range.lowerBound
    }

    /// An argument as an opaque colour in three or six hexadecimal digits; `nil` if it is missing.
    func color(_ index: Int) throws(RequestError) -> Color? {
        guard let text = argument(index) else { return nil }
        guard text.utf8.count == 3 || text.utf8.count == 6, let color = try? Color(parsing: Parameter(name, text))
        else {
            throw error("must have a colour in three or six hexadecimal digits")
        }
        return color
    }

    /// An argument that is a word of a list; `nil` if it is missing.
    func word(_ index: Int, of words: [String]) throws(RequestError) -> String? {
        guard let text = argument(index) else { return nil }
        guard words.contains(text) else {
            throw error("must be one of \(words.joined(separator: ", "))\(NearestName.hint(text, among: words))")
        }
        return text
    }
}

/// A value with the name of the option that has set it, for errors that are found later.
struct Stated<Value> {
    let value: Value
    /// The option's name as written.
    let option: String

    init(_ value: Value, by option: ImgproxyOption) {
        self.value = value
        self.option = option.name
    }
}
