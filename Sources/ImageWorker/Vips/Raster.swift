import CVips
import ImagePlan

/// A libvips image: a node of its lazy graph, computed when an encoder or a copy needs pixels.
///
/// Owns one reference; confined to the worker's only job thread.
@safe
final class Raster {
    /// The image, valid as long as this object lives.
    let pointer: UnsafeMutablePointer<VipsImage>
    /// Receive the rows that `resampled` reads.
    var observers: [any RowObserver] = []
    /// Results of `resampled` that another use of the image has made, by size.
    var prepared: [PixelSize: ResizedPicture] = [:]

    /// Takes ownership of one reference.
    init(owning pointer: UnsafeMutablePointer<VipsImage>) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    /// Runs an operation that creates an image.
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

    /// The width in pixels.
    var width: Int { unsafe Int(vips_image_get_width(pointer)) }
    /// The height in pixels, of all stacked frames.
    var height: Int { unsafe Int(vips_image_get_height(pointer)) }
    var bands: Int { unsafe Int(vips_image_get_bands(pointer)) }
    var format: VipsBandFormat { unsafe vips_image_get_format(pointer) }
    var interpretation: VipsInterpretation { unsafe vips_image_get_interpretation(pointer) }
    var hasAlpha: Bool { unsafe vips_image_hasalpha(pointer) != 0 }
}

/// The error of a libvips operation: its name and the first line of libvips' message.
struct VipsError: Error, CustomStringConvertible {
    let operation: String
    let text: String

    /// Clears libvips' error buffer, which is shared by the process and also filled by operations that succeed.
    static func forget() { vips_error_clear() }

    /// Takes the text in libvips' error buffer and clears the buffer.
    static func take(_ operation: StaticString) -> VipsError {
        let whole = unsafe String(cString: vips_error_buffer())
        vips_error_clear()
        let line = whole.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? "failed"
        return VipsError(operation: operation.description, text: line)
    }

    var description: String { text }
}
