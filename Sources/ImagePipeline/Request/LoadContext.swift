package import HTTPCache
package import HTTPSemantics

/// The context of a request in the pipeline, independent of the requested variant.
package struct LoadContext: Sendable {
    /// The request's cache directives.
    package var demand = CacheDemand.none
    /// The trace context and intermediaries for the origin.
    package var caller = OriginCaller.nobody
    /// The place in the queues of transfers and transforms.
    package var priority = RequestPriority.normal
    /// The client account; `nil` for the daemon's own work.
    package var account: String?
    /// For shared work, the clients that wait for it, in whose turns it may be done; it is charged to the one in whose turn it is.
    package var claims = SharedClaims.none
    /// When the response becomes useless; for shared work, to all its waiters.
    package var deadline = SharedDeadline.none
    /// Whether the bare original may be sent while it arrives, without an entity tag.
    package var takesArriving = false
    /// Whether the response waits until it is stored on disk (SDWebImage: `WaitStoreCache`).
    package var waitsForStore = false
    /// Whether something else may be served if there is no room for the work, as the source's `brownout` says.
    package var takesBrownout = false
    /// Whether a transform is a job of its own, so that the times of its stages are those of one variant.
    package var isTimed = false
    /// What the owner of the original may be asked; `nil` if this node is to answer itself.
    package var question: OwnerQuestion?
    /// Whether it is a background refresh, which must not be answered with a stale response.
    var isRefresh = false
    /// Whether it fills the cache ahead of requests: the final image is made at once, whatever its format costs.
    var isWarming = false
    /// Whether it is the single retry after a failure; another may follow when it ends.
    var isProbe = false

    /// Creates a context.
    package init(demand: CacheDemand = .none, caller: OriginCaller = .nobody) {
        self.demand = demand
        self.caller = caller
    }

    /// The context of warming, which comes after everything that a client waits for.
    static let warming = {
        var context = LoadContext.background(.background, isRefresh: true)
        context.isWarming = true
        return context
    }()

    /// Returns the context of background work.
    static func background(_ priority: RequestPriority, isRefresh: Bool = false) -> LoadContext {
        var context = LoadContext()
        context.priority = priority
        context.isRefresh = isRefresh
        return context
    }
}
