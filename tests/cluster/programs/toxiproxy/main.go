// Drives a gate with Toxiproxy's own client: what that says is done is seen at the ports.
package main

import (
	"fmt"
	"net"
	"os"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
)

func main() {
	client := toxiproxy.NewClient(os.Args[1])
	proxies, err := client.Proxies()
	must(err)
	first := proxies["broker-1"]
	require(first != nil && first.Enabled, "a proxy for broker 1")

	must(first.Disable())
	require(!answers(first.Listen), "a proxy that is disabled refuses")
	must(first.Enable())
	require(answers(first.Listen), "and listens again where it did")

	slow := toxiproxy.Attributes{"api": "Produce", "delay_ms": 1}
	_, err = first.AddToxic("slow", "delay", "upstream", 1, slow)
	must(err)
	slower, err := first.UpdateToxic("slow", -1, toxiproxy.Attributes{"delay_ms": 5})
	must(err)
	told := slower.Attributes
	require(told["delay_ms"] == 5.0 && told["api"] == "Produce", "what is not told stays")

	more := toxiproxy.Proxy{Name: "more", Listen: "127.0.0.1:0", Upstream: first.Upstream, Enabled: true}
	both, err := client.Populate([]toxiproxy.Proxy{*first, more})
	must(err)
	require(len(both) == 2 && len(both[0].ActiveToxics) == 1, "who is there is kept, with its toxics")
	require(answers(both[1].Listen), "who was not is there")
	must(both[1].Delete())
	require(!answers(both[1].Listen), "and is gone again")

	second, err := client.CreateProxy("more", "", first.Upstream)
	must(err)
	_, err = client.CreateProxy("more", "", first.Upstream)
	require(err != nil, "a name is taken once")
	must(second.Disable())
	must(client.ResetState())
	require(answers(second.Listen), "a reset enables")
	toxics, err := first.Toxics()
	must(err)
	require(len(toxics) == 0, "and removes toxics")
	must(second.Delete())
	fmt.Println("as Toxiproxy does")
}

func answers(address string) bool {
	connection, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err == nil {
		connection.Close()
	}
	return err == nil
}

func must(err error) {
	require(err == nil, fmt.Sprint(err))
}

func require(fact bool, what string) {
	if !fact {
		fmt.Println("expected:", what)
		os.Exit(1)
	}
}
