package io.penstock.core.info;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The sections of {@code INFO} in Redis's order, and Penstock's own last. */
public enum InfoSection {
  SERVER,
  CLIENTS,
  MEMORY,
  PERSISTENCE,
  STATS,
  REPLICATION,
  CPU,
  MODULES,
  COMMANDSTATS,
  ERRORSTATS,
  LATENCYSTATS,
  CLUSTER,
  KEYSPACE,
  PENSTOCK,
  CROSSSLOT,
  SHADOW,
  MIRROR;

  private static final Set<InfoSection> MORE = EnumSet.of(COMMANDSTATS, LATENCYSTATS);

  /** Returns the title behind the {@code #}. */
  String title() {
    return switch (this) {
      case CPU -> "CPU";
      case CROSSSLOT -> "CrossSlot";
      default -> name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    };
  }

  /**
   * Returns the sections that a call of {@code INFO} requests.
   *
   * @param words its arguments, ignoring case; {@code default}, {@code all} and {@code everything}
   *     select several sections, an unknown word selects none
   */
  public static Set<InfoSection> named(List<String> words) {
    Set<InfoSection> sections = EnumSet.noneOf(InfoSection.class);
    if (words.isEmpty()) {
      sections.addAll(EnumSet.complementOf(EnumSet.copyOf(MORE)));
    }
    for (String word : words) {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "default" -> sections.addAll(EnumSet.complementOf(EnumSet.copyOf(MORE)));
        case "all" -> sections.addAll(EnumSet.complementOf(EnumSet.of(MODULES)));
        case "everything" -> sections.addAll(EnumSet.allOf(InfoSection.class));
        default -> {
          for (InfoSection section : values()) {
            if (section.name().equalsIgnoreCase(word)) {
              sections.add(section);
            }
          }
        }
      }
    }
    return sections;
  }
}
