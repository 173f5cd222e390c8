// Rule N15: the board has one button for an alert's actions, so each press of View selects the next one, and the
// selected action is done when View is not pressed again.

/// The action of the alert on top that View has selected.
public struct ActionSelection: Hashable, Sendable, Codable {
  public var notification: NotificationID
  /// `NotificationResponse.open`, or an action's identifier.
  public var action: String
  /// The time on the uptime clock at which it is done.
  public var until: Duration
}

extension Handset {
  /// Returns the actions that View selects in turn: opening it, then its actions that a button alone can choose.
  private func selectable(of notification: Notification) -> [String] {
    let isLocked = record.conditions.contains(.locked)
    let actions = actions(of: notification).filter { $0.textInput == nil && !($0.needsUnlock && isLocked) }.map(\.id)
    return actions.isEmpty ? [] : (notification.hasAction ? [NotificationResponse.open] : []) + actions
  }

  /// The title of the selected action; nil if none is selected, or the alert's own action.
  var selectedTitle: String? {
    guard let selection, let notification = center.notifications[selection.notification] else { return nil }
    return actions(of: notification).first { $0.id == selection.action }?.title
  }

  /// Selects the next action. Returns false if the alert has nothing to select.
  mutating func selectNext(of top: Notification, _ turn: inout Turn) -> Bool {
    let all = selectable(of: top)
    guard let first = all.first else { return false }
    let place = selection.flatMap { all.firstIndex(of: $0.action) }
    let action = place.map { all[($0 + 1) % all.count] } ?? first
    let until = turn.now.uptime + Policy.selectionTime
    let next = ActionSelection(notification: top.id, action: action, until: until)
    commit(.selection(before: selection, after: next), &turn)
    emit(.selected(action: action), app: top.app, push: top.push, &turn)
    return true
  }

  /// Does the selected action, once its time is over.
  mutating func doSelected(_ turn: inout Turn) {
    guard let selected = selection, selected.until <= turn.now.uptime else { return }
    commit(.selection(before: selected, after: nil), &turn)
    guard let top = center.notifications[selected.notification] else { return }
    if selected.action == NotificationResponse.open {
      _ = pressView(of: top, &turn)
    } else {
      _ = respond(to: top.id, selected.action, text: nil, &turn)
    }
  }

  /// Ends the selection if its alert has ended or another alert is on top.
  mutating func settleSelection(_ turn: inout Turn) {
    guard let selected = selection else { return }
    let isUp = record.settings.notifications && center.topAlert?.id == selected.notification
    if !isUp { commit(.selection(before: selected, after: nil), &turn) }
  }
}
