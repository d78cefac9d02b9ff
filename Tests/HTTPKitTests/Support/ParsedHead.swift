import HTTPKit

/// A copy of a parsed head, for comparison.
struct ParsedHead: Hashable {
    var method: String
    var target: String
    var path: String
    var authority: String?
    var minorVersion: UInt8
    var keepAlive: Bool
    var framing: RequestHead.Framing
    var expectsContinue: Bool
    var fields: [String]
    var consumed: Int

    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ consumed: Int) {
        if case .other(let range) = head.method {
            method = bytes.text(range)
        } else {
            method = head.method.name ?? ""
        }
        target = bytes.text(head.target)
        path = bytes.text(head.pathAndQuery)
        authority = head.authority.map { bytes.text($0) }
        minorVersion = head.minorVersion
        keepAlive = head.keepAlive
        framing = head.framing
        expectsContinue = head.expectsContinue
        fields = []
        for field in head.fields { fields.append("\(bytes.text(field.name))=\(bytes.text(field.value))") }
        self.consumed = consumed
    }
}

/// The result of parsing bytes that arrive in pieces.
enum ParseAnswer: Hashable {
    case head(ParsedHead)
    case needsMore
    case failed(ParseError)

    /// Feeds the text in pieces, split at the given places.
    init(_ text: [UInt8], stops: [Int] = [], limits: ServerLimits = ServerLimits()) {
        let parser = RequestParser(limits: limits)
        var head = RequestHead()
        var progress = ParseProgress()
        for stop in stops + [text.count] {
            let bytes = text.span.extracting(0..<stop)
            do throws(ParseError) {
                if case .complete(let consumed) = try parser.parse(bytes, &progress, into: &head) {
                    self = .head(ParsedHead(head, bytes, consumed))
                    return
                }
            } catch {
                self = .failed(error)
                return
            }
        }
        self = .needsMore
    }

    init(_ text: String, limits: ServerLimits = ServerLimits()) {
        self.init(Array(text.utf8), limits: limits)
    }

    var head: ParsedHead? { if case .head(let head) = self { head } else { nil } }
    var error: ParseError? { if case .failed(let error) = self { error } else { nil } }
}
