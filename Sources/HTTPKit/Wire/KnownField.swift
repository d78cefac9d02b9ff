/// A request field that the parser recognises; all others are found by name.
package enum KnownField: UInt8, CaseIterable, Sendable {
    case host, connection, contentLength, transferEncoding, expect, upgrade, te, trailer, keepAlive
    case accept, acceptEncoding, acceptLanguage, contentType, userAgent, referer, origin, cookie
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, range, ifRange
    case cacheControl, pragma, authorization, proxyAuthorization
    case forwarded, xForwardedFor, xForwardedProto, xForwardedHost, xRealIP, via, cdnLoop
    case traceparent, tracestate, xRequestID
    case saveData, dpr, width, viewportWidth, secChDpr, secChWidth, secChViewportWidth
    case accessControlRequestMethod, accessControlRequestHeaders, lastEventID, priority
    case edgeprintNode, xSendfileType

    /// The name in lower case.
    package var name: String {
        switch self {
        case .host: "host"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .expect: "expect"
        case .upgrade: "upgrade"
        case .te: "te"
        case .trailer: "trailer"
        case .keepAlive: "keep-alive"
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .acceptLanguage: "accept-language"
        case .contentType: "content-type"
        case .userAgent: "user-agent"
        case .referer: "referer"
        case .origin: "origin"
        case .cookie: "cookie"
        default: conditionalName
        }
    }

    private var conditionalName: String {
        switch self {
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .ifModifiedSince: "if-modified-since"
        case .ifUnmodifiedSince: "if-unmodified-since"
        case .range: "range"
        case .ifRange: "if-range"
        case .cacheControl: "cache-control"
        case .pragma: "pragma"
        case .authorization: "authorization"
        case .proxyAuthorization: "proxy-authorization"
        case .forwarded: "forwarded"
        case .xForwardedFor: "x-forwarded-for"
        case .xForwardedProto: "x-forwarded-proto"
        case .xForwardedHost: "x-forwarded-host"
        case .xRealIP: "x-real-ip"
        case .via: "via"
        case .cdnLoop: "cdn-loop"
        default: hintName
        }
    }

    private var hintName: String {
        switch self {
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .xRequestID: "x-request-id"
        case .saveData: "save-data"
        case .dpr: "dpr"
        case .width: "width"
        case .viewportWidth: "viewport-width"
        case .secChDpr: "sec-ch-dpr"
        case .secChWidth: "sec-ch-width"
        case .secChViewportWidth: "sec-ch-viewport-width"
        case .accessControlRequestMethod: "access-control-request-method"
        case .accessControlRequestHeaders: "access-control-request-headers"
        case .lastEventID: "last-event-id"
        case .edgeprintNode: "edgeprint-node"
        case .xSendfileType: "x-sendfile-type"
        default: "priority"
        }
    }
}
