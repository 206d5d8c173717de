package weir_test

import (
	"context"
	"fmt"
	"time"

	"github.com/weirlimit/weir"
	"github.com/weirlimit/weir/memory"
)

func Example() {
	ctx := context.Background()

	limiter, err := weir.New(weir.Config{
		Name:   "search",
		Store:  memory.New(memory.Config{}),
		Limits: []weir.Limit{weir.PerSecond(10), weir.PerMinute(600)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := limiter.Take(ctx, "user:42", 1)
	if err == nil && !d.Allowed {
		fmt.Printf("%v denies: try again in %v\n", d.DeniedBy().Limit, d.RetryAfter)
	}
	fmt.Println(d.Allowed, d.Remaining())

	// Output: true 9
}

// A calculation service stands 5 calls in 10 s, and each of its consumers has
// 3 of them: a call needs both, or takes neither.
func ExampleTakeAll() {
	ctx, store := context.Background(), memory.New(memory.Config{})
	calc, _ := weir.New(weir.Config{Name: "calc", Store: store, Limits: []weir.Limit{weir.Per(5, 10*time.Second)}})
	consumer, _ := weir.New(weir.Config{Name: "consumer", Store: store, Limits: []weir.Limit{weir.Per(3, 10*time.Second)}})

	for _, key := range []string{"a", "b", "a", "a", "a", "b", "b"} {
		ds, _ := weir.TakeAll(ctx, calc.Charge("calc", 1).In("calc"), consumer.Charge(key, 1).In("calc"))
		if ds[0].Allowed {
			fmt.Println(key, "may call")
		} else {
			fmt.Println(key, "is denied by the policy", ds[0].DeniedBy().Policy)
		}
	}

	// Output:
	// a may call
	// b may call
	// a may call
	// a may call
	// a is denied by the policy consumer
	// b may call
	// b is denied by the policy calc
}

// A budget of tokens: estimate, do the work, then settle for what it took.
func ExampleDecision_Settle() {
	ctx := context.Background()
	tokens, _ := weir.New(weir.Config{
		Name:      "tokens",
		Store:     memory.New(memory.Config{}),
		Limits:    []weir.Limit{weir.PerHour(10_000)},
		Precision: time.Second,
	})

	complete := func(estimate, actual int64) {
		d, err := tokens.Take(ctx, "tenant:7", estimate)
		if err != nil || !d.Allowed {
			return
		}
		defer func() { _ = d.Settle(ctx, actual) }() // what the work really took
	}
	complete(1200, 350)

	d, _ := tokens.Peek(ctx, "tenant:7", 1)
	fmt.Println(d.Remaining())

	// Output: 9650
}

// Tiers: what LimitsFor returns may change while the limiter runs, and applies
// at once.
func ExampleConfig_tiers() {
	free := []weir.Limit{weir.PerMinute(10)}
	paid := []weir.Limit{weir.PerMinute(1000), weir.PerDay(100_000)}
	api, _ := weir.New(weir.Config{
		Name:   "api",
		Store:  memory.New(memory.Config{}),
		Limits: free,
		LimitsFor: func(key string) []weir.Limit {
			if key == "customer:9" {
				return paid
			}
			return nil // the free ones
		},
	})
	for _, key := range []string{"visitor", "customer:9"} {
		d, _ := api.Peek(context.Background(), key, 1)
		for status := range d.Limits() {
			fmt.Println(key, status.Limit, status.Remaining)
		}
	}

	// Output:
	// visitor 10/1m 10
	// customer:9 1000/1m 1000
	// customer:9 100000/1d 100000
}

// At most 10 a second for a steady flow, and 20 at once after a pause: what
// rate.NewLimiter(10, 20) of golang.org/x/time/rate is.
func Example_tokenBucket() {
	mail, _ := weir.New(weir.Config{
		Name:      "mail",
		Store:     memory.New(memory.Config{}),
		Algorithm: weir.TokenBucket,
		Limits:    []weir.Limit{{Quota: 10, Window: time.Second, Burst: 20}},
	})
	d, _ := mail.Take(context.Background(), "smtp.example.org", 20)
	fmt.Println(d.Allowed, d.Remaining())

	// Output: true 0
}

func ExampleParseLimit() {
	for _, text := range []string{"100/1m", "5/s", "90000/1d12h", "10/1s burst 20", "ten a second"} {
		limit, err := weir.ParseLimit(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(limit)
	}

	// Output:
	// 100/1m
	// 5/1s
	// 90000/1d12h
	// 10/1s burst 20
	// weir: invalid: limit "ten a second": want quota/window, as in 100/1m
}
