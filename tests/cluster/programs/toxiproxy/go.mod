module toxiproxy

go 1.21

require github.com/Shopify/toxiproxy/v2 v2.5.0
