package replay

import (
	"errors"
	"time"
)

// A clock reads the times of a log. Most lines have the time of the line
// before, which it remembers.
type clock struct {
	text [len("02/Jan/2006:15:04:05 -0700")]byte
	at   int64
}

var (
	errStamp = errors.New("its time is not like 02/Jan/2006:15:04:05 -0700")
	errOld   = errors.New("its time is before 1970")
)

// read is a time in Unix seconds.
func (c *clock) read(stamp []byte) (int64, error) {
	if string(stamp) == string(c.text[:]) {
		return c.at, nil
	}
	at, err := parseStamp(stamp)
	if err != nil {
		return 0, err
	}
	copy(c.text[:], stamp)
	c.at = at
	return at, nil
}

// parseStamp reads 02/Jan/2006:15:04:05 -0700. The 60th second of a minute, in
// which a leap second is logged, is the next minute's first.
func parseStamp(s []byte) (int64, error) {
	if len(s) != len("02/Jan/2006:15:04:05 -0700") || s[2] != '/' || s[6] != '/' || s[11] != ':' ||
		s[14] != ':' || s[17] != ':' || s[20] != ' ' || (s[21] != '+' && s[21] != '-') {
		return 0, errStamp
	}
	month := monthOf(s[3:6])
	day, ok1 := number(s[0:2])
	year, ok2 := number(s[7:11])
	hour, ok3 := number(s[12:14])
	minute, ok4 := number(s[15:17])
	second, ok5 := number(s[18:20])
	offHour, ok6 := number(s[22:24])
	offMinute, ok7 := number(s[24:26])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 || month == 0 ||
		day < 1 || day > daysIn(month, year) || hour > 23 || minute > 59 || second > 60 || offHour > 23 || offMinute > 59 {
		return 0, errStamp
	}
	offset := int64(offHour*3600 + offMinute*60)
	if s[21] == '-' {
		offset = -offset
	}
	at := time.Date(year, month, day, hour, minute, second, 0, time.UTC).Unix() - offset
	if at < 0 {
		return 0, errOld
	}
	return at, nil
}

func monthOf(name []byte) time.Month {
	for m := time.January; m <= time.December; m++ {
		if string(name) == m.String()[:3] {
			return m
		}
	}
	return 0
}

func daysIn(m time.Month, year int) int {
	return time.Date(year, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// number reads digits alone.
func number(text []byte) (n int, ok bool) {
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n, areDigits(text)
}
