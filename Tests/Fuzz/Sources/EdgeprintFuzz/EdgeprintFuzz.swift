import Foundation

/// Calls of libFuzzer, whose `main` this program has.
///
/// `FUZZ_TARGET` names the target. An environment variable and not an argument, because libFuzzer starts further processes with
/// arguments of its own. With `FUZZ_PREPARE`, a folder, the program writes the target's seeds to `seeds` in it and the dictionary
/// to `dictionary`, and ends; without a target it prints all names.
enum EdgeprintFuzz {
    /// The target of this process; looked up once.
    static let target: any FuzzTarget.Type = {
        let environment = ProcessInfo.processInfo.environment
        guard let name = environment["FUZZ_TARGET"] else {
            for target in FuzzTargets.all { print(target.name) }
            exit(0)
        }
        guard let target = FuzzTargets.all.first(where: { $0.name == name }) else {
            print("no target '\(name)'; there are \(FuzzTargets.all.map { $0.name }.joined(separator: ", "))")
            exit(64)
        }
        return target
    }()

    static func start() throws {
        let target = target
        guard let path = ProcessInfo.processInfo.environment["FUZZ_PREPARE"] else { return }
        let folder = URL(filePath: path)
        let seeds = folder.appending(path: "seeds")
        try FileManager.default.createDirectory(at: seeds, withIntermediateDirectories: true)
        for (index, seed) in target.seeds.enumerated() {
            try Data(seed).write(to: seeds.appending(path: "seed-\(index)"))
        }
        let lines = target.dictionary.map { text in
            "\"" + text.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\"\n"
        }
        try Data(lines.joined().utf8).write(to: folder.appending(path: "dictionary"))
        exit(0)
    }
}

/// Called once, before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    do {
        try EdgeprintFuzz.start()
    } catch {
        print("FUZZ_PREPARE: \(error)")
        exit(1)
    }
    return 0
}

/// Called for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe EdgeprintFuzz.target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
