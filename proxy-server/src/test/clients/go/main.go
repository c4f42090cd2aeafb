// go-redis through Penstock: suite HOST PORT PROTOCOL [CA-FILE], where HOST may be the path of a Unix socket. ../scenarios.txt describes the scenarios.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	ctx      = context.Background()
	protocol int
	network  = "tcp"
	address  string
	p        string // prefix of every key
	r        *redis.Client
	secure   *tls.Config // nil without a CA file
)

// trusting returns the TLS of a client that trusts the certificates of a file.
func trusting(file string) *tls.Config {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(must(os.ReadFile(file))) {
		fail("no certificate in %s", file)
	}
	return &tls.Config{RootCAs: pool}
}

func client(name string) *redis.Client {
	return redis.NewClient(&redis.Options{Network: network, Addr: address, Protocol: protocol, ClientName: name, ReadTimeout: 20 * time.Second, TLSConfig: secure})
}

// failure is what a scenario panics with.
type failure string

func fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

func equal(actual, expected any) {
	if !reflect.DeepEqual(actual, expected) {
		fail("%#v instead of %#v", actual, expected)
	}
}

func holds(ok bool, what string) {
	if !ok {
		fail("not so: %s", what)
	}
}

// must returns the value of a reply, and fails on an error.
func must[T any](value T, err error) T {
	if err != nil {
		fail("%v", err)
	}
	return value
}

func fails(err error, prefix string) {
	var reply redis.Error
	if !errors.As(err, &reply) || !strings.HasPrefix(err.Error(), prefix) {
		fail("%v instead of %s", err, prefix)
	}
}

func connect() {
	equal(must(r.Ping(ctx).Result()), "PONG")
	list := must(r.ClientList(ctx).Result())
	mine := ""
	for line := range strings.SplitSeq(list, "\n") {
		if strings.Contains(line, "name=go-suite") {
			mine = line
		}
	}
	holds(strings.Contains(mine, "lib-name=go-redis"), mine)
}

func stringValues() {
	k := p + "s"
	equal(must(r.Set(ctx, k, "v", 100*time.Second).Result()), "OK")
	equal(must(r.SetNX(ctx, k, "w", 0).Result()), false)
	equal(must(r.SetArgs(ctx, k, "w", redis.SetArgs{Mode: "XX", Get: true}).Result()), "v")
	equal(must(r.Get(ctx, k).Result()), "w")
	equal(r.Get(ctx, p+"none").Err(), redis.Nil)
	equal(must(r.GetSet(ctx, k, "grüße").Result()), "w")
	equal(must(r.Get(ctx, k).Result()), "grüße")
	must(r.Set(ctx, k, "ab", 0).Result())
	equal(must(r.Append(ctx, k, "cd").Result()), int64(4))
	equal(must(r.GetRange(ctx, k, 1, 2).Result()), "bc")
	equal(must(r.IncrBy(ctx, p+"n", 41).Result()), int64(41))
	equal(must(r.IncrByFloat(ctx, p+"n", 0.5).Result()), 41.5)
	value := make([]byte, 256)
	for i := range value {
		value[i] = byte(i)
	}
	must(r.Set(ctx, p+"b\x00", value, 0).Result())
	holds(bytes.Equal(must(r.Get(ctx, p+"b\x00").Bytes()), value), "binary value")
}

func keys() {
	a, b := p+"{k}a", p+"{k}b"
	must(r.Set(ctx, a, "1", 0).Result())
	equal(must(r.Exists(ctx, a).Result()), int64(1))
	equal(must(r.Expire(ctx, a, 100*time.Second).Result()), true)
	ttl := must(r.TTL(ctx, a).Result())
	holds(ttl > 0 && ttl <= 100*time.Second, "ttl")
	equal(must(r.Persist(ctx, a).Result()), true)
	equal(must(r.TTL(ctx, a).Result()), time.Duration(-1))
	equal(must(r.Type(ctx, a).Result()), "string")
	equal(must(r.Rename(ctx, a, b).Result()), "OK")
	equal(must(r.Unlink(ctx, b, a).Result()), int64(1))
}

func severalKeys() {
	var names []string
	var pairs, reversed []any
	for i := range 100 {
		name := p + "m" + strconv.Itoa(i)
		names = append(names, name)
		pairs = append(pairs, name, name)
	}
	equal(must(r.MSet(ctx, pairs...).Result()), "OK")
	backwards := slices.Clone(names)
	slices.Reverse(backwards)
	for _, name := range backwards {
		reversed = append(reversed, name)
	}
	equal(must(r.MGet(ctx, append(backwards, p+"none")...).Result()), append(reversed, nil))
	equal(must(r.Exists(ctx, names...).Result()), int64(100))
	equal(must(r.Del(ctx, names...).Result()), int64(100))
}

