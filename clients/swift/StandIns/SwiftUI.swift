// What the adapter uses of SwiftUI.
#if !canImport(SwiftUI)
public import Foundation

public protocol View {
    associatedtype Body: View
    var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a view without a body") }
}

public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError("a view without a body") }
}

public struct EnvironmentValues: Sendable {
    public var displayScale: CGFloat = 1
    public init() {}
}

@propertyWrapper
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

public struct Image: View {
    public init() {}
    public func resizable() -> Image { self }
    public var body: Never { fatalError("a view without a body") }
}

/// Shows its placeholder.
public struct AsyncImage<Content: View, Placeholder: View>: View {
    public let url: URL?
    public let scale: CGFloat
    private let placeholder: () -> Placeholder

    public init(
        url: URL?,
        scale: CGFloat = 1,
        content: @escaping (Image) -> Content,
        placeholder: @escaping () -> Placeholder
    ) {
        (self.url, self.scale, self.placeholder) = (url, scale, placeholder)
    }

    public var body: Placeholder { placeholder() }
}
#endif
