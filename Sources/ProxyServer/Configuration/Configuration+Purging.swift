import ImagePipeline

extension Configuration {
    /// Whether `PURGE` is enabled on the public listener.
    var takesPurges: Bool { !purge.allow.isEmpty || !admin.token.isEmpty }
}
