import AdminPages
import HTTPKit

extension Response {
    /// What a page of the web application may load and do: only files of this server, no inline script or style, no frames
    /// (Content Security Policy Level 3).
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// A page of the web application.
    static func page(_ text: String, status: UInt16 = 200) -> Response {
        var response = Response(status: status)
        response.fields = pageFields
        response.body = .bytes(Array(text.utf8))
        return response
    }

    /// A redirection to a page after a form was sent (303, RFC 9110 §15.4.4).
    static func redirection(to path: String, cookie: String? = nil) -> Response {
        var response = Response(status: 303)
        var block = FieldBlock()
        block.append("Location", path)
        block.append("Cache-Control", "no-store")
        if let cookie { block.append("Set-Cookie", cookie) }
        response.fields = block.bytes
        return response
    }

    /// A file of the web application, or 304 if the client has it.
    ///
    /// - Parameter condition: `If-None-Match`.
    static func file(_ file: AdminFile, condition: String?) -> Response {
        var block = FieldBlock()
        block.append("Content-Type", file.type)
        // Stored, and revalidated before each use: a new release has other files.
        block.append("Cache-Control", "private, no-cache")
        block.append("ETag", file.entityTag)
        block.append("Content-Security-Policy", "default-src 'none'; sandbox")
        block.append("Cross-Origin-Resource-Policy", "same-origin")
        block.append("X-Content-Type-Options", "nosniff")
        var response = Response(status: 200)
        response.fields = block.bytes
        let known = condition?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        if known.contains(where: { $0 == file.entityTag || $0 == "W/" + file.entityTag || $0 == "*" }) {
            response.status = 304
        } else {
            response.body = .bytes(file.bytes)
        }
        return response
    }

    private static let pageFields: [UInt8] = {
        var block = FieldBlock()
        block.append("Content-Type", "text/html; charset=utf-8")
        block.append("Cache-Control", "no-store")
        block.append("Content-Security-Policy", pagePolicy)
        block.append("X-Content-Type-Options", "nosniff")
        // With no-referrer, browsers would send `Origin: null` with forms.
        block.append("Referrer-Policy", "same-origin")
        block.append("Cross-Origin-Opener-Policy", "same-origin")
        block.append("Cross-Origin-Resource-Policy", "same-origin")
        return block.bytes
    }()
}
