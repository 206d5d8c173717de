module github.com/weirlimit/weir/benchmarks

go 1.26.0

require github.com/weirlimit/weir v0.0.0

require golang.org/x/time v0.16.0

replace github.com/weirlimit/weir => ../
