package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weirlimit/weir"
)

// A request is the body of a take: {"policy":"default","key":"user:42","cost":1}.
type request struct {
	policy string
	named  bool // a policy was given
	key    string
	cost   int64
}

// parseRequest reads a body strictly: one object, known fields, each at most
// once and of its type. What encoding/json would read into something else than
// the client wrote is refused: a key in which several would become one, and
// field names in other case.
func parseRequest(body []byte) (request, *problem) {
	r, err := decodeRequest(body)
	if err != nil {
		return request{}, problemf(http.StatusBadRequest, "%v", err)
	}
	return r, nil
}

func decodeRequest(body []byte) (request, error) {
	r := request{cost: 1}
	if err := checkText(body); err != nil {
		return r, err
	}
	fields := json.NewDecoder(bytes.NewReader(body))
	fields.UseNumber()
	if open, err := fields.Token(); err != nil || open != json.Delim('{') {
		return r, errors.New(`the body must be an object such as {"key":"user:42"}`)
	}
	seen := make(map[string]bool, 3)
	for fields.More() {
		field, err := stringToken(fields)
		if err != nil {
			return r, err
		}
		if seen[field] {
			return r, fmt.Errorf("field %s is there twice", quote(field))
		}
		seen[field] = true
		if err := r.read(field, fields); err != nil {
			return r, err
		}
	}
	r.named = seen["policy"]
	if !seen["key"] {
		return r, errors.New(`field "key" is missing: it says who is counted`)
	}
	return r, nil
}

// read reads the value of one field.
func (r *request) read(field string, from *json.Decoder) (err error) {
	switch field {
	case "policy":
		if r.policy, err = stringToken(from); err != nil {
			return fmt.Errorf(`"policy" %w`, err)
		}
	case "key":
		if r.key, err = stringToken(from); err != nil {
			return fmt.Errorf(`"key" %w`, err)
		}
		if r.key == "" {
			return fmt.Errorf(`"key" is empty: it must have 1 to %d bytes`, weir.MaxKeyBytes)
		}
		if len(r.key) > weir.MaxKeyBytes {
			return fmt.Errorf(`"key" %s has %d bytes: it must have 1 to %d`, quote(r.key), len(r.key), weir.MaxKeyBytes)
		}
	case "cost":
		if r.cost, err = unitsToken(from); err != nil {
			return fmt.Errorf(`"cost" %w`, err)
		}
	default:
		return fmt.Errorf(`field %s is unknown: there are "policy", "key" and "cost"`, quote(field))
	}
	return nil
}

func stringToken(from *json.Decoder) (string, error) {
	token, err := from.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", fmt.Errorf("is %s: it must be a string", describe(token))
	}
	return s, nil
}

// unitsToken reads a whole number of at least 1.
func unitsToken(from *json.Decoder) (int64, error) {
	const rule = "it must be a whole number of at least 1, without fraction or exponent"
	token, err := from.Token()
	if err != nil {
		return 0, err
	}
	number, ok := token.(json.Number)
	if !ok {
		return 0, fmt.Errorf("is %s: %s", describe(token), rule)
	}
	units, err := strconv.ParseInt(number.String(), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && number[0] != '-':
		return 0, fmt.Errorf("is %s: it must be at most %d", shorten(number.String()), int64(weir.MaxQuota))
	case err != nil || units < 1:
		return 0, fmt.Errorf("is %s: %s", shorten(number.String()), rule)
	}
	return units, nil
}

// describe names a token that is not what was wanted.
func describe(token json.Token) string {
	switch t := token.(type) {
	case nil:
		return "null"
	case json.Delim:
		if t == '[' {
			return "an array"
		}
		return "an object"
	case string:
		return "the string " + quote(t)
	default:
		return shorten(fmt.Sprint(t))
	}
}

// checkText checks that the body is JSON and nothing more, and that none of
// its text would be replaced while it is decoded.
func checkText(body []byte) error {
	if len(body) == 0 {
		return errors.New(`the body is empty: it must be an object such as {"key":"user:42"}`)
	}
	if !utf8.Valid(body) {
		return errors.New("the body is not valid UTF-8")
	}
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("the body is not JSON: byte %d: %w", syntax.Offset, err)
		}
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return checkSurrogates(body)
}

// checkSurrogates refuses \u escapes that are half of a character. The body is
// valid JSON, so that every backslash starts an escape.
func checkSurrogates(body []byte) error {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if half := escaped(body[i:]); utf16.IsSurrogate(half) {
			if utf16.DecodeRune(half, escaped(body[i+6:])) == utf8.RuneError {
				return fmt.Errorf(`\u%04x is half of a character: the other half must be beside it`, half)
			}
			i += 10
		}
		i++ // what is escaped, which may be a backslash
	}
	return nil
}

// escaped is the unit of the \u escape that text starts with, or 0.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit)
}
