import CVips
import ImagePlan

extension WatermarkStep: PixelStep {
    /// Makes the mark once and composites it over each frame; only the pixels below it are computed again.
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        let picture = canvas.shape.size
        let mark = try drawn(on: picture, canvas.auxiliaries).faded(by: opacity.value)
        let (layer, left, top): (Raster, Int, Int)
        if place == .tile {
            let cell = cell(of: PixelSize(width: mark.width, height: mark.height), on: picture)
            layer = try mark.tiled(cell: cell, over: picture)
            (left, top) = (0, 0)
        } else {
            layer = mark
            (left, top) = corner(of: PixelSize(width: mark.width, height: mark.height), on: picture)
        }
        let whole = PixelRectangle(left: left, top: top, width: layer.width, height: layer.height)
        guard let area = whole.intersected(with: picture) else { return }
        let part = try layer.cropped(
            left: area.left - left,
            top: area.top - top,
            width: area.width,
            height: area.height
        )
        try canvas.compute()
        try canvas.change(to: canvas.shape) { frame in try frame.marked(with: part, at: area) }
    }

    private func drawn(on picture: PixelSize, _ auxiliaries: AuxiliaryPictures?) throws -> Raster {
        switch mark {
        case .picture(let path, _):
            guard let auxiliaries else {
                throw WorkerReply.Failure.worker("\(Self.name): an auxiliary image is missing")
            }
            return try auxiliaries.picture(path, for: Self.name) { own in size(of: own, on: picture) }
        case .text(let text):
            let ink = try text.drawn()
            let size = size(of: PixelSize(width: ink.width, height: ink.height), on: picture)
            // Scaled as coverage, since the colour is uniform.
            let coverage = try ink.resized(width: size.width, height: size.height)
            let opacity = Double(text.color.alpha) / 255
            let alpha = try text.color.isOpaque ? coverage : coverage.mapped { $0 * opacity }
            return try coverage.sRGB(text.color).joined(with: alpha).inMemory()
        }
    }
}

extension MarkText {
    /// Draws the text as coverage within its ink box.
    fileprivate func drawn() throws(WorkerReply.Failure) -> Raster {
        let family = "\(font) \(size.text)"
        let markup = escapedMarkup
        do {
            let ink = try Raster.make("text") { out in unsafe edge_vips_text(&out, markup, family) }
            return try ink.inMemory()
        } catch {
            let name = WatermarkStep.name
            throw .refused("\(name): the text cannot be drawn (\(error.text))", parameter: name)
        }
    }

    /// The text with Pango's markup characters escaped.
    private var escapedMarkup: String {
        text.unicodeScalars.reduce(into: "") { markup, scalar in
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            default: markup.unicodeScalars.append(scalar)
            }
        }
    }
}
