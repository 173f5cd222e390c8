// The operations that are tried in every sequence of three: on a handset where an alert is up, an app has one
// background delivery left, another is connected, and nothing is far from its limit.

@testable import HandsetCore

enum ModelAlphabet {
  static let setting = [
    "0s install mail background hooks sounds=bell foreground=alert category.ask=ACCEPT*,REPLY?,DELETE# extension",
    "0s register mail badge sound alert",
    "0s set mail style alert", "0s set mail critical on",
    "0s install chat background", "0s register chat badge sound alert", "1s listen chat background",
    "2s push mail background", "2s complete mail P1", "3s push mail background", "3s push chat background",
    "4s push mail alert=\"Set\" badge=4 sound=bell collapse=c2 category=ask",
  ]

  private static let commands = [
    "push mail alert=\"A\" badge=2 sound=bell", "push mail alert=\"B\" badge=0", "push mail alert=\"C\" collapse=c1",
    "push mail alert=\"D\" sound=bell collapse=c2 level=critical", "push mail alert=\"E\" sound=bell level=passive",
    "push mail badge=-1 sound=default", "push mail background", "push mail background expires=1h",
    "push mail alert=\"F\" content-available expires=once", "push chat background",
    "push mail again=P4 alert=\"Set\" badge=4 sound=bell collapse=c2", "push mail id=P4 alert=\"J\" badge=5",
    "push chat alert=\"G\" level=time-sensitive sound=default content-available",
    "launch mail", "background mail", "kill mail", "force-quit mail", "die mail", "complete mail P2", "timeout mail P2",
    "launch chat", "listen chat background", "listen chat foreground", "disconnect chat", "complete chat P3",
    "badge mail 0", "condition offline on", "condition offline off", "condition low-power on",
    "condition low-power off", "condition silent on", "set handset notifications off",
    "set handset fetch-mode manual", "set handset fetch-mode fetch", "set handset quiet-hours 00:00-12:00",
    "set mail allow-notifications off", "set mail alert off", "set mail show-in-notification-center off",
    "set mail badge off", "set mail clear-on-launch on", "set mail volume 0%", "set mail lamp heartbeat",
    "set handset lamp breathe", "press close",
    "press view", "press close long", "clear P4", "open P4", "open P4 action=REPLY text=Yes",
    "retract mail c2 seen", "retract mail c2 removed",
    "push mail key alert=\"K\" sound=default collapse=c2 tags=door,bell expires=1h",
    "push mail alert=\"K\" sound=bell repeat every=10s times=2", "set mail repeat all", "press view long",
    "snooze all 1m",
    "end-snooze all",
    "unregister mail", "register mail badge alert", "uninstall mail", "install mail background", "restart", "boot",
    "schedule mail soon in=1m alert=\"H\" badge=1", "schedule mail c2 at=01:00 alert=\"I\" repeat", "cancel mail",
    "push mail alert=\"M\" badge=3 sound=bell priority=5 collapse=c2", "push mail badge=6 priority=5",
    "push chat alert=\"N\" sound=default priority=1", "set mail summary on", "set handset summary 00:00,00:01",
    "set handset summary off", "focus work allow=chat filter.chat=a", "focus work hours=00:00-00:01",
    "focus work remove",
    "set handset focus work", "set handset focus off", "push chat alert=\"O\" criteria=b sound=default relevance=0.5",
    "register mail badge sound alert provisional", "set mail style banner",
    "foreground mail badge", "clock -1h", "zone berlin",
    "push mail type=voip", "push chat type=voip", "push mail type=complication", "push chat type=pushtotalk",
    "push mail type=widgets content-available", "push mail alert=\"M\" mutable collapse=c2 sound=bell",
    "extended mail P5 alert=\"N\" badge=1", "extended mail P5 timed-out",
    "fetch all", "fetch mail", "create mail Inbox", "publish mail Inbox alert=\"M\" badge=3",
    "keep mail alert=\"L\" sound=bell collapse=c2 badge=1", "forward",
    "push chat activity=start alert=\"M\" sound=default state.a=1 stale=20s channel=dHN0",
    "push chat activity=update state.a=2", "push chat activity=end state.a=3 dismissal=30s",
    "broadcast chat dHN0 activity=update state.a=4 alert=\"N\"",
  ]

  /// The commands, each a second after the one before; and longer waits without a command.
  static let operations: [(pause: Duration, command: String)] =
    commands.map { (.seconds(1), $0) } + [(.seconds(31), "wait"), (.seconds(3600), "wait")]

  /// Returns the setting and the operations in the form of a story.
  static func story(of path: [Int]) -> [String] {
    var time = Duration.seconds(4)
    return setting
      + path.map { place in
        time += operations[place].pause
        return "\(time.story) \(operations[place].command)"
      }
  }
}
