"""redis-py through Penstock: suite.py HOST PORT PROTOCOL [CA-FILE]; HOST may be the path of a Unix socket. ../scenarios.txt describes the scenarios."""

import sys
import threading

import redis

HOST, PORT, PROTOCOL = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
TLS = {"ssl": True, "ssl_ca_certs": sys.argv[4]} if len(sys.argv) > 4 else {}
SERVER = {"unix_socket_path": HOST} if HOST.startswith("/") else {"host": HOST, "port": PORT}
P = f"py{PROTOCOL}:"


def client(**options):
    return redis.Redis(
        protocol=PROTOCOL, decode_responses=True, socket_timeout=20, **SERVER, **TLS, **options
    )


r = client(client_name="python-suite")
raw = redis.Redis(protocol=PROTOCOL, socket_timeout=20, **SERVER, **TLS)


def equal(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


def raises(kind, prefix, call):
    try:
        call()
    except kind as e:
        assert str(e).startswith(prefix), f"{e!r} instead of {prefix}"
        return
    raise AssertionError(f"no {kind.__name__}")


def connect():
    equal(r.ping(), True)
    mine = [c for c in r.client_list() if c["name"] == "python-suite"]
    assert mine and mine[0]["lib-name"].startswith("redis-py"), mine


def strings():
    k = P + "s"
    equal(r.set(k, "v", ex=100), True)
    equal(r.set(k, "w", nx=True), None)
    equal(r.set(k, "w", xx=True, get=True), "v")
    equal(r.get(k), "w")
    equal(r.get(P + "none"), None)
    equal(r.getset(k, "grüße"), "w")
    equal(r.get(k), "grüße")
    equal(r.set(k, "ab") and r.append(k, "cd"), 4)
    equal(r.getrange(k, 1, 2), "bc")
    equal(r.incrby(P + "n", 41), 41)
    equal(r.incrbyfloat(P + "n", 0.5), 41.5)
    value = bytes(range(256))
    equal(raw.set(P + "b\x00", value), True)
    equal(raw.get(P + "b\x00"), value)


def keys():
    a, b = P + "{k}a", P + "{k}b"
    r.set(a, "1")
    equal(r.exists(a), 1)
    equal(r.expire(a, 100), True)
    assert 0 < r.ttl(a) <= 100
    equal(r.persist(a), True)
    equal(r.ttl(a), -1)
    equal(r.type(a), "string")
    equal(r.rename(a, b), True)
    equal(r.unlink(b, a), 1)


def several_keys():
    names = [f"{P}m{i}" for i in range(100)]
    equal(r.mset({n: n for n in names}), True)
    equal(r.mget(names[::-1] + [P + "none"]), names[::-1] + [None])
    equal(r.exists(*names), 100)
    equal(r.delete(*names), 100)


def hashes():
    k = P + "h"
    equal(r.hset(k, mapping={"a": "1", "b": "2"}), 2)
    equal(r.hgetall(k), {"a": "1", "b": "2"})
    equal(r.hmget(k, "b", "none", "a"), ["2", None, "1"])
    equal(r.hincrby(k, "a", 5), 6)
    equal(dict(r.hscan_iter(k)), {"a": "6", "b": "2"})


def lists():
    a, b = P + "{l}a", P + "{l}b"
    equal(r.rpush(a, "1", "2", "3"), 3)
    equal(r.lrange(a, 0, -1), ["1", "2", "3"])
    equal(r.lpop(a), "1")
    equal(r.lpop(a + "none", 2), None)
    equal(r.lmove(a, b, "LEFT", "RIGHT"), "2")


def sets():
    a, b = P + "{s}a", P + "{s}b"
    equal(r.sadd(a, "1", "2"), 2)
    equal(r.sadd(b, "2", "3"), 2)
    equal(r.smembers(a), {"1", "2"})
    equal(r.smismember(a, ["1", "9"]), [1, 0])
    equal(r.sinter(a, b), {"2"})


def zsets():
    a, b = P + "{z}a", P + "{z}b"
    equal(r.zadd(a, {"x": 1, "y": 2.5}), 2)
    equal(r.zscore(a, "y"), 2.5)
    equal(r.zscore(a, "none"), None)
    equal([tuple(e) for e in r.zrange(a, 0, -1, withscores=True)], [("x", 1.0), ("y", 2.5)])
    equal(r.zincrby(a, 0.5, "x"), 1.5)
    r.zadd(b, {"x": 1})
    equal([tuple(e) for e in r.zunion([a, b], withscores=True)], [("x", 2.5), ("y", 2.5)])


def streams():
    k = P + "x"
    equal(r.xadd(k, {"f": "v"}, id="1-1"), "1-1")
    equal(r.xadd(k, {"f": "w"}, id="2-1"), "2-1")
    equal(r.xrange(k), [("1-1", {"f": "v"}), ("2-1", {"f": "w"})])
    assert "2-1" in str(r.xread({k: "1-1"}))
    equal(r.xgroup_create(k, "g", "0"), True)
    assert "1-1" in str(r.xreadgroup("g", "c", {k: ">"}, count=1))
    equal(r.xpending(k, "g")["pending"], 1)
    equal(r.xack(k, "g", "1-1"), 1)
    equal(r.xinfo_stream(k)["length"], 2)


def bitmaps():
    k = P + "bits"
    equal(r.setbit(k, 7, 1), 0)
    equal(r.getbit(k, 7), 1)
    equal(r.bitcount(k), 1)
    equal(r.bitfield(k).set("u8", 0, 255).get("u8", 0).execute(), [1, 255])


def geo():
    k = P + "geo"
    equal(r.geoadd(k, [13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania"]), 2)
    assert abs(r.geodist(k, "Palermo", "Catania", "km") - 166.2742) < 0.001
    equal(r.geopos(k, "none"), [None])
    assert abs(r.geopos(k, "Palermo")[0][0] - 13.361389) < 0.0001
    found = r.geosearch(k, longitude=15, latitude=37, radius=200, unit="km", sort="ASC")
    equal(found, ["Catania", "Palermo"])


def hyperloglog():
    a, b = P + "{h}a", P + "{h}b"
    equal(r.pfadd(a, "1", "2"), 1)
    equal(r.pfadd(b, "2", "3"), 1)
    equal(r.pfcount(a), 2)
    equal(r.pfmerge(a, b), True)
    equal(r.pfcount(a), 3)


def pipeline():
    pipe = r.pipeline(transaction=False)
    for i in range(500):
        pipe.set(f"{P}p{i}", i)
        pipe.get(f"{P}p{i}")
    pipe.lpush(P + "p0", "x")
    replies = pipe.execute(raise_on_error=False)
    equal(replies[1:1000:2], [str(i) for i in range(500)])
    assert isinstance(replies[-1], redis.ResponseError)


def big():
    value = b"0123456789abcdef" * 1024 * 1024
    equal(raw.set(P + "big", value), True)
    assert raw.get(P + "big") == value
    equal(raw.delete(P + "big"), 1)


def errors():
    r.set(P + "e", "v")
    raises(redis.ResponseError, "WRONGTYPE ", lambda: r.lpush(P + "e", "x"))
    raises(redis.ResponseError, "unknown command 'NOSUCH'", lambda: r.execute_command("NOSUCH"))
    raises(redis.ResponseError, "mine", lambda: r.eval("return redis.error_reply('mine')", 0))
    equal(r.get(P + "e"), "v")


def scripts():
    equal(r.eval("return {KEYS[1], ARGV[1]}", 1, P + "k", "a"), [P + "k", "a"])
    sha = r.script_load("return ARGV[1]")
    for i in range(20):
        equal(r.evalsha(sha, 1, f"{P}k{i}", "x"), "x")
    equal(r.script_exists(sha), [True])
    script = r.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    equal(script(keys=[P + "count"], args=[3]), 3)
    raises(redis.exceptions.NoScriptError, "", lambda: r.evalsha("0" * 40, 0))


def scan():
    names = {f"{P}scan:{i}" for i in range(300)}
    r.mset({n: "" for n in names})
    equal(set(r.scan_iter(match=P + "scan:*", count=20)), names)
    r.delete(*names)


def server():
    assert r.dbsize() > 0
    assert r.info()["redis_version"]
    assert "maxmemory" in r.config_get("maxmemory")
    assert r.time()[0] > 0
    assert r.command_count() > 200


def transaction():
    a, b = P + "{t}a", P + "{t}b"
    pipe = r.pipeline(transaction=True)
    equal(pipe.set(a, "1").incr(a).hset(b, "f", "v").hgetall(b).execute(), [True, 2, 1, {"f": "v"}])
    replies = r.pipeline(transaction=True).set(a, "x").incr(a).execute(raise_on_error=False)
    assert isinstance(replies[1], redis.ResponseError)


def slots():
    r.set(P + "e", "v")
    raises(redis.ResponseError, "", lambda: r.rename(P + "e", P + "f"))
    pipe = r.pipeline(transaction=True).set(P + "one", 1).set(P + "two", 2)
    raises(redis.RedisError, "", pipe.execute)
    equal(r.get(P + "one"), None)


def watch():
    k = P + "w"
    r.set(k, "1")
    with r.pipeline() as pipe:
        pipe.watch(k)
        equal(pipe.get(k), "1")
        r.set(k, "2")
        pipe.multi()
        pipe.set(k, "3")
        raises(redis.WatchError, "", pipe.execute)
    equal(r.transaction(lambda p: (p.get(k), p.multi(), p.set(k, "4")), k), [True])
    equal(r.get(k), "4")


def blocking():
    k = P + "q"
    popped = []
    thread = threading.Thread(target=lambda: popped.append(client().blpop([k], 10)))
    thread.start()
    for _ in range(50):
        equal(r.get(P + "none"), None)
    r.rpush(k, "x")
    thread.join(15)
    equal([tuple(p) for p in popped], [(k, "x")])
    equal(r.blpop([k], 0.05), None)


def pubsub():
    with client().pubsub() as sub:
        sub.subscribe(P + "c")
        sub.psubscribe(P + "p*")
        equal([sub.get_message(timeout=10)["type"] for _ in range(2)], ["subscribe", "psubscribe"])
        equal(r.publish(P + "c", "hello"), 1)
        equal(sub.get_message(timeout=10)["data"], "hello")
        equal(r.publish(P + "px", "pattern"), 1)
        message = sub.get_message(timeout=10)
        equal((message["pattern"], message["channel"]), (P + "p*", P + "px"))
        sub.unsubscribe()
        equal(sub.get_message(timeout=10)["type"], "unsubscribe")


SCENARIOS = [
    connect, strings, keys, several_keys, hashes, lists, sets, zsets, streams, bitmaps, geo, hyperloglog,
    pipeline, big, errors, scripts, scan, server, transaction, watch, blocking, pubsub, slots,
]

failed = False
for scenario in SCENARIOS:
    name = scenario.__name__.replace("_", "-")
    try:
        scenario()
        print("ok", name, flush=True)
    except Exception as e:  # continue with the next scenario
        failed = True
        print(f"failed {name}: {type(e).__name__}: {e}".replace("\n", " "), flush=True)
sys.exit(failed)
