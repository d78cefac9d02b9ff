import AdminPages
import HTTPKit

/// `GET /overlay.js`: the script that marks pictures of a page which are larger than shown, or not negotiated.
///
/// Open and readable by pages of all sites, as it is included by pages in development; it contains nothing of this server.
struct OverlayRoute: AdminRoute {
    let isOpen = true

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard let file = AdminPages.file("overlay.js") else { return .now(Response(Problem(404, "Not found."))) }
        var block = FieldBlock()
        block.append("Content-Type", file.type)
        block.append("Cache-Control", "public, no-cache")
        block.append("ETag", file.entityTag)
        block.append("Cross-Origin-Resource-Policy", "cross-origin")
        block.append("Access-Control-Allow-Origin", "*")
        block.append("X-Content-Type-Options", "nosniff")
        block.append("Content-Security-Policy", "default-src 'none'; sandbox")
        let isKnown = request.fields["if-none-match"] == file.entityTag
        return .now(
            Response(status: isKnown ? 304 : 200, fields: block.bytes, body: isKnown ? .none : .bytes(file.bytes))
        )
    }
}
