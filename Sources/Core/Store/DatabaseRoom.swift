// The size limit of the database, and the return of free pages to the disk. Words and payloads have their own limit,
// the handset's; of the rest, the journal of events is shortened. Free pages are returned while no push waits, a few at
// a time, so that a push that comes meanwhile waits for those few only.

import HandsetCore

extension SQLiteConnection {
  /// Sets the size limit of the file. A larger file gets some room above its size, which it needs to become smaller.
  func bound(bytes: Int) throws(StoreError) {
    let pages = try integer("PRAGMA page_count") ?? 0
    let most = Int64(bytes) / PageChecksums.pageSize
    try execute("PRAGMA max_page_count = \(max(most, pages + most / 4))")
  }

  func bytesInUse() throws(StoreError) -> Int {
    let pages = (try integer("PRAGMA page_count") ?? 0) - (try integer("PRAGMA freelist_count") ?? 0)
    return Int(clamping: pages * PageChecksums.pageSize)
  }

  func freeBytes() throws(StoreError) -> Int {
    Int(clamping: (try integer("PRAGMA freelist_count") ?? 0) * PageChecksums.pageSize)
  }
}

extension HandsetStore {
  /// Returns the bytes of the database that are in use, without the write-ahead log.
  public func size() throws(StoreError) -> Int { try database.bytesInUse() }

  func isTooLarge() throws(StoreError) -> Bool {
    try database.bytesInUse() > databaseBytes - databaseBytes / StoreLimits.databaseReserve
  }

  /// Drops events of the handset that has most while the database is too large, but keeps the newest few. Called within
  /// a transaction.
  /// - Returns: the handsets whose events were dropped.
  func makeRoom() throws(StoreError) -> Set<HandsetID> {
    var shortened: Set<HandsetID> = []
    while try isTooLarge() {
      let most = try database.first("SELECT handset, max(events, 0) FROM handset ORDER BY events DESC LIMIT 1", []) {
        (handset: HandsetID($0.integer(0)), events: $0.integer(1))
      }
      guard let (handset, events) = most else { break }
      let spare = events - Int64(StoreLimits.eventsKept)
      let dropped = try drop(min(Int64(StoreLimits.eventsDroppedAtOnce), spare), from: .events, of: handset)
      guard dropped > 0 else { break }
      try database.run(
        "UPDATE handset SET events = events - ? WHERE handset = ?", .integer(dropped), .integer(handset.number))
      shortened.insert(handset)
    }
    return shortened
  }

  /// Returns a few free pages to the disk if there are many, and writes late commits into their tables if there are, so
  /// that no push has to wait for it. To be called while nothing waits, until it returns false.
  /// - Returns: true if there is more to give back.
  public func giveBack() throws(StoreError) -> Bool {
    if late.page > latePages / 2 { try completeTables() }
    let free = try database.freeBytes()
    guard free > (isGivingBack ? 0 : StoreLimits.freeBytes) else { return false }
    try database.setSynchronous(.normal)
    defer { try? database.setSynchronous(.full) }
    try database.execute("PRAGMA incremental_vacuum(\(StoreLimits.pagesGivenBackAtOnce))")
    let left = try database.freeBytes()
    // A database that another program has laid out anew may return no pages.
    isGivingBack = left > 0 && left < free
    // Only this shortens the file itself.
    if left == 0 { try database.emptyLog() }
    return isGivingBack
  }
}
