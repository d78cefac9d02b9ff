/// The request field `Save-Data` (Save Data API, W3C §2): `on`, possibly among unknown tokens.
enum SaveData {
    /// Whether a field's value has the token `on`, case-insensitively.
    static func isOn(_ value: Span<UInt8>) -> Bool {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ";"), value[end] != UInt8(ascii: ",") { end += 1 }
            if isOn(value, start, end) { return true }
            start = end + 1
        }
        return false
    }

    private static func isOn(_ value: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var (start, end) = (start, end)
        while start < end, isBlank(value[start]) { start += 1 }
        while end > start, isBlank(value[end - 1]) { end -= 1 }
        return end - start == 2 && value[start] | 0x20 == UInt8(ascii: "o")
            && value[start + 1] | 0x20 == UInt8(ascii: "n")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
