import CVips

/// A failed libvips operation: its name and the first line of what libvips says.
struct VipsError: Error, CustomStringConvertible {
    let operation: String
    let text: String

    /// Forgets what libvips has said so far: its buffer is one of the whole process, and what succeeds leaves words in it as well.
    static func forget() { vips_error_clear() }

    /// Takes libvips' error text of the calling thread's last failure, and clears it.
    static func take(_ operation: StaticString) -> VipsError {
        let whole = unsafe String(cString: vips_error_buffer())
        vips_error_clear()
        let line = whole.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? "failed"
        return VipsError(operation: operation.description, text: line)
    }

    var description: String { text }
}
