import CVips

/// A picture of libvips: a node of its lazy graph, computed when an encoder or a copy asks for pixels.
///
/// Owns one reference; confined to the worker's only job thread.
@safe
final class Raster {
    /// The image, valid as long as this object lives.
    let pointer: UnsafeMutablePointer<VipsImage>
    /// Who is shown the rows while `resampled` reads them.
    var observer: (any RowObserver)?

    /// Takes over one reference.
    init(owning pointer: UnsafeMutablePointer<VipsImage>) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    /// Runs an operation that makes an image.
    @safe
    static func make(
        _ operation: StaticString,
        _ body: (inout UnsafeMutablePointer<VipsImage>?) -> CInt
    ) throws(VipsError) -> Raster {
        VipsError.forget()
        var out: UnsafeMutablePointer<VipsImage>?
        guard unsafe body(&out) == 0, let out = unsafe out else { throw VipsError.take(operation) }
        return unsafe Raster(owning: out)
    }

    /// Pixels.
    var width: Int { unsafe Int(vips_image_get_width(pointer)) }
    /// Pixels; of all frames where they are stacked.
    var height: Int { unsafe Int(vips_image_get_height(pointer)) }
    var bands: Int { unsafe Int(vips_image_get_bands(pointer)) }
    var format: VipsBandFormat { unsafe vips_image_get_format(pointer) }
    var interpretation: VipsInterpretation { unsafe vips_image_get_interpretation(pointer) }
    var hasAlpha: Bool { unsafe vips_image_hasalpha(pointer) != 0 }
}

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
