package talk

import (
	"context"
	"time"
)

const rest = time.Millisecond // after which nothing more comes of what was read at once

// Handed is a record that a library has handed out.
type Handed struct {
	Place
	Offset     int64
	Key, Value []byte // nil where there is none
	Headers    []Header
}

// Handing is where a library that reads each partition by itself hands records out; `make` it before anything reads.
type Handing chan dealt

type dealt struct {
	Handed
	generation context.Context
}

// Put hands a record out, of a generation that ends with its context; it says whether that has not ended before.
func (h Handing) Put(generation context.Context, one Handed) bool {
	select {
	case h <- dealt{one, generation}:
		return true
	case <-generation.Done():
		return false
	}
}

// Poll waits for a record, and takes what comes right after it, which is what was read with it; what is of a generation
// that is over is handed out again.
func (h Handing) Poll(wait time.Duration, most int) []Handed {
	some, over, pause := []dealt{}, time.After(wait), (<-chan time.Time)(nil)
	for isOver := false; len(some) < most && !isOver; {
		select {
		case one := <-h:
			some, pause = append(some, one), time.After(rest)
		case <-pause:
			isOver = true
		case <-over:
			isOver = true
		}
	}
	found := []Handed{}
	for _, each := range some {
		if each.generation.Err() == nil {
			found = append(found, each.Handed)
		}
	}
	return found
}
