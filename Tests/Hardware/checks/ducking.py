"""Music is lowered while a sound plays, and returns to exactly its previous level (rule A3)."""



def check(run):
    section = run.section("ducking", "Music makes room for a sound")
    levels = {}
    for line in run.text("ducking", "levels").splitlines():
        name, *numbers = line.split()
        levels[name] = [int(number) for number in numbers]
    before = levels["before"]
    section.note("before", before)
    for name in ("during", "again"):
        section.at_most(f"{name}, the louder channel", max(levels[name]), min(before) - 1)
    section.equal("daemon killed while lowered: left as it was", levels["killed"], levels["again"])
    section.equal("after the sound", levels["after"], before)
    section.equal("after the next start", levels["started"], before)
    return section
