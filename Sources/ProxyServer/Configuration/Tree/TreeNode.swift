/// A configuration value before it is decoded by the schema.
struct TreeNode: Sendable, Hashable {
    /// Its shape.
    indirect enum Content: Sendable, Hashable {
        /// An empty value or an unquoted `null`.
        case null
        /// A text, number or flag, as the schema decides.
        case scalar(String)
        case list([TreeNode])
        /// Entries in order; keys are unique.
        case map([TreeEntry])
    }

    var content: Content
    var place: Place

    /// Whether a list is written as comma-separated text.
    var isFlat: Bool {
        if case .file = place { false } else { true }
    }
}

/// A key and its value.
struct TreeEntry: Sendable, Hashable {
    var key: String
    var place: Place
    var value: TreeNode
}
