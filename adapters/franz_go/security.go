package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"highwater/talk"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

var able = []string{"SSL", "SASL_PLAINTEXT", "SASL_SSL", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

func security(wanted *talk.Security) ([]kgo.Opt, error) {
	options := []kgo.Opt{}
	if wanted == nil {
		return options, nil
	}
	if strings.HasPrefix(wanted.Protocol, "SASL") {
		mechanism, err := mechanism(wanted)
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.SASL(mechanism))
	}
	if strings.HasSuffix(wanted.Protocol, "SSL") {
		config, err := encryption(wanted)
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.DialTLSConfig(config))
	}
	return options, nil
}

func mechanism(wanted *talk.Security) (sasl.Mechanism, error) {
	scrammed := scram.Auth{User: wanted.Username, Pass: wanted.Password}
	switch wanted.Mechanism {
	case "PLAIN":
		return plain.Auth{User: wanted.Username, Pass: wanted.Password}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scrammed.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scrammed.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("expected a mechanism of %v, saw %q", able, wanted.Mechanism)
}

// encryption has each broker's own name checked by the library, which knows to whom it speaks.
func encryption(wanted *talk.Security) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if wanted.Authorities != "" {
		read, err := os.ReadFile(wanted.Authorities)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(read) {
			return nil, fmt.Errorf("expected certificates in %s, saw none", wanted.Authorities)
		}
	}
	if !wanted.ChecksHost { // who has signed is checked all the same
		config.InsecureSkipVerify = true
		config.VerifyConnection = func(seen tls.ConnectionState) error {
			between := x509.NewCertPool()
			for _, each := range seen.PeerCertificates[1:] {
				between.AddCert(each)
			}
			_, err := seen.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: config.RootCAs, Intermediates: between})
			return err
		}
	}
	return config, nil
}
