import EdgeprintURL
import Foundation
#if canImport(UIKit)
public import UIKit
#endif

extension UIImage {
    /// The image of a ThumbHash in base64, to be shown until the real one has loaded; `nil` for a text that is no hash.
    ///
    /// A list of images can carry the hashes, which `format=thumbhash` or `format=json` give: they are at most 25 bytes.
    public convenience init?(thumbHash text: String) {
        guard let placeholder = PlaceholderImage(thumbHash: text),
            let provider = CGDataProvider(data: Data(placeholder.rgba) as CFData),
            let space = CGColorSpace(name: CGColorSpace.sRGB),
            let image = CGImage(
                width: placeholder.width,
                height: placeholder.height,
                bitsPerComponent: 8,
                bitsPerPixel: 32,
                bytesPerRow: placeholder.width * 4,
                space: space,
                bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.last.rawValue),
                provider: provider,
                decode: nil,
                shouldInterpolate: true,
                intent: .defaultIntent
            )
        else { return nil }
        self.init(cgImage: image)
    }
}
