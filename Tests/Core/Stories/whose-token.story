story: A token is one app's, and nobody else's
rules: R4

0s    given install mail; register mail alert; install news; register news alert
1s    push mail token=T3 alert="With the token of news"
        ! the device token is another app's
        refused mail P1 status=400 reason=DeviceTokenNotForTopic detail="the device token is another app's"
2s    push mail token=T99 alert="With nobody's token"
        ! no app has that device token
        refused mail P2 status=400 reason=BadDeviceToken detail="no app has that device token"
3s    push mail topic=news alert="Under the topic of news"
        ! the device token is another app's
        refused news P3 status=400 reason=DeviceTokenNotForTopic detail="the device token is another app's"
# Whose token it is comes before whether it still works.
4s    unregister news
        unregistered news
5s    push mail token=T3 alert="With the gone token of news"
        ! the device token is another app's
        refused mail P4 status=400 reason=DeviceTokenNotForTopic detail="the device token is another app's"
6s    center
        : empty
