// The same work as a push to Deskbell, written plainly in Go: TLS, HTTP/2, the headers and the payload of a push read, one
// row stored durably before it is answered. Requests that arrive while one commit waits for the disk share the next.
package main

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const (
	batchLimit = 256
	bodyLimit  = 4096
)

type payload struct {
	APS struct {
		Alert    json.RawMessage `json:"alert"`
		Badge    *int            `json:"badge"`
		Sound    json.RawMessage `json:"sound"`
		ThreadID string          `json:"thread-id"`
	} `json:"aps"`
}

type push struct {
	id, token []byte
	topic     string
	badge     *int
	body      []byte
	stored    chan error
}

func main() {
	database := flag.String("database", "", "the file of the database")
	certificate := flag.String("cert", "", "PEM")
	key := flag.String("key", "", "PEM")
	bearer := flag.String("bearer", "", "the provider token that is accepted")
	flag.Parse()

	db, err := sql.Open("sqlite3", *database+"?_journal_mode=WAL&_synchronous=FULL")
	check(err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`
		CREATE TABLE IF NOT EXISTS push
			(number INTEGER PRIMARY KEY, id BLOB, token BLOB, topic TEXT, time INTEGER, body BLOB);
		CREATE TABLE IF NOT EXISTS app (topic TEXT PRIMARY KEY, badge INTEGER) WITHOUT ROWID`)
	check(err)
	pushes := make(chan *push, 4*batchLimit)
	go store(db, pushes)

	authorization := "bearer " + *bearer
	http.HandleFunc("/3/device/", func(w http.ResponseWriter, r *http.Request) {
		token, err := hex.DecodeString(strings.TrimPrefix(r.URL.Path, "/3/device/"))
		if err != nil || r.Method != "POST" {
			http.Error(w, `{"reason":"BadDeviceToken"}`, 400)
			return
		}
		if r.Header.Get("authorization") != authorization {
			http.Error(w, `{"reason":"InvalidProviderToken"}`, 403)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
		if err != nil {
			http.Error(w, `{"reason":"PayloadTooLarge"}`, 413)
			return
		}
		var read payload
		if json.Unmarshal(body, &read) != nil {
			http.Error(w, `{"reason":"BadMessageBody"}`, 400)
			return
		}
		id := make([]byte, 16)
		rand.Read(id)
		p := &push{id, token, r.Header.Get("apns-topic"), read.APS.Badge, body, make(chan error, 1)}
		pushes <- p
		if err := <-p.stored; err != nil {
			http.Error(w, `{"reason":"ServiceUnavailable"}`, 503)
			return
		}
		w.Header()["apns-id"] = []string{fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])}
		w.WriteHeader(200)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	check(http.ServeTLS(listener, nil, *certificate, *key))
}

// One transaction for all that waits.
func store(db *sql.DB, pushes <-chan *push) {
	insert, err := db.Prepare("INSERT INTO push (id, token, topic, time, body) VALUES (?, ?, ?, ?, ?)")
	check(err)
	badge, err := db.Prepare("INSERT INTO app VALUES (?, ?) ON CONFLICT DO UPDATE SET badge = excluded.badge")
	check(err)
	for first := range pushes {
		batch := []*push{first}
		for more := true; more && len(batch) < batchLimit; {
			select {
			case p := <-pushes:
				batch = append(batch, p)
			default:
				more = false
			}
		}
		err := commit(db, insert, badge, batch)
		for _, p := range batch {
			p.stored <- err
		}
	}
}

func commit(db *sql.DB, insert, badge *sql.Stmt, batch []*push) error {
	transaction, err := db.Begin()
	if err != nil {
		return err
	}
	insertNow, badgeNow := transaction.Stmt(insert), transaction.Stmt(badge)
	for _, p := range batch {
		if _, err = insertNow.Exec(p.id, p.token, p.topic, time.Now().UnixMicro(), p.body); err != nil {
			break
		}
		if p.badge != nil {
			if _, err = badgeNow.Exec(p.topic, *p.badge); err != nil {
				break
			}
		}
	}
	if err != nil {
		transaction.Rollback()
		return err
	}
	return transaction.Commit()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
