import CHiredis

/// A reply of Redis, as values of RESP 2.
indirect enum RedisReply: Equatable {
    case nothing
    case integer(Int64)
    /// A string or a status.
    case text([UInt8])
    /// The message of an error, which begins with its code.
    case failure(String)
    case list([RedisReply])

    /// Copies a reply of hiredis.
    init(_ reply: UnsafeMutablePointer<redisReply>) {
        // hiredis itself bounds the depth of nested lists.
        switch unsafe reply.pointee.type {
        case REDIS_REPLY_INTEGER: self = unsafe .integer(reply.pointee.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = unsafe .text(Self.bytes(reply.pointee))
        case REDIS_REPLY_ERROR: self = unsafe .failure(String(decoding: Self.bytes(reply.pointee), as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            self = unsafe .list(
                (0..<reply.pointee.elements).map { index in
                    unsafe (reply.pointee.element?[index]).map { unsafe RedisReply($0) } ?? .nothing
                }
            )
        default: self = .nothing
        }
    }

    private static func bytes(_ reply: redisReply) -> [UInt8] {
        guard let start = unsafe reply.str else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: reply.len))
    }

    /// The string; `nil` for other replies.
    var string: String? {
        guard case .text(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The elements; `nil` for other replies.
    var elements: [RedisReply]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }
}
