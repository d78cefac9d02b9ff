/// What a worker tells the daemon before its first job.
package struct WorkerGreeting: Hashable, Sendable {
    /// The confinement in force.
    package var posture: WorkerPosture
    /// The formats that it can encode, as bits by `ImageFormat.rawValue`.
    package private(set) var encodedMask = 0

    /// The formats that it can encode with the installed libraries.
    package var encoded: Set<ImageFormat> { Set(formatMask: encodedMask) }

    /// Creates a greeting.
    package init(_ posture: WorkerPosture, encoded: Set<ImageFormat>) {
        self.posture = posture
        encodedMask = encoded.formatMask
    }
}

extension WorkerGreeting: FieldCoded {
    static let blank = WorkerGreeting(WorkerPosture(), encoded: [])

    static let fields: [MessageField<WorkerGreeting>] = [
        MessageField("posture", \.posture, .record),
        MessageField("encoded", \.encodedMask, .uint32(0...Int(UInt32.max))),
    ]
}

extension Set<ImageFormat> {
    /// The formats as bits by `ImageFormat.rawValue`.
    var formatMask: Int { reduce(0) { $0 | 1 << Int($1.rawValue) } }

    /// The formats of a mask; unknown bits are ignored.
    init(formatMask mask: Int) {
        self.init(ImageFormat.allCases.filter { mask >> Int($0.rawValue) & 1 == 1 })
    }
}
