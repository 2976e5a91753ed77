package store

import "os"

func (s *Store) load(path string) {
	data, _ := os.ReadFile(path) // => -
	s.parse(data) // => store/file.go Store.parse
}

func (s *Store) parse(data []byte) {
	if err := check(len(data)); err != nil { // => store/store.go check | -
		notify(err.Error()) // => store/file.go notify | -
	}
}

func (s *Store) Close() error {
	return os.Remove("x") // => -
}

func notify(key string) {
	println(key) // => -
}
