import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem

extension ConfigurationProblem {
    /// Describes a start error as a problem of a configuration key, with a fix.
    ///
    /// `nil` if no key is the cause.
    ///
    /// - Parameter listenKey: the key of the addresses that were being opened.
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
        case .alreadyStarted: self.init(place: nil, key: "", message: "the server has already been started")
        }
    }

    private init(_ error: DiskStoreError, _ loaded: LoadedConfiguration) {
        func problem(_ key: String, _ message: String) -> ConfigurationProblem {
            ConfigurationProblem(place: loaded.places[key], key: key, message: message)
        }
        self =
            switch error {
            case .locked: problem("cache.path", "\(error); stop it, or use another folder")
            case .newerVersion: problem("cache.path", "\(error); install that release again, or use another folder")
            case .foreignFolder: problem("cache.path", "\(error)")
            case .seed(let path, let reason): problem("cache.seed", "\(path): \(reason)")
            case .noThread(let errno): ConfigurationProblem(place: nil, key: "", message: Self.exhausted(errno))
            }
    }

    private static func exhausted(_ error: Errno) -> String {
        "the system has too few resources to start: \(error); raise LimitNOFILE= and TasksMax=, or ulimit -n and -u"
    }
}
