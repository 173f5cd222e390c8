/// A sound that comes with Deskbell, by its file's name without extension (rules A1, A6).
public enum ShippedSound: String, Hashable, Sendable, CaseIterable {
  case bell, chime, glass, harp, knock, marimba, ping, pulse, radar, wood
}
