import HTTPKit
import ImagePipeline

extension AccelRedirect {
    /// Whether a request asks for redirects: a GET of a trusted proxy on this machine that states how it sends files.
    ///
    /// No other client gets one, whatever fields it sends: a cache elsewhere that passes on a client's field would keep the redirect for
    /// others. A proxy that cannot send the file asks again without the field.
    @inline(__always)
    func isWanted(by head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) -> Bool {
        guard prefix != nil, head.has(.xSendfileType) else { return false }
        guard context.isFromLocalProxy, head.method == .get, head.count(of: .xSendfileType) == 1,
            let value = head.value(of: .xSendfileType)
        else { return false }
        return bytes.copy(value) == Self.type
    }

    /// Returns the response that has nginx send the entity's file: the same fields, which `deploy/nginx.conf` restores, and
    /// `X-Accel-Redirect` in place of the content.
    ///
    /// Responses other than a whole 200 are returned unchanged, and those with fields that nginx does not restore: the ones of rules, and
    /// a second `Vary`.
    ///
    /// - Parameter isEdited: whether a rule has set or removed fields.
    func redirecting(_ response: Response, of entity: Entity, isEdited: Bool) -> Response {
        guard response.status == 200, let prefix, let file = entity.bareFile, !isEdited,
            !entity.description.variesByCoding
        else { return response }
        var response = response
        var block = FieldBlock()
        block.append("X-Accel-Redirect", prefix + file.path)
        // If a cache should get it after all.
        block.append("Vary", "*")
        response.fields = Self.unkept(response.fields)
        response.dynamicFields = Self.unkept(response.dynamicFields) + block.bytes
        response.body = .none
        response.tag |= AnswerTag.bits(ofRedirected: entity.body.length)
        return response
    }

    /// Encoded fields without those that nginx keeps of a redirect by itself: it would also keep them beside the fields of the response
    /// that replaces the redirect if there is no file.
    ///
    /// `Accept-Ranges` is constant; the others get a prefix, as does `Vary`, which the redirect has for itself.
    static func unkept(_ fields: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(fields.count + 2 * namePrefix.count)
        var start = 0
        while start < fields.count {
            let end = fields[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? fields.count
            let line = fields[start..<end]
            start = end
            if line.starts(with: acceptRanges) { continue }
            if renamed.contains(where: { line.starts(with: $0) }) { result += namePrefix }
            result += line
        }
        return result
    }

    private static let namePrefix = Array("Edgeprint-".utf8)
    private static let acceptRanges = Array("Accept-Ranges: ".utf8)
    private static let renamed = ["Cache-Control: ", "Content-Disposition: ", "Vary: "].map { Array($0.utf8) }
    private static let type = Array("X-Accel-Redirect".utf8)
}
