import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem

/// Creates responses with an entity: complete, partial, or 304.
enum EntityResponse {
    /// The response to an unconditional request.
    ///
    /// - Parameters:
    ///   - dynamic: the encoded fields of this request, such as `Cache-Status`.
    ///   - age: the value of `Age` in seconds; `nil` for a response that comes directly from the origin.
    static func whole(_ entity: Entity, dynamic: [UInt8], age: Int64?, tag: UInt64) -> Response {
        var response = Response(status: 200)
        response.fields = entity.fields
        response.dynamicFields = dynamic
        response.age = age
        response.tag = tag | AnswerTag.bits(of: entity)
        response.amount = Int64(entity.savedBytes)
        switch entity.body {
        case .memory(let bytes): response.body = .bytes(bytes, 0..<bytes.count)
        case .file(let file, let length): response.body = .file(file, offset: 0, length: Int64(length))
        case .growing(let file):
            // Without a reader the content has been given up, and the response is cut off.
            guard let reader = file.reader() else {
                return Response(Problem(502, "The origin's response was cut off."))
            }
            response.body = .growing(reader, offset: 0, length: file.expected.map(Int64.init))
        }
        return response
    }

    /// The response to a conditional or range request (RFC 9110 §13.2.2, §14.2).
    static func conditional(
        _ entity: Entity,
        conditions: RequestConditions,
        dynamic: [UInt8],
        age: Int64?,
        now: Int64,
        tag: UInt64
    ) -> Response {
        var response = whole(entity, dynamic: dynamic, age: age, tag: tag)
        // Conditions need the entity tag, which is known at the end; without validators, they and ranges may be ignored.
        guard !entity.description.isArriving else { return response }
        let entityTag = EntityTag(EntityPresentation.entityTag(entity.description.digest))
        let lastModified = entity.description.lastModified.flatMap { HTTPDate($0, now: now) }?.seconds
        let isRefused = Preconditions.fail(
            ifMatch: conditions.ifMatch,
            ifUnmodifiedSince: conditions.ifUnmodifiedSince,
            entityTag: entityTag,
            lastModified: lastModified,
            now: now
        )
        guard !isRefused else {
            response = Response(Problem(412, "The image does not match the precondition."))
            response.dynamicFields = dynamic
            return response
        }
        let verdict = Preconditions.evaluate(
            ifNoneMatch: conditions.ifNoneMatch,
            ifModifiedSince: conditions.ifModifiedSince,
            entityTag: entityTag,
            lastModified: lastModified,
            now: now
        )
        guard verdict == .proceed else {
            response.status = 304
            response.body = .none
            response.fields = EntityPresentation.notModified(response.fields)
            return response
        }
        guard let range = conditions.range.flatMap({ ByteRange($0) }) else { return response }
        if let ifRange = conditions.ifRange,
            !IfRange.holds(ifRange, entityTag: entityTag, lastModified: lastModified, now: now)
        {
            return response
        }
        narrow(&response, to: range, of: entity)
        return response
    }

    private static func narrow(_ response: inout Response, to range: ByteRange, of entity: Entity) {
        let length = entity.description.length
        var block = FieldBlock()
        switch range.resolve(length: length) {
        case .unsatisfiable:
            // An error response, so that no cache in front mistakes it for the image.
            let problem = Problem(416, "The image has \(length) bytes.")
            let dynamic = response.dynamicFields
            response = Response(problem)
            response.dynamicFields = dynamic
            block.append("Content-Range", ByteRange.contentRange(unsatisfiedOf: length))
        case .satisfiable(let part):
            response.status = 206
            block.append("Content-Range", ByteRange.contentRange(part, of: length))
            switch entity.body {
            case .memory(let bytes): response.body = .bytes(bytes, part)
            case .file(let file, _):
                response.body = .file(file, offset: Int64(part.lowerBound), length: Int64(part.count))
            case .growing: break
            }
        }
        response.dynamicFields += block.bytes
    }
}
