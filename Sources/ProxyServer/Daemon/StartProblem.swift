import HTTPKit
import ImagePipeline
import LinuxSystem

extension ConfigurationProblem {
    /// Why the daemon does not start, in the words of the configuration: which key, what is wrong with it, what to do.
    ///
    /// `nil` for an error that no key is about.
    ///
    /// - Parameter listenKey: whose addresses were being opened.
    init?(_ error: any Error, _ loaded: LoadedConfiguration, listenKey: String = "listen") {
        switch error {
        case let error as ServerStartError: self.init(error, loaded, key: listenKey)
        case let error as DiskStoreError: self.init(error, loaded)
        case let error as ActivatedSockets.UnusableSocket:
            self.init(place: nil, key: "", message: "\(error)")
        case let error as Errno:
            self.init(place: nil, key: "", message: Self.exhausted(error))
        default: return nil
        }
    }

    private init(_ error: ServerStartError, _ loaded: LoadedConfiguration, key: String) {
        switch error {
        case .address(let address, let errno):
            let trouble = ListenTrouble(address, errno)
            let place = loaded.places[key]
            let origin = place == nil ? " (the default)" : ""
            self.init(place: place, key: key, message: "\(address)\(origin): \(trouble.message); \(trouble.fix)")
        case .resources(let errno): self.init(place: nil, key: "", message: Self.exhausted(errno))
        case .alreadyStarted: self.init(place: nil, key: "", message: "the server has been started before")
        }
    }

    private init(_ error: DiskStoreError, _ loaded: LoadedConfiguration) {
        func problem(_ key: String, _ message: String) -> ConfigurationProblem {
            ConfigurationProblem(place: loaded.places[key], key: key, message: message)
        }
        self =
            switch error {
            case .locked: problem("cache.path", "\(error); end that one, or name another folder")
            case .newerVersion: problem("cache.path", "\(error); install that release again, or name another folder")
            case .foreignFolder: problem("cache.path", "\(error)")
            case .seed(let path, let reason): problem("cache.seed", "\(path): \(reason)")
            case .noThread(let errno): ConfigurationProblem(place: nil, key: "", message: Self.exhausted(errno))
            }
    }

    private static func exhausted(_ error: Errno) -> String {
        "the system refuses what the daemon needs to start: \(error); raise LimitNOFILE= and TasksMax=, or ulimit -n and -u"
    }
}
