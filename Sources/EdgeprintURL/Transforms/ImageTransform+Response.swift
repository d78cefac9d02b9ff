extension ImageTransform {
    /// The name under which browsers save the image (`filename`), at most 255 bytes, without slashes.
    public func filename(_ name: String) -> ImageTransform { setting("filename", name) }

    /// Whether browsers save the image instead of showing it (`download`).
    public func download(_ isOn: Bool = true) -> ImageTransform { setting("download", isOn ? "1" : nil) }

    /// Asks the origin again, also after a failure that the server remembers (`refresh`); only in signed URLs.
    public func refresh(_ isOn: Bool = true) -> ImageTransform { setting("refresh", isOn ? "1" : nil) }

    /// Ignores failures that the server remembers, and accepts fresh responses (`retry`); only in signed URLs.
    public func retry(_ isOn: Bool = true) -> ImageTransform { setting("retry", isOn ? "1" : nil) }

    /// Delays the response until the image is on the server's disk (`wait-store`); only in signed URLs.
    public func waitForStorage(_ isOn: Bool = true) -> ImageTransform { setting("wait-store", isOn ? "1" : nil) }

    /// Adds `Server-Timing` to the response (`timing`); only in signed URLs.
    public func timing(_ isOn: Bool = true) -> ImageTransform { setting("timing", isOn ? "1" : nil) }
}
