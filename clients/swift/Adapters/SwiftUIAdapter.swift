public import EdgeprintURL
public import Foundation
#if canImport(SwiftUI)
public import SwiftUI
#endif

/// An image of a server, at the size and the scale at which it is shown.
///
/// ```swift
/// EdgeprintImage(.path("photos/cat.jpg"), on: server, width: 120, height: 120) { $0.resizable() } placeholder: { Color.gray }
/// ```
///
/// `AsyncImage` asks with the `Accept` field of `URLSession`, `*/*`, which names no format. The view therefore asks for AVIF.
public struct EdgeprintImage<Content: View, Placeholder: View>: View {
    private let location: ImageLocation
    private let server: ImageServer
    private let transform: ImageTransform
    private let content: (Image) -> Content
    private let placeholder: () -> Placeholder
    @Environment(\.displayScale) private var displayScale

    /// Creates a view.
    ///
    /// - Parameters:
    ///   - width: points.
    ///   - height: points.
    ///   - transform: steps that run before the image covers the size.
    public init(
        _ location: ImageLocation,
        on server: ImageServer,
        width: Int,
        height: Int,
        transform: ImageTransform = ImageTransform(),
        content: @escaping (Image) -> Content,
        placeholder: @escaping () -> Placeholder
    ) {
        self.location = location
        self.server = server
        self.transform = transform.resize(width: width, height: height, fit: .cover).format(.avif)
        self.content = content
        self.placeholder = placeholder
    }

    /// The URL for a scale; `nil` if the steps are not valid.
    public func url(displayScale: CGFloat) -> URL? {
        try? server.foundationURL(for: location, transform.density(min(4, max(1, displayScale))))
    }

    /// The image at the scale of the display.
    public var body: some View {
        AsyncImage(
            url: url(displayScale: displayScale),
            scale: displayScale,
            content: content,
            placeholder: placeholder
        )
    }
}
