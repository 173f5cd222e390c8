# A person sets up a Raspberry Pi 4 with a lamp and a TM1637: seven questions. Then once more with wires that are wrong.
# A tab separates a question's end, the answer, and what happens before it.
marks=$tracing/trace_marker
# Setup lists the boards and displays by the names of their files, in the order of their bytes.
boards=$(ls board-configs/*.yaml | wc -l)
tm1637=$(cd board-configs/displays && LC_ALL=C ls | sed 's/\.yaml$//' | LC_ALL=C sort | sed -n '/^tm1637$/=')

# setup NAME ANSWERS: what the terminal shows, up to the first secret.
setup() {
  answers "$2" deskbell setup --config "/tmp/$1.yaml" --state "/tmp/$1-state" --provider-folder "/tmp/$1-provider" \
    --listen 127.0.0.1:2197 >"/tmp/$1.terminal" || {
    fail "setup $1 ended with code $?"
    cat "/tmp/$1.terminal"
  }
  sed '/^Wrote /q' "/tmp/$1.terminal" >"$out/$1.terminal"
  cat "/tmp/$1.yaml" >"$out/$1.yaml"
}

chip raspberry-pi-4
mark "board raspberry-pi-4"
cat >/tmp/right <<END
Which board? (1 to $boards) 	@Raspberry Pi 4 Model B
Which display? [$tm1637] 	
Is it? [Y/n] 	y	echo lit >$marks
Is it? [Y/n] 	y	echo dark >$marks
Does it? [Y/n] 		echo eights >$marks
What does it show now? [1234] 		echo order >$marks
Was it heard? [Y/n] 	
END
setup right /tmp/right
mark "left raspberry-pi-4"

cat >/tmp/wrong <<END
Which board? (1 to $boards) 	@Raspberry Pi 4 Model B
Which display? [$tm1637] 	
Is it? [Y/n] 	n
Is it lit now? [y/N] 	y
Does it? [Y/n] 	
What does it show now? [1234] 	2134
Was it heard? [Y/n] 	
Continue anyway? The other devices work without it. [Y/n] 	
END
setup wrong /tmp/wrong
chip_remove raspberry-pi-4
