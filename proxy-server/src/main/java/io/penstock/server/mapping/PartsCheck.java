package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.server.config.PropertiesReader;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds keys of an upstream that do not concern it as a shard of another one. */
final class PartsCheck {

  private static final Logger LOG = LoggerFactory.getLogger(PartsCheck.class);

  private final PropertiesReader reader;
  private final List<Upstream> upstreams;

  PartsCheck(PropertiesReader reader, List<Upstream> upstreams) {
    this.reader = reader;
    this.upstreams = upstreams;
  }

  /** Warns of settings that the upstream with the shards decides, and that differ there. */
  void warnOfKeysWithoutEffect() {
    for (Upstream whole : upstreams) {
      for (Upstream part : upstreams) {
        if (whole.kind().parts().contains(part.kind())
            && reader.hasSettingsOfUpstream(part.name())
            && differs(part, whole)) {
          LOG.warn(
              "backend, topology and reads of upstream {} do not concern it as a shard of upstream"
                  + " {}: the settings of {} do",
              part.name(),
              whole.name(),
              whole.name());
        }
      }
    }
  }

  private boolean differs(Upstream part, Upstream whole) {
    return part.reads().usesReplicas()
        || !part.backend().equals(whole.backend())
        || !part.refresh().equals(whole.refresh());
  }
}
