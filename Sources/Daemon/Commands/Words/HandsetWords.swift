import DeskbellDaemon

enum HandsetWords {
  static func list(_ handsets: [HandsetReport]) -> String {
    let rows = handsets.map { handset in
      [
        handset.name, handset.isOnBoard ? "yes" : "no", "\(handset.apps)", "\(handset.unseen)", "\(handset.badge)",
        handset.deviceID,
      ]
    }
    return table([["NAME", "ON THE BOARD", "APPS", "UNSEEN", "BADGE", "DEVICE ID"]] + rows)
  }
}
