// ioredis through Penstock: suite.js HOST PORT PROTOCOL [CA-FILE], where HOST may be the path of a Unix socket. ../scenarios.txt describes the scenarios.
"use strict";

const assert = require("node:assert/strict");
const Redis = require("ioredis");

const [host, port, protocol] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const tls = process.argv[5] ? { tls: { ca: require("node:fs").readFileSync(process.argv[5]) } } : {};
const server = host.startsWith("/") ? { path: host } : { host, port };
const P = `js${protocol}:`;

function client(options) {
  return new Redis({ ...server, protocol, ...(protocol === 3 ? { replyMapping: "resp3" } : {}), connectTimeout: 5000, ...tls, ...options });
}

const r = client({ connectionName: "node-suite" });

async function fails(prefix, promise) {
  await assert.rejects(promise, (e) => {
    assert.equal(e.name, "ReplyError");
    assert.ok(e.message.startsWith(prefix), e.message);
    return true;
  });
}

/** RESP2 gives pairs in a flat array, RESP3 maps or pairs; this is an object in any case. */
function object(reply) {
  if (!Array.isArray(reply)) return reply;
  const flat = reply.flat();
  const result = {};
  for (let i = 0; i < flat.length; i += 2) result[flat[i]] = flat[i + 1];
  return result;
}

