import Cluster
import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging
import OriginTransfer

extension SharedStore {
    /// Starts the store that the nodes of a cluster share; `nil` without `cluster.store`.
    ///
    /// - Parameters:
    ///   - progress: what this node knows of purges, by which it judges what others have stored.
    ///   - room: where originals that are read are kept, and which accounts bound what is read.
    /// - Throws: `Errno` if the system cannot create a thread.
    convenience init?(
        _ configuration: ProxyServer.Configuration,
        _ progress: PurgeProgress,
        room: ObjectRoom,
        time: any TimeSource,
        logger: Logger
    ) throws(Errno) {
        guard var settings = SharedStore.Configuration(configuration, room: room) else { return nil }
        settings.changed = { access, reason in
            if let reason {
                logger.warning(
                    "the shared store keeps failing, and is left alone",
                    metadata: ["access": "\(access.rawValue)", "reason": "\(reason)"]
                )
            } else {
                logger.notice("the shared store is used again", metadata: ["access": "\(access.rawValue)"])
            }
        }
        try self.init(settings, time: time) {
            SharedPlace(progress.place)
        } verdict: {
            progress.verdict(on: $0, since: $1)
        }
    }
}

extension SharedStore.Configuration {
    /// The settings of `cluster.store`; `nil` without it.
    init?(_ configuration: ProxyServer.Configuration, room: ObjectRoom) {
        let cluster = configuration.cluster
        guard let bucket = cluster.bucket else { return nil }
        self.init(
            bucket: bucket,
            credentials: cluster.credentials,
            reading: ObjectRequest.Patience(firstByte: cluster.storeBudget),
            encoders: Version.text
        )
        results = cluster.storeResults
        queue = configuration.memoryPlan.sharedWrites
        isReadable = PictureMetadata.isReadable
        self.room = room
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
