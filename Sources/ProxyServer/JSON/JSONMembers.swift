import Foundation

/// The names of the members of a JSON object (RFC 8259 §4).
enum JSONMembers {
    /// The first name that an object has twice; `nil` for none.
    ///
    /// Readers differ in which of two members counts, so an object that requests something must not have a name twice.
    ///
    /// - Parameter json: a valid JSON text. Objects within the object are not examined.
    static func repeated(in json: [UInt8]) -> String? {
        var names: Set<String> = []
        var depth = 0
        // Whether a text at this place is a name, not a value.
        var precedesName = false
        var index = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                precedesName = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): precedesName = depth == 1
            case quote:
                let start = index
                index = end(ofTextFrom: start, in: json)
                guard precedesName, depth == 1 else { break }
                precedesName = false
                let name = text(json[start..<min(index + 1, json.count)])
                guard names.insert(name).inserted else { return name }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The index of the quote that ends a text, or the end of the JSON.
    private static func end(ofTextFrom start: Int, in json: [UInt8]) -> Int {
        var index = start + 1
        while index < json.count, json[index] != quote {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }

    /// A text without its quotes and escapes.
    private static func text(_ quoted: ArraySlice<UInt8>) -> String {
        (try? JSONDecoder().decode(String.self, from: Data(quoted))) ?? String(decoding: quoted, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "\"")
}
