import ImagePipeline
import LinuxSystem

extension Configuration {
    /// Whether anybody may send `PURGE` to the public listener.
    var takesPurges: Bool { !purge.allow.isEmpty || !admin.token.isEmpty }
}
