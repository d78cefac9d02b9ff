import Cluster
import HTTPCache
import LinuxSystem
import OriginTransfer

extension SharedStore {
    /// Starts the store that the nodes of a cluster share; `nil` without `cluster.store`.
    ///
    /// - Parameter progress: what this node knows of purges, by which it judges what others have stored.
    /// - Throws: `Errno` if the system cannot create a thread.
    convenience init?(
        _ configuration: ProxyServer.Configuration.Cluster,
        _ progress: PurgeProgress,
        time: any TimeSource
    ) throws(Errno) {
        guard let bucket = configuration.bucket else { return nil }
        var settings = SharedStore.Configuration(
            bucket: bucket,
            credentials: configuration.credentials,
            reading: ObjectRequest.Patience(firstByte: configuration.storeBudget),
            encoders: Version.text
        )
        settings.results = configuration.storeResults
        settings.queue = configuration.storeQueue
        try self.init(settings, time: time) {
            SharedPlace(progress.place)
        } verdict: {
            progress.verdict(on: $0, since: $1)
        }
    }
}

extension SharedPlace {
    /// A place of the log, as nodes compare it.
    init(_ place: PurgePlace) { self.init(sequence: place.sequence, log: LogPlace(text: place.mark)?.log ?? "") }
}

extension PurgeProgress {
    /// What the purges since a place mean for what another node has stored; any thread.
    func verdict(on subject: PurgeSubject, since place: SharedPlace) -> SharedVerdict {
        // Sequences of different logs do not compare.
        guard !place.log.isEmpty, place.log == SharedPlace(self.place).log else { return .stale }
        switch covers(subject, since: place.sequence) {
        case true?: return .purged
        case false?: return trustsUnvalidated ? .usable : .stale
        case nil: return .stale
        }
    }
}
