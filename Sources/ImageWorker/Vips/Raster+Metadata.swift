import CVips

extension Raster {
    /// Whether a metadata field exists.
    func has(_ field: String) -> Bool { unsafe vips_image_get_typeof(pointer, field) != 0 }

    /// Returns an integer field.
    func integer(_ field: String) -> Int? {
        guard has(field) else { return nil }
        var value: CInt = 0
        guard unsafe vips_image_get_int(pointer, field, &value) == 0 else {
            vips_error_clear()
            return nil
        }
        return Int(value)
    }

    /// Returns a field of integers.
    func integers(_ field: String) -> [Int] {
        guard has(field) else { return [] }
        var values: UnsafeMutablePointer<CInt>?
        var count: CInt = 0
        guard unsafe vips_image_get_array_int(pointer, field, &values, &count) == 0, let values = unsafe values else {
            vips_error_clear()
            return []
        }
        return unsafe UnsafeBufferPointer(start: values, count: Int(count)).map { Int($0) }
    }

    /// Returns a field of bytes.
    func bytes(_ field: String) -> [UInt8]? {
        guard has(field) else { return nil }
        var data: UnsafeRawPointer?
        var count = 0
        guard unsafe vips_image_get_blob(pointer, field, &data, &count) == 0, let data = unsafe data else {
            vips_error_clear()
            return nil
        }
        return unsafe Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    /// The names of all metadata fields.
    var fields: [String] {
        guard let names = unsafe vips_image_get_fields(pointer) else { return [] }
        defer { unsafe g_strfreev(names) }
        var result: [String] = []
        var index = 0
        while let name = unsafe names[index] {
            unsafe result.append(String(cString: name))
            index += 1
        }
        return result
    }

    /// Returns a copy of the node, without copying pixels, whose metadata `body` may change.
    func withMetadata(_ edit: (borrowing MetadataEditor) -> Void) throws(VipsError) -> Raster {
        let copy = try interpreted(as: interpretation)
        edit(MetadataEditor(raster: copy))
        return copy
    }

    /// Edits the metadata of an image with a single owner.
    struct MetadataEditor: ~Copyable {
        fileprivate let raster: Raster

        /// Sets an integer.
        func set(_ field: String, _ value: Int) {
            unsafe vips_image_set_int(raster.pointer, field, CInt(clamping: value))
        }

        /// Sets a list of integers.
        func set(_ field: String, _ values: [Int]) {
            let array = values.map { CInt(clamping: $0) }
            unsafe array.withUnsafeBufferPointer { buffer in
                unsafe vips_image_set_array_int(raster.pointer, field, buffer.baseAddress, CInt(buffer.count))
            }
        }

        /// Sets bytes.
        func set(_ field: String, _ bytes: [UInt8]) {
            unsafe vips_image_set_blob_copy(raster.pointer, field, bytes, bytes.count)
        }

        /// Copies the EXIF, XMP and IPTC metadata of another image.
        func copy(from other: Raster) {
            for field in other.fields where Self.kept.contains(where: { field.hasPrefix($0) }) {
                unsafe edge_vips_copy_field(other.pointer, raster.pointer, field)
            }
        }

        private static let kept = ["exif-", VIPS_META_XMP_NAME, VIPS_META_IPTC_NAME]

        /// Removes a field if it exists.
        func remove(_ field: String) {
            unsafe vips_image_remove(raster.pointer, field)
        }
    }
}
