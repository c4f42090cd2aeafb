// BullMQ through Penstock, with the hash tag that it needs for a cluster, and without: bullmq.js HOST PORT. ../../frameworks.txt
// describes the scenarios.
"use strict";

const assert = require("node:assert/strict");
const { FlowProducer, Queue, QueueEvents, Worker } = require("bullmq");

const PATIENCE = 20000;
const [host, port] = [process.argv[2], Number(process.argv[3])];
const connection = { host, port, maxRetriesPerRequest: null };
const TAGGED = "{bull}";

/** Runs the part with a queue, its events and a worker, and closes them. */
async function withQueue(name, process, part, { prefix = TAGGED, worker: options = {} } = {}) {
  const shared = { connection, prefix };
  const queue = new Queue(name, shared);
  const events = new QueueEvents(name, { ...shared, lastEventId: "0-0" }); // not only those after its first XREAD
  const worker = new Worker(name, process, { ...shared, ...options });
  const all = [worker, events, queue];
  const errors = [];
  all.forEach((each) => each.on("error", (e) => errors.push(e)));
  try {
    await Promise.race([Promise.all(all.map((each) => each.waitUntilReady())), rejectedByFirst(errors)]);
    await Promise.race([part(queue, events, worker), rejectedByFirst(errors)]);
  } finally {
    await Promise.race([Promise.allSettled(all.map((each) => each.close())), new Promise((r) => setTimeout(r, 3000))]);
  }
}

/** Rejects with the first error, so that a refused command is seen at once. */
function rejectedByFirst(errors) {
  return new Promise((_, reject) => {
    const check = setInterval(() => {
      if (errors.length > 0) {
        clearInterval(check);
        reject(errors[0]);
      }
    }, 20);
    check.unref();
  });
}

const scenarios = {
  async result() {
    await withQueue("sums", async (job) => job.data.a + job.data.b, async (queue, events) => {
      const job = await queue.add("sum", { a: 1, b: 2 });
      assert.equal(await job.waitUntilFinished(events, PATIENCE), 3);
      assert.equal((await queue.getJob(job.id)).returnvalue, 3);
      assert.equal(await job.getState(), "completed");
    });
  },

  async delayed() {
    await withQueue("later", async (job) => job.data, async (queue, events) => {
      const job = await queue.add("echo", "late", { delay: 500 });
      assert.equal(await job.getState(), "delayed");
      assert.equal(await job.waitUntilFinished(events, PATIENCE), "late");
    });
  },

  async retry() {
    const process = async (job) => {
      if (job.attemptsMade < 2) throw new Error(`attempt ${job.attemptsMade}`);
      return job.attemptsMade;
    };
    await withQueue("again", process, async (queue, events) => {
      const job = await queue.add("flaky", {}, { attempts: 3, backoff: { type: "fixed", delay: 100 } });
      assert.equal(await job.waitUntilFinished(events, PATIENCE), 2);
    });
  },

  async failure() {
    const process = async () => {
      throw new Error("as told");
    };
    await withQueue("broken", process, async (queue, events) => {
      const job = await queue.add("fails", {});
      await assert.rejects(job.waitUntilFinished(events, PATIENCE), /as told/);
      assert.equal(await job.getState(), "failed");
      assert.equal(await queue.getFailedCount(), 1);
    });
  },

  async priorities() {
    const order = [];
    await withQueue(
      "ranked",
      async (job) => order.push(job.data),
      async (queue, events, worker) => {
        const jobs = [];
        for (const [data, priority] of [["low", 9], ["middle", 5], ["high", 1]]) jobs.push(await queue.add("rank", data, { priority }));
        worker.run();
        await Promise.all(jobs.map((job) => job.waitUntilFinished(events, PATIENCE)));
        assert.deepEqual(order, ["high", "middle", "low"]);
      },
      { worker: { autorun: false } },
    );
  },

  async bulk() {
    await withQueue("many", async (job) => job.data * 2, async (queue, events) => {
      const jobs = await queue.addBulk([...Array(20).keys()].map((i) => ({ name: "double", data: i })));
      const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events, PATIENCE)));
      assert.deepEqual(results, [...Array(20).keys()].map((i) => i * 2));
      const counts = await queue.getJobCounts();
      assert.deepEqual([counts.completed, counts.waiting, counts.active], [20, 0, 0]);
    });
  },

  async flow() {
    const flows = new FlowProducer({ connection, prefix: TAGGED });
    const process = async (job) =>
      job.name === "child" ? job.data : Object.values(await job.getChildrenValues()).reduce((a, b) => a + b, 0);
    try {
      await withQueue("tree", process, async (queue, events) => {
        const children = [1, 2, 3].map((data) => ({ name: "child", queueName: "tree", data }));
        const { job } = await flows.add({ name: "parent", queueName: "tree", data: {}, children });
        assert.equal(await job.waitUntilFinished(events, PATIENCE), 6);
      });
    } finally {
      await flows.close();
    }
  },

  async repeated() {
    await withQueue("ticks", async () => "tick", async (queue, events) => {
      const seen = new Promise((resolve) => {
        let count = 0;
        events.on("completed", () => ++count === 3 && resolve());
      });
      await queue.upsertJobScheduler("ticker", { every: 200 }, { name: "tick" });
      await seen;
      assert.equal(await queue.removeJobScheduler("ticker"), true);
    });
  },

  async "no-hash-tag"() {
    await withQueue("plain", async (job) => job.data, async (queue, events) => {
      const job = await queue.add("echo", "plain");
      assert.equal(await job.waitUntilFinished(events, PATIENCE), "plain");
    }, { prefix: "bull" });
  },
};

function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("not done in time")), PATIENCE)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

process.on("unhandledRejection", () => {}); // of a queue that is closed; each scenario looks at its own

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
