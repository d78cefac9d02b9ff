import ImagePlan

extension StatsSnapshot {
    /// What of each format that is known by its bytes can be read and written here, and by which libraries.
    struct Coders: Sendable, Equatable, Decodable {
        var libvips: String
        /// Versions of the libraries behind it that tell theirs.
        var libraries: [String: String]
        var formats: [Format]

        /// One format.
        struct Format: Sendable, Equatable, Decodable {
            var format: String
            /// The media type.
            var type: String
            var decodes: Bool
            var encodes: Bool
            /// The settings beside `q` that its encoder makes use of.
            var settings: [String]
            /// Why it cannot be read or written, as the library says.
            var problem: String?
        }

        /// Reads a worker's answer.
        init(_ found: WorkerCapabilities) {
            libvips = found.libvips
            libraries = Dictionary(found.libraries.map { ($0.name, $0.version) }) { first, _ in first }
            formats = ImageFormat.allCases.map { format in
                // Compressed SVG is expanded, and drawn as SVG is.
                let name = "\(format == .svgz ? .svg : format)"
                let codec = found.codecs.first { $0.format == name }
                return Format(
                    format: "\(format)",
                    type: format.mediaType,
                    decodes: codec?.decodes ?? false,
                    encodes: codec?.encodes ?? false,
                    settings: codec?.settings ?? [],
                    problem: codec?.problem
                )
            }
        }

        var json: JSONValue {
            .object([
                .init("libvips", .string(libvips)),
                .init(
                    "libraries",
                    .object(libraries.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
                ),
                .init("formats", .array(formats.map(\.json))),
            ])
        }
    }
}

extension StatsSnapshot.Coders.Format {
    fileprivate var json: JSONValue {
        .object(
            [
                .init("format", .string(format)), .init("type", .string(type)), .init("decodes", .bool(decodes)),
                .init("encodes", .bool(encodes)), .init("settings", .array(settings.map(JSONValue.string))),
            ] + (problem.map { [.init("problem", .string($0))] } ?? [])
        )
    }
}
