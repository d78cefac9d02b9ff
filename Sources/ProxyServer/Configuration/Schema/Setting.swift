/// The sources that a key is for.
enum SourceKind: Sendable {
    case any
    /// Sources that are not raw.
    case pictures
    /// Sources with `raw: true`.
    case raw
}

/// A configuration key, declared once: its name, format, range, default, summary and destination.
///
/// Own code over Yams' nodes: problems name the key, its line and the nearest known name. swift-configuration neither enumerates
/// maps such as `sources` nor finds unknown keys; when it does both, with the place of each value, it can replace the folders
/// Schema and Tree.
struct Setting<Root>: Sendable {
    /// The path below the table's own, such as `cache.memory`.
    let name: String
    /// A one-sentence description.
    let summary: String
    /// What an editor can check of its values.
    let schema: ValueSchema
    /// What its values are, such as "a size such as 256MiB".
    let expectation: String
    /// Whether an environment variable may set it; maps can only be set in the file.
    let takesEnvironment: Bool
    /// Reads a node into the root, or reports what is wrong.
    let read: @Sendable (TreeNode, inout Root, inout ValueProblems) -> Void
    /// The value as a configuration file would contain it; `nil` leaves the key out.
    let write: @Sendable (Root) -> YAMLValue?
    /// Whether a change takes effect only after a restart.
    let needsRestart: Bool
    /// The kind of sources that the key applies to.
    let kind: SourceKind
    /// Whether two roots have different values.
    let differs: @Sendable (Root, Root) -> Bool
    /// Copies the first root's value to the second.
    let copy: @Sendable (Root, inout Root) -> Void

    /// Declares a key.
    init<Value: Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ format: ValueFormat<Value>,
        takesEnvironment: Bool = true,
        needsRestart: Bool = false,
        only kind: SourceKind = .any,
        _ summary: String
    ) {
        self.name = name
        self.summary = summary
        (schema, expectation) = (format.schema, format.expectation)
        self.takesEnvironment = takesEnvironment
        read = { node, root, problems in
            if let value = format.read(node, &problems) { root[keyPath: path] = value }
        }
        write = { format.write($0[keyPath: path]) }
        self.needsRestart = needsRestart
        self.kind = kind
        differs = { $0[keyPath: path] != $1[keyPath: path] }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// Declares a key whose value is a property of a nested group.
    init<Group, Value: Equatable & Sendable>(
        _ name: String,
        in group: any WritableKeyPath<Root, Group> & Sendable,
        _ path: any WritableKeyPath<Group, Value> & Sendable,
        _ format: ValueFormat<Value>,
        only kind: SourceKind = .any,
        _ summary: String
    ) {
        self.init(
            name: name,
            summary: summary,
            (format.schema, format.expectation),
            takesEnvironment: true,
            kind: kind,
            read: { node, root, problems in
                if let value = format.read(node, &problems) { root[keyPath: group][keyPath: path] = value }
            },
            write: { format.write($0[keyPath: group][keyPath: path]) },
            differs: { $0[keyPath: group][keyPath: path] != $1[keyPath: group][keyPath: path] },
            copy: { $1[keyPath: group][keyPath: path] = $0[keyPath: group][keyPath: path] }
        )
    }

    private init(
        name: String,
        summary: String,
        _ shape: (schema: ValueSchema, expectation: String),
        takesEnvironment: Bool,
        kind: SourceKind = .any,
        read: @escaping @Sendable (TreeNode, inout Root, inout ValueProblems) -> Void,
        write: @escaping @Sendable (Root) -> YAMLValue?,
        differs: @escaping @Sendable (Root, Root) -> Bool = { _, _ in false },
        copy: @escaping @Sendable (Root, inout Root) -> Void = { _, _ in }
    ) {
        self.name = name
        self.summary = summary
        (schema, expectation) = shape
        self.takesEnvironment = takesEnvironment
        self.read = read
        self.write = write
        needsRestart = false
        self.kind = kind
        self.differs = differs
        self.copy = copy
    }

    /// The same key of a larger root, under another name.
    ///
    /// - Parameter isInFileOnly: whether the environment cannot set it.
    func below<Outer>(
        _ path: any WritableKeyPath<Outer, Root> & Sendable,
        named name: String,
        isInFileOnly: Bool = false
    ) -> Setting<Outer> {
        Setting<Outer>(
            name: name,
            summary: summary,
            (schema, expectation),
            takesEnvironment: takesEnvironment && !isInFileOnly,
            kind: kind,
            read: { [read] node, root, problems in read(node, &root[keyPath: path], &problems) },
            write: { [write] in write($0[keyPath: path]) },
            differs: { [differs] in differs($0[keyPath: path], $1[keyPath: path]) },
            copy: { [copy] in copy($0[keyPath: path], &$1[keyPath: path]) }
        )
    }

    /// Declares a key whose only supported value is its default; any other value is an error.
    static func fixed<Value: Equatable & Sendable>(
        _ name: String,
        _ format: ValueFormat<Value>,
        _ value: Value,
        _ summary: String
    ) -> Setting {
        Setting(
            name: name,
            summary: summary,
            (format.schema, format.expectation),
            takesEnvironment: true
        ) { node, _, problems in
            guard let stated = format.read(node, &problems), stated != value else { return }
            problems.add("is not supported in this version", at: node.place)
        } write: { _ in
            format.write(value)
        }
    }

    /// Declares a map or a list whose entries the loader reads after all other keys.
    static func deferred(
        _ name: String,
        _ schema: ValueSchema,
        _ summary: String,
        write: @escaping @Sendable (Root) -> YAMLValue?,
        differs: @escaping @Sendable (Root, Root) -> Bool
    ) -> Setting {
        Setting(
            name: name,
            summary: summary,
            (.either([schema, .null]), ""),
            takesEnvironment: false,
            read: { _, _, _ in },
            write: write,
            differs: differs
        )
    }
}
