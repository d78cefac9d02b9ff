package import HTTPCache

/// What accompanies a request through the pipeline, beside what it asks for.
package struct LoadContext: Sendable {
    /// The request's cache directives.
    package var demand = CacheDemand.none
    /// The intermediaries and trace that the origin is told.
    package var caller = OriginCaller.nobody
    /// The place in the transform queue.
    package var priority = TransformJob.Priority.normal
    /// Whose share of the work this is; `nil` for the daemon's own.
    package var account: String?
    /// Monotonic nanoseconds after which the answer is of no use; `nil` for never.
    package var deadline: Int64?
    /// Whether it refreshes something stale in the background, so that a stale response is no answer.
    var isRefresh = false
    /// Whether it is the one try after a failure: however it ends, the next may follow.
    var isProbe = false

    /// Creates the context of a request that demands nothing.
    package init(demand: CacheDemand = .none, caller: OriginCaller = .nobody) {
        self.demand = demand
        self.caller = caller
    }

    /// The context of work in the background.
    static func background(_ priority: TransformJob.Priority, isRefresh: Bool = false) -> LoadContext {
        var context = LoadContext()
        context.priority = priority
        context.isRefresh = isRefresh
        return context
    }
}
