package io.penstock.core.command;

import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.BeginSearch;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.KeyFlag;
import io.penstock.core.spec.KeySpec;
import java.util.List;

/** Writes specs in the form of a reply to {@code COMMAND INFO}. */
final class CommandInfoWriter {

  private final ReplyWriter reply;

  CommandInfoWriter(ReplyWriter reply) {
    this.reply = reply;
  }

  void write(CommandSpec spec) {
    CommandFacts.LegacyRange range = spec.facts().range();
    reply.array(10);
    reply.bulk(spec.wireName());
    reply.integer(spec.arity());
    reply.set(spec.facts().flags().size());
    for (CommandFlag flag : spec.facts().flags()) {
      reply.status(flag.wireName());
    }
    reply.integer(range.first());
    reply.integer(range.last());
    reply.integer(range.step());
    reply.set(spec.aclCategories().size());
    for (AclCategory category : spec.aclCategories()) {
      reply.status("@" + category.wireName());
    }
    tips(spec.tips());
    reply.set(spec.keySpecs().size());
    for (KeySpec keySpec : spec.keySpecs()) {
      keySpec(keySpec);
    }
    reply.set(spec.subcommands().size());
    for (CommandSpec subcommand : spec.subcommands()) {
      write(subcommand);
    }
  }

  private void tips(List<String> tips) {
    reply.set(tips.size());
    for (String tip : tips) {
      reply.bulk(tip);
    }
  }

  private void keySpec(KeySpec spec) {
    reply.map(3);
    reply.bulk("flags");
    reply.set(spec.flags().size());
    for (KeyFlag flag : spec.flags()) {
      reply.status(flag.wireName());
    }
    reply.bulk("begin_search");
    reply.map(2);
    switch (spec.begin()) {
      case BeginSearch.Index(int index) -> {
        type("index", 1);
        number("index", index);
      }
      case BeginSearch.Keyword(String keyword, int startFrom) -> {
        type("keyword", 2);
        reply.bulk("keyword");
        reply.bulk(keyword);
        number("startfrom", startFrom);
      }
      case BeginSearch.Unknown() -> type("unknown", 0);
    }
    reply.bulk("find_keys");
    reply.map(2);
    findKeys(spec.find());
  }

  private void findKeys(FindKeys find) {
    switch (find) {
      case FindKeys.Range(int lastKey, int keyStep, int limit) -> {
        type("range", 3);
        number("lastkey", lastKey);
        number("keystep", keyStep);
        number("limit", limit);
      }
      case FindKeys.KeyNum(int keyNumIndex, int firstKey, int keyStep) -> {
        type("keynum", 3);
        number("keynumidx", keyNumIndex);
        number("firstkey", firstKey);
        number("keystep", keyStep);
      }
      case FindKeys.Unknown() -> type("unknown", 0);
    }
  }

  private void type(String type, int fields) {
    reply.bulk("type");
    reply.bulk(type);
    reply.bulk("spec");
    reply.map(fields);
  }

  private void number(String name, int value) {
    reply.bulk(name);
    reply.integer(value);
  }
}
