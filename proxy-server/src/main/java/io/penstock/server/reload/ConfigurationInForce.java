package io.penstock.server.reload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.server.config.Readiness;
import io.penstock.server.start.StartConfiguration;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration that Penstock follows now. The reload changes it; any thread reads it. */
public final class ConfigurationInForce {

  /**
   * What is in force.
   *
   * @param version 1 at the start, and one more for each change that was applied
   * @param since when it was applied
   * @param readFrom files and folders, the one that wins first
   * @param pending keys whose values in the files are not in force: they need a restart
   * @param lastAttempt the last reload, or null if there was none
   */
  record Snapshot(
      int version,
      Instant since,
      StartConfiguration configuration,
      List<String> readFrom,
      List<String> pending,
      @Nullable Attempt lastAttempt) {

    Snapshot {
      readFrom = List.copyOf(readFrom);
      pending = List.copyOf(pending);
    }
  }

  private final StartConfiguration atStart;
  private volatile Snapshot current;

  ConfigurationInForce(StartConfiguration atStart, List<String> readFrom) {
    this.atStart = atStart;
    this.current = new Snapshot(1, Instant.now(), atStart, readFrom, List.of(), null);
  }

  Snapshot current() {
    return current;
  }

  /** Returns the configuration of the start: what needs a restart is as it says. */
  StartConfiguration atStart() {
    return atStart;
  }

  /**
   * Returns a hash of the keys below {@code penstock} and their values in force, as an unsigned
   * number of 32 bits: equal on all instances that follow the same configuration. What a resource
   * table makes of them is part of it; neither secrets nor the content of SSL bundles are.
   */
  long hash() {
    Map<String, Object> keys =
        ConfigurationTree.of(current.configuration().properties(), atStart.properties());
    try {
      String text = keys + table();
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return Integer.toUnsignedLong(ByteBuffer.wrap(digest).getInt());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JDK has it
    }
  }

  private String table() {
    StartConfiguration now = current.configuration();
    if (now.properties().transpond().local().jsonFile() == null || now.demo()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    append(ProxySettings.DEFAULT_NAME, now.settings(), text);
    ProxySettings.Mirror mirror = now.settings().mirrorOf(ProxySettings.DEFAULT_NAME);
    if (mirror != null) {
      mirror.copies().forEach(copy -> append(copy, now.settings(), text));
    }
    return text.toString();
  }

  private static void append(String upstream, ProxySettings settings, StringBuilder text) {
    if (settings.upstream(upstream) instanceof Upstream.Resp resp) {
      resp.kind()
          .tree()
          .forEach(part -> {
            text.append(' ').append(part.description());
            if (part instanceof ShardsUpstreamSettings shards) {
              text.append(' ').append(shards.layout().settings());
            }
          });
    }
  }

  /** Returns {@link #hash} in hexadecimal. */
  String hashText() {
    return HexFormat.of().toHexDigits((int) hash());
  }

  /** Puts another configuration in force, or adds what the last reload found out. */
  void set(Snapshot next) {
    current = next;
  }

  /** Returns the rule of the readiness probe. */
  public Readiness readiness() {
    return current.configuration().properties().readiness();
  }
}
