/// Finds the faces of a picture with a cascade that reads frontal ones.
///
/// With a window of 20 pixels, the smallest face has a sixteenth of the longest side.
struct CascadeFaceFinder: FaceFinder {
    /// The fewest windows that must agree on a face, and the number with which it is certain.
    private static let (fewestVotes, certainVotes) = (3, 8)
    /// The likeness to skin, on average, that a face of a colour picture should have.
    private static let clearSkin = 0.2
    /// The certainty that a face keeps without any colour of skin.
    private static let paleness = 0.5
    /// The mean size of both chroma differences, in 8-bit levels, below which a face has no colours.
    private static let greyness = 3.0

    private let search: FaceSearch

    init(_ cascade: FaceCascade) { search = FaceSearch(cascade, stride: Self.side + 1) }

    func faces(in raster: Raster, _ small: SmallPicture) throws(VipsError) -> [Face] {
        let copy = try SmallPicture(of: raster, side: Self.side)
        let levels = copy.luma.map { UInt8(clamping: $0 / SmallPicture.unit) }
        let plane = GreyPlane(width: copy.width, height: copy.height, levels: levels)
        let found = FaceBox.agreed(search.windows(in: plane), votes: Self.fewestVotes)
        let (width, height) = (Double(copy.width), Double(copy.height))
        return Face.sharing(
            found.map { face in
                let box = Face.Box(
                    left: face.left / width,
                    top: face.top / height,
                    right: (face.left + face.width) / width,
                    bottom: (face.top + face.height) / height
                )
                let votes = min(1, Double(face.votes) / Double(Self.certainVotes))
                return (box, votes * Self.complexion(of: box, in: small))
            }
        )
    }

    /// The certainty that a face keeps in view of its colours, 0–1; black and white ones keep all.
    private static func complexion(of box: Face.Box, in picture: SmallPicture) -> Double {
        var (skin, chroma, count) = (0.0, 0.0, 0.0)
        let (width, height) = (Double(picture.width), Double(picture.height))
        for y in Int(box.top * height)..<min(picture.height, Int(box.bottom * height) + 1) {
            for x in Int(box.left * width)..<min(picture.width, Int(box.right * width) + 1) {
                let index = y * picture.width + x
                skin += SubjectMap.skinLikeness(in: picture, at: index)
                chroma += Double(abs(picture.blue[index]) + abs(picture.red[index])) / Double(2 * SmallPicture.unit)
                count += 1
            }
        }
        if chroma < greyness * count { return 1 }
        return paleness + (1 - paleness) * min(1, skin / count / clearSkin)
    }
}
