package io.penstock.core.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What servers tell about themselves in {@code HELLO} beside their version. Immutable.
 *
 * @param modules loaded modules, in the order of the reply
 * @param zone {@code availability_zone} of Valkey; empty if none is configured
 */
public record HelloFacts(List<Module> modules, String zone) {

  /** No modules and no zone. */
  public static final HelloFacts NONE = new HelloFacts(List.of(), "");

  /**
   * A module that a server has loaded.
   *
   * @param path of its file on the server; empty if it is part of the server
   * @param args that it was loaded with
   */
  public record Module(String name, long version, String path, List<String> args) {

    public Module {
      args = List.copyOf(args);
    }
  }

  public HelloFacts {
    modules = List.copyOf(modules);
  }

  /**
   * Returns what all servers have in common: the modules that every server has, in the lowest
   * version, and the zone if it is the same.
   *
   * @param servers what each of them tells
   */
  public static HelloFacts common(List<HelloFacts> servers) {
    if (servers.isEmpty()) {
      return NONE;
    }
    HelloFacts first = servers.getFirst();
    List<Module> modules = new ArrayList<>();
    for (Module module : first.modules) {
      List<Module> found = servers.stream().flatMap(one -> one.named(module.name)).toList();
      if (found.size() == servers.size()) {
        modules.add(Collections.min(found, Comparator.comparingLong(Module::version)));
      }
    }
    boolean sameZone = servers.stream().allMatch(one -> one.zone.equals(first.zone));
    return new HelloFacts(modules, sameZone ? first.zone : "");
  }

  /** Returns the module of that name, if it is loaded. */
  private Stream<Module> named(String name) {
    return modules.stream().filter(one -> one.name.equals(name)).limit(1);
  }
}
