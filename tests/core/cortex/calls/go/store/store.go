package store

import (
	"errors"
	"sync"

	"example.com/shop/internal/log"
)

type Reader interface {
	Get(key string) int
}

type base struct {
	mutex sync.Mutex
}

func (b *base) lock() {
	b.mutex.Lock() // => -
}

type Store struct {
	base
	values map[string]int
	backup *Store
	reader Reader
}

func Open(path string) *Store {
	log.Info(path) // => internal/log/log.go Info
	made := &Store{}
	made.load(path) // => store/file.go Store.load
	return made
}

func (s *Store) Put(key string, value int) {
	s.lock() // => store/store.go base.lock
	s.values[key] = value
	s.backup.Put(key, value) // => store/store.go Store.Put
	notify(key) // => store/file.go notify
}

func (s *Store) Get(key string) int {
	found := s.reader.Get(key) // => store/store.go Reader.Get
	check(found) // => store/store.go check
	return found
}

func check(value int) error {
	if value < 0 {
		return errors.New("negative") // => -
	}
	return nil
}

func Copy(from Reader, to *Store) {
	to.Put("x", from.Get("x")) // => store/store.go Store.Put | store/store.go Reader.Get
	s := Open("y") // => store/store.go Open
	s.Get("z") // => store/store.go Store.Get
}

func each(values []*Store, check func(*Store)) {
	for _, value := range values {
		check(value) // => -
		value.Close() // => store/file.go Store.Close
	}
}
