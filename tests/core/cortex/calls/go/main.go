package main

import (
	"fmt"
	"os"

	"example.com/shop/api"
	db "example.com/shop/store"
	"example.com/shop/internal/log"
	"github.com/other/store"
)

type server struct {
	store *db.Store
	name  string
}

func newServer(path string) *server {
	return &server{store: db.Open(path), name: path} // => store/store.go Open
}

func (s *server) run() error {
	log.Info("run") // => internal/log/log.go Info
	s.prepare() // => main.go server.prepare
	s.store.Put("a", 1) // => store/store.go Store.Put
	helper(s.name) // => util.go helper
	if err := s.store.Close(); err != nil { // => store/file.go Store.Close
		return fmt.Errorf("x: %w", err) // => -
	}
	return nil
}

func (s *server) prepare() {
	store.Open("x") // => -
	handler := api.NewHandler(s.store) // => api/handler.go NewHandler
	handler.Serve() // => api/handler.go Handler.Serve
}

func main() {
	s := newServer(os.Args[1]) // => main.go newServer
	s.run() // => main.go server.run
	var h api.Handler
	h.Serve() // => api/handler.go Handler.Serve
	func() {
		helper("inner") // => util.go helper
	}()
	run := func() {}
	run() // => -
	len("x") // => -
}
