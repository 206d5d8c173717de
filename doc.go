// Package weir decides whether a request may happen now.
package weir
