package replay

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"

	"github.com/weirlimit/weir"
)

// A line is what a replay wants of a line of an access log.
type line struct {
	host []byte // the client: an address or a name, part of the line's text
	at   int64  // Unix seconds
}

// Why a line is skipped.
var (
	errEmpty   = errors.New("the line is empty")
	errHost    = errors.New("it does not start with an address")
	errTime    = errors.New("there is no [time] before the request")
	errRequest = errors.New(`there is no "request"`)
	errStatus  = errors.New("there are no status and size after the request")
)

// parseLine reads a line in Common or Combined format:
//
//	host ident user [02/Jan/2006:15:04:05 -0700] "request" status size ...
//
// The time is the one right before the request, whatever the user's name has
// in it; the name may have spaces where ident is "-", as it always is today.
// What follows the size is not looked at: formats add to it, and a log's
// writer may have cut it. clock remembers the last time from line to line.
func parseLine(text []byte, clock *clock) (line, error) {
	if len(text) == 0 {
		return line{}, errEmpty
	}
	host, rest, _ := bytes.Cut(text, []byte{' '})
	if !isHost(host) {
		return line{}, errHost
	}
	head, request, ok := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return line{}, errRequest
	}
	const stamped = len("[02/Jan/2006:15:04:05 -0700] ")
	if len(head) < stamped {
		return line{}, errTime
	}
	names, stamp := head[:len(head)-stamped], head[len(head)-stamped:]
	if !areNames(names) || stamp[0] != '[' || stamp[stamped-2] != ']' || stamp[stamped-1] != ' ' {
		return line{}, errTime
	}
	at, err := clock.read(stamp[1 : stamped-2])
	if err != nil {
		return line{}, err
	}
	after, ok := skipQuoted(request)
	if !ok {
		return line{}, errRequest
	}
	if !hasStatusAndSize(after) {
		return line{}, errStatus
	}
	return line{host, at}, nil
}

// isHost says whether the text can be an address or a name.
func isHost(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || c > '~' || c == '"' || c == '[' {
			return false
		}
	}
	return len(text) > 0 && len(text) <= weir.MaxKeyBytes
}

// areNames says whether the text is an ident, a space, a user and a space.
func areNames(text []byte) bool {
	ident, user, ok := bytes.Cut(text, []byte{' '})
	if !ok || len(ident) == 0 || len(user) < 2 || user[len(user)-1] != ' ' {
		return false
	}
	return string(ident) == "-" || bytes.IndexByte(user, ' ') == len(user)-1
}

// skipQuoted is what follows the quote that ends the text. A backslash escapes
// a quote, and itself.
func skipQuoted(text []byte) (after []byte, ok bool) {
	for start := 0; ; {
		i := bytes.IndexByte(text[start:], '"')
		if i < 0 {
			return nil, false
		}
		end := start + i
		escapes := 0
		for end-escapes > start && text[end-escapes-1] == '\\' {
			escapes++
		}
		if start = end + 1; escapes%2 == 0 {
			return text[start:], true
		}
	}
}

// hasStatusAndSize says whether text is a space, three digits, a space and a
// number or "-", and then ends or goes on after a space.
func hasStatusAndSize(text []byte) bool {
	if len(text) < 6 || text[0] != ' ' || !areDigits(text[1:4]) || text[4] != ' ' {
		return false
	}
	size, _, _ := bytes.Cut(text[5:], []byte{' '})
	return string(size) == "-" || len(size) > 0 && areDigits(size)
}

func areDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// keyOf is the key of a client. An IPv6 address has many spellings and one
// key, which for an IPv4 address written as IPv6 is the IPv4 address.
func keyOf(host string) string {
	if !strings.Contains(host, ":") {
		return host
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	return addr.Unmap().WithZone("").String()
}
