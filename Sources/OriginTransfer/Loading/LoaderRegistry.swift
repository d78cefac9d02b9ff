/// The loaders of originals (SDWebImage: `SDImageLoadersManager`).
///
/// A new kind of location needs a case of `OriginTarget`, a type that conforms to `TransferLoading`, and a place in the list from
/// which the daemon creates its registry. Immutable; any thread.
package struct LoaderRegistry: Sendable {
    private let loaders: [any TransferLoading]

    /// Creates a registry; of several loaders that can load a target, the last one does.
    package init(_ loaders: [any TransferLoading]) { self.loaders = loaders }

    /// The loader of a target; `nil` if none can load it.
    package func loader(for target: OriginTarget) -> (any TransferLoading)? {
        loaders.last { $0.canLoad(target) }
    }
}
