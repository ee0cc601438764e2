module highwater/talk

go 1.23