const scenarios = {
  async connect() {
    assert.equal(await r.ping(), "PONG");
    const mine = (await r.client("LIST")).split("\n").find((line) => line.includes("name=node-suite"));
    assert.match(mine, /lib-name=ioredis/);
  },
  async strings() {
    const k = P + "s";
    assert.equal(await r.set(k, "v", "EX", 100), "OK");
    assert.equal(await r.set(k, "w", "NX"), null);
    assert.equal(await r.set(k, "w", "XX", "GET"), "v");
    assert.equal(await r.get(k), "w");
    assert.equal(await r.get(P + "none"), null);
    assert.equal(await r.getset(k, "grüße"), "w");
    assert.equal(await r.get(k), "grüße");
    await r.set(k, "ab");
    assert.equal(await r.append(k, "cd"), 4);
    assert.equal(await r.getrange(k, 1, 2), "bc");
    assert.equal(await r.incrby(P + "n", 41), 41);
    assert.equal(await r.incrbyfloat(P + "n", 0.5), "41.5");
    const value = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await r.set(P + "b\0", value);
    assert.ok(value.equals(await r.getBuffer(P + "b\0")));
  },
  async keys() {
    const [a, b] = [P + "{k}a", P + "{k}b"];
    await r.set(a, "1");
    assert.equal(await r.exists(a), 1);
    assert.equal(await r.expire(a, 100), 1);
    const ttl = await r.ttl(a);
    assert.ok(ttl > 0 && ttl <= 100);
    assert.equal(await r.persist(a), 1);
    assert.equal(await r.ttl(a), -1);
    assert.equal(await r.type(a), "string");
    assert.equal(await r.rename(a, b), "OK");
    assert.equal(await r.unlink(b, a), 1);
  },
  async "several-keys"() {
    const names = Array.from({ length: 100 }, (_, i) => `${P}m${i}`);
    assert.equal(await r.mset(Object.fromEntries(names.map((n) => [n, n]))), "OK");
    const reversed = names.toReversed();
    assert.deepEqual(await r.mget([...reversed, P + "none"]), [...reversed, null]);
    assert.equal(await r.exists(...names), 100);
    assert.equal(await r.del(...names), 100);
  },
  async hashes() {
    const k = P + "h";
    assert.equal(await r.hset(k, { a: "1", b: "2" }), 2);
    assert.deepEqual({ ...(await r.hgetall(k)) }, { a: "1", b: "2" });
    assert.deepEqual(await r.hmget(k, "b", "none", "a"), ["2", null, "1"]);
    assert.equal(await r.hincrby(k, "a", 5), 6);
    assert.deepEqual(object((await r.hscan(k, 0))[1]), { a: "6", b: "2" });
  },
  async lists() {
    const [a, b] = [P + "{l}a", P + "{l}b"];
    assert.equal(await r.rpush(a, "1", "2", "3"), 3);
    assert.deepEqual(await r.lrange(a, 0, -1), ["1", "2", "3"]);
    assert.equal(await r.lpop(a), "1");
    assert.equal(await r.lpop(a + "none", 2), null);
    assert.equal(await r.lmove(a, b, "LEFT", "RIGHT"), "2");
  },
  async sets() {
    const [a, b] = [P + "{s}a", P + "{s}b"];
    assert.equal(await r.sadd(a, "1", "2"), 2);
    assert.equal(await r.sadd(b, "2", "3"), 2);
    assert.deepEqual([...(await r.smembers(a))].sort(), ["1", "2"]);
    assert.deepEqual(await r.smismember(a, "1", "9"), [1, 0]);
    assert.deepEqual([...(await r.sinter(a, b))], ["2"]);
  },
  async zsets() {
    const [a, b] = [P + "{z}a", P + "{z}b"];
    assert.equal(await r.zadd(a, 1, "x", 2.5, "y"), 2);
    assert.equal(Number(await r.zscore(a, "y")), 2.5);
    assert.equal(await r.zscore(a, "none"), null);
    const range = (await r.zrange(a, 0, -1, "WITHSCORES")).flat().map(String);
    assert.deepEqual(range, ["x", "1", "y", "2.5"]);
    assert.equal(Number(await r.zincrby(a, 0.5, "x")), 1.5);
    await r.zadd(b, 1, "x");
    const union = (await r.zunion(2, a, b, "WITHSCORES")).flat().map(String);
    assert.deepEqual(union, ["x", "2.5", "y", "2.5"]);
  },
  async streams() {
    const k = P + "x";
    assert.equal(await r.xadd(k, "1-1", "f", "v"), "1-1");
    assert.equal(await r.xadd(k, "2-1", "f", "w"), "2-1");
    assert.deepEqual(await r.xrange(k, "-", "+"), [["1-1", ["f", "v"]], ["2-1", ["f", "w"]]]);
    assert.ok(JSON.stringify(await r.xread("STREAMS", k, "1-1")).includes("2-1"));
    assert.equal(await r.xgroup("CREATE", k, "g", "0"), "OK");
    const read = await r.xreadgroup("GROUP", "g", "c", "COUNT", 1, "STREAMS", k, ">");
    assert.ok(JSON.stringify(read).includes("1-1"));
    assert.equal((await r.xpending(k, "g"))[0], 1);
    assert.equal(await r.xack(k, "g", "1-1"), 1);
    assert.ok(JSON.stringify(await r.xinfo("STREAM", k)).includes("last-generated-id"));
  },
  async bitmaps() {
    const k = P + "bits";
    assert.equal(await r.setbit(k, 7, 1), 0);
    assert.equal(await r.getbit(k, 7), 1);
    assert.equal(await r.bitcount(k), 1);
    assert.deepEqual(await r.bitfield(k, "SET", "u8", 0, 255, "GET", "u8", 0), [1, 255]);
  },
  async geo() {
    const k = P + "geo";
    assert.equal(await r.geoadd(k, 13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania"), 2);
    assert.ok(Math.abs(Number(await r.geodist(k, "Palermo", "Catania", "km")) - 166.2742) < 0.001);
    assert.deepEqual(await r.geopos(k, "none"), [null]);
    assert.ok(Math.abs(Number((await r.geopos(k, "Palermo"))[0][0]) - 13.361389) < 0.0001);
    const found = await r.geosearch(k, "FROMLONLAT", 15, 37, "BYRADIUS", 200, "km", "ASC");
    assert.deepEqual(found, ["Catania", "Palermo"]);
  },
  async hyperloglog() {
    const [a, b] = [P + "{h}a", P + "{h}b"];
    assert.equal(await r.pfadd(a, "1", "2"), 1);
    assert.equal(await r.pfadd(b, "2", "3"), 1);
    assert.equal(await r.pfcount(a), 2);
    assert.equal(await r.pfmerge(a, b), "OK");
    assert.equal(await r.pfcount(a), 3);
  },
  async pipeline() {
    const pipeline = r.pipeline();
    for (let i = 0; i < 500; i++) pipeline.set(`${P}p${i}`, i).get(`${P}p${i}`);
    pipeline.lpush(P + "p0", "x");
    const replies = await pipeline.exec();
    for (let i = 0; i < 500; i++) assert.deepEqual(replies[2 * i + 1], [null, String(i)]);
    assert.match(replies.at(-1)[0].message, /^WRONGTYPE /);
  },
  async big() {
    const value = Buffer.alloc(16 * 1024 * 1024, "0123456789abcdef");
    await r.set(P + "big", value);
    assert.ok(value.equals(await r.getBuffer(P + "big")));
    assert.equal(await r.del(P + "big"), 1);
  },
  async errors() {
    await r.set(P + "e", "v");
    await fails("WRONGTYPE ", r.lpush(P + "e", "x"));
    await fails("ERR unknown command 'NOSUCH'", r.call("NOSUCH"));
    await fails("ERR mine", r.eval("return redis.error_reply('mine')", 0));
    assert.equal(await r.get(P + "e"), "v");
  },
  async scripts() {
    assert.deepEqual(await r.eval("return {KEYS[1], ARGV[1]}", 1, P + "k", "a"), [P + "k", "a"]);
    const sha = await r.script("LOAD", "return ARGV[1]");
    for (let i = 0; i < 20; i++) assert.equal(await r.evalsha(sha, 1, `${P}k${i}`, "x"), "x");
    assert.deepEqual(await r.script("EXISTS", sha), [1]);
    r.defineCommand("addTo", { numberOfKeys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" });
    assert.equal(await r.addTo(P + "count", 3), 3);
    await fails("NOSCRIPT ", r.evalsha("0".repeat(40), 0));
  },
  async scan() {
    const names = Array.from({ length: 300 }, (_, i) => `${P}scan:${i}`);
    await r.mset(Object.fromEntries(names.map((n) => [n, ""])));
    const found = new Set();
    for await (const some of r.scanStream({ match: P + "scan:*", count: 20 })) some.forEach((k) => found.add(k));
    assert.deepEqual([...found].sort(), names.sort());
    await r.del(...names);
  },
  async server() {
    assert.ok((await r.dbsize()) > 0);
    assert.match(await r.info(), /redis_version:/);
    assert.ok("maxmemory" in object(await r.config("GET", "maxmemory")));
    assert.ok(Number((await r.time())[0]) > 0);
    assert.ok((await r.command("COUNT")) > 200);
  },
  async transaction() {
    const [a, b] = [P + "{t}a", P + "{t}b"];
    const replies = await r.multi().set(a, "1").incr(a).hset(b, "f", "v").hget(b, "f").exec();
    assert.deepEqual(replies, [[null, "OK"], [null, 2], [null, 1], [null, "v"]]);
    const inside = await r.multi().set(a, "x").incr(a).exec();
    assert.match(inside[1][0].message, /^ERR value is not an integer/);
  },
  async slots() {
    await r.set(P + "e", "v");
    await fails("CROSSSLOT ", r.rename(P + "e", P + "f"));
    await assert.rejects(r.multi().set(P + "one", 1).set(P + "two", 2).exec(), /EXECABORT/);
    assert.equal(await r.get(P + "one"), null);
  },
  async watch() {
    const k = P + "w";
    const own = client();
    await own.set(k, "1");
    await own.watch(k);
    await r.set(k, "2");
    assert.equal(await own.multi().set(k, "3").exec(), null);
    await own.watch(k);
    assert.equal(await own.get(k), "2");
    assert.deepEqual(await own.multi().set(k, "4").exec(), [[null, "OK"]]);
    await own.quit();
    assert.equal(await r.get(k), "4");
  },
  async blocking() {
    const k = P + "q";
    const own = client();
    const popped = own.blpop(k, 10);
    for (let i = 0; i < 50; i++) assert.equal(await r.get(P + "none"), null);
    await r.rpush(k, "x");
    assert.deepEqual(await popped, [k, "x"]);
    assert.equal(await own.blpop(k, 0.05), null);
    await own.quit();
  },
  async pubsub() {
    const own = client();
    const messages = [];
    const next = () => new Promise((resolve) => (messages.length ? resolve(messages.shift()) : (own.waiting = resolve)));
    const take = (...message) => (own.waiting ? (own.waiting(message), (own.waiting = null)) : messages.push(message));
    own.on("message", take);
    own.on("pmessage", take);
    assert.equal(await own.subscribe(P + "c"), 1);
    assert.equal(await own.psubscribe(P + "p*"), 2);
    assert.equal(await r.publish(P + "c", "hello"), 1);
    assert.deepEqual(await next(), [P + "c", "hello"]);
    assert.equal(await r.publish(P + "px", "pattern"), 1);
    assert.deepEqual(await next(), [P + "p*", P + "px", "pattern"]);
    assert.equal(await own.unsubscribe(P + "c"), 1);
    await own.quit();
  },
};

function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("no reply in 20 s")), 20000)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

(async () => {
  let failed = false;
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      await inTime(scenario());
      console.log("ok", name);
    } catch (e) {
      failed = true;
      console.log(`failed ${name}: ${e.name}: ${e.message}`.replaceAll("\n", " "));
    }
  }
  process.exit(failed ? 1 : 0);
})();
