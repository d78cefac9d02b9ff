import ArgumentParser
import Foundation
import HTTPCache
import ImagePipeline
import LinuxSystem

/// `edgeprint fsck`: verifies and repairs a cache folder that is not in use.
struct FsckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract: "Verifies and repairs a cache folder that is not in use.",
        discussion: """
            Verifies the checksum of every body, and looks for rows without files, files without rows, temporary files, \
            unreadable rows, wrong totals and a damaged index. Without --repair nothing is changed. With --repair \
            damaged entries are removed; their images are fetched or made again when requested. Unknown files are \
            reported and kept. A daemon repairs most of this after its start, without reading the bodies.

            EXAMPLES
              edgeprint fsck
              edgeprint fsck --cache-path /var/cache/edgeprint --repair
              edgeprint fsck --json | jq .found

            EXIT STATUS
                0   the folder is sound, or has been repaired
                1   it is damaged or cannot be checked, or the configuration is invalid
                64  invalid command line
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp("Cache folder; overrides cache.path.", valueName: "dir"),
        completion: .directory
    )
    var cachePath: String?

    @Flag(help: "Remove damaged entries, and rebuild a damaged index.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let flags = ConfigurationLoader.Flags(config: options.config, cachePath: cachePath)
        let loader = ConfigurationLoader(environment: ProcessInfo.processInfo.environment, flags: flags)
        let path = try loader.loadOrExit().cache.path
        guard !path.isEmpty else {
            FileHandle.standardError.write(Data("edgeprint: cache.path is off: there is no folder to check\n".utf8))
            throw ExitCode(1)
        }
        let printer = FsckPrinter(path: path, repairs: repair, isJSON: json, time: SystemTime())
        let result: DiskCheckResult
        do throws(DiskCheckError) {
            let check = DiskCheck(path: path, isReadable: PictureMetadata.isReadable, listener: printer.listener)
            result = try check.run(repairs: repair)
        } catch {
            printer.clearProgress()
            FileHandle.standardError.write(Data("edgeprint: \(error)\n".utf8))
            throw ExitCode(1)
        }
        try printer.end(result)
        if !result.isSound { throw ExitCode(1) }
    }
}