func hashes() {
	k := p + "h"
	equal(must(r.HSet(ctx, k, "a", "1", "b", "2").Result()), int64(2))
	equal(must(r.HGetAll(ctx, k).Result()), map[string]string{"a": "1", "b": "2"})
	equal(must(r.HMGet(ctx, k, "b", "none", "a").Result()), []any{"2", nil, "1"})
	equal(must(r.HIncrBy(ctx, k, "a", 5).Result()), int64(6))
	found, _, err := r.HScan(ctx, k, 0, "", 100).Result()
	equal(must(found, err), []string{"a", "6", "b", "2"})
}

func lists() {
	a, b := p+"{l}a", p+"{l}b"
	equal(must(r.RPush(ctx, a, "1", "2", "3").Result()), int64(3))
	equal(must(r.LRange(ctx, a, 0, -1).Result()), []string{"1", "2", "3"})
	equal(must(r.LPop(ctx, a).Result()), "1")
	equal(r.LPopCount(ctx, a+"none", 2).Err(), redis.Nil)
	equal(must(r.LMove(ctx, a, b, "LEFT", "RIGHT").Result()), "2")
}

func sets() {
	a, b := p+"{s}a", p+"{s}b"
	equal(must(r.SAdd(ctx, a, "1", "2").Result()), int64(2))
	equal(must(r.SAdd(ctx, b, "2", "3").Result()), int64(2))
	equal(must(r.SMembersMap(ctx, a).Result()), map[string]struct{}{"1": {}, "2": {}})
	equal(must(r.SMIsMember(ctx, a, "1", "9").Result()), []bool{true, false})
	equal(must(r.SInter(ctx, a, b).Result()), []string{"2"})
}

func zsets() {
	a, b := p+"{z}a", p+"{z}b"
	equal(must(r.ZAdd(ctx, a, redis.Z{Score: 1, Member: "x"}, redis.Z{Score: 2.5, Member: "y"}).Result()), int64(2))
	equal(must(r.ZScore(ctx, a, "y").Result()), 2.5)
	equal(r.ZScore(ctx, a, "none").Err(), redis.Nil)
	equal(must(r.ZRangeWithScores(ctx, a, 0, -1).Result()), []redis.Z{{Score: 1, Member: "x"}, {Score: 2.5, Member: "y"}})
	equal(must(r.ZIncrBy(ctx, a, 0.5, "x").Result()), 1.5)
	must(r.ZAdd(ctx, b, redis.Z{Score: 1, Member: "x"}).Result())
	union := must(r.ZUnionWithScores(ctx, redis.ZStore{Keys: []string{a, b}}).Result())
	equal(union, []redis.Z{{Score: 2.5, Member: "x"}, {Score: 2.5, Member: "y"}})
}

func streams() {
	k := p + "x"
	equal(must(r.XAdd(ctx, &redis.XAddArgs{Stream: k, ID: "1-1", Values: []string{"f", "v"}}).Result()), "1-1")
	equal(must(r.XAdd(ctx, &redis.XAddArgs{Stream: k, ID: "2-1", Values: []string{"f", "w"}}).Result()), "2-1")
	entries := must(r.XRange(ctx, k, "-", "+").Result())
	equal(len(entries), 2)
	equal(entries[0].Values, map[string]any{"f": "v"})
	read := must(r.XRead(ctx, &redis.XReadArgs{Streams: []string{k, "1-1"}, Block: -1}).Result())
	equal(read[0].Messages[0].ID, "2-1")
	equal(must(r.XGroupCreate(ctx, k, "g", "0").Result()), "OK")
	group := redis.XReadGroupArgs{Group: "g", Consumer: "c", Streams: []string{k, ">"}, Count: 1, Block: -1}
	equal(must(r.XReadGroup(ctx, &group).Result())[0].Messages[0].ID, "1-1")
	equal(must(r.XPending(ctx, k, "g").Result()).Count, int64(1))
	equal(must(r.XAck(ctx, k, "g", "1-1").Result()), int64(1))
	equal(must(r.XInfoStream(ctx, k).Result()).Length, int64(2))
}

func bitmaps() {
	k := p + "bits"
	equal(must(r.SetBit(ctx, k, 7, 1).Result()), int64(0))
	equal(must(r.GetBit(ctx, k, 7).Result()), int64(1))
	equal(must(r.BitCount(ctx, k, nil).Result()), int64(1))
	equal(must(r.BitField(ctx, k, "SET", "u8", 0, 255, "GET", "u8", 0).Result()), []int64{1, 255})
}

