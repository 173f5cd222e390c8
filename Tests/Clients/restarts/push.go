// Go's net/http, as README.md says.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	authority, _ := os.ReadFile(os.Getenv("CA"))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool},
	}}
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	numbers := make(chan int)
	var group sync.WaitGroup
	for worker := 0; worker < 10; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for number := range numbers {
				for attempt := 0; attempt < 400; attempt++ {
					status, err := push(client, number)
					if err == nil {
						fmt.Println(number, status)
						break
					}
					fmt.Println(number, "failed:", err)
					time.Sleep(50 * time.Millisecond)
				}
			}
		}()
	}
	for number := 0; number < count; number++ {
		numbers <- number
	}
	close(numbers)
	group.Wait()
}

func push(client *http.Client, number int) (int, error) {
	body := strings.NewReader(fmt.Sprintf(`{"aps":{"alert":"%d"}}`, number))
	request, _ := http.NewRequest("POST", os.Getenv("URL"), body)
	request.Header.Set("authorization", "bearer "+os.Getenv("BEARER"))
	request.Header.Set("apns-topic", os.Getenv("TOPIC"))
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}
