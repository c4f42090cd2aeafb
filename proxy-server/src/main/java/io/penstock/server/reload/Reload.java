package io.penstock.server.reload;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.change.ChangePlan;
import io.penstock.core.change.ChangePlan.Action;
import io.penstock.core.change.ChangePlan.Step;
import io.penstock.core.listener.CannotBindException;
import io.penstock.server.change.ReloadOutcome;
import io.penstock.server.change.SettingsListener;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.diagnostics.FailureText;
import io.penstock.server.lifecycle.ListenException;
import io.penstock.server.management.ManagementAccess;
import io.penstock.server.metrics.ConfigurationMetrics;
import io.penstock.server.reload.ConfigurationInForce.Snapshot;
import io.penstock.server.start.StartConfiguration;
import io.penstock.server.start.UpstreamOverride;
import io.penstock.server.tls.TlsBundles;
import io.penstock.server.tls.TlsReload;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the configuration again and applies what differs: all of it, or nothing. Called by one
 * thread at a time, which it may block.
 */
final class Reload implements ReloadThread.Work {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock");

  private final Parts parts;
  private final ConfigurationInForce inForce;
  private final Reading reading;

  /**
   * What a reload changes.
   *
   * @param application whose environment is that of the start
   * @param listeners follow the settings
   * @param demo the cluster of profile {@code demo}, if it is active
   */
  record Parts(
      Proxy proxy,
      TlsReload tls,
      ManagementAccess access,
      ConfigurationMetrics metrics,
      ConfigurableApplicationContext application,
      ObjectProvider<SettingsListener> listeners,
      ObjectProvider<UpstreamOverride> demo) {}

  Reload(Parts parts, ConfigurationInForce inForce, StartSources sources) {
    this.parts = parts;
    this.inForce = inForce;
    this.reading = new Reading(sources);
    parts.metrics().hash(inForce::hash);
  }

  /** A configuration that can be used, and what differs from the one in force. */
  private record Change(
      StartConfiguration next, List<String> readFrom, List<Step> steps, List<String> pending) {

    /** Returns the steps, and then what needs a restart. */
    List<Step> plan() {
      List<Step> plan = new ArrayList<>(steps);
      pending.forEach(key -> plan.add(new Step(Action.RESTART, key, "")));
      return plan;
    }
  }

  @Override
  public Map<Path, String> read() {
    return reading.digests();
  }

  @Override
  public WatchedFiles files() {
    return reading.files();
  }

  /**
   * Reads, checks and applies the configuration. Logs what it does.
   *
   * @param quiet whether a configuration that is the same is not worth a line
   */
  @Override
  public Attempt run(Trigger trigger, boolean quiet) {
    return parts.tls().whileFilesWait(() -> runNow(trigger, quiet));
  }

  private Attempt runNow(Trigger trigger, boolean quiet) {
    Attempt attempt;
    Change change = null;
    try {
      change = prepare();
      attempt = attempt(trigger, apply(change, trigger), null, change.plan());
    } catch (RuntimeException e) {
      String reason =
          FailureText.of(
              cause(e), parts.application().getBeanFactory(), parts.application().getEnvironment());
      attempt =
          attempt(
              trigger, ReloadOutcome.REFUSED, reason, change == null ? List.of() : change.plan());
    }
    if (!quiet || attempt.outcome() != ReloadOutcome.UNCHANGED) {
      log(attempt);
      add(attempt);
    }
    return attempt;
  }

  private static Throwable cause(RuntimeException failure) {
    boolean wrapped =
        failure instanceof CompletionException || failure instanceof CancellationException;
    return wrapped && failure.getCause() != null ? failure.getCause() : failure;
  }

  private static Attempt attempt(
      Trigger trigger, ReloadOutcome outcome, @Nullable String reason, List<Step> plan) {
    return new Attempt(Instant.now(), trigger, outcome, reason, plan);
  }

  private Change prepare() {
    Snapshot now = inForce.current();
    ConfigurableEnvironment environment = reading.read();
    StartConfiguration next =
        now.configuration()
            .successor(environment, parts.demo().getIfAvailable())
            .withProcessOf(parts.proxy().settings());
    ChangePlan plan = parts.proxy().plan(next.settings());
    List<Step> steps = new ArrayList<>(plan.steps());
    steps.addAll(ownSteps(now.configuration(), next));
    return new Change(next, SourceNames.of(environment), steps, pending(next, environment));
  }

