// The app of the tutorial 'An app in ten minutes'.
import EdgeprintURL
import Foundation
#if canImport(UIKit)
import UIKit
#endif

/// What the backend sends for each picture: a scoped URL and a ThumbHash.
struct Cat: Decodable {
    var url: String
    var thumbHash: String
}

extension Cat {
    /// A square of `side` points on a screen with `scale` pixels per point.
    func address(side: Int, scale: Double) throws -> URL? {
        let steps = ImageTransform().resize(width: side, height: side, fit: .cover).density(scale)
        return URL(string: try ScopedImageURL(url).url(steps))
    }

    /// Something to look at until the picture has loaded.
    var placeholder: UIImage? { UIImage(thumbHash: thumbHash) }
}
