package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.CommandFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateCommandTableTest {

  private static final List<String> SOURCES =
      List.of(
          "redis-7.0.15.json",
          "valkey-8.1.8.json",
          "valkey-9.1.2.json",
          "redis-8.0.6.json",
          "redis-8.2.3.json",
          "redis-8.6.3.json");
  private static final Path TABLE =
      Path.of("src/main/resources/io/penstock/core/command/commands.table");

  @Test
  void theCheckedInTableIsGeneratedFromTheFacts() throws IOException {
    Path facts = Path.of("src/main/tools/facts");
    List<Path> files = SOURCES.stream().map(facts::resolve).toList();

    assertThat(TableTool.run(files.stream().map(Path::toString).toList()))
        .isEqualTo(Files.readString(TABLE, StandardCharsets.US_ASCII));
  }

  @Test
  void theLaterSourceAppliesAndCommandsAreSorted(@TempDir Path folder) throws IOException {
    Path older =
        Files.writeString(
            folder.resolve("older-1.json"),
            """
            [
            {"name":"zap","arity":2,"flags":["fast"],"keys":[0,0,0],"acl":["@fast"],"tips":[]},
            {"name":"box","arity":-2,"flags":[],"keys":[0,0,0],"acl":[],"tips":[],"sub":[
              {"name":"box|old","arity":2,"flags":[],"keys":[0,0,0],"acl":["@slow"],"tips":["a","b"]}]}
            ]
            """);
    Path newer =
        Files.writeString(
            folder.resolve("newer-2.json"),
            """
            [{"name":"zap","arity":-2,"flags":["write","fast"],"keys":[1,-1,2],"acl":["@fast"],"tips":[],
              "keySpecs":[
                {"flags":["RW","insert"],"begin":{"type":"keyword","keyword":"AT","startfrom":-2},
                 "find":{"type":"keynum","keynumidx":0,"firstkey":1,"keystep":1}},
                {"flags":[],"begin":{"type":"unknown"},"find":{"type":"unknown"}}]}]
            """);

    String table = TableTool.run(List.of(older.toString(), newer.toString()));

    assertThat(table).contains("All commands of these sources: older-1, newer-2\n");
    assertThat(TableTool.commandLines(table))
        .containsExactly(
            "box -2 in=older-1",
            "box|old 2 in=older-1 acl=slow tips=a,b",
            "zap -2 flags=write,fast acl=fast range=1,-1,2 "
                + "key=RW,insert@keyword:AT:-2/keynum:0:1:1 key=@unknown/unknown");
    assertThat(TableTool.commandLines(table)).extracting(CommandFacts::parse).hasSize(3);
  }
}
