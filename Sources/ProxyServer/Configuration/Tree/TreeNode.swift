/// A value as it was said, before anybody knows what it should be.
struct TreeNode: Sendable, Hashable {
    /// Its shape.
    indirect enum Content: Sendable, Hashable {
        /// Nothing behind the colon, or an unquoted `null`.
        case null
        /// A text, a number, a flag: the schema tells.
        case scalar(String)
        case list([TreeNode])
        /// In the order said; keys are unique.
        case map([TreeEntry])
    }

    var content: Content
    var place: Place

    /// Whether the value is a comma-separated text where the file would have a list.
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
