package api

import . "example.com/shop/internal/log"

func notify() {
	Info("x") // => internal/log/log.go Info
	reset() // => -
}
