package log

import "fmt"

func Info(text string) {
	write("info", text) // => internal/log/log.go write
}

func write(level, text string) {
	fmt.Println(level, text) // => -
}