func geo() {
	k := p + "geo"
	palermo := &redis.GeoLocation{Name: "Palermo", Longitude: 13.361389, Latitude: 38.115556}
	catania := &redis.GeoLocation{Name: "Catania", Longitude: 15.087269, Latitude: 37.502669}
	equal(must(r.GeoAdd(ctx, k, palermo, catania).Result()), int64(2))
	holds(math.Abs(must(r.GeoDist(ctx, k, "Palermo", "Catania", "km").Result())-166.2742) < 0.001, "distance")
	equal(must(r.GeoPos(ctx, k, "none").Result()), []*redis.GeoPos{nil})
	holds(math.Abs(must(r.GeoPos(ctx, k, "Palermo").Result())[0].Longitude-13.361389) < 0.0001, "position")
	query := redis.GeoSearchQuery{Longitude: 15, Latitude: 37, Radius: 200, RadiusUnit: "km", Sort: "ASC"}
	equal(must(r.GeoSearch(ctx, k, &query).Result()), []string{"Catania", "Palermo"})
}

func hyperloglog() {
	a, b := p+"{h}a", p+"{h}b"
	equal(must(r.PFAdd(ctx, a, "1", "2").Result()), int64(1))
	equal(must(r.PFAdd(ctx, b, "2", "3").Result()), int64(1))
	equal(must(r.PFCount(ctx, a).Result()), int64(2))
	equal(must(r.PFMerge(ctx, a, b).Result()), "OK")
	equal(must(r.PFCount(ctx, a).Result()), int64(3))
}

func pipeline() {
	pipe := r.Pipeline()
	var gets []*redis.StringCmd
	for i := range 500 {
		key := p + "p" + strconv.Itoa(i)
		pipe.Set(ctx, key, i, 0)
		gets = append(gets, pipe.Get(ctx, key))
	}
	wrong := pipe.LPush(ctx, p+"p0", "x")
	_, err := pipe.Exec(ctx)
	fails(err, "WRONGTYPE ")
	for i, get := range gets {
		equal(get.Val(), strconv.Itoa(i))
	}
	fails(wrong.Err(), "WRONGTYPE ")
}

func big() {
	value := bytes.Repeat([]byte("0123456789abcdef"), 1024*1024)
	must(r.Set(ctx, p+"big", value, 0).Result())
	holds(bytes.Equal(must(r.Get(ctx, p+"big").Bytes()), value), "big value")
	equal(must(r.Del(ctx, p+"big").Result()), int64(1))
}

func errorTypes() {
	must(r.Set(ctx, p+"e", "v", 0).Result())
	fails(r.LPush(ctx, p+"e", "x").Err(), "WRONGTYPE ")
	fails(r.Do(ctx, "NOSUCH").Err(), "ERR unknown command 'NOSUCH'")
	fails(r.Eval(ctx, "return redis.error_reply('mine')", nil).Err(), "ERR mine")
	equal(must(r.Get(ctx, p+"e").Result()), "v")
}

func scripts() {
	equal(must(r.Eval(ctx, "return {KEYS[1], ARGV[1]}", []string{p + "k"}, "a").Result()), []any{p + "k", "a"})
	sha := must(r.ScriptLoad(ctx, "return ARGV[1]").Result())
	for i := range 20 {
		equal(must(r.EvalSha(ctx, sha, []string{p + "k" + strconv.Itoa(i)}, "x").Result()), "x")
	}
	equal(must(r.ScriptExists(ctx, sha).Result()), []bool{true})
	script := redis.NewScript("return redis.call('INCRBY', KEYS[1], ARGV[1])")
	equal(must(script.Run(ctx, r, []string{p + "count"}, 3).Int()), 3)
	fails(r.EvalSha(ctx, strings.Repeat("0", 40), nil).Err(), "NOSCRIPT ")
}

func scan() {
	names := map[string]bool{}
	pipe := r.Pipeline()
	for i := range 300 {
		name := p + "scan:" + strconv.Itoa(i)
		names[name] = true
		pipe.Set(ctx, name, "", 0)
	}
	must(pipe.Exec(ctx))
	found := map[string]bool{}
	iterator := r.Scan(ctx, 0, p+"scan:*", 20).Iterator()
	for iterator.Next(ctx) {
		found[iterator.Val()] = true
	}
	must(0, iterator.Err())
	equal(found, names)
	for name := range names {
		pipe.Del(ctx, name)
	}
	must(pipe.Exec(ctx))
}

func server() {
	holds(must(r.DBSize(ctx).Result()) > 0, "keys")
	holds(strings.Contains(must(r.Info(ctx).Result()), "redis_version:"), "version")
	_, there := must(r.ConfigGet(ctx, "maxmemory").Result())["maxmemory"]
	holds(there, "maxmemory")
	holds(must(r.Time(ctx).Result()).Unix() > 0, "time")
	holds(must(r.Do(ctx, "COMMAND", "COUNT").Int()) > 200, "commands")
}

