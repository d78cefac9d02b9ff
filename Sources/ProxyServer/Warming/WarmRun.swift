import HTTPCache
import ImagePipeline

/// A target in progress: its variants, which are made one after the other; used on the warmer's thread.
struct WarmRun {
    let job: Int64
    let item: JobStore.Item
    /// The variants that are not made yet.
    var variants: [VariantRequest]
    var subscription: WarmingSubscription?
    /// Whether any variant was made rather than found.
    var hasMade: Bool
    /// How often the target was put off because the daemon was overloaded.
    var delays: Int

    /// - Parameter delays: how often it was put off.
    init(_ item: JobStore.Item, of job: Int64, _ variants: [VariantRequest], delays: Int) {
        (self.item, self.job, self.variants, self.delays) = (item, job, variants, delays)
        // What a target in progress had made before a restart is its own work.
        hasMade = item.wasStarted
    }
}
