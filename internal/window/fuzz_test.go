package window

import (
	"math/rand/v2"
	"testing"
)

func FuzzLog(f *testing.F)     { fuzz(f, SlidingLog) }
func FuzzCounter(f *testing.F) { fuzz(f, SlidingCounter) }
func FuzzFixed(f *testing.F)   { fuzz(f, FixedWindow) }
func FuzzBucket(f *testing.F)  { fuzz(f, TokenBucket) }

func fuzz(f *testing.F, a Algorithm) {
	f.Helper()
	for seed := range uint64(32) {
		f.Add(randomProgram(seed, 100))
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) < 2000 { // a longer one finds no more, but slower
			run(t, a, program)
		}
	})
}

func randomProgram(seed uint64, length int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	program := make([]byte, length)
	for i := range program {
		program[i] = byte(random.Uint32())
	}
	return program
}

func TestRandomPrograms(t *testing.T) {
	for a, name := range map[Algorithm]string{
		SlidingLog: "log", SlidingCounter: "counter", FixedWindow: "fixed", TokenBucket: "bucket",
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(100) {
				run(t, a, randomProgram(seed+1000, 300))
			}
		})
	}
}
