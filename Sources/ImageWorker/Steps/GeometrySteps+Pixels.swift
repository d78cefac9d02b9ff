import CVips
import ImagePlan

extension ResizeStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let geometry = geometry(for: canvas.shape.size)
        let after = try shape(after: canvas.shape)
        switch geometry.framing {
        case .none:
            try canvas.scale(to: after, isLinear: isLinear)
        case .crop(let placement):
            try canvas.scale(to: PictureShape(size: geometry.scaled), isLinear: isLinear)
            try canvas.crop(placement)
        case .canvas(_, let left, let top):
            try canvas.scale(to: PictureShape(size: geometry.scaled), isLinear: isLinear)
            try canvas.embed(in: after, left: left, top: top)
        }
    }
}

extension CropStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let placement = try placement(in: canvas.shape.size)
        if placement.size == canvas.shape.size { return }
        try canvas.crop(placement)
    }
}

extension Canvas {
    /// Cuts the same rectangle out of every frame; a search is one of the first frame.
    mutating func crop(_ placement: CropPlacement) throws {
        switch placement {
        case .rectangle(let rectangle):
            try settle()
            let loaded =
                enlargement > 1
                ? rectangle.enlarged(by: enlargement, of: shape.size, on: loadedSize)
                : ShrinkOnLoad.rectangle(rectangle, of: shape.size, factor: loadFactor, on: loadedSize)
            try change(to: PictureShape(size: rectangle.size), showing: rectangle) { frame in
                try frame.cropped(left: loaded.left, top: loaded.top, width: loaded.width, height: loaded.height)
            }
        case .searched(let size, let gravity):
            try settle()
            try makeRandomAccess()
            try deadline.check()
            let offset = try offset(of: size, gravity)
            let rectangle = PixelRectangle(left: offset.left, top: offset.top, width: size.width, height: size.height)
            try change(to: PictureShape(size: size), showing: rectangle) { frame in
                try frame.cropped(left: offset.left, top: offset.top, width: size.width, height: size.height)
            }
        }
    }
}

extension PixelRectangle {
    /// Maps the rectangle to an image that was drawn larger; an edge of the image maps to an edge, even if its size was rounded.
    fileprivate func enlarged(by factor: Int, of picture: PixelSize, on drawn: PixelSize) -> PixelRectangle {
        let left = min(left * factor, drawn.width - 1)
        let top = min(top * factor, drawn.height - 1)
        let right = right == picture.width ? drawn.width : min(right * factor, drawn.width)
        let bottom = bottom == picture.height ? drawn.height : min(bottom * factor, drawn.height)
        return PixelRectangle(left: left, top: top, width: max(1, right - left), height: max(1, bottom - top))
    }
}

extension Canvas {
    /// Searches the first frame for the place of a crop; its pixels must be in memory.
    private func offset(of size: PixelSize, _ gravity: Gravity) throws -> (left: Int, top: Int) {
        let frame = frames[0]
        switch gravity {
        case .subject:
            deadline.watch(frame)
            return try frame.inMemory().subjectOffset(of: size)
        case .entropy:
            return try frame.smartCropOffset(width: size.width, height: size.height, VIPS_INTERESTING_ENTROPY)
        case .attention, .point, .offset, .pixels:
            return try frame.smartCropOffset(width: size.width, height: size.height, VIPS_INTERESTING_ATTENTION)
        }
    }
}

extension PadStep: PixelStep {
    func apply(to canvas: inout ImageWorker.Canvas) throws {
        let after = try shape(after: canvas.shape)
        if after.size == canvas.shape.size { return }
        let corner = corner(of: canvas.shape.size)
        try canvas.embed(in: after, left: corner.left, top: corner.top)
    }
}

extension Canvas {
    /// Places every frame on a larger canvas, filled with the background if that is opaque, else transparent.
    mutating func embed(in shape: PictureShape, left: Int, top: Int) throws {
        let background = opaqueBackground
        let canvas = PixelRectangle(left: -left, top: -top, width: shape.size.width, height: shape.size.height)
        try change(to: shape, showing: canvas) { frame in
            // An opaque background needs no alpha band; any other is composited at the end.
            let base = background == nil ? try frame.withAlpha() : frame
            let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
            return try base.embedded(
                left: left,
                top: top,
                width: shape.size.width,
                height: shape.size.height,
                background: ink
            )
        }
    }
}

extension TrimStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        try canvas.makeRandomAccess()
        let corner = try canvas.frames[0].cornerColour()
        var content: PixelRectangle?
        for frame in canvas.frames {
            try canvas.deadline.check()
            guard let found = try frame.content(against: corner, threshold: threshold) else { continue }
            content = content?.union(found) ?? found
        }
        guard let content, content.size != canvas.shape.size else { return }
        try canvas.change(to: PictureShape(size: content.size), showing: content) { frame in
            try frame.cropped(left: content.left, top: content.top, width: content.width, height: content.height)
        }
    }
}

extension PixelRectangle {
    /// Returns the smallest rectangle that contains both.
    fileprivate func union(_ other: PixelRectangle) -> PixelRectangle {
        let (left, top) = (min(left, other.left), min(top, other.top))
        return PixelRectangle(
            left: left,
            top: top,
            width: max(right, other.right) - left,
            height: max(bottom, other.bottom) - top
        )
    }
}

extension FlipStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        if direction != .horizontal { try canvas.makeRandomAccess() }
        let turning: (inout SourceRegion) -> Void = { region in
            if direction != .vertical { region.flipHorizontally() }
            if direction != .horizontal { region.flipVertically() }
        }
        try canvas.change(to: shape(after: canvas.shape), turning: turning) { frame in
            switch direction {
            case .horizontal: try frame.flipped(VIPS_DIRECTION_HORIZONTAL)
            case .vertical: try frame.flipped(VIPS_DIRECTION_VERTICAL)
            case .both: try frame.turned(quarters: 2)
            }
        }
    }
}

extension RotateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        try canvas.makeRandomAccess()
        let after = try shape(after: canvas.shape)
        if let quarterTurns, bounds(of: canvas.shape.size) == after.size {
            try canvas.change(to: after, turning: { $0.turn(quarters: quarterTurns) }) { frame in
                try frame.turned(quarters: quarterTurns)
            }
            return
        }
        let background = canvas.opaqueBackground
        try canvas.change(to: after) { frame in
            let base = background == nil ? try frame.withAlpha() : frame
            let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
            if let quarterTurns {
                return try base.turned(quarters: quarterTurns).centred(in: after.size, background: ink)
            }
            return try base.rotated(degrees: degrees.value, on: after.size, background: ink)
        }
        try canvas.compute()
    }
}

extension Raster {
    /// Centres the image on a canvas that may be smaller or larger in each direction.
    fileprivate func centred(in size: PixelSize, background: [Double]) throws(VipsError) -> Raster {
        guard size.width != width || size.height != height else { return self }
        // Rounds down, for negative values as well.
        let (left, top) = ((size.width - width) >> 1, (size.height - height) >> 1)
        let larger = try embedded(
            left: max(0, left),
            top: max(0, top),
            width: max(size.width, width),
            height: max(size.height, height),
            background: background
        )
        return try larger.cropped(left: max(0, -left), top: max(0, -top), width: size.width, height: size.height)
    }
}
