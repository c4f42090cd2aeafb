package io.penstock.server.cli;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.core.assembly.ProxySettings.Listen;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxySettings.Shadow;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.users.UsersSettings;
import io.penstock.server.start.StartConfiguration;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * {@code --check}: reads the configuration as a start does, and prints what the start would do. No
 * port is opened and no server contacted.
 */
public final class Check {

  private static final Pattern FILE = Pattern.compile("Config resource 'file \\[(.+)]' via .*");

  private Check() {}

  /**
   * Prints what Penstock would do with this configuration.
   *
   * @param application must not have run yet; cannot be run afterwards
   * @return whether the configuration is valid; if not, the log says why
   */
  public static boolean succeeds(
      SpringApplication application, List<String> options, PrintStream out) {
    return AbandonedStart.succeeds(
        application,
        options,
        context ->
            out.println(
                report(
                    context.getBeanFactory().getBean(StartConfiguration.class),
                    context.getEnvironment())));
  }

  private static String report(
      StartConfiguration configuration, ConfigurableEnvironment environment) {
    Binder keys = Binder.get(environment);
    keys.bindOrCreate("spring.lifecycle", LifecycleProperties.class);
    ProxySettings settings = configuration.settings();
    List<String> lines =
        settings.listeners().size() == 1 && settings.upstreams().size() == 1
            ? lines(settings.listeners().getFirst(), settings, configuration.demo())
            : linesOfSeveral(settings, configuration.demo());
    return "The configuration is valid (%s). Penstock would\n  %s\n  %s"
        .formatted(files(environment), String.join("\n  ", lines), management(keys));
  }

  private static List<String> lines(Listener listener, ProxySettings settings, boolean demo) {
    Upstream upstream = settings.upstream(listener.upstream());
    List<String> lines = new ArrayList<>();
    lines.add("listen on %s (%s)".formatted(address(listener.listen()), process(settings)));
    lines.add("proxy to " + description(upstream, demo));
    lines.addAll(PartLines.of(upstream));
    lines.add("accept " + clients(listener, settings));
    return lines;
  }

  /** One line for each listener and each upstream. */
  private static List<String> linesOfSeveral(ProxySettings settings, boolean demo) {
    List<String> lines = new ArrayList<>();
    lines.add("use " + process(settings));
    Set<String> used = new HashSet<>();
    for (Listener listener : settings.listeners()) {
      used.add(listener.upstream());
      lines.add(
          "as listener %s: listen on %s%s for upstream %s, and accept %s"
              .formatted(
                  listener.name(),
                  address(listener.listen()),
                  address(listener.listen()).endsWith("too") ? "," : "",
                  listener.upstream(),
                  clients(listener, settings)));
    }
    for (Upstream upstream : settings.upstreams()) {
      boolean served = used.contains(upstream.name());
      lines.add(served ? served(upstream, demo) : notServed(upstream, settings));
      if (served) {
        lines.addAll(PartLines.of(upstream));
        lines.addAll(shadow(upstream, settings));
        lines.addAll(copies(upstream, settings));
      }
    }
    return lines;
  }

  private static String served(Upstream upstream, boolean demo) {
    return "for upstream %s: proxy to %s".formatted(upstream.name(), description(upstream, demo));
  }

  private static List<String> shadow(Upstream upstream, ProxySettings settings) {
    Shadow shadow = settings.shadowOf(upstream.name());
    return shadow == null
        ? List.of()
        : List.of(
            "  and send %s %% of its reads to upstream %s too"
                .formatted(shadow.percent(), shadow.upstream()));
  }

  private static List<String> copies(Upstream upstream, ProxySettings settings) {
    Mirror mirror = settings.mirrorOf(upstream.name());
    return mirror == null
        ? List.of()
        : List.of(
            "  and copy what is written to %s, with at most %d writes or %d MB waiting for each"
                .formatted(
                    String.join(", ", mirror.copies()),
                    mirror.settings().maxRequests(),
                    mirror.settings().maxBytes() >> 20),
            "  and reply to writes " + when(mirror.settings().reply()));
  }

  private static String when(ReplyPolicy policy) {
    return switch (policy) {
      case PRIMARY -> "when the primary has";
      case ALL -> "when the primary and all copies have done them";
      case QUORUM -> "when more than half have done them, if that can be had";
      case SAFE_QUORUM -> "when more than half have done them, and else with an error";
    };
  }

