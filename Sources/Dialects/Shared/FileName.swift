/// What the name of a file says of its content, and what the content says of the name.
enum FileName {
    /// Whether the extension of an address is that of a format with frames instead of pages.
    static func isAnimation(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" }.lowercased()
        return [".gif", ".webp", ".png", ".apng", ".avif"].contains { path.hasSuffix($0) }
    }

    /// Whether the name of an image is that of a file with frames instead of pages; that of an encrypted one is not known.
    static func isAnimation(_ image: Translation.Image) -> Bool {
        switch image {
        case .path(let path, _): isAnimation(path)
        case .url(let url): isAnimation(url)
        case .encrypted: false
        }
    }

    /// A name with the extension of a format; unchanged if it has it, or if the format is one only when the image is known.
    ///
    /// - Parameter format: a value of our `format`.
    static func completed(_ name: String, for format: String) -> String {
        let lowered = name.lowercased()
        guard let known = extensions[format], !known.contains(where: { lowered.hasSuffix($0) }) else { return name }
        return name + known[0]
    }

    /// The extensions of formats; the first one is appended, as other servers do.
    private static let extensions = [
        "jpeg": [".jpg", ".jpeg"], "png": [".png"], "gif": [".gif"], "webp": [".webp"], "avif": [".avif"],
        "jxl": [".jxl"],
        "tiff": [".tiff", ".tif"],
    ]
}