func transaction() {
	a, b := p+"{t}a", p+"{t}b"
	tx := r.TxPipeline()
	set, incr, get := tx.Set(ctx, a, "1", 0), tx.Incr(ctx, a), tx.HGetAll(ctx, b)
	must(tx.Exec(ctx))
	equal(set.Val(), "OK")
	equal(incr.Val(), int64(2))
	equal(get.Val(), map[string]string{})
	tx = r.TxPipeline()
	tx.Set(ctx, a, "x", 0)
	wrong := tx.Incr(ctx, a)
	_, err := tx.Exec(ctx)
	fails(err, "ERR value is not an integer")
	fails(wrong.Err(), "ERR value is not an integer")
}

func slots() {
	must(r.Set(ctx, p+"e", "v", 0).Result())
	fails(r.Rename(ctx, p+"e", p+"f").Err(), "CROSSSLOT ")
	tx := r.TxPipeline()
	tx.Set(ctx, p+"one", 1, 0)
	tx.Set(ctx, p+"two", 2, 0)
	_, err := tx.Exec(ctx)
	fails(err, "")
	equal(r.Get(ctx, p+"one").Err(), redis.Nil)
}

func watch() {
	k := p + "w"
	must(r.Set(ctx, k, "1", 0).Result())
	change := func(value string, meddle bool) error {
		return r.Watch(ctx, func(tx *redis.Tx) error {
			must(tx.Get(ctx, k).Result())
			if meddle {
				must(r.Set(ctx, k, "2", 0).Result())
			}
			_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
				return pipe.Set(ctx, k, value, 0).Err()
			})
			return err
		}, k)
	}
	equal(change("3", true), redis.TxFailedErr)
	equal(change("4", false), nil)
	equal(must(r.Get(ctx, k).Result()), "4")
}

func blocking() {
	k := p + "q"
	popped := make(chan []string, 1)
	go func() {
		value, _ := r.BLPop(ctx, 10*time.Second, k).Result()
		popped <- value
	}()
	for range 50 {
		equal(r.Get(ctx, p+"none").Err(), redis.Nil)
	}
	must(r.RPush(ctx, k, "x").Result())
	equal(<-popped, []string{k, "x"})
	equal(r.Do(ctx, "BLPOP", k, "0.05").Err(), redis.Nil)
}

func pubsub() {
	sub := r.Subscribe(ctx, p+"c")
	defer sub.Close()
	next := func() any { return must(sub.ReceiveTimeout(ctx, 10*time.Second)) }
	equal(next().(*redis.Subscription).Kind, "subscribe")
	must(0, sub.PSubscribe(ctx, p+"p*"))
	equal(next().(*redis.Subscription).Kind, "psubscribe")
	equal(must(r.Publish(ctx, p+"c", "hello").Result()), int64(1))
	equal(next().(*redis.Message).Payload, "hello")
	equal(must(r.Publish(ctx, p+"px", "pattern").Result()), int64(1))
	message := next().(*redis.Message)
	equal([]string{message.Pattern, message.Channel}, []string{p + "p*", p + "px"})
	must(0, sub.Unsubscribe(ctx, p+"c"))
	equal(next().(*redis.Subscription).Kind, "unsubscribe")
}

func main() {
	address = os.Args[1] + ":" + os.Args[2]
	if strings.HasPrefix(os.Args[1], "/") {
		network, address = "unix", os.Args[1]
	}
	protocol, _ = strconv.Atoi(os.Args[3])
	p = "go" + os.Args[3] + ":"
	if len(os.Args) > 4 {
		secure = trusting(os.Args[4])
	}
	r = client("go-suite")
	failed := false
	for _, scenario := range []struct {
		name string
		run  func()
	}{
		{"connect", connect}, {"strings", stringValues}, {"keys", keys}, {"several-keys", severalKeys},
		{"hashes", hashes}, {"lists", lists}, {"sets", sets}, {"zsets", zsets}, {"streams", streams},
		{"bitmaps", bitmaps}, {"geo", geo}, {"hyperloglog", hyperloglog}, {"pipeline", pipeline}, {"big", big},
		{"errors", errorTypes}, {"scripts", scripts}, {"scan", scan}, {"server", server},
		{"transaction", transaction}, {"watch", watch}, {"blocking", blocking}, {"pubsub", pubsub},
		{"slots", slots},
	} {
		func() {
			defer func() {
				if why := recover(); why != nil {
					failed = true
					fmt.Printf("failed %s: %s\n", scenario.name, strings.ReplaceAll(fmt.Sprint(why), "\n", " "))
				}
			}()
			scenario.run()
			fmt.Println("ok", scenario.name)
		}()
	}
	if failed {
		os.Exit(1)
	}
}
