package server

import (
	"fmt"
	"net/http"
	"strconv"
)

// A problem is the body of an answer to a request that was not decided
// (RFC 9457). Its type is the status code's: there is nothing more to look up.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// problemf is a problem whose detail names the value and the rule. Text of the
// client's goes through quote.
func problemf(status int, detail string, values ...any) *problem {
	return &problem{
		Type:   "about:blank",
		Title:  http.StatusText(status),
		Status: status,
		Detail: fmt.Sprintf(detail, values...),
	}
}

func (p *problem) status() int { return p.Status }

func (p *problem) head(h http.Header) { h.Set("Content-Type", "application/problem+json") }

// maxQuoted is how many bytes of a client's text an answer repeats.
const maxQuoted = 64

// quote is a client's text, shortened, quoted and in printable ASCII.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	cut := maxQuoted
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not within a character
		cut--
	}
	return strconv.QuoteToASCII(s[:cut]) + "..."
}

// shorten is a client's number, shortened.
func shorten(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return s[:maxQuoted] + "..."
}
