package talk

import "time"

func (m *Member) process(ends map[Place]int64, spans [][]any, count int) {
	if m.begin.Commits == "before" {
		m.reach(ends)
		m.commit()
	}
	time.Sleep(time.Duration(m.begin.ProcessingUs*int64(count)) * time.Microsecond)
	say(map[string]any{"event": "processed", "at_ns": now(), "offsets": spans})
	if m.begin.Commits != "before" {
		m.reach(ends)
	}
}

func (m *Member) reach(ends map[Place]int64) {
	for place, end := range ends {
		if m.held[place] {
			m.ends[place] = end
		}
	}
}

func (m *Member) commit() {
	if len(m.ends) == 0 {
		return
	}
	asked, offsets := m.ends, [][]any{}
	m.ends = map[Place]int64{}
	if m.begin.Commits == "auto" { // its library does, when it likes
		m.consumer.Commit(asked)
		return
	}
	for place, end := range asked {
		offsets = append(offsets, []any{place.Topic, place.Partition, end})
	}
	say(map[string]any{"event": "commit", "at_ns": now(), "offsets": offsets})
	var name, code any
	if failed := m.consumer.Commit(asked); failed != nil {
		name = failed.Name
		if failed.Code != 0 {
			code = failed.Code
		}
		say(map[string]any{"event": "complaint", "text": "a commit was answered by " + failed.Text})
	}
	say(map[string]any{"event": "committed", "at_ns": now(), "offsets": offsets, "error": name, "code": code})
}

func text(told []byte) any {
	if told == nil {
		return nil
	}
	return string(told)
}
