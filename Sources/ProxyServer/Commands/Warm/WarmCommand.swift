import ArgumentParser
import Foundation
import Glibc
import LinuxSystem

/// `edgeprint warm`: fills the cache of a running daemon ahead of requests.
struct WarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Makes and stores images in a running daemon ahead of requests.",
        discussion: """
            Each combination of URL, preset and format is a target: a path of the public listener, such as \
            '/photos/cat.jpg?preset=thumb'. An absolute URL belongs to the source below whose url it is, else to /fetch. \
            Targets that are stored and fresh are skipped. If a target's format is negotiated, the image is made for \
            each class of clients.

            The daemon runs the job after everything that clients wait for, and continues it after a restart. The \
            command shows the progress until the end; interrupting it does not cancel the job.

            EXAMPLES
              edgeprint warm /photos/cat.jpg /photos/dog.jpg --preset thumb --preset large
              edgeprint warm -f urls.txt --preset thumb --format webp --format avif
              edgeprint warm --sitemap https://www.example.com/sitemap.xml --preset large
              edgeprint warm --access-log access.log --top 500
              edgeprint warm --cancel 3

            EXIT STATUS
                0   every target is stored; with --no-wait, the job was accepted
                1   a target failed, the job was cancelled, no response or a refusal by the daemon, no such file, or an
                    invalid configuration
                64  invalid command line
            """
    )

    @Argument(help: ArgumentHelp("Paths or URLs of images.", valueName: "url"))
    var urls: [String] = []

    @Option(name: .short, help: "A file of URLs, one per line; - for standard input.", completion: .file())
    var file: String?

    @Option(help: "Apply this preset; may be repeated.", completion: .custom(PresetNames.complete))
    var preset: [String] = []

    @Option(help: "Make this format; may be repeated.")
    var format: [String] = []

    @Option(help: "The site of the URLs; by default that of a path's prefix.")
    var site: String?

    @Option(help: "The images of a sitemap, or of an index of sitemaps.", completion: .file())
    var sitemap: String?

    @Option(help: "The most frequent targets of an access log in JSON.", completion: .file())
    var accessLog: String?

    @Option(help: "How many targets of the access log.")
    var top = 1000

    @Option(help: ArgumentHelp("The public URL of the daemon, removed from URLs that begin with it.", valueName: "url"))
    var publicURL: String?

    @Flag(help: "Print the job's number and do not wait for its end.")
    var noWait = false

    @Option(help: ArgumentHelp("Cancel a job.", valueName: "number"))
    var cancel: Int?

    @Option(help: ArgumentHelp("Show the progress of a job until its end.", valueName: "number"))
    var watch: Int?

    @OptionGroup var admin: AdminOptions

    func validate() throws {
        let inputs = [!urls.isEmpty, file != nil, sitemap != nil, accessLog != nil, cancel != nil, watch != nil]
        guard inputs.count(where: { $0 }) == 1 else {
            throw ValidationError("Give URLs, or one of -f, --sitemap, --access-log, --cancel and --watch.")
        }
        guard (1...1_000_000).contains(top) else { throw ValidationError("--top must be 1 to 1000000.") }
    }

    func run() throws {
        do {
            try perform()
        } catch let problem as WarmInput.Problem {
            FileHandle.standardError.write(Data("edgeprint: \(problem)\n".utf8))
            throw ExitCode(1)
        }
    }

    private func perform() throws {
        // Read once, since it may be a pipe.
        let configuration = try admin.configuration()
        if let cancel {
            return try admin.ask(of: configuration) { client in
                try StandardOutput.write(WarmMeter.end(try report(of: try client.send("DELETE", "/warm/\(cancel)"))))
            }
        }
        var end: JSONValue?
        let order =
            watch == nil ? WarmOrder(urls: try input(configuration), presets: preset, formats: format, site: site) : nil
        try admin.ask(of: configuration) { client in
            var job = watch ?? 0
            if let order {
                job = try report(of: try client.send("POST", "/warm", body: order.json.text))["id"]?.int ?? 0
            }
            if noWait { return try StandardOutput.write("\(job)\n") }
            end = try wait(for: job, client)
        }
        let isComplete = end?["state"] == .string("done") && end?["failed"] == .number(0)
        if !noWait, !isComplete { throw ExitCode(1) }
    }

    private func input(_ configuration: Configuration) throws -> [String] {
        var found = urls
        if let file { found = try WarmInput.list(file) }
        if let sitemap { found = try Sitemaps.images(sitemap) }
        if let accessLog {
            let sites = try SiteTable(configuration, time: SystemTime())
            found = try WarmInput.accessLog(accessLog, top: top) { isOfSource($0, at: sites) }
        }
        guard !found.isEmpty else { throw WarmInput.Problem("there is nothing to warm: the list is empty") }
        return found.map { WarmInput.local($0, publicURL: publicURL) }
    }

    /// Whether a logged target is that of an image of a source: neither of a raw source nor a plain image.
    private func isOfSource(_ target: String, at sites: SiteTable) -> Bool {
        // The daemon reports a site that does not exist.
        guard let place = try? sites.place(of: target, named: site) else { return true }
        let (resolver, bytes) = (place.site.resolver, Array(place.target.utf8))
        return resolver.rawRule(of: bytes) == nil && !PlainPictureTarget.takes(bytes, in: resolver.table)
    }

    private func report(of answer: String) throws -> JSONValue { try AdminClient.object(answer, with: "id") }

    /// Shows the progress until the job has ended.
    private func wait(for job: Int, _ client: AdminClient) throws -> JSONValue {
        var meter = WarmMeter(isTerminal: isatty(STDOUT_FILENO) == 1, time: SystemTime())
        while true {
            let report = try report(of: try client.send("GET", "/warm/\(job)"))
            guard report["state"] == .string("running") else {
                try StandardOutput.write(meter.clear + WarmMeter.end(report))
                for line in WarmMeter.failures(report) { FileHandle.standardError.write(Data(line.utf8)) }
                return report
            }
            try StandardOutput.write(meter.text(report))
            usleep(200_000)
        }
    }
}
