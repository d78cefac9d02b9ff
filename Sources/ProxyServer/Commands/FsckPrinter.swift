import Foundation
import Glibc
import ImagePipeline
import LinuxSystem

/// Prints what a check of a cache folder finds: a line each as it comes, and how far it has got where somebody watches.
final class FsckPrinter {
    /// Findings that the JSON object lists; all are counted.
    private static let listed = 1000
    /// Nanoseconds between two looks at the progress.
    private static let interval: Int64 = 250_000_000

    private let path: String
    private let repairs: Bool
    private let isJSON: Bool
    private let time: any TimeSource
    private let isWatched = isatty(STDERR_FILENO) == 1
    private var findings: [JSONValue] = []
    private var lastShown: Int64 = 0

    /// - Parameters:
    ///   - path: the folder.
    ///   - repairs: whether what is found goes.
    init(path: String, repairs: Bool, isJSON: Bool, time: any TimeSource) {
        self.path = path
        self.repairs = repairs
        self.isJSON = isJSON
        self.time = time
    }

    /// What the check calls.
    var listener: DiskCheck.Listener {
        DiskCheck.Listener(
            found: { [self] damage, isRepaired in found(damage, isRepaired) },
            progress: { [self] progress in show(progress) }
        )
    }

    /// Prints what it all came to.
    func end(_ result: DiskCheckResult) throws {
        clearProgress()
        try StandardOutput.write(isJSON ? document(result).document : summary(result))
    }

    /// Takes the line of the progress away.
    func clearProgress() {
        guard lastShown > 0 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
        lastShown = 0
    }

    private func found(_ damage: DiskDamage, _ isRepaired: Bool) {
        guard !isJSON else {
            guard findings.count < Self.listed else { return }
            return findings.append(Self.value(damage, isRepaired))
        }
        clearProgress()
        let detail = damage.detail.isEmpty ? "" : ": \(Printing.plain(damage.detail))"
        let line = "\(Printing.plain(damage.path)): \(Self.words(damage.kind))\(detail)"
        // A reader that has gone is told at the end, by the summary.
        try? StandardOutput.write("\(line)\(ending(damage.kind, isRepaired))\n")
    }

    private func ending(_ kind: DiskDamage.Kind, _ isRepaired: Bool) -> String {
        switch kind {
        case .unknown: "; left as it is"
        case .index where isRepaired, .totals where isRepaired: "; built anew"
        default: isRepaired ? "; removed" : repairs ? "; could not be repaired" : ""
        }
    }

    private func show(_ progress: DiskCheckProgress) {
        guard isWatched, time.monotonic - lastShown > Self.interval else { return }
        lastShown = time.monotonic
        let share = progress.total == 0 ? 100 : min(100, progress.entries * 100 / progress.total)
        let text =
            "\r\(share) %  \(progress.entries) of \(progress.total) bodies, \(Printing.size(progress.bytes))\u{1B}[K"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private func summary(_ result: DiskCheckResult) -> String {
        let stored =
            "\(Printing.plain(path)): \(Printing.count(result.originals.entries, "original")) "
            + "(\(Printing.size(result.originals.bytes))), \(Printing.count(result.variants.entries, "variant")) "
            + "(\(Printing.size(result.variants.bytes)))\n"
        let faults = Printing.count(result.damages, "fault")
        guard result.damages > 0 else { return stored + "sound\n" }
        if !repairs { return stored + "\(faults); edgeprint fsck --repair removes them\n" }
        if result.isSound { return stored + "\(faults) repaired; sound now\n" }
        return stored
            + "\(faults), of which \(result.remaining) remain: may this user write the folder, is the disk well?\n"
    }

    private func document(_ result: DiskCheckResult) -> JSONValue {
        func numbers(_ part: DiskCheckResult.Class) -> JSONValue {
            .object([.init("entries", .number(part.entries)), .init("bytes", .number(part.bytes))])
        }
        let found = DiskDamage.Kind.allCases.map { kind in
            JSONValue.Member(kind.rawValue, .number(result.found[kind] ?? 0))
        }
        return .object([
            .init("path", .string(path)), .init("sound", .bool(result.isSound)),
            .init("originals", numbers(result.originals)), .init("variants", numbers(result.variants)),
            .init("faults", .number(result.damages)), .init("repaired", .number(result.repaired)),
            .init("remaining", .number(result.remaining)), .init("found", .object(found)),
            .init("findings", .array(findings)),
        ])
    }

    private static func value(_ damage: DiskDamage, _ isRepaired: Bool) -> JSONValue {
        .object([
            .init("kind", .string(damage.kind.rawValue)), .init("path", .string(damage.path)),
            .init("detail", .string(damage.detail)), .init("repaired", .bool(isRepaired)),
        ])
    }

    /// What is wrong, in a clause.
    private static func words(_ kind: DiskDamage.Kind) -> String {
        switch kind {
        case .index: "the index is damaged"
        case .row: "no release has written this row"
        case .missing: "its row is there, the file is not"
        case .length: "the file is shorter or longer than what was stored"
        case .checksum: "the bytes are not those that were stored"
        case .void: "made of an original that is not the stored one"
        case .unused: "neither a body nor a variant needs this row"
        case .orphan: "no row tells of this file"
        case .leftover: "half written when a process ended"
        case .totals: "the stored totals are wrong"
        case .unreadable: "cannot be read"
        case .unknown: "not a file of the cache"
        }
    }
}
