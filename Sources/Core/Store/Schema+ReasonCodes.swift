// Until 0.1 an event gave its reason as a sentence with the rule in brackets. This step gives each its code, rule and
// text.

extension Schema {
  /// Splits a sentence into `reason`, `rule` and `text`, also that of `silenced`. A completion's reason was never one
  /// of ours, and becomes its detail. Lines that are not JSON stay as they are.
  static let reasonCodes = """
    CREATE TEMP TABLE reason_code (
      sentence TEXT PRIMARY KEY, code TEXT NOT NULL, rule TEXT, text TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO reason_code VALUES
      ('notifications are off for the whole handset (S2)', 'handset-off', 'S2',
        'notifications are off for the whole handset'),
      ('notifications are off for this app (S1)', 'app-not-allowed', 'S1',
        'notifications are off for this app'),
      ('the app did not register for any kind in it (S6)', 'not-registered-for', 'S6',
        'the app did not register for any kind in it'),
      ('every kind in it is switched off for this app (S1)', 'switched-off', 'S1',
        'every kind in it is switched off for this app'),
      ('the app is in the foreground (N2)', 'foreground', 'N2',
        'the app is in the foreground'),
      ('there is nothing in it for a person', 'nothing-to-show', NULL,
        'it contains nothing for a person'),
      ('a passive one makes no sound (N9)', 'passive', 'N9',
        'a passive notification makes no sound'),
      ('the ring/silent switch is on silent (S5)', 'silent-switch', 'S5',
        'the ring/silent switch is set to silent'),
      ('these are quiet hours (S5)', 'quiet-hours', 'S5',
        'these are quiet hours'),
      ('the app''s volume is 0% (S1)', 'volume-zero', 'S1',
        'the app''s volume is 0%'),
      ('the app cancelled it (L1)', 'cancelled', 'L1',
        'the app cancelled it'),
      ('64 that are due sooner are pending (L2)', 'pending-limit', 'L2',
        '64 that are due sooner are pending'),
      ('the app was uninstalled (R3)', 'uninstalled', 'R3',
        'the app was uninstalled'),
      ('the badge was set to zero (B3)', 'badge-zero', 'B3',
        'the badge was set to zero'),
      ('the app was opened (N10)', 'opened', 'N10',
        'the app was opened'),
      ('the person cleared them (N10)', 'by-person', 'N10',
        'the person cleared them'),
      ('they are no longer allowed (S1)', 'not-allowed', 'S1',
        'they are no longer allowed'),
      ('the app unregistered (R2)', 'unregistered', 'R2',
        'the app unregistered'),
      ('Notification Center was full', 'center-full', NULL,
        'Notification Center was full'),
      ('three updates were delivered in the last 60 minutes (U7)', 'budget', 'U7',
        'three updates were delivered in the last 60 minutes'),
      ('the handset saves power (U7)', 'low-power', 'U7',
        'the handset saves power'),
      ('updates are fetched at an interval (S3)', 'fetch-interval', 'S3',
        'updates are fetched at an interval'),
      ('updates are fetched by hand (S3)', 'fetch-manual', 'S3',
        'updates are fetched by hand'),
      ('the app listens and is not connected (U8)', 'not-connected', 'U8',
        'the app listens and is not connected'),
      ('a newer update took its place (U4)', 'replaced', 'U4',
        'a newer update replaced it'),
      ('a newer one took its place while the handset is offline (F1)', 'replaced-offline', 'F1',
        'a newer push replaced it while the handset was offline'),
      ('the app has not registered yet (R1)', 'not-registered', 'R1',
        'the app has not registered yet'),
      ('the app has no remote-notification background mode (U1)', 'no-background-mode', 'U1',
        'the app has no remote-notification background mode'),
      ('the app was killed (U5)', 'killed', 'U5',
        'the app was killed'),
      ('the app was force-quit (U5)', 'force-quit', 'U5',
        'the app was force-quit'),
      ('the app is force-quit and is not woken (U5)', 'is-force-quit', 'U5',
        'the app is force-quit and is not woken'),
      ('a process of the app ended by itself or was ended, which counts as killed (U5)', 'died', 'U5',
        'a process of the app ended, which counts as killed'),
      ('the app''s connection ended, which counts as killed (U5)', 'disconnected', 'U5',
        'the app''s connection ended, which counts as killed'),
      ('the app was stopped for another that it did not complete in time (U8)', 'stopped', 'U8',
        'the app was stopped because it did not complete another push in time'),
      ('it was offered again after a restart, and not completed then either (U8)', 'offered-twice', 'U8',
        'it was offered again after a restart and not completed either'),
      ('the app has 32 newer ones to complete (U8)', 'too-many-offered', 'U8',
        'the app has 32 newer ones to complete'),
      ('the app''s new bundle has no hooks to receive it with (U8)', 'no-receiver', 'U8',
        'the app''s new bundle has no hooks to receive it'),
      ('the app is in the foreground without its connection, and ignores it (N2)', 'not-listening', 'N2',
        'the app is in the foreground without a connection and ignores it'),
      ('it expired (U9)', 'expired', 'U9',
        'it expired'),
      ('it expired while the handset was offline (F1)', 'expired-offline', 'F1',
        'it expired while the handset was offline'),
      ('it was good for one try, and the handset is offline (F1)', 'not-kept', 'F1',
        'it was good for one try, and the handset is offline'),
      ('the handset is offline (F1)', 'offline', 'F1',
        'the handset is offline'),
      ('it was not completed within 30 seconds, and what ran for it is stopped (U8)', 'not-completed', 'U8',
        'the app did not complete it within 30 seconds and was stopped');
    UPDATE event SET line = json_patch(line, json_object(
        CASE WHEN json_extract(line, '$.reason') IS NULL THEN 'silenced' ELSE 'reason' END, code,
        'rule', rule, 'text', text))
      FROM reason_code
      WHERE json_valid(line) AND sentence = coalesce(json_extract(line, '$.reason'), json_extract(line, '$.silenced'));
    UPDATE event SET line = json_remove(json_set(line, '$.detail', json_extract(line, '$.reason')), '$.reason')
      WHERE line LIKE '%"event":"completed"%' AND json_valid(line) AND json_extract(line, '$.reason') IS NOT NULL;
    UPDATE event SET line = json_set(line, '$.detail', json_extract(line, '$.reason'), '$.reason', 'failed')
      WHERE line LIKE '%"event":"sound-ended"%' AND json_valid(line)
        AND json_extract(line, '$.reason') NOT IN ('finished', 'replaced', 'stopped');
    DROP TABLE temp.reason_code;
    """
}
