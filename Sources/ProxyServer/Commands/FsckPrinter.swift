import Foundation
import Glibc
import HTTPCache
import ImagePipeline
import LinuxSystem

/// Prints the findings of a cache check, one per line as they are found, and its progress on a terminal.
final class FsckPrinter {
    /// The maximum number of findings in the JSON object; all are counted.
    private static let listed = 1000

    private let path: String
    private let repairs: Bool
    private let isJSON: Bool
    private var findings: [JSONValue] = []
    private var progress: ProgressLine

    /// - Parameters:
    ///   - path: the folder.
    ///   - repairs: whether findings are repaired.
    init(path: String, repairs: Bool, isJSON: Bool, time: any TimeSource) {
        self.path = path
        self.repairs = repairs
        self.isJSON = isJSON
        progress = ProgressLine(total: nil, time: time)
    }

    /// The callbacks for the check.
    var listener: DiskCheck.Listener {
        DiskCheck.Listener(
            found: { [self] damage, isRepaired in found(damage, isRepaired) },
            progress: { [self] in show($0) }
        )
    }

    /// Prints the summary.
    func end(_ result: DiskCheckResult) throws {
        clearProgress()
        try StandardOutput.write(isJSON ? document(result).document : summary(result))
    }

    /// Clears the progress line.
    func clearProgress() { progress.clear() }

    private func found(_ damage: DiskDamage, _ isRepaired: Bool) {
        guard !isJSON else {
            guard findings.count < Self.listed else { return }
            return findings.append(Self.value(damage, isRepaired))
        }
        clearProgress()
        let detail = damage.detail.isEmpty ? "" : ": \(Printing.plain(damage.detail))"
        let line = "\(Printing.plain(damage.path)): \(Self.words(damage.kind))\(detail)"
        // A closed output is reported at the end, when the summary is written.
        try? StandardOutput.write("\(line)\(ending(damage.kind, isRepaired))\n")
    }

    private func ending(_ kind: DiskDamage.Kind, _ isRepaired: Bool) -> String {
        switch kind {
        case .unknown: "; left as it is"
        case .index where isRepaired, .totals where isRepaired: "; rebuilt"
        default: isRepaired ? "; removed" : repairs ? "; could not be repaired" : ""
        }
    }

    private func show(_ checked: DiskCheckProgress) {
        progress.show(checked.entries, of: checked.total, "bodies of \(Printing.size(checked.bytes))")
    }

    private func summary(_ result: DiskCheckResult) -> String {
        let stored =
            "\(Printing.plain(path)): \(Printing.count(result.originals.entries, "original")) "
            + "(\(Printing.size(result.originals.bytes))), \(Printing.count(result.variants.entries, "variant")) "
            + "(\(Printing.size(result.variants.bytes)))\n"
        let faults = Printing.count(result.damages, "fault")
        guard result.damages > 0 else { return stored + "sound\n" }
        if !repairs { return stored + "\(faults); edgeprint fsck --repair removes them\n" }
        if result.isSound { return stored + "\(faults) repaired; the folder is sound\n" }
        return stored
            + "\(faults), \(result.remaining) not repaired: check the folder's permissions and the disk\n"
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

    /// Describes the damage in a clause.
    private static func words(_ kind: DiskDamage.Kind) -> String {
        switch kind {
        case .index: "the index is damaged"
        case .row: "the row is invalid"
        case .missing: "the file is missing"
        case .length: "the file has the wrong length"
        case .checksum: "the checksum is wrong"
        case .void: "made from another version of the original"
        case .unused: "the row has neither a body nor variants"
        case .orphan: "the file has no row"
        case .leftover: "temporary file of an interrupted write"
        case .totals: "the stored totals are wrong"
        case .unreadable: "cannot be read"
        case .unknown: "not a file of the cache"
        }
    }
}
