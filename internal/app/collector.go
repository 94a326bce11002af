package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	smallHeap   = 12 << 20 // bytes that are alive after a collection
	seldom      = 300      // the collector's percentage while the heap is small
	usual       = 100
	liveBytes   = "/gc/heap/live:bytes"
	percentName = "GOGC"
)

// collectSeldom makes the garbage collector wait while there is little to keep: a review of many small files throws
// away nearly all that it allocates, and would else be stopped every few megabytes. Above a small heap the usual
// balance comes back. Whoever sets GOGC decides alone.
var collectSeldom = sync.OnceFunc(func() {
	if os.Getenv(percentName) != "" {
		return
	}
	debug.SetGCPercent(seldom)
	watchHeap(seldom)
})

// watchHeap looks at the heap after every collection.
func watchHeap(percent int) {
	type witness struct{ _ *byte }
	runtime.SetFinalizer(&witness{new(byte)}, func(*witness) {
		live := []metrics.Sample{{Name: liveBytes}}
		metrics.Read(live)
		wanted := usual
		if live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() < smallHeap {
			wanted = seldom
		}
		if wanted != percent {
			debug.SetGCPercent(wanted)
		}
		watchHeap(wanted)
	})
}
