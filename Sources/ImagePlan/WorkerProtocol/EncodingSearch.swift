/// How a worker searches for an encoding, beside what the plan says.
///
/// Nothing that earlier requests have found is part of it: the same request gives the same bytes whatever came before.
package struct EncodingSearch: Hashable, Sendable {
    /// Whether `format=auto` takes the smallest of what the client shows.
    package var takesSmallest: Bool

    /// The formats whose encoders have a quality to search for.
    package static let formats: [ImageFormat] = [.jpeg, .webp, .avif, .jxl]

    /// Creates a search; without arguments, one that the plan alone decides.
    package init(takesSmallest: Bool = false) {
        self.takesSmallest = takesSmallest
    }
}

extension WorkerJob.Output {
    /// Writes `search` and the distance that it aims at.
    func writeSearch(to writer: inout MessageWriter) {
        writer.write(UInt32(quality.distance))
        writer.write(UInt8(search.takesSmallest ? 1 : 0))
    }

    mutating func readSearch(_ reader: inout MessageReader) throws(WorkerMessageError) {
        quality.distance = try reader.read(UInt32.self, in: QualityDefaults.distances, "distance")
        search.takesSmallest = try reader.read(UInt8.self, in: 0...1, "smallest") == 1
    }

    func validateSearch() throws(WorkerMessageError) {
        guard QualityDefaults.distances.contains(quality.distance) else { throw .field("distance") }
    }
}

extension WorkerReply.Output {
    /// Writes what a search has found.
    func writeSearch(to writer: inout MessageWriter) {
        writer.write(UInt8(quality ?? 0))
        writer.write(UInt8(tries))
    }

    mutating func readSearch(_ reader: inout MessageReader) throws(WorkerMessageError) {
        let value = try reader.read(UInt8.self, in: 0...100, "quality")
        quality = value == 0 ? nil : value
        tries = try reader.read(UInt8.self, in: 0...255, "tries")
    }

    func validateSearch() throws(WorkerMessageError) {
        guard quality.map({ (1...100).contains($0) }) ?? true else { throw .field("quality") }
        guard (0...255).contains(tries) else { throw .field("tries") }
    }
}
