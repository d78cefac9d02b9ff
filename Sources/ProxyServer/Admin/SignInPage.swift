import AdminPages
import HTTPKit
import ImagePlan

/// The page that asks a browser for the admin token.
enum SignInPage {
    /// The response to a request without a token: the page, with status 401 (RFC 9110 §15.5.2).
    static func response(to head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Response {
        response(next: String(decoding: bytes.copy(head.path(in: bytes)), as: UTF8.self), status: 401)
    }

    /// The page.
    ///
    /// - Parameters:
    ///   - next: the path to go to afterwards; replaced by `/` unless it is one of a page.
    ///   - error: the reason why the last attempt failed.
    static func response(next: String, error: String? = nil, status: UInt16) -> Response {
        let alert: HTML = error.map { "<p class=\"notice bad\" role=\"alert\">\($0)</p>" } ?? ""
        let body: HTML = """
            <form class="panel sign-in" method="post" action="/login">
            <h1>Sign in</h1>
            \(alert)<p><label for="token">Admin token</label>
            <input id="token" name="token" type="password" autocomplete="current-password" required autofocus></p>
            <input type="hidden" name="next" value="\(pagePath(next))">
            <p><button class="main">Sign in</button></p>
            <p class="muted">The token is <code>admin.token</code> in the configuration. The session ends by itself, when the \
            daemon restarts, and when the token changes.</p>
            </form>
            """
        let page = AdminPages.page(title: "Sign in", current: "", body: body.text, scripts: [])
        var response = Response.page(page, status: status)
        if status == 401 {
            var block = FieldBlock()
            block.append("WWW-Authenticate", "Bearer")
            response.dynamicFields = block.bytes
        }
        return response
    }

    /// A path that a browser may be sent to after signing in: one of this server, without a query.
    static func pagePath(_ path: String) -> String {
        let isPath = path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.count <= 100
        let isPlain = path.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == 0x2F || $0 == 0x2D }
        return isPath && isPlain && path != "/login" ? path : "/"
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
