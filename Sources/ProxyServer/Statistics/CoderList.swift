import ImagePlan

/// The formats that this installation can decode and encode, and the libraries that do it.
struct CoderList: Sendable, Hashable {
    /// libvips's version.
    let libvips: String
    /// The versions of the codec libraries that report one, by library name.
    let libraries: [String: String]
    let formats: [Format]
    /// Whether `gravity=subject` looks for faces.
    let findsFaces: Bool

    /// A format that the sniffer recognises.
    struct Format: Sendable, Hashable {
        let format: String
        /// The media type.
        let type: String
        let decodes: Bool
        let encodes: Bool
        /// The settings, other than `q`, that its encoder supports.
        let settings: [String]
        /// The library's reason why the format cannot be decoded or encoded.
        let problem: String?
    }

    /// Creates the list from a worker's capabilities.
    init(_ found: WorkerCapabilities) {
        libvips = found.libvips
        libraries = Dictionary(found.libraries.map { ($0.name, $0.version) }) { first, _ in first }
        findsFaces = found.faces?.areFound ?? false
        formats = ImageFormat.allCases.map { format in
            // Compressed SVG is decompressed and rendered like SVG.
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
            .init("faces", .bool(findsFaces)),
        ])
    }

    /// Formats that member as `libvips 8.14.1, reads jpeg png`; `nil` if it is `null`.
    static func readable(_ json: JSONValue) -> String? {
        json["libvips"].map { "libvips \($0.words), reads \(names(json, "decodes"))" }
    }

    /// Formats that member as `writes jpeg png`; `nil` if it is `null`.
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
