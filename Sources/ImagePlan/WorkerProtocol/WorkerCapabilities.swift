/// The formats that `edgeprint-worker` can decode and encode with the installed libraries; `--capabilities` prints them as JSON.
package struct WorkerCapabilities: Codable, Hashable, Sendable {
    /// The version of the worker protocol.
    package var protocolVersion: Int
    /// libvips' own version, such as `8.14.1`.
    package var libvips: String
    /// The supported formats, each determined by a trial.
    package var codecs: [Codec]
    /// The libraries that libvips uses, as far as their versions are known.
    package var libraries: [Library]
    /// Whether `gravity=subject` looks for faces; `nil` if the worker does not say.
    package var faces: Faces?
    /// The confinement under which the formats were tried; `nil` from a worker that was started by hand.
    package var posture: WorkerPosture?

    /// The argument with which the worker prints them.
    package static let flag = "--capabilities"

    /// The capabilities of one format.
    package struct Codec: Codable, Hashable, Sendable {
        /// The format's name, such as `jpeg`.
        package var format: String
        package var decodes: Bool
        /// `nil` for a format that no request can name.
        package var encodes: Bool?
        /// The library's error, if something failed.
        package var problem: String?
        /// The settings, other than `q`, that the encoder supports; `nil` if there are none.
        package var settings: [String]?

        /// Creates an entry.
        package init(
            format: String,
            decodes: Bool,
            encodes: Bool? = nil,
            problem: String? = nil,
            settings: [String]? = nil
        ) {
            self.format = format
            self.decodes = decodes
            self.encodes = encodes
            self.problem = problem
            self.settings = settings
        }
    }

    /// A library's name and version.
    package struct Library: Codable, Hashable, Sendable {
        package var name: String
        package var version: String

        /// Creates an entry.
        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// Whether faces are looked for.
    package struct Faces: Codable, Hashable, Sendable {
        package var areFound: Bool
        /// What they are found with: `network` or `cascade`; `nil` if neither is installed.
        package var method: String?
        /// What is wrong with its file; `nil` if nothing is, or none is installed.
        package var problem: String?

        /// Creates an entry.
        package init(areFound: Bool, method: String? = nil, problem: String? = nil) {
            self.areFound = areFound
            self.method = method
            self.problem = problem
        }
    }

    /// Creates a description.
    package init(
        protocolVersion: Int,
        libvips: String,
        codecs: [Codec],
        libraries: [Library],
        faces: Faces? = nil,
        posture: WorkerPosture? = nil
    ) {
        self.protocolVersion = protocolVersion
        self.libvips = libvips
        self.codecs = codecs
        self.libraries = libraries
        self.faces = faces
        self.posture = posture
    }
}

extension WorkerCapabilities {
    /// The JSON text (RFC 8259), built by hand because the worker does not link Foundation.
    package var json: String {
        let codecs = codecs.map { codec in
            var members = ["\"format\":\(JSONText.quotedLine(codec.format))", "\"decodes\":\(codec.decodes)"]
            if let encodes = codec.encodes { members.append("\"encodes\":\(encodes)") }
            if let problem = codec.problem { members.append("\"problem\":\(JSONText.quotedLine(problem))") }
            if let settings = codec.settings {
                members.append("\"settings\":[\(settings.map(JSONText.quotedLine).joined(separator: ","))]")
            }
            return "{\(members.joined(separator: ","))}"
        }
        let libraries = libraries.map { library in
            "{\"name\":\(JSONText.quotedLine(library.name)),\"version\":\(JSONText.quotedLine(library.version))}"
        }
        let faces = faces.map { faces in
            let problem = faces.problem.map { ",\"problem\":\(JSONText.quotedLine($0))" } ?? ""
            let method = faces.method.map { ",\"method\":\(JSONText.quotedLine($0))" } ?? ""
            return ",\"faces\":{\"areFound\":\(faces.areFound)\(method)\(problem)}"
        }
        let posture = posture.map { ",\"posture\":\($0.json)" } ?? ""
        return """
            {"protocolVersion":\(protocolVersion),"libvips":\(JSONText.quotedLine(libvips)),\
            "codecs":[\(codecs.joined(separator: ","))],"libraries":[\(libraries.joined(separator: ","))]\(faces ?? "")\(posture)}
            """
    }
}

extension WorkerPosture {
    /// The JSON text that `Codable` reads.
    fileprivate var json: String {
        let outcomes = outcomes.map { "{\"layer\":\($0.layer.rawValue),\"error\":\($0.error)}" }
        let calls = calls.map { "{\"name\":\(JSONText.quotedLine($0.name)),\"isAllowed\":\($0.isAllowed)}" }
        return """
            {"outcomes":[\(outcomes.joined(separator: ","))],"landlockVersion":\(landlockVersion),\
            "calls":[\(calls.joined(separator: ","))]}
            """
    }
}
