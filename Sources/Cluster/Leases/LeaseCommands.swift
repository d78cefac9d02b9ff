import HTTPCache

/// The keys, values and commands of leases.
///
/// A value begins with `busy:`, `shared:` or `failed:`, and ends with the token of the request that has the lease, or had it.
struct LeaseCommands {
    /// What a node finds where it looks for a lease.
    enum Value {
        /// A node has the lease.
        case busy
        /// The shared store has the original.
        case shared
        /// Every node is to download the original itself.
        case failed

        init(_ text: String) {
            self = text.hasPrefix("shared:") ? .shared : text.hasPrefix("failed:") ? .failed : .busy
        }
    }

    /// The cluster's name.
    let name: String
    /// How long values are kept, in nanoseconds.
    let lifetime: Int64

    /// Returns the command that takes a lease unless there is a value; its reply is that value, or nil once the lease is taken.
    ///
    /// - Parameter seen: a value that may be replaced.
    func take(_ key: CacheKey, token: String, replacing seen: String?) -> [[UInt8]] {
        guard let seen else {
            return Self.words("SET", text(key), "busy:\(token)", "NX", "GET", "PX", milliseconds)
        }
        return Self.words("EVAL", Self.replacement, "1", text(key), seen, "busy:\(token)", milliseconds)
    }

    /// Returns the command whose reply is the value; nil for none.
    func look(_ key: CacheKey) -> [[UInt8]] { Self.words("GET", text(key)) }

    /// The command that looks at a key that no original has, to learn whether the engine answers.
    var probe: [[UInt8]] { Self.words("GET", "{\(name)}:lease:") }

    /// Returns the command that ends a lease, unless another node has it by now.
    func end(_ key: CacheKey, token: String, _ end: DownloadLease.End) -> [[UInt8]] {
        let value =
            switch end {
            case .shared: "shared:\(token)"
            case .unshareable, .failed: "failed:\(token)"
            // The next node takes it.
            case .abandoned: ""
            }
        return Self.words("EVAL", Self.ending, "1", text(key), "busy:\(token)", value, milliseconds)
    }

    private func text(_ key: CacheKey) -> String { "{\(name)}:lease:\(key)" }
    private var milliseconds: String { "\(max(1, lifetime / 1_000_000))" }
    private static func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    /// ARGV[1]: the value that may be replaced, [2]: the new one, [3]: its lifetime.
    private static let replacement = """
        local value = redis.call('GET', KEYS[1])
        if value and value ~= ARGV[1] then return value end
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        return false
        """

    /// ARGV[1]: the lease's value, [2]: the one that replaces it, empty for none, [3]: its lifetime.
    ///
    /// A lease that has run out has not been taken by another node yet, which still learns its end.
    private static let ending = """
        local value = redis.call('GET', KEYS[1])
        if value and value ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then
          redis.call('DEL', KEYS[1])
        else
          redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        end
        return 1
        """
}
