import ArgumentParser
import Foundation
import ImagePipeline
import LinuxSystem

/// `edgeprint fsck`: verifies a cache folder that no daemon uses, and repairs it.
struct FsckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Verifies a cache folder that no daemon uses, and repairs it.",
        discussion: """
            Reads every body and compares it with its checksum, and looks for rows without files, files without rows, \
            leftovers, wrong totals and a damaged index. Without --repair the folder stays as it is. What is wrong \
            goes with --repair: the pictures concerned are fetched or made again when they are asked for. Files that \
            are not the cache's are named and left. A daemon repairs most of this by itself after its start, without \
            reading the bodies.

            EXAMPLES
              edgeprint fsck
              edgeprint fsck --cache-path /var/cache/edgeprint --repair
              edgeprint fsck --json | jq .found

            EXIT STATUS
              0   the folder is sound, or is so now
              1   something is wrong with it, or it cannot be checked, or the configuration is wrong
              64  the command line is wrong
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp("The cache folder, in place of cache.path.", valueName: "dir"),
        completion: .directory
    )
    var cachePath: String?

    @Flag(help: "Removes what is wrong, and builds the index anew where it is damaged.")
    var repair = false

    @Flag(help: "One JSON object for programs.")
    var json = false

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config, cachePath: cachePath)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let path = try loader.loadOrExit().cache.path
        let printer = FsckPrinter(path: path, repairs: repair, isJSON: json, time: SystemTime())
        let result: DiskCheckResult
        do throws(DiskCheckError) {
            result = try DiskCheck(path: path, listener: printer.listener).run(repairs: repair)
        } catch {
            printer.clearProgress()
            FileHandle.standardError.write(Data("edgeprint: \(error)\n".utf8))
            throw ExitCode(1)
        }
        try printer.end(result)
        if !result.isSound { throw ExitCode(1) }
    }
}
