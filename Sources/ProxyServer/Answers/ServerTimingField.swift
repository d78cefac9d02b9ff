import HTTPKit
import ImagePipeline

/// `Server-Timing`: the durations of a response's stages (W3C Server Timing §3).
enum ServerTimingField {
    /// The encoded field with the stages that ran, in milliseconds; empty if none did, as for a hit.
    static func bytes(_ timings: StageTimings) -> [UInt8] {
        let metrics = [
            ("fetch", timings.fetch), ("queue", timings.queue), ("decode", timings.decode),
            ("transform", timings.transform), ("encode", timings.encode), ("store", timings.store),
        ]
        .filter { $0.1 > 0 }.map { "\($0.0);dur=\(milliseconds($0.1))" }
        guard !metrics.isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Server-Timing", metrics.joined(separator: ", "))
        return block.bytes
    }

    /// Microseconds as milliseconds with three decimals.
    private static func milliseconds(_ microseconds: UInt32) -> String {
        let decimals = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - decimals.count) + decimals
    }
}
