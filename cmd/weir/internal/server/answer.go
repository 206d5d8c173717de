package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// An answer is a JSON body, and what goes before it: a decision or a problem.
type answer interface {
	status() int
	head(h http.Header)
}

// write sends an answer. An error is the client's: it has gone.
func write(w http.ResponseWriter, a answer) {
	var body bytes.Buffer
	to := json.NewEncoder(&body)
	to.SetEscapeHTML(false)
	if err := to.Encode(a); err != nil { // of plain structs: it does not fail
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	a.head(h)
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(a.status())
	_, _ = w.Write(body.Bytes())
}
