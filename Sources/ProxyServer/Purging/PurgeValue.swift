import Foundation

/// A member's value in the JSON object of a purge or a warm job.
enum PurgeValue: Decodable {
    case text(String)
    case flag(Bool)
    case number(Int)
    case texts([String])
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let texts = try? container.decode([String].self) {
            self = .texts(texts)
        } else {
            self = .other
        }
    }

    /// The members of a JSON object by their names.
    ///
    /// - Parameter example: an object, for the error.
    /// - Throws: `Problem` 400 for any other text, and for an object that has a name twice, which it names.
    static func members(of json: [UInt8], example: String) throws(Problem) -> [String: PurgeValue] {
        guard let members = try? JSONDecoder().decode([String: PurgeValue].self, from: Data(json)) else {
            throw Problem(400, "The body must be a JSON object such as \(example).")
        }
        if let name = JSONMembers.repeated(in: json) {
            throw Problem(400, "The object has \(name.prefix(64)) more than once.", parameter: name)
        }
        return members
    }

    /// A non-empty string.
    func text(_ name: String) throws(Problem) -> String {
        guard case .text(let text) = self, !text.isEmpty else {
            throw Problem(400, "\(name) must be a non-empty string.", parameter: name)
        }
        return text
    }

    /// One or more non-empty strings.
    func texts(_ name: String) throws(Problem) -> [String] {
        guard case .texts(let texts) = self else { return [try text(name)] }
        guard !texts.isEmpty, !texts.contains("") else {
            throw Problem(400, "\(name) must be a string or a list of strings.", parameter: name)
        }
        return texts
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        guard case .flag(let flag) = self else {
            throw Problem(400, "\(name) must be true or false.", parameter: name)
        }
        return flag
    }

    /// Seconds, as a number or with a unit.
    func seconds(_ name: String) throws(Problem) -> Int {
        switch self {
        case .number(let seconds) where seconds >= 0: return seconds
        case .text(let text): if let seconds = PurgeOrder.age(text) { return seconds }
        default: break
        }
        throw Problem(400, "\(name) must be a duration such as \"7d\" or a number of seconds.", parameter: name)
    }
}
