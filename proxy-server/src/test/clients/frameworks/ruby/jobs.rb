# The jobs of sidekiq_suite.rb, as "sidekiq -r ./jobs.rb" loads them.
require "sidekiq"

server = { url: "redis://#{ENV.fetch('SUITE_HOST')}:#{ENV.fetch('SUITE_PORT')}/0" }
Sidekiq.configure_client { |config| config.redis = server }
Sidekiq.configure_server do |config|
  config.redis = server
  config.options[:average_scheduled_poll_interval] = 1
  config.options[:poll_interval_average] = 1
end

class Note
  include Sidekiq::Worker

  def perform(key, text)
    Sidekiq.redis { |r| r.rpush(key, text) }
  end
end

class Flaky
  include Sidekiq::Worker
  sidekiq_options retry: 3
  sidekiq_retry_in { 1 } # and up to nine seconds more

  def perform(key)
    attempts = Sidekiq.redis { |r| r.incr(key) }
    raise "attempt #{attempts}" if attempts < 2
  end
end

class Broken
  include Sidekiq::Worker
  sidekiq_options retry: 0

  def perform
    raise "as told"
  end
end
