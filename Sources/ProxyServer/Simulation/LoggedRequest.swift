import HTTPSemantics
import ImagePlan

/// A request as a line of an access log tells it.
struct LoggedRequest: Hashable {
    /// The method; empty if unknown.
    var method: [UInt8] = []
    /// The request target as sent.
    var target: [UInt8] = []
    var status = 0
    /// Bytes of the body that was sent; an estimate if the log counts the head, too.
    var bytes = 0
    /// Seconds since 1970; 0 if unknown.
    var seconds: Int64 = 0
    /// The bytes by which the body is smaller than its original, if the log tells them.
    var saved: Int?
    /// The format of the body, if the log tells it.
    var format: [UInt8] = []
    /// Whether the whole response was sent.
    var isComplete = true

    /// The bytes of a response's head, which Edgeprint's log counts with the body's: an average.
    static let head = 600

    /// Reads a line: of Edgeprint's log in JSON, or in the common or combined format of other servers.
    ///
    /// `nil` for any other line.
    init?(_ line: [UInt8]) {
        let first = line.first { $0 != 0x20 && $0 != 0x09 }
        if first == UInt8(ascii: "{") { self.init(json: line) } else { self.init(common: line) }
    }

    private init?(json line: [UInt8]) {
        self.init()
        var found: Set<String> = []
        let isObject = LogObject.read(line) { name, value in
            let name = String(decoding: name, as: UTF8.self)
            switch (name, value) {
            case ("target", .text(let text)): target = text
            case ("method", .text(let text)): method = text
            case ("status", .number(let number)): status = number
            case ("bytes", .number(let number)): bytes = max(0, number - Self.head)
            case ("saved", .number(let number)): saved = number
            case ("format", .text(let text)): format = text
            case ("time", .text(let text)): seconds = Self.seconds(internet: text) ?? 0
            case ("aborted", _): isComplete = false
            default: return
            }
            found.insert(name)
        }
        guard isObject, found.isSuperset(of: ["target", "status", "bytes"]) else { return nil }
    }

    /// Quotation marks and backslashes of a target are escaped, as `\"` and `\\` or `\xHH`, and so are bytes beyond ASCII.
    ///
    /// `127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "referer" "agent"`.
    private init?(common line: [UInt8]) {
        self.init()
        guard let open = line.firstIndex(of: UInt8(ascii: "[")),
            let close = line[open...].firstIndex(of: UInt8(ascii: "]")),
            let start = line[close...].firstIndex(of: UInt8(ascii: "\"")),
            let end = Self.endOfText(in: line, from: start + 1)
        else { return nil }
        let words = line[(start + 1)..<end].split(separator: 0x20)
        let numbers = line[(end + 1)...].split(separator: 0x20).prefix(2).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, numbers.count == 2, let status = Int(numbers[0]), (100...599).contains(status) else {
            return nil
        }
        // "-" stands for no body.
        guard let bytes = numbers[1] == "-" ? 0 : Int(numbers[1]), bytes >= 0 else { return nil }
        (method, target, self.status, self.bytes) = (Array(words[0]), Self.unescaped(words[1]), status, bytes)
        seconds = Self.seconds(common: Array(line[(open + 1)..<close])) ?? 0
    }

    private init() {}

    /// The quotation mark that ends a text: the first one without a backslash before it.
    private static func endOfText(in line: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < line.count, line[index] != UInt8(ascii: "\"") {
            index += line[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < line.count ? index : nil
    }

    /// A text as nginx and Apache escape it, with its own bytes; other escapes stay.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash) else { return Array(text) }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == backslash, let kind = rest.first else {
                bytes.append(byte)
                continue
            }
            let digits = rest.dropFirst().prefix(2).compactMap(\.hexadecimalValue)
            if kind == UInt8(ascii: "x"), digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(3)
            } else if kind == UInt8(ascii: "\"") || kind == backslash {
                bytes.append(kind)
                rest = rest.dropFirst()
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// `2026-11-21T00:00:00Z`, fractions ignored.
    private static func seconds(internet text: [UInt8]) -> Int64? {
        guard text.count >= 20 else { return nil }
        return seconds(
            text,
            year: 0..<4,
            month: number(text[5..<7]),
            day: 8..<10,
            time: 11
        )
    }

    /// `10/Oct/2000:13:55:36 -0700`.
    private static func seconds(common text: [UInt8]) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard text.count >= 20,
            let month = months.firstIndex(of: String(decoding: text[3..<6], as: UTF8.self)),
            let local = seconds(text, year: 7..<11, month: Int64(month + 1), day: 0..<2, time: 12)
        else { return nil }
        guard text.count >= 26, let hours = number(text[22..<24]), let minutes = number(text[24..<26]) else {
            return local
        }
        let offset = hours * 3_600 + minutes * 60
        return text[21] == UInt8(ascii: "-") ? local + offset : local - offset
    }

    /// - Parameter time: where `00:00:00` begins.
    private static func seconds(
        _ text: [UInt8],
        year: Range<Int>,
        month: Int64?,
        day: Range<Int>,
        time: Int
    ) -> Int64? {
        guard let year = number(text[year]), let month, let day = number(text[day]),
            let hour = number(text[time..<time + 2]), let minute = number(text[time + 3..<time + 5]),
            let second = number(text[time + 6..<time + 8])
        else { return nil }
        var date = CivilDate(seconds: 0)
        (date.year, date.month, date.day) = (year, month, day)
        (date.hour, date.minute, date.second) = (hour, minute, second)
        return date.isValid ? date.seconds : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    }
}
