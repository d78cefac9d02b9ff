/// Where a worker's search for a quality (`q=auto`) or a format (`auto: smallest`) begins.
///
/// What is remembered shortens a search; it never decides what a result may look like.
package struct EncodingSearch: Hashable, Sendable {
    /// What pictures of the same source needed, 1–100; a format without an entry begins at its default.
    package var qualities: [ImageFormat: Int]
    /// Whether `format=auto` takes the smallest of what the client shows.
    package var takesSmallest: Bool
    /// What was the smallest of the same original before.
    package var favourite: Encoding?

    /// The formats whose encoders have a quality to search for, in the order of the protocol.
    package static let formats: [ImageFormat] = [.jpeg, .webp, .avif, .jxl]

    /// A format, with loss or without.
    package struct Encoding: Hashable, Sendable {
        package var format: ImageFormat
        package var isLossless: Bool

        /// Names an encoding.
        package init(_ format: ImageFormat, isLossless: Bool) {
            self.format = format
            self.isLossless = isLossless
        }
    }

    /// Creates a beginning that knows nothing where nothing is given.
    package init(
        qualities: [ImageFormat: Int] = [:],
        takesSmallest: Bool = false,
        favourite: Encoding? = nil
    ) {
        self.qualities = qualities
        self.takesSmallest = takesSmallest
        self.favourite = favourite
    }
}

extension WorkerJob.Output {
    /// Writes `search` and what it aims at: the distance, a quality for each format or 0, and 1, or 2 or 3 with a format.
    func writeSearch(to writer: inout MessageWriter) {
        writer.write(UInt32(quality.distance))
        for format in EncodingSearch.formats { writer.write(UInt8(search.qualities[format] ?? 0)) }
        writer.write(UInt8(search.takesSmallest ? 1 : 0))
        writer.write(UInt8(search.favourite.map { $0.isLossless ? 2 : 1 } ?? 0))
        if let favourite = search.favourite { writer.write(favourite.format.rawValue) }
    }

    mutating func readSearch(_ reader: inout MessageReader) throws(WorkerMessageError) {
        quality.distance = try reader.read(UInt32.self, in: QualityDefaults.distances, "distance")
        for format in EncodingSearch.formats {
            let value = try reader.read(UInt8.self, in: 0...100, "quality")
            search.qualities[format] = value == 0 ? nil : value
        }
        search.takesSmallest = try reader.read(UInt8.self, in: 0...1, "smallest") == 1
        let favourite = try reader.read(UInt8.self, in: 0...2, "favourite")
        guard favourite > 0 else { return }
        let format = try reader.read(ImageFormat.self, "favourite")
        search.favourite = EncodingSearch.Encoding(format, isLossless: favourite == 2)
    }

    func validateSearch() throws(WorkerMessageError) {
        guard QualityDefaults.distances.contains(quality.distance) else { throw .field("distance") }
        for (format, value) in search.qualities {
            guard EncodingSearch.formats.contains(format), (1...100).contains(value) else { throw .field("quality") }
        }
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
