import ArgumentParser
import Foundation
import Glibc
import LinuxSystem

/// `edgeprint init`: writes a first configuration.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first configuration with comments, a signing key and a schema.",
        discussion: """
            Writes three files: edgeprint.yaml, signing.key with a random key that only its owner can read, and \
            edgeprint.schema.json, by which editors complete and check the configuration. Existing files are never \
            overwritten. A source is NAME=LOCATION or a location: an http://, https:// or s3:// URL, or a folder. \
            Without --source, the location is asked for if standard input is a terminal.

            EXAMPLES
              edgeprint init --source /srv/images
              edgeprint init --directory /etc/edgeprint --source photos=https://photos.example.com/originals/
              edgeprint serve --config edgeprint.yaml

            EXIT STATUS
                0   success
                1   a file exists already or cannot be written, or a location is invalid
                64  invalid command line
            """
    )

    @Option(name: .shortAndLong, help: ArgumentHelp("Folder to write to.", valueName: "dir"), completion: .directory)
    var directory = "."

    @Option(help: ArgumentHelp("Location of originals; may be repeated.", valueName: "name=location"))
    var source: [String] = []

    func run() throws {
        do {
            let places = source.isEmpty && isatty(STDIN_FILENO) == 1 ? Self.ask() : source
            let text = try FirstConfiguration(
                sources: places,
                folder: Self.absolute(directory),
                workingDirectory: FileManager.default.currentDirectoryPath
            )
            try write(text)
        } catch let problem as FirstConfiguration.Problem {
            StandardError.write("edgeprint: \(problem)\n")
            throw ExitCode(1)
        }
    }

    private func write(_ first: FirstConfiguration) throws {
        let files = first.files()
        // Before anything is written: either all files are, or none is.
        for file in files where FileManager.default.fileExists(atPath: first.path(file.name)) {
            throw FirstConfiguration.Problem("\(first.path(file.name)) exists already, and is not overwritten")
        }
        var done: [String] = []
        for file in files {
            let path = first.path(file.name)
            do throws(Errno) {
                try NewFile.write(file.text, to: path, mode: file.mode)
            } catch {
                for path in done { unsafe unlink(path) }
                let advice = error.code == ENOENT ? "; make its folder first: mkdir -p \(directory)" : ""
                throw FirstConfiguration.Problem(Printing.plain("\(path): \(error)\(advice)"))
            }
            done.append(path)
        }
        let configuration = Printing.plain(first.path(FirstConfiguration.name))
        let regions = first.buckets.map {
            "replace \(FirstConfiguration.region) in sources.\($0).region, which is only a guess"
        }
        let steps = regions + ["check", "serve"].map { "edgeprint \($0) --config \(configuration)" }
        try StandardOutput.write(
            """
            wrote \(done.map(Printing.plain).joined(separator: ", "))
            next: \(steps.joined(separator: "\n      "))

            """
        )
    }

    /// Asks for one location; an empty answer is none.
    private static func ask() -> [String] {
        StandardError.write("Location of the images (https://…, s3://…, or a folder; empty for none yet): ")
        let answer = (readLine() ?? "").trimmingCharacters(in: .whitespaces)
        return answer.isEmpty ? [] : [answer]
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}

/// Writes files that must not exist yet.
enum NewFile {
    /// Creates a file.
    ///
    /// - Throws: `Errno`, EEXIST among others.
    static func write(_ text: String, to path: String, mode: mode_t) throws(Errno) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Errno.current("open") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = Errno.current("write")
                unsafe unlink(path)
                throw error
            }
            written += count
        }
    }
}
