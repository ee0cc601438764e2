package talk

// Header is one of a record; Value is nil where it has none.
type Header struct {
	Key   string
	Value []byte
}

// told is a record as its member says it, with the header that it was told to tell: of several of the name the last.
func (m *Member) told(one Handed) []any {
	told := []any{one.Offset, text(one.Value), text(one.Key)}
	name, isAsked := m.begin.Headers[one.Topic]
	if !isAsked {
		return told
	}
	var found any
	for _, each := range one.Headers {
		if each.Key == name {
			found = text(each.Value)
		}
	}
	return append(told, found)
}
