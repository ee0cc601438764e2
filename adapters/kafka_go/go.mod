module highwater/kafka_go

go 1.23.0

require (
	github.com/segmentio/kafka-go v0.4.51
	highwater/talk v0.0.0
)

require (
	github.com/klauspost/compress v1.15.9 // indirect
	github.com/pierrec/lz4/v4 v4.1.15 // indirect
)

replace highwater/talk => ../go
