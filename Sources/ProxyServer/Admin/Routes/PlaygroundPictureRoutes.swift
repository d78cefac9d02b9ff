import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

/// `PUT` or `POST /playground/pictures`: keeps a picture for ten minutes, in memory; responds with its id.
struct AddPictureRoute: AdminRoute {
    let pictures: PlaygroundPictures
    let live: LiveConfiguration

    func destination(_ query: [UInt8]) -> BodyDestination? {
        let configuration = live.current
        let room = PlaygroundPictures.Limits(configuration)
        let limit = min(configuration.limits.origin.sourceBytes, max(1, room.bytes))
        return .sink(PushedBody(limit: limit, folder: nil), limit: limit)
    }

    func answer(_ request: AdminRequest) -> AdminAnswer {
        do throws(Problem) {
            let bytes = try Self.bytes(request.pushed)
            let header = try Self.header(of: bytes)
            let data = DataURL(mediaType: header.format.mediaType, bytes: bytes)
            let id = try pictures.add(data)
            let size = header.orientedSize
            return .now(
                .admin(
                    .object([
                        .init("id", .string(id)), .init("format", .string("\(header.format)")),
                        .init("bytes", .number(bytes.count)), .init("width", .number(size.width)),
                        .init("height", .number(size.height)), .init("seconds", .number(PlaygroundPictures.lifetime)),
                    ]),
                    status: 201
                )
            )
        } catch {
            return .now(Response(error))
        }
    }

    private static func bytes(_ pushed: Result<TransferBody, TransferError>?) throws(Problem) -> [UInt8] {
        guard let pushed else { throw Problem(400, "The request has no content: send the picture's bytes.") }
        switch pushed {
        case .success(let body):
            guard let bytes = body.file.read(count: body.length) else {
                throw Problem(503, "The picture cannot be read.", retryAfter: 1)
            }
            return bytes
        case .failure(.tooLarge(let limit)):
            throw Problem(413, "The picture is larger than \(limit) bytes (limits.source-bytes, playground.memory).")
        case .failure(.overloaded(let reason)):
            throw Problem(503, "The picture cannot be kept: \(reason).", retryAfter: 1)
        case .failure(let error): throw Problem(PipelineError(error))
        }
    }

    /// Reads the header, which an upload must have.
    private static func header(of bytes: [UInt8]) throws(Problem) -> ImageHeader {
        switch ImageSniffer.sniff(bytes.span, totalLength: bytes.count) {
        case .image(let header): return header
        case .malformed(let format, let reason):
            throw Problem(422, "The \(format) file is broken: \(reason).")
        case .unknown, .needsMore: throw Problem(415, "The content is not a picture of a known format.")
        }
    }
}

/// `DELETE /playground/pictures/ID`: forgets a picture.
struct RemovePictureRoute: AdminRoute {
    let pictures: PlaygroundPictures

    func answer(_ request: AdminRequest) -> AdminAnswer {
        guard pictures.remove(request.rest) else {
            return .now(Response(Problem(404, "There is no such picture; pictures are kept for 10 minutes.")))
        }
        var response = Response(status: 204)
        response.fields = FieldBlock(["Cache-Control": "no-store"]).bytes
        return .now(response)
    }
}
