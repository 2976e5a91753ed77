package store

import "testing"

func TestPut(t *testing.T) {
	s := &Store{}
	s.Put("a", 1) // => store/store.go Store.Put
	t.Run("inner", func(t *testing.T) { // => -
		check(3) // => store/store.go check
	})
	assertOpen(t, Open("x")) // => store/store_test.go assertOpen | store/store.go Open
}

func assertOpen(t *testing.T, s *Store) {
	t.Helper() // => -
	s.Close() // => store/file.go Store.Close
}
