/// The state of parsing chunk extensions (RFC 9112 §7.1.1).
///
/// `chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`. Extensions are ignored, but must be
/// well-formed: differences in how servers read them enable request smuggling.
enum ChunkExtension: Sendable {
    /// White space before a semicolon.
    case between
    /// After a semicolon.
    case beforeName
    case name
    /// White space after a name.
    case afterName
    /// After an equals sign.
    case beforeValue
    case token
    case quoted
    /// After a backslash within quotes.
    case escaped
    /// After the closing quote.
    case closed

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch self {
        case .name, .token, .closed: true
        default: false
        }
    }

    /// Consumes a byte other than CR.
    ///
    /// - Returns: whether the byte is permitted here.
    mutating func take(_ byte: UInt8) -> Bool {
        let isBlank = byte == 0x20 || byte == 0x09
        switch self {
        case .quoted where byte == 0x22: self = .closed
        case .quoted where byte == 0x5C: self = .escaped
        case .quoted: return ByteClass.isQuotedText(byte)
        case .escaped where ByteClass.isValue(byte): self = .quoted
        case .beforeName where isBlank, .beforeValue where isBlank: break
        case .beforeValue where byte == 0x22: self = .quoted
        case .beforeName where ByteClass.isToken(byte), .name where ByteClass.isToken(byte): self = .name
        case .beforeValue where ByteClass.isToken(byte), .token where ByteClass.isToken(byte): self = .token
        case .name where byte == 0x3D, .afterName where byte == 0x3D: self = .beforeValue
        case .name where isBlank, .afterName where isBlank: self = .afterName
        case .between where isBlank, .token where isBlank, .closed where isBlank: self = .between
        case .between where byte == 0x3B, .name where byte == 0x3B, .afterName where byte == 0x3B,
            .token where byte == 0x3B, .closed where byte == 0x3B:
            self = .beforeName
        default: return false
        }
        return true
    }
}
