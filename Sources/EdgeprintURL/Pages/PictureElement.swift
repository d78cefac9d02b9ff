/// An image in HTML: an `<img>` element, within `<picture>` if there are several sources (HTML §4.8.1).
///
/// ```swift
/// var picture = PictureElement(.path("photos/cat.jpg"), alternative: "A cat")
/// picture.candidates = .widths([320, 640, 1280], sizes: "(max-width: 40rem) 100vw, 40rem")
/// picture.offer([.avif, .webp])
/// let html = try picture.html(on: server)
/// ```
///
/// With `format=auto`, the default, the server negotiates the format; sources of several formats are for caches that ignore `Vary`.
public struct PictureElement: Hashable, Sendable {
    /// The sizes of an image among which a browser chooses.
    public enum Candidates: Hashable, Sendable {
        /// The transform's own size only.
        case single
        /// Widths in device pixels, ascending, and how wide the image is on the page (`sizes`).
        case widths([Int], sizes: String)
        /// Ratios of device pixels to CSS pixels, ascending.
        case densities([Double])
    }

    /// A `<source>` element.
    public struct Source: Hashable, Sendable {
        /// The steps; a format in it becomes the `type`.
        public var transform: ImageTransform
        /// The sizes.
        public var candidates: Candidates
        /// The media query under which the source counts.
        public var media: String?
        /// CSS pixels, with which browsers reserve space.
        public var width: Int?
        /// CSS pixels, with which browsers reserve space.
        public var height: Int?

        /// Creates a source for all media.
        public init(_ transform: ImageTransform, _ candidates: Candidates) {
            self.transform = transform
            self.candidates = candidates
        }
    }

    /// An attribute of `<img>`.
    public struct Attribute: Hashable, Sendable {
        /// Such as `class`.
        public var name: String
        /// Not escaped.
        public var value: String

        /// Creates an attribute.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The image.
    public var location: ImageLocation
    /// The steps of `<img>`.
    public var transform = ImageTransform()
    /// The sizes of `<img>`.
    public var candidates = Candidates.single
    /// The sources that come before `<img>`, best first.
    public var sources: [Source] = []
    /// Attributes such as `width`, `height`, `class` and `loading`.
    public var attributes: [Attribute] = []
    /// The text for those who do not see the image (`alt`); empty for decoration.
    public var alternative: String
    /// The time after which the URLs are invalid, in seconds since 1970.
    public var expires: Int64?

    /// Creates an element.
    public init(_ location: ImageLocation, alternative: String) {
        self.location = location
        self.alternative = alternative
    }

    /// Adds a source for each of some formats, with the steps and sizes of `<img>`.
    public mutating func offer(_ formats: [OutputFormat]) {
        sources += formats.map { Source(transform.format($0), candidates) }
    }

    /// The element, in one line.
    ///
    /// - Throws: `ImageURLError` if a URL is not valid, or if there are no candidates.
    public func html(on server: ImageServer) throws(ImageURLError) -> String {
        var markup = ""
        for source in sources {
            let set = try sourceSet(of: source.transform, source.candidates, server)
            let type = source.transform["format"].flatMap { OutputFormat(rawValue: $0)?.mediaType }
            markup += Self.element(
                "source",
                [
                    ("media", source.media), ("type", type), ("srcset", set.text), ("sizes", set.sizes),
                    ("width", source.width.map(String.init)), ("height", source.height.map(String.init)),
                ]
            )
        }
        let set = try sourceSet(of: transform, candidates, server)
        let isSingle = candidates == .single
        markup += Self.element(
            "img",
            [("src", set.address), ("srcset", isSingle ? nil : set.text), ("sizes", set.sizes)]
                + attributes.map { ($0.name, $0.value) } + [("alt", alternative)]
        )
        return sources.isEmpty ? markup : "<picture>\(markup)</picture>"
    }

    /// `srcset`, `sizes`, and the address for browsers without them: the last width, or the first density.
    private func sourceSet(
        of transform: ImageTransform,
        _ candidates: Candidates,
        _ server: ImageServer
    ) throws(ImageURLError) -> (text: String, sizes: String?, address: String) {
        func address(_ transform: ImageTransform) throws(ImageURLError) -> String {
            try server.url(for: location, transform, expires: expires)
        }
        switch candidates {
        case .single:
            let own = try address(transform)
            return (own, nil, own)
        case .widths(let widths, let sizes):
            guard let last = widths.last else {
                throw ImageURLError(parameter: "w", reason: "has no candidates")
            }
            let set = try server.sourceSet(for: location, transform, widths: widths, expires: expires)
            return (set, sizes, try address(transform.scaled(toWidth: last)))
        case .densities(let densities):
            guard let first = densities.first else {
                throw ImageURLError(parameter: "dpr", reason: "has no candidates")
            }
            let set = try server.sourceSet(for: location, transform, densities: densities, expires: expires)
            return (set, nil, try address(transform.density(first)))
        }
    }

    private static func element(_ name: String, _ attributes: [(name: String, value: String?)]) -> String {
        let texts = attributes.compactMap { attribute in
            attribute.value.map { " \(attribute.name)=\"\(escaped($0))\"" }
        }
        return "<\(name)\(texts.joined())>"
    }

    /// Escapes the value of a quoted attribute (HTML §13.1.2.3).
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
