"""With nothing lit and nothing due, there are no wake-ups."""


SECONDS = 60


def check(run):
    section = run.section("idle", "Idle and dark")
    before, after = (switches(run.text("idle", name)) for name in ("before", "after"))
    woken = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    section.note("threads", ", ".join(sorted(after)))
    section.equal(f"wake-ups of all threads in {SECONDS} s", sum(woken.values()), 0)
    if woken:
        section.note("by", woken)
    return section


def switches(text):
    result = {}
    for line in text.splitlines():
        name, count = line.rsplit(" ", 1)
        result[name] = result.get(name, 0) + int(count)
    return result
