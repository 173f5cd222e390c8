#!/usr/bin/env python3
"""Manual pages from the command's own help, so that the two cannot differ.

Reads what `deskbell --experimental-dump-help` prints, and writes deskbell.1 and a page for each subcommand.
"""

import datetime
import json
import os
import sys
from pathlib import Path


def escape(text):
    """Returns text as roff prints it: no line of it is a request, and a hyphen can be searched for."""
    lines = text.replace("\\", r"\e").replace("-", r"\-").split("\n")
    return "\n".join(r"\&" + line if line.startswith((".", "'")) else line for line in lines)


def names(argument):
    """Returns `-h, --help VALUE`, as one would type it."""
    if argument["kind"] == "positional":
        return rf"\fI{escape(argument['valueName'])}\fR"
    spelt = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    text = ", ".join(rf"\fB{escape(name)}\fR" for name in spelt)
    return text + (rf" \fI{escape(argument['valueName'])}\fR" if argument["kind"] == "option" else "")


def usage(argument):
    if argument["kind"] == "positional":
        text = names(argument)
    else:
        preferred = argument["preferredName"]
        text = rf"\fB{escape(('-' if preferred['kind'] == 'short' else '--') + preferred['name'])}\fR"
        if argument["kind"] == "option":
            text += rf" \fI{escape(argument['valueName'])}\fR"
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def discussion(text):
    """Paragraphs; what is indented, or followed by it, is shown as it stands."""
    lines = []
    for paragraph in text.split("\n\n"):
        lines.append(".PP")
        literal = False
        for line in paragraph.split("\n"):
            if line.startswith("  ") != literal:
                literal = not literal
                lines.append(".RS 2\n.nf" if literal else ".fi\n.RE")
            lines.append(escape(line[2:] if literal else line))
        if literal:
            lines.append(".fi\n.RE")
    return lines


def is_everywhere(argument):
    return argument.get("preferredName", {}).get("name") in ("help", "version")


def arguments(command, nested=False):
    lines = []
    shown = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    if nested:
        shown = [each for each in shown if not is_everywhere(each)]
    sections = list(dict.fromkeys(argument.get("sectionTitle") for argument in shown))
    for section in sorted(sections, key=lambda title: title is not None):
        if section:
            lines.append(f'.SS "{escape(section)}"')
        for argument in (each for each in shown if each.get("sectionTitle") == section):
            lines += [".TP", names(argument)]
            text = argument.get("abstract", "") or ""
            if argument.get("allValues"):
                text += f" One of {', '.join(argument['allValues'])}."
            if argument.get("defaultValue"):
                text += f" Default: {argument['defaultValue']}."
            lines.append(escape(text.strip()) or r"\&")
    return lines


def synopsis(path, command):
    shown = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    words = [usage(each) for each in shown if not is_everywhere(each)]
    return [".PP", rf"\fB{escape(' '.join(path))}\fR " + " ".join(words)]


def subcommands(command):
    return [each for each in command.get("subcommands", []) if each["commandName"] != "help"]


def page(path, command, date, version):
    title = "-".join(path)
    lines = [
        f'.TH {title.upper()} 1 "{date}" "deskbell {version}" "Deskbell"',
        ".SH NAME", escape(f"{title} - {command['abstract'].rstrip('.')}").replace(r" \- ", r" \- ", 1),
        ".SH SYNOPSIS"]
    children = subcommands(command)
    if len(path) == 1:
        lines += [".PP", rf"\fB{escape(path[0])}\fR \fIcommand\fR ..."]
    elif children:
        for child in children:
            lines += synopsis([*path, child["commandName"]], child)
    else:
        lines += synopsis(path, command)
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *discussion(command["discussion"])[1:]]
    if children:
        lines.append(".SH COMMANDS")
        for child in children:
            if len(path) == 1:
                lines += [".TP", rf"\fB{escape(path[0] + '-' + child['commandName'])}\fR(1)", escape(child["abstract"])]
                continue
            lines += [f'.SS "{escape(child["commandName"])}"', escape(child["abstract"])]
            lines += discussion(child["discussion"]) if child.get("discussion") else []
            lines += arguments(child, nested=True)
    shown = arguments(command)
    if shown:
        lines += [".SH OPTIONS", *shown]
    lines += [".SH EXIT STATUS", "0 done, 1 refused or failed, 2 usage, 3 no daemon there."]
    if len(path) == 1 or path[1] == "serve":
        lines += [
            ".SH FILES", ".TP", r"\fI/etc/deskbell/deskbell.yaml\fR", "How the daemon is set up.",
            ".TP", r"\fI/run/deskbell/control.sock\fR", "Where commands find the daemon; for the group deskbell.",
            ".TP", r"\fI/var/lib/deskbell\fR", "Its state: the database, certificates, apps, sounds.",
            ".TP", r"\fI/usr/share/deskbell\fR", "Board files, sounds and an example app."]
    if len(path) > 1:
        lines += [".SH SEE ALSO", r"\fBdeskbell\fR(1)"]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: manpages.py HELP.json VERSION FOLDER")
    root = json.loads(Path(sys.argv[1]).read_text())["command"]
    version, folder = sys.argv[2], Path(sys.argv[3])
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d")
    folder.mkdir(parents=True, exist_ok=True)
    name = root["commandName"]
    (folder / f"{name}.1").write_text(page([name], root, date, version))
    for command in subcommands(root):
        path = [name, command["commandName"]]
        (folder / f"{'-'.join(path)}.1").write_text(page(path, command, date, version))


if __name__ == "__main__":
    main()