  /** Returns what differs outside of the core. */
  private static List<Step> ownSteps(StartConfiguration before, StartConfiguration next) {
    List<Step> steps = new ArrayList<>();
    next.bundles()
        .changed()
        .forEach(name -> steps.add(new Step(Action.CHANGE, "SSL bundle " + name, "content")));
    PenstockProperties old = before.properties();
    PenstockProperties now = next.properties();
    if (old.readiness() != now.readiness()) {
      steps.add(new Step(Action.CHANGE, "readiness", ""));
    }
    if (old.reload() != now.reload()) {
      steps.add(new Step(Action.CHANGE, "reload", ""));
    }
    PenstockProperties.Local oldRoute = old.transpond().local();
    PenstockProperties.Local route = now.transpond().local();
    if (oldRoute.dynamic() != route.dynamic()) {
      steps.add(new Step(Action.CHANGE, "transpond.local.dynamic", ""));
    }
    if (!Objects.equals(before.managementToken(), next.managementToken())) {
      steps.add(new Step(Action.CHANGE, "management-token", ""));
    }
    return steps;
  }

  private List<String> pending(StartConfiguration next, ConfigurableEnvironment environment) {
    List<String> keys =
        new ArrayList<>(RestartKeys.changed(inForce.atStart().properties(), next.properties()));
    keys.addAll(RestartKeys.changed(parts.application().getEnvironment(), environment));
    return keys;
  }

  private ReloadOutcome apply(Change change, Trigger trigger) {
    Snapshot now = inForce.current();
    TlsBundles before = parts.tls().current();
    if (change.steps().isEmpty()) {
      parts.tls().inForce(change.next().bundles()); // the next reload compares with them
      inForce.set(
          new Snapshot(
              now.version(),
              now.since(),
              change.next(),
              change.readFrom(),
              change.pending(),
              now.lastAttempt()));
      tell(() -> parts.tls().announce(before));
      return ReloadOutcome.UNCHANGED;
    }
    LOG.info("Reload ({}): trying the changed configuration", trigger.text());
    apply(change.next());
    for (Step step : change.plan()) {
      LOG.info("Reload ({}): {}", trigger.text(), text(step));
    }
    parts.tls().inForce(change.next().bundles());
    parts.access().require(change.next().managementToken());
    inForce.set(
        new Snapshot(
            now.version() + 1,
            Instant.now(),
            change.next(),
            change.readFrom(),
            change.pending(),
            now.lastAttempt()));
    tell(() -> parts.tls().announce(before));
    ProxySettings settings = parts.proxy().settings();
    parts
        .listeners()
        .orderedStream()
        .forEach(listener -> tell(() -> listener.settingsInForce(settings)));
    return ReloadOutcome.APPLIED;
  }

  /** The configuration is in force whether or not all that should learn of it can follow. */
  private static void tell(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.error("A part of Penstock did not follow the configuration in force", e);
    }
  }

  private void apply(StartConfiguration next) {
    try {
      parts.proxy().apply(next.settings()).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CannotBindException failed
          ? ListenException.of(failed, next.keys())
          : e;
    }
  }

  /** Returns a step in words. */
  static String text(Step step) {
    String what = step.what().isEmpty() ? "" : ": " + step.what();
    return switch (step.action()) {
      case ADD -> "added " + step.subject() + what;
      case CHANGE -> "changed " + step.subject() + what;
      case DRAIN -> "drained " + step.subject() + what;
      case RESTART -> step.subject() + what + " needs a restart";
    };
  }

  private void log(Attempt attempt) {
    String trigger = attempt.trigger().text();
    switch (attempt.outcome()) {
      case APPLIED ->
          LOG.info(
              "Reload ({}): version {} of the configuration is in force, hash {}",
              trigger,
              inForce.current().version(),
              inForce.hashText());
      case UNCHANGED ->
          LOG.info(
              "Reload ({}): nothing has changed{}",
              trigger,
              attempt.plan().isEmpty()
                  ? ""
                  : "; after a restart: " + String.join(", ", inForce.current().pending()));
      case REFUSED ->
          LOG.error(
              "Reload ({}) refused, the earlier configuration stays in force: {}",
              trigger,
              attempt.reason());
    }
  }

  private void add(Attempt attempt) {
    Snapshot now = inForce.current();
    inForce.set(
        new Snapshot(
            now.version(),
            now.since(),
            now.configuration(),
            now.readFrom(),
            now.pending(),
            attempt));
    parts
        .metrics()
        .reloaded(
            attempt.outcome(),
            new ConfigurationMetrics.InForce(now.version(), now.since(), now.pending().size()));
  }
}
