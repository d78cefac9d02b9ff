import CVips
import ImagePlan

/// Compositing an image over a part of another.
extension Raster {
    /// Multiplies the alpha of an image with alpha by an opacity.
    func faded(by opacity: Double) throws -> Raster {
        guard opacity < 1 else { return self }
        return try bands(from: 0, count: 3).joined(with: bands(from: 3, count: 1).mapped { $0 * opacity }).inMemory()
    }

    /// Tiles the image over an area, each copy in the top left corner of a transparent cell.
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

    /// Composites an image with alpha over an area of the same size.
    func marked(with layer: Raster, at area: PixelRectangle) throws(VipsError) -> Raster {
        let below = try cropped(left: area.left, top: area.top, width: area.width, height: area.height)
        let marked = try below.withAlpha().composited(with: layer)
        let inner = try hasAlpha ? marked : marked.bands(from: 0, count: bands)
        return try Raster.make("insert") { out in
            unsafe edge_vips_insert(pointer, inner.pointer, &out, CInt(area.left), CInt(area.top))
        }
    }

    /// Returns an 8-bit sRGB image of this size in one opaque colour, without alpha.
    func sRGB(_ color: Color) throws(VipsError) -> Raster {
        let plain = try constant([Double(color.red), Double(color.green), Double(color.blue)])
        return try plain.interpreted(as: VIPS_INTERPRETATION_sRGB)
    }
}
