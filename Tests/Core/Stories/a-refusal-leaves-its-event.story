story: What a front end refused leaves an event and nothing else
rules: F3

0s    given install mail; register mail badge alert
1s    refused 413 PayloadTooLarge topic=mail detail="4097 bytes, at most 4096"
        refused mail P1 status=413 reason=PayloadTooLarge detail="4097 bytes, at most 4096"
2s    refused 400 BadMessageId anonymous detail="'abc' is no UUID"
        refused status=400 reason=BadMessageId detail="'abc' is no UUID"
3s    center
        : empty
