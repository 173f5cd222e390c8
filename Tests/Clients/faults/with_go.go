// Sends two pushes, one after the other, and prints what came of each: the status, or the error of net/http.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	authority, _ := os.ReadFile(os.Getenv("BELL_CA"))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	seconds, _ := strconv.Atoi(os.Getenv("SECONDS"))
	client := &http.Client{Timeout: time.Duration(seconds) * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	for count := 0; count < 2; count++ {
		request, _ := http.NewRequest("POST", os.Getenv("BELL_URL")+"/3/device/"+os.Getenv("BELL_TOKEN"),
			bytes.NewBufferString(`{"aps":{"alert":"Hello"}}`))
		request.Header.Set("authorization", "bearer "+os.Getenv("BEARER"))
		request.Header.Set("apns-topic", "com.example.mail")
		response, err := client.Do(request)
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(response.StatusCode)
		}
	}
}