  private static String notServed(Upstream upstream, ProxySettings settings) {
    if (settings.usedUpstreams().contains(upstream.name())) {
      boolean copy =
          settings.mirrors().stream().anyMatch(each -> each.copies().contains(upstream.name()));
      return "use upstream %s as a %s: %s"
          .formatted(upstream.name(), copy ? "copy" : "shadow", description(upstream, false));
    }
    List<String> wholes = settings.wholesOf(upstream);
    return wholes.isEmpty()
        ? "not use upstream %s: no listener names it".formatted(upstream.name())
        : "use upstream %s as %s of %s"
            .formatted(
                upstream.name(),
                isPrimary(upstream, settings) ? "the primary" : "a part",
                String.join(", ", wholes));
  }

  private static boolean isPrimary(Upstream upstream, ProxySettings settings) {
    return settings.mirrors().stream().anyMatch(each -> each.primary().equals(upstream.name()));
  }

  private static String process(ProxySettings settings) {
    return "transport %s, %d event loops, dispatch %s"
        .formatted(
            settings.transport().configName(),
            settings.eventLoops(),
            settings.dispatch() instanceof Dispatch.Async ? "async" : "sync");
  }

  private static String address(Listen listen) {
    return switch (listen.address()) {
      case ListenAddress.Tcp tcp ->
          (tcp.port() == 0 ? "a free port of " + String.join(", ", tcp.hosts()) : tcp.toString())
              + (tcp.hosts().contains("0.0.0.0") ? ", IPv6 too" : "");
      case ListenAddress.Unix(String name, ListenAddress.Permissions file) -> name + file(file);
    };
  }

  private static String file(ListenAddress.Permissions file) {
    Integer mode = file.mode();
    String group = file.group();
    String owner = Objects.requireNonNullElse(file.user(), "") + (group == null ? "" : ":" + group);
    return (mode == null ? "" : ", mode 0%03o".formatted(mode))
        + (owner.isEmpty() ? "" : ", owner " + owner);
  }

  private static String clients(Listener listener, ProxySettings settings) {
    Listen listen = listener.listen();
    if (settings.upstream(listener.upstream()) instanceof Upstream.Tcp) {
      return "up to %d clients".formatted(listen.maxClients());
    }
    return "up to %d clients, %s"
        .formatted(
            listen.maxClients(),
            listen.users() != null
                ? users(listen.users())
                : listen.password() == null ? "without a password" : "with a password (AUTH)");
  }

  private static String users(UsersSettings users) {
    return "as %d users of %s"
        .formatted(users.users().size(), users.aclFile() == null ? users.scope() : users.aclFile());
  }

  private static String description(Upstream upstream, boolean demo) {
    return demo && upstream.name().equals(ProxySettings.DEFAULT_NAME)
        ? "a cluster of its own (profile demo)"
        : PartLines.description(upstream) + reads(upstream);
  }

  private static String reads(Upstream upstream) {
    return upstream instanceof Upstream.Resp resp ? reads(resp.reads()) : "";
  }

  private static String reads(ReadSettings reads) {
    if (!reads.usesReplicas()) {
      return "";
    }
    String from = reads.from().name().toLowerCase(Locale.ROOT).replace('_', '-');
    return (reads.readOnly() ? ", only reads, from: " : ", reads from: ") + from;
  }

  /** Returns the configuration files, taken from the names that Spring gives property sources. */
  private static String files(ConfigurableEnvironment environment) {
    String files =
        environment.getPropertySources().stream()
            .map(source -> FILE.matcher(source.getName()))
            .filter(Matcher::matches)
            .map(file -> file.group(1))
            .collect(Collectors.joining(", "));
    return files.isEmpty() ? "no file" : files;
  }

  private static String management(Binder keys) {
    ServerProperties server = keys.bindOrCreate("server", ServerProperties.class);
    keys.bindOrCreate("management.server", ManagementServerProperties.class);
    Integer port = server.getPort();
    return port == null || port < 0
        ? "not serve health and metrics (management.server.port is -1)"
        : "serve health and metrics on "
            + (port == 0 ? "a free port" : "port " + port)
            + " of "
            + address(server.getAddress());
  }

  private static String address(@Nullable InetAddress address) {
    return address == null ? "all addresses" : address.getHostAddress();
  }
}
