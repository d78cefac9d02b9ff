import ImagePlan

/// What of each format that is known by its bytes can be read and written here, and by which libraries.
struct CoderList: Sendable, Hashable {
    /// libvips's version.
    let libvips: String
    /// Versions of the libraries behind it that tell theirs.
    let libraries: [String: String]
    let formats: [Format]

    /// One format.
    struct Format: Sendable, Hashable {
        let format: String
        /// The media type.
        let type: String
        let decodes: Bool
        let encodes: Bool
        /// The settings beside `q` that its encoder makes use of.
        let settings: [String]
        /// Why it cannot be read or written, as the library says.
        let problem: String?
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

    /// The member `coders` of `/stats`.
    var json: JSONValue {
        .object([
            .init("libvips", .string(libvips)),
            .init("libraries", .object(libraries.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
            .init("formats", .array(formats.map(\.json))),
        ])
    }

    /// `libvips 8.14.1, reads jpeg png` of that member; `nil` of `null`.
    static func readable(_ json: JSONValue) -> String? {
        json["libvips"].map { "libvips \($0.words), reads \(names(json, "decodes"))" }
    }

    /// `writes jpeg png` of that member; `nil` of `null`.
    static func writable(_ json: JSONValue) -> String? {
        json["libvips"].map { _ in "writes \(names(json, "encodes"))" }
    }

    private static func names(_ json: JSONValue, _ ability: String) -> String {
        guard case .array(let formats)? = json["formats"] else { return "" }
        return formats.filter { $0[ability] == .bool(true) }.compactMap { $0["format"]?.words }.joined(separator: " ")
    }
}

extension CoderList.Format {
    fileprivate var json: JSONValue {
        .object(
            [
                .init("format", .string(format)), .init("type", .string(type)), .init("decodes", .bool(decodes)),
                .init("encodes", .bool(encodes)), .init("settings", .array(settings.map(JSONValue.string))),
            ] + (problem.map { [.init("problem", .string($0))] } ?? [])
        )
    }
}
