import HTTPCache
import ImagePlan
import LinuxSystem

/// An original whose content is still arriving, described as far as its beginning allows.
struct ArrivingOriginal {
    private let file: GrowingFile
    /// The record without a digest, and with length 0 if the origin did not state one.
    let record: OriginRecord

    /// Describes an arriving original; `nil` if its header has not arrived.
    init?(_ arrival: Originals.Arrival, of request: VariantRequest) {
        file = arrival.file
        let length = file.expected ?? .max
        let beginning = OriginBody(file: file.file, length: file.progress.count, digest: CacheKey(hashing: ""))
        guard let bytes = file.file.read(count: min(beginning.length, ImageSniffer.preferredPrefix)),
            case .found(let header)? = try? OriginalHeader.examine(bytes, of: length, from: request.origin.source)
        else { return nil }
        var record = OriginRecord(
            arrival.response,
            of: request.origin,
            body: beginning,
            header: header.examined(in: beginning)
        )
        record.length = file.expected ?? 0
        self.record = record
    }

    /// Creates the entity for the requests that wait for the bare original; it is not stored.
    func entity(for request: VariantRequest, _ parts: PipelineParts) -> Entity {
        var description = EntityDescription(
            mediaType: record.mediaType,
            digest: record.digest,
            length: record.length,
            origin: record,
            of: request.origin.source,
            animation: request.animation(of: record.header, in: nil)
        )
        description.isArriving = true
        description.passReason = request.reasonToPass(record)
        description.isSandboxed = record.header.format == .other
        description.contentCoding = record.header.format.contentCoding
        return Entity(
            description: description,
            body: .growing(file),
            origin: OriginState(record).snapshot,
            fields: parts.presentation(description)
        )
    }
}
