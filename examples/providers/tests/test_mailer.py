"""Tests of a push provider. The comment of each names the mistakes that it finds: `MISTAKE=gives-up pytest`."""

import pytest


# gives-up, retries-at-once, ignores-retry-after, constant-pause, new-id, connection-per-push
def test_503_is_repeated_with_growing_pauses(bell, mailer):
    bell.fault(answer=503, retry_after=2, pushes=2, app="mail")
    mailer.mail("Hello", wait=False)
    tries = bell.requests(app="mail").wait_for(3, advancing="1m")
    assert tries.statuses == [503, 503, 200]
    assert tries.gaps[0] >= 2 and tries.gaps[1] > tries.gaps[0]
    assert tries.same("apns-id", "payload") and tries.connections == 1
    push = bell.settled()[-1]
    assert push.rang and push.times_presented == 1, push.why
    assert bell.board.digits == "   1" and bell.lint() == []


# repeats-permanent
@pytest.mark.parametrize("status, reason", [(400, "PayloadEmpty"), (403, "InvalidProviderToken")])
def test_what_is_refused_for_good_is_not_sent_again(bell, mailer, status, reason):
    bell.fault(answer=status, reason=reason, pushes=1)
    mailer.mail("Hello", wait=False)
    bell.requests().exactly(1, advancing="1h")


# keeps-gone
def test_a_token_that_is_gone_is_deleted(bell, mailer):
    bell.advance("1s")
    bell.app("mail").unregister()
    mailer.mail("Hello")
    mailer.mail("Are you there?")
    assert bell.requests().statuses == [410] and not mailer.devices


# ignores-timestamp
def test_a_token_that_was_registered_again_survives_410(bell, mailer):
    token = bell.token("mail")
    bell.advance("1h")
    mailer.register(token)
    bell.fault(answer=410, reason="Unregistered", timestamp=int((bell.clock() - 1_800) * 1_000), pushes=1)
    mailer.mail("Hello")
    mailer.mail("There you are!")
    assert bell.requests().statuses == [410, 200]


# wipes-table
def test_tokens_of_the_other_environment_are_kept(bell, mailer):
    for app in ("other", "third"):
        mailer.register(bell.token(app))
    bell.fault(answer=400, reason="BadDeviceToken", pushes=3)
    mailer.mail("Hello")
    assert bell.requests().statuses == [400, 400, 400] and len(mailer.devices) == 3


# stops-for-one
def test_429_for_one_device_does_not_stop_the_others(bell, mailer):
    busy, free = bell.token("mail"), "5e" * 32
    bell.fault(answer=429, reason="TooManyRequests", retry_after=60, token=busy, pushes=1)
    mailer.mail("Hello", to=busy, wait=False)
    bell.requests().exactly(1, advancing="5s")
    mailer.mail("Hello", to=free, wait=False)
    assert bell.requests().wait_for(2)[1].token == free
    assert sum(bell.requests().wait_for(3, advancing="2m").gaps) >= 60


# loses-at-goaway, stays-after-goaway
@pytest.mark.parametrize("closes", [True, False])
def test_no_push_is_lost_at_a_goaway(bell, mailer, closes):
    fault = bell.fault(goaway="no-error", pushes="5-5", last_stream="previous", close=closes)
    mailer.mails([f"Letter {number}" for number in range(10)], wait=False)
    bell.until(lambda: len(bell.events("presented")) == 10, advancing="1m")
    assert bell.settled().presented == 10 and bell.requests().connections == 2 and fault.hits == 1


# loses-after-cut, new-id
def test_a_push_whose_answer_was_lost_rings_once(bell, mailer):
    bell.fault(cut="answer", pushes=1)
    mailer.mail("Hello", wait=False)
    tries = bell.requests().wait_for(2, advancing="1m")
    assert tries.statuses == [None, 200] and tries.same("apns-id")
    assert bell.settled().rang == 1 and bell.settled().presented == 1


# waits-for-ever
def test_a_connection_that_answers_no_more_is_replaced(bell, mailer):
    bell.fault(silent=True, pushes=1)
    mailer.mail("Hello", wait=False)
    tries = bell.requests().wait_for(2, advancing="5m")
    assert tries.statuses == [None, 200] and tries.connections == 2
    assert bell.settled().rang == 1


# burst-first
def test_a_burst_fits_through_one_stream(bell, mailer):
    bell.fault(streams=1)
    mailer.mails([f"Letter {number}" for number in range(10)], wait=False)
    bell.until(lambda: len(bell.events("presented")) == 10, advancing="1m")
    assert bell.requests().statuses == [200] * 10


# trusts-all
def test_nothing_is_sent_to_a_server_whose_certificate_has_expired(bell, mailer):
    expired = bell.fault(certificate="expired")
    mailer.mail("Hello", wait=False)
    bell.requests().exactly(0, advancing="10s")
    expired.remove()
    assert bell.requests().wait_for(1, advancing="1h").statuses == [200]


# keeps-bad-connection
def test_a_connection_that_answers_only_500_is_replaced(bell, mailer):
    mailer.mail("Hello")
    bell.fault(answer=500, connection=bell.requests()[0].connection)
    mailer.mail("Are you there?", wait=False)
    tries = bell.requests().wait_for(4, advancing="2h")
    assert tries.statuses == [200, 500, 500, 200] and tries.connections == 2


# token-per-push, token-for-ever
def test_a_provider_token_serves_all_pushes_of_its_time(bell, mailer):
    for _ in range(4):
        mailer.mails(["Hello", "And", "Goodbye"])
        bell.advance("21m")
    assert bell.requests().statuses == [200] * 12
    assert len({request.headers["authorization"] for request in bell.requests()}) == 2
    assert bell.lint() == []


# badge-never-falls, no-collapse
def test_a_thread_is_one_notification_and_the_badge_goes_when_it_is_read(bell, mailer):
    mailer.mail("Lunch?", thread="lunch")
    mailer.mail("At one", thread="lunch")
    assert bell.settled()[-1].rang and bell.board.badge == 2
    assert bell.requests().same("apns-collapse-id")
    mailer.read()
    assert bell.settled() and bell.board.badge == 0


# updates-unpaced, urgent-updates, no-push-type
def test_updates_keep_to_the_budget_of_the_handset(bell, mailer):
    for _ in range(5):
        mailer.sync()
    updates = bell.requests(app="mail").exactly(2, advancing="1h")
    assert updates.gaps[0] >= 20 * 60 and bell.lint() == []
