package api

import (
	"net/http"

	"example.com/shop/store"
)

type Handler struct {
	source store.Reader
	next   *Handler
}

func NewHandler(source store.Reader) *Handler {
	return wrap(&Handler{source: source}) // => api/handler.go wrap
}

func wrap(inner *Handler) *Handler {
	inner.reset() // => api/handler.go Handler.reset
	return &Handler{next: inner}
}

func (h *Handler) Serve() {
	h.source.Get("x") // => store/store.go Reader.Get
	h.next.Serve() // => api/handler.go Handler.Serve
	http.NotFound(nil, nil) // => -
	h.log() // => -
	store.Open("z").Put("k", 1) // => store/store.go Open | store/store.go Store.Put
}

func (h *Handler) reset() {
	h.wrapAll(wrap) // => api/handler.go Handler.wrapAll
}

func (h *Handler) wrapAll(with func(*Handler) *Handler) {
	with(h) // => -
	go h.Serve() // => api/handler.go Handler.Serve
	defer notify() // => api/notify.go notify
}

func (h *Handler) notify() {
	notify() // => api/notify.go notify
}
