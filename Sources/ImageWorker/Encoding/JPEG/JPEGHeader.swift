import CVips
import ImagePlan

/// The segments of a JPEG file before its tables: JFIF, and the metadata that the result keeps.
enum JPEGHeader {
    /// Returns the segments for a raster.
    ///
    /// Only libvips can serialise its EXIF fields, so that it writes a file with all metadata, whose segments are used.
    /// - Parameter strips: whether no metadata is kept.
    static func segments(of raster: Raster, strips: Bool) throws(VipsError) -> [UInt8] {
        guard !strips else {
            let (x, y) = unsafe (vips_image_get_xres(raster.pointer), vips_image_get_yres(raster.pointer))
            return JPEGFile.jfif(density: (x: dotsPerInch(x), y: dotsPerInch(y)))
        }
        let file = try JPEGCoder().save { bytes, count in
            // The pixels are not used.
            unsafe edge_vips_save_jpeg(raster.pointer, &bytes, &count, 1, 0, 0, VIPS_FOREIGN_SUBSAMPLE_ON, 0)
        }
        return file.withSpan(applicationSegments)
    }

    /// Whether segments state a profile (ICC.1 Annex B.4).
    static func hasProfile(_ segments: [UInt8]) -> Bool {
        var start = 0
        while start + 4 <= segments.count {
            let content = segments[(start + 4)...]
            if segments[start + 1] == 0xE2, content.starts(with: Array("ICC_PROFILE\0".utf8)) { return true }
            start += 2 + Int(segments[start + 2]) << 8 + Int(segments[start + 3])
        }
        return false
    }

    /// Returns pixels per inch from libvips' pixels per millimetre.
    private static func dotsPerInch(_ resolution: Double) -> Int {
        Int(min(max((resolution * 25.4).rounded(), 1), 65_535))
    }

    /// Returns the APPn and COM segments at the start of a file (ITU-T T.81 §B.2.4.5–6).
    private static func applicationSegments(_ file: Span<UInt8>) -> [UInt8] {
        var segments: [UInt8] = []
        var start = 2
        while start + 4 <= file.count, file[start] == 0xFF {
            let marker = file[start + 1]
            let end = start + 2 + Int(file[start + 2]) << 8 + Int(file[start + 3])
            guard (0xE0...0xEF).contains(marker) || marker == 0xFE, end <= file.count else { break }
            for index in start..<end { segments.append(file[index]) }
            start = end
        }
        return segments
    }
}
