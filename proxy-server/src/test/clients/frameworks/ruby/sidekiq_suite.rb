# Sidekiq through Penstock, without any option for a cluster: sidekiq_suite.rb HOST PORT. ../../frameworks.txt describes the scenarios.
ENV["SUITE_HOST"], ENV["SUITE_PORT"] = ARGV
require "sidekiq/api"
require "tempfile"
require_relative "jobs"

PATIENCE = 30

def equal(actual, expected)
  raise "#{actual.inspect} instead of #{expected.inspect}" unless actual == expected
end

def eventually(what)
  limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
  until yield
    raise "not in #{PATIENCE} s: #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
    sleep 0.02
  end
end

def list(key)
  Sidekiq.redis { |r| r.lrange(key, 0, -1) }
end

# Runs "sidekiq" with the queues high and low during the block; then it must end by itself.
def with_worker
  worker = spawn("sidekiq", "-r", File.join(__dir__, "jobs.rb"), "-c", "1", "-q", "high", "-q", "low", out: $log, err: $log)
  yield
ensure
  Process.kill("TERM", worker)
  limit = Thread.new { sleep 20; Process.kill("KILL", worker) rescue nil }
  Process.wait(worker)
  limit.kill
end

SCENARIOS = {
  "queues" => lambda do
    Note.set(queue: "low").perform_async("order", "low")
    Note.set(queue: "high").perform_async("order", "high")
    equal([Sidekiq::Queue.new("low").size, Sidekiq::Queue.new("high").size], [1, 1])
    with_worker do
      eventually("two jobs") { list("order").size == 2 }
      equal(list("order"), %w[high low])
      Note.set(queue: "low").perform_async("order", "waited for")
      eventually("a third job") { list("order").last == "waited for" }
      eventually("statistics") { Sidekiq::Stats.new.processed >= 3 }
    end
    equal(Sidekiq::Queue.all.map(&:size).sum, 0)
  end,
  "bulk" => lambda do
    Sidekiq::Client.push_bulk("class" => Note, "queue" => "high", "args" => (1..50).map { |i| ["bulk", i.to_s] })
    with_worker { eventually("50 jobs") { list("bulk") == (1..50).map(&:to_s) } }
  end,
  "scheduled" => lambda do
    Note.set(queue: "low").perform_in(1, "late", "scheduled")
    equal(Sidekiq::ScheduledSet.new.size, 1)
    with_worker { eventually("the scheduled job") { list("late") == ["scheduled"] } }
    equal(Sidekiq::ScheduledSet.new.size, 0)
  end,
  "retry" => lambda do
    Flaky.set(queue: "high").perform_async("attempts")
    with_worker do
      eventually("a second attempt") { Sidekiq.redis { |r| r.get("attempts") } == "2" }
      eventually("nothing to retry") { Sidekiq::RetrySet.new.size.zero? }
    end
  end,
  "dead" => lambda do
    Broken.set(queue: "high").perform_async
    with_worker { eventually("a dead job") { Sidekiq::DeadSet.new.size == 1 } }
    equal(Sidekiq::DeadSet.new.first.display_class, "Broken")
    Sidekiq::DeadSet.new.first.retry
    equal(Sidekiq::Queue.new("high").size, 1)
    Sidekiq::Queue.new("high").clear
    equal(Sidekiq::Queue.new("high").size, 0)
  end,
  "processes" => lambda do
    with_worker do
      eventually("a process") { Sidekiq::ProcessSet.new.size == 1 }
      eventually("its queues") { Sidekiq::ProcessSet.new.first&.[]("queues")&.sort == %w[high low] }
    end
    eventually("no process") { Sidekiq::ProcessSet.new.size.zero? }
  end
}.freeze

$stdout.sync = true
$log = Tempfile.create("sidekiq") # not for the report
failed = false
SCENARIOS.each do |name, scenario|
  scenario.call
  puts "ok #{name}"
rescue StandardError => e # continue with the next scenario
  failed = true
  puts "failed #{name}: #{e.class}: #{e.message}".tr("\n", " ")
end
exit(!failed)
