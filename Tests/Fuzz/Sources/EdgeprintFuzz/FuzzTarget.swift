/// An input of the daemon or of a worker that libFuzzer mutates, and the properties that every input must have.
protocol FuzzTarget: SendableMetatype {
    /// The name in commands and folders.
    static var name: String { get }

    /// Inputs to start from, besides those that earlier runs have found.
    static var seeds: [[UInt8]] { get }

    /// Texts that inputs of this kind contain; libFuzzer inserts them.
    static var dictionary: [String] { get }

    /// Processes an input; traps if a property does not hold.
    static func run(_ bytes: [UInt8])
}

extension FuzzTarget {
    static var dictionary: [String] { [] }
}

enum FuzzTargets {
    /// All targets.
    static let all: [any FuzzTarget.Type] = [
        SnifferTarget.self, CleanerTarget.self, MetadataTarget.self, WorkerProtocolTarget.self, RequestTarget.self,
        BodyTarget.self, QueryTarget.self, AcceptTarget.self, FieldTarget.self, URLTarget.self, ScaledJPEGTarget.self,
        PlanesTarget.self, DialectTarget.self,
    ]
}

/// Traps with a message that contains the values that differ, since libFuzzer only stores the input.
func expectEqual<Value: Equatable>(_ left: Value, _ right: Value, _ what: @autoclosure () -> String) {
    guard left != right else { return }
    fatalError("\(what()): \(String(reflecting: left).prefix(2000)) is not \(String(reflecting: right).prefix(2000))")
}

/// Traps with a message if a property does not hold.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
