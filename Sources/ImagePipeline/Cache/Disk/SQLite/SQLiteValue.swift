/// A value to bind to a statement's parameter.
enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Binds an integer of the machine's size.
    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }

    /// Binds a digest as its 32 bytes.
    static func key(_ key: CacheKey) -> SQLiteValue { .blob(key.bytes) }

    /// Binds a text that may be absent.
    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
}
