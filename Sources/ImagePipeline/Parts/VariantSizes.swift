import HTTPCache
import LinuxSystem

/// The labels of the variants of recent originals, from which one of another size can be found under overload.
///
/// It holds texts only: a variant is looked up in the caches, so one that was evicted or purged is not found. The number of originals
/// and of labels of each is bounded; the oldest are evicted. Any thread.
final class VariantSizes: Sendable {
    private struct State: Sendable {
        /// The labels by the original's key, the newest last.
        var labels: [CacheKey: [String]] = [:]
        /// The keys in order of their first label; `oldest` is the index of the next one to evict.
        var keys: [CacheKey] = []
        var oldest = 0
    }

    private let originals: Int
    private let perOriginal: Int
    private let state = Lock(State())

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - originals: the maximum number of originals, at least 1.
    ///   - perOriginal: the maximum number of labels of an original.
    init(originals: Int = 4_096, perOriginal: Int = 16) {
        self.originals = originals
        self.perOriginal = perOriginal
    }

    /// Remembers a variant's label (`VariantRecord.plan`).
    func note(_ label: String, of origin: CacheKey) {
        state.withLock { state in
            guard var labels = state.labels[origin] else {
                if state.keys.count < originals {
                    state.keys.append(origin)
                } else {
                    state.labels[state.keys[state.oldest]] = nil
                    state.keys[state.oldest] = origin
                    state.oldest = (state.oldest + 1) % originals
                }
                state.labels[origin] = [label]
                return
            }
            if let index = labels.firstIndex(of: label) {
                guard index < labels.count - 1 else { return }
                labels.remove(at: index)
            } else if labels.count >= perOriginal {
                labels.removeFirst()
            }
            labels.append(label)
            state.labels[origin] = labels
        }
    }

    /// The labels of an original's variants, the newest first.
    func labels(of origin: CacheKey) -> [String] { state.withLock { $0.labels[origin] ?? [] }.reversed() }
}
