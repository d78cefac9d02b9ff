import Glibc
import ImagePlan

/// What kind of work a job is: jobs of one kind have estimates that are wrong by similar factors.
struct CostKind: Hashable, Sendable {
    /// How much the steps do.
    enum Steps: UInt8, Hashable, Sendable {
        /// Decoding and encoding alone.
        case none
        /// Steps that cost a few passes over the pixels, such as a resize.
        case light
        /// Steps that cost many passes, such as a blur.
        case heavy
    }

    /// The source's format.
    var source: ImageFormat
    /// The format of the costliest output as the request names it.
    var output: FormatSetting
    /// The `Accept` bucket of that output; `.rest` unless the format is negotiated.
    var bucket: FormatBucket
    var steps: Steps
}

/// Factors that turn estimated durations of jobs into expected ones, learnt from jobs of the same kind.
///
/// Each factor is the exponentially weighted geometric mean of measured to estimated durations, within 1/8 and 8. The bounds keep images
/// that were made to be slow from changing the estimates of others by more. A value without clocks or randomness.
struct CostCorrection: Sendable {
    /// The factor of one kind, and the number of measurements behind it.
    private struct Factor {
        var value = 1.0
        var count = 0
    }

    /// The maximum number of kinds; jobs of further kinds are not corrected.
    static let capacity = 1_024
    /// The largest factor, and the inverse of the smallest.
    static let largest = 8.0
    /// The weight of a measurement after the first few.
    private static let weight = 0.125
    /// Estimates below this many nanoseconds are compared as if they were this long: fixed costs dominate there.
    private static let shortest: Int64 = 1_000_000

    private var factors: [CostKind: Factor] = [:]

    /// The factor of a kind; 1 if none of its jobs has been measured.
    func factor(of kind: CostKind) -> Double { factors[kind]?.value ?? 1 }

    /// Returns the expected duration of a job in nanoseconds.
    func corrected(_ estimate: JobEstimate) -> Int64 {
        // Durations of jobs stay far below 2^52 ns, 52 days.
        Int64((Double(min(estimate.nanoseconds, 1 << 52)) * factor(of: estimate.kind)).rounded())
    }

    /// Learns from a job that has ended.
    ///
    /// - Parameters:
    ///   - nanoseconds: what it took.
    ///   - estimate: its estimate, uncorrected.
    ///   - isAtLeast: whether the job was ended before its result, so that it would have taken longer.
    mutating func observe(_ nanoseconds: Int64, _ estimate: JobEstimate, isAtLeast: Bool = false) {
        let kind = estimate.kind
        var factor = factors[kind] ?? Factor()
        guard factor.count > 0 || factors.count < Self.capacity else { return }
        let ratio = Double(max(nanoseconds, Self.shortest)) / Double(max(estimate.nanoseconds, Self.shortest))
        let measured = min(max(ratio, 1 / Self.largest), Self.largest)
        if isAtLeast, measured <= factor.value { return }
        factor.count += 1
        // The estimate itself counts as the first measurement.
        let weight = max(Self.weight, 1 / Double(factor.count + 1))
        factor.value *= pow(measured / factor.value, weight)
        factors[kind] = factor
    }
}
