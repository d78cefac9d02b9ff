import Foundation
import HTTPCache

/// One pool of the disk cache without its files: which objects it would hold, in the order of their last use.
///
/// `EvictionMarks` of the disk cache tells when and how far it evicts. Objects are dense numbers.
struct SimulatedPool {
    private enum Place {
        static let none: Int32 = -1
        static let absent: Int32 = -2
    }

    /// An object's neighbours in the order of use, and its length.
    private struct Link {
        /// Whether the object was ever stored.
        var isKnown = false
        var older = Place.absent
        var newer = Place.none
        var length = 0
    }

    /// Bytes of a file's trailer, and of an entry's row in the index: averages.
    private static let trailer = 1_000
    private static let row = 1_200
    /// The bytes by which a file system allocates space, and of a small folder.
    private static let block = 4_096
    /// The folders of the first level, and of both: a key's first two bytes select them (`DiskFolder`).
    private static let folders = (first: 256.0, all: 65_536.0)

    let marks: EvictionMarks
    /// Bytes of bodies, which the quota counts.
    private(set) var bytes = 0
    /// Bytes of their files and rows: an estimate.
    private var files = 0
    /// The number of different objects that were ever stored; folders of the first level stay when their files are evicted.
    private var known = 0
    private(set) var entries = 0
    private(set) var evictions = 0
    private var links: [Link] = []
    private var oldest = Place.none
    private var newest = Place.none

    /// Creates an empty pool.
    init(quota: Int) { marks = EvictionMarks(quota: quota) }

    /// Whether an object is stored.
    func contains(_ object: Int32) -> Bool {
        Int(object) < links.count && links[Int(object)].older != Place.absent
    }

    /// Records a use of an object, if it is stored.
    mutating func use(_ object: Int32) {
        guard contains(object), object != newest else { return }
        detach(object)
        attach(object)
    }

    /// Stores an object, or replaces it, and evicts others as the writer of the disk cache does.
    mutating func store(_ object: Int32, length: Int) {
        if contains(object) { remove(object) }
        guard marks.admits(length) else { return }
        let isFull = marks.mustEvict(bytes, before: length)
        while marks.mustEvict(bytes, before: length), evict(downTo: marks.goal(before: length)) > 0 {}
        while links.count <= Int(object) { links.append(Link()) }
        if !links[Int(object)].isKnown { known += 1 }
        links[Int(object)].isKnown = true
        links[Int(object)].length = length
        attach(object)
        bytes += length
        files += Self.allocation(length)
        entries += 1
        guard isFull else { return }
        // The writer continues between two writes.
        while !marks.isReached(by: bytes, entries: entries), evict(downTo: marks.low) > 0 {}
    }

    /// Bytes on a file system, with folders and the index: an estimate.
    ///
    /// - Parameter scale: how many times as many objects as in this pool there are.
    func allocated(times scale: Int = 1) -> Int {
        // Keys are distributed evenly: the expected number of folders with at least one of them. An inner one is removed with its last file.
        let folders = [(Self.folders.first, known), (Self.folders.all, entries)].reduce(0) { sum, level in
            sum + level.0 * (1 - exp(-Double(level.1 * scale) / level.0))
        }
        return files * scale + Int(folders.rounded()) * Self.block
    }

    /// The bytes of an object's file and row.
    private static func allocation(_ length: Int) -> Int { (length + trailer + block - 1) / block * block + row }

    /// Evicts as many objects as one transaction does.
    ///
    /// - Returns: their number.
    private mutating func evict(downTo goal: Int) -> Int {
        var evicted = 0
        while evicted < EvictionMarks.step, bytes > goal, oldest != Place.none {
            remove(oldest)
            evicted += 1
        }
        evictions += evicted
        return evicted
    }

    private mutating func remove(_ object: Int32) {
        detach(object)
        links[Int(object)].older = Place.absent
        bytes -= links[Int(object)].length
        files -= Self.allocation(links[Int(object)].length)
        entries -= 1
    }

    private mutating func attach(_ object: Int32) {
        links[Int(object)].older = newest
        links[Int(object)].newer = Place.none
        if newest == Place.none { oldest = object } else { links[Int(newest)].newer = object }
        newest = object
    }

    private mutating func detach(_ object: Int32) {
        let link = links[Int(object)]
        if link.older == Place.none { oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
        if link.newer == Place.none { newest = link.older } else { links[Int(link.newer)].older = link.older }
    }
}
