/// Finds the faces of a picture with a neural network.
struct NetworkFaceFinder: FaceFinder {
    private let network: FaceNetwork

    init(_ network: FaceNetwork) { self.network = network }

    func faces(in raster: Raster, _: SmallPicture) throws(VipsError) -> [Face] {
        let copy = try SmallPicture(of: raster, side: Self.side)
        let found = network.faces(width: copy.width, height: copy.height, pixels: copy.colours)
        let (width, height) = (Double(copy.width), Double(copy.height))
        return Face.sharing(
            found.map { face in
                let box = Face.Box(
                    left: max(0, face.left / width),
                    top: max(0, face.top / height),
                    right: min(1, (face.left + face.width) / width),
                    bottom: min(1, (face.top + face.height) / height)
                )
                return (box, face.score)
            }
        )
    }
}

extension SmallPicture {
    /// Blue, green and red levels, 0–255, row by row (JFIF §7).
    fileprivate var colours: [SIMD3<Float>] {
        luma.indices.map { index in
            let (luma, blue, red) = (Float(luma[index]), Float(blue[index]), Float(red[index]))
            let levels = SIMD3(luma + 1.772 * blue, luma - 0.344136 * blue - 0.714136 * red, luma + 1.402 * red)
            return (levels / Float(Self.unit)).clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 255))
        }
    }
}
