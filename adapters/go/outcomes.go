package talk

import (
	"errors"
	"fmt"
)

// Failure is how a library says that a record is not acknowledged; Code is Kafka's, 0 where there is none.
type Failure struct {
	Name               string
	Text               string
	Code               int16
	Retriable, Refused bool
}

// Acknowledged tells an offset; below 0 where the library was told none.
func Acknowledged(id, offset int64) {
	acknowledged(id, offset, now())
}

func Failed(id int64, f Failure) {
	var code any
	if f.Code != 0 {
		code = f.Code
	}
	hasFailed.Store(true)
	ended(line(map[string]any{"event": "error", "error": f.Name, "text": f.Text, "code": code,
		"retriable": f.Retriable, "refused": f.Refused, "records": [][2]int64{{id, now()}}}))
}

// Named is the type of the innermost error: a name, in a language whose errors have none.
func Named(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}
