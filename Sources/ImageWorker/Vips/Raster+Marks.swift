import CVips
import ImagePlan

/// Laying one picture over a part of another.
extension Raster {
    /// This picture, which has alpha, with less of it.
    func faded(by opacity: Double) throws -> Raster {
        guard opacity < 1 else { return self }
        return try bands(from: 0, count: 3).joined(with: bands(from: 3, count: 1).mapped { $0 * opacity }).inMemory()
    }

    /// This picture side by side, each in the top left corner of a transparent cell, until they cover a picture of some size.
    func tiled(cell: PixelSize, over picture: PixelSize) throws(VipsError) -> Raster {
        let tile = try embedded(left: 0, top: 0, width: cell.width, height: cell.height, background: [0, 0, 0, 0])
            .inMemory()
        let across = (picture.width + cell.width - 1) / cell.width
        let down = (picture.height + cell.height - 1) / cell.height
        return try Raster.make("replicate") { out in
            unsafe edge_vips_replicate(tile.pointer, &out, CInt(across), CInt(down))
        }
        .cropped(left: 0, top: 0, width: picture.width, height: picture.height)
    }

    /// This picture with another, which has alpha, over an area of that one's size.
    func marked(with layer: Raster, at area: PixelRectangle) throws(VipsError) -> Raster {
        let below = try cropped(left: area.left, top: area.top, width: area.width, height: area.height)
        let marked = try below.withAlpha().composited(with: layer)
        let inner = try hasAlpha ? marked : marked.bands(from: 0, count: bands)
        return try Raster.make("insert") { out in
            unsafe edge_vips_insert(pointer, inner.pointer, &out, CInt(area.left), CInt(area.top))
        }
    }

    /// A picture of this size in one opaque colour, 8-bit sRGB without alpha.
    func sRGB(_ color: Color) throws(VipsError) -> Raster {
        let plain = try constant([Double(color.red), Double(color.green), Double(color.blue)])
        return try Raster.make("copy") { out in
            unsafe edge_vips_copy_as(plain.pointer, &out, VIPS_INTERPRETATION_sRGB)
        }
    }
}
