package io.penstock.core;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.penstock.core.spec.CommandSpec;
import java.net.InetAddress;
import java.security.Security;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The packages of docs/architecture.md and the allowed dependencies between them. */
class ArchitectureTest {

  private static final String CORE = "io.penstock.core.";

  /** The packages that each package may depend on. The root package may depend on all. */
  private static final Map<String, Set<String>> ALLOWED_DEPENDENCIES =
      Map.ofEntries(
          Map.entry("failure", Set.of()),
          Map.entry("tls", Set.of("failure")),
          Map.entry("upstream", Set.of("tls")),
          Map.entry("cluster", Set.of("upstream")),
          Map.entry("hash", Set.of("cluster")),
          Map.entry("layout", Set.of("upstream", "hash")),
          Map.entry("resp", Set.of()),
          Map.entry("spec", Set.of("resp")),
          Map.entry("command", Set.of("resp", "spec")),
          Map.entry("mirror", Set.of("resp", "spec")),
          Map.entry("output", Set.of()),
          Map.entry("transport", Set.of("failure", "output")),
          Map.entry("observe", Set.of("upstream", "cluster")),
          Map.entry("info", Set.of("upstream", "observe")),
          Map.entry("control", Set.of("failure", "tls", "upstream", "output", "transport")),
          Map.entry(
              "topology", Set.of("failure", "upstream", "cluster", "output", "observe", "control")),
          Map.entry(
              "discovery",
              Set.of("upstream", "cluster", "output", "observe", "control", "topology")),
          Map.entry(
              "sentinel",
              Set.of("tls", "upstream", "cluster", "output", "observe", "control", "topology")),
          Map.entry("shards", Set.of("upstream", "layout", "observe", "control", "topology")),
          Map.entry("division", Set.of("upstream", "cluster", "control", "topology")),
          Map.entry("split", Set.of("upstream", "control", "topology")),
          Map.entry("replicas", Set.of("failure", "upstream", "observe", "control")),
          Map.entry(
              "survey", Set.of("upstream", "cluster", "command", "output", "observe", "control")),
          Map.entry("route", Set.of("upstream", "resp", "spec", "command")),
          Map.entry("backend", Set.of("tls", "upstream", "resp", "output", "transport", "observe")),
          Map.entry("node", Set.of("upstream", "resp", "transport", "observe", "backend")),
          Map.entry(
              "pubsub",
              Set.of(
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "node")),
          Map.entry(
              "dispatch",
              Set.of("upstream", "resp", "output", "transport", "observe", "backend", "node")),
          Map.entry("acl", Set.of("resp", "spec", "command")),
          Map.entry("prefix", Set.of("resp", "spec", "command", "reply", "client")),
          Map.entry(
              "users",
              Set.of(
                  "acl", "resp", "spec", "command", "output", "observe", "limit", "reply", "client",
                  "prefix")),
          Map.entry("tcp", Set.of("control", "tls", "upstream", "output", "transport", "observe")),
          Map.entry("limit", Set.of("resp", "spec", "output", "transport", "observe")),
          Map.entry(
              "reply",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "limit")),
          Map.entry(
              "client",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "node",
                  "dispatch",
                  "limit",
                  "reply")),
          Map.entry("read", Set.of("upstream", "transport", "dispatch")),
          Map.entry(
              "resync",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "mirror",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "dispatch",
                  "side",
                  "shadow",
                  "copies")),
          Map.entry(
              "shadow",
              Set.of(
                  "side",
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "dispatch")),
          Map.entry("side", Set.of("upstream", "cluster", "resp", "backend", "dispatch")),
          Map.entry(
              "copies",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "mirror",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "dispatch",
                  "side",
                  "shadow")),
          Map.entry(
              "mirroring",
              Set.of(
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "command",
                  "mirror",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "dispatch",
                  "side",
                  "copies",
                  "reply",
                  "client",
                  "retry")),
          Map.entry(
              "script",
              Set.of("resp", "spec", "command", "output", "backend", "dispatch", "client")),
          Map.entry(
              "retry",
              Set.of(
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "node",
                  "dispatch",
                  "limit",
                  "reply",
                  "client",
                  "read",
                  "script")),
          Map.entry(
              "forward",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "node",
                  "pubsub",
                  "limit",
                  "reply",
                  "client",
                  "script",
                  "retry",
                  "shadow",
                  "mirroring")),
          Map.entry(
              "directory",
              Set.of(
                  "tls",
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "info",
                  "route",
                  "backend",
                  "limit",
                  "reply",
                  "client",
                  "script")),
          Map.entry(
              "answer",
              Set.of(
                  "acl",
                  "tls",
                  "users",
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "command",
                  "transport",
                  "observe",
                  "info",
                  "limit",
                  "reply",
                  "client",
                  "directory")),
          Map.entry(
              "subscribe",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "pubsub",
                  "limit",
                  "reply",
                  "client")),
          Map.entry(
              "steps",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "node",
                  "dispatch",
                  "limit",
                  "reply",
                  "client",
                  "retry")),
          Map.entry(
              "transaction",
              Set.of(
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "node",
                  "dispatch",
                  "limit",
                  "reply",
                  "client",
                  "script",
                  "retry",
                  "forward",
                  "directory",
                  "answer",
                  "steps",
                  "mirror",
                  "mirroring")),
          Map.entry(
              "crossslot",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "limit",
                  "dispatch",
                  "reply",
                  "client",
                  "script",
                  "retry",
                  "forward",
                  "steps",
                  "transaction",
                  "blocking",
                  "waiting")),
          Map.entry(
              "blocking",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "dispatch",
                  "backend",
                  "node",
                  "reply",
                  "client",
                  "retry",
                  "directory",
                  "transaction",
                  "mirror",
                  "mirroring")),
          Map.entry(
              "waiting",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "dispatch",
                  "reply",
                  "client",
                  "retry",
                  "forward",
                  "directory",
                  "transaction",
                  "blocking",
                  "steps")),
          Map.entry(
              "replication",
              Set.of(
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "backend",
                  "node",
                  "reply",
                  "client",
                  "retry",
                  "blocking")),
          Map.entry(
              "session",
              Set.of(
                  "acl",
                  "tls",
                  "users",
                  "shadow",
                  "upstream",
                  "resp",
                  "spec",
                  "command",
                  "output",
                  "transport",
                  "observe",
                  "route",
                  "backend",
                  "pubsub",
                  "dispatch",
                  "limit",
                  "reply",
                  "client",
                  "script",
                  "retry",
                  "forward",
                  "directory",
                  "answer",
                  "subscribe",
                  "transaction",
                  "crossslot",
                  "blocking",
                  "replication",
                  "waiting",
                  "mirroring")),
          Map.entry(
              "listener", Set.of("failure", "tls", "output", "transport", "observe", "session")),
          Map.entry(
              "assembly",
              Set.of(
                  "users",
                  "side",
                  "resync",
                  "shadow",
                  "tls",
                  "upstream",
                  "cluster",
                  "resp",
                  "spec",
                  "command",
                  "transport",
                  "observe",
                  "info",
                  "control",
                  "topology",
                  "replicas",
                  "survey",
                  "route",
                  "backend",
                  "pubsub",
                  "dispatch",
                  "limit",
                  "client",
                  "script",
                  "directory",
                  "answer",
                  "crossslot",
                  "session",
                  "tcp",
                  "listener",
                  "mirroring",
                  "copies")),
          Map.entry(
              "change",
              Set.of(
                  "failure",
                  "tls",
                  "upstream",
                  "cluster",
                  "command",
                  "transport",
                  "observe",
                  "control",
                  "topology",
                  "backend",
                  "limit",
                  "listener",
                  "tcp",
                  "assembly")));

  private static final int MAX_CLASSES_IN_PACKAGE = 30;

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.penstock.core");

  @Test
  void packagesHaveNoCyclicDependencies() {
    slices()
        .matching("io.penstock.core.(*)..")
        .should()
        .beFreeOfCycles()
        .because("a command passes through the packages in one direction")
        .check(CLASSES);
  }

  @Test
  void eachPackageDependsOnlyOnAllowedOnes() {
    ALLOWED_DEPENDENCIES.forEach((name, allowed) -> {
      String[] others =
          ALLOWED_DEPENDENCIES.keySet().stream()
              .filter(other -> !other.equals(name) && !allowed.contains(other))
              .map(other -> CORE + other + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage(CORE + name + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others)
          .because("the package '" + name + "' may depend only on " + allowed)
          .check(CLASSES);
    });
  }

  @Test
  void everyPackageIsInTheTable() {
    assertThat(CLASSES.getPackage("io.penstock.core").getSubpackages())
        .extracting(JavaPackage::getName)
        .as("a new package must be in the table of allowed dependencies")
        .containsExactlyInAnyOrderElementsOf(
            ALLOWED_DEPENDENCIES.keySet().stream().map(name -> CORE + name).toList());
  }

  @Test
  void packagesHaveAtMostThirtyClasses() {
    Map<String, Long> crowded = new TreeMap<>();
    CLASSES.stream()
        .filter(ArchitectureTest::isCounted)
        .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()))
        .forEach((name, classes) -> {
          if (classes > MAX_CLASSES_IN_PACKAGE) {
            crowded.put(name, classes);
          }
        });

    assertThat(crowded)
        .as(
            "classes by package; a package with more than %s must be divided",
            MAX_CLASSES_IN_PACKAGE)
        .isEmpty();
  }

  private static boolean isCounted(JavaClass type) {
    return type.isTopLevelClass() && !type.getSimpleName().equals("package-info");
  }

  @Test
  void noPackageDependsOnTheRootPackage() {
    noClasses()
        .that()
        .resideInAPackage("io.penstock.core.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.penstock.core")
        .because("Proxy assembles the packages, which can be tested without it")
        .check(CLASSES);
  }

  @Test
  void packagesWithoutIoDoNotDependOnChannels() {
    noClasses()
        .that()
        .resideInAnyPackage(
            CORE + "resp..",
            CORE + "spec..",
            CORE + "command..",
            CORE + "upstream..",
            CORE + "cluster..",
            CORE + "route..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty.channel..")
        .because("the wire format and routing are pure functions of bytes")
        .check(CLASSES);
  }

  @Test
  void theCoreDoesNotDependOnSpring() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "io.micrometer..")
        .because("the core is a library; the application around it is one of its users")
        .check(CLASSES);
  }

  @Test
  void onlyTheControlPlaneUsesLettuce() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            CORE + "control..",
            CORE + "topology..",
            CORE + "discovery..",
            CORE + "sentinel..",
            CORE + "survey..",
            CORE + "replicas..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.lettuce..")
        .because("Lettuce is the control plane's client and never in the data path")
        .check(CLASSES);
  }

  @Test
  void decisionsAreNotMadeByNamesOfCommands() {
    noClasses()
        .that()
        .resideOutsideOfPackages(CORE + "spec..", CORE + "command..")
        .and()
        .haveNameNotMatching( // these show the name
            ".*\\.(session\\.(Intake|ClientView|SessionUser)|assembly\\.StatsCollector|shadow\\.ShadowCounts|copies\\.CopyCounts|answer\\.(ClusterReplies|AclReplies)|acl\\.Permissions|users\\.UserRules|prefix\\.PrefixErrors)")
        .should()
        .callMethodWhere(
            target(
                calls(
                    "a method that returns a command's name",
                    CommandSpec.class,
                    List.of("name", "wireName", "displayName", "facts"))))
        .because("facts about single commands stand in handling.table, as handlings and traits")
        .check(CLASSES);
  }

  @Test
  void pipelinesAreBuiltInThreePlaces() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(CORE + "listener.ClientPipeline")
        .and()
        .doNotHaveFullyQualifiedName(CORE + "backend.BackendPipeline")
        .and()
        .haveNameNotMatching(".*\\.tcp\\.ServerPipeline(\\$.*)?")
        .and()
        .resideOutsideOfPackage(CORE + "control..") // changes those that Lettuce builds
        .should()
        .callMethodWhere(
            target(
                calls(
                    "a method that changes a pipeline",
                    ChannelPipeline.class,
                    List.of("addLast", "addFirst", "addBefore", "addAfter", "replace"))))
        .because("a whole pipeline must be visible on one screen")
        .check(CLASSES);
  }

  @Test
  void nothingBlocksOnAFuture() {
    WAITING.keySet().forEach(owner -> doesNotWaitFor(owner).check(CLASSES));
  }

  @Test
  void theBlockingRuleDetectsAllKindsOfFutures() {
    JavaClasses waiting = new ClassFileImporter().importClasses(Waiting.class);

    assertThat(doesNotWaitFor(Future.class).evaluate(waiting).getFailureReport().getDetails())
        .hasSize(3);
  }

  private static final class Waiting {
    @SuppressWarnings("unused") // analysed, never run
    static void three(CompletableFuture<String> a, ChannelFuture b, Future<String> c)
        throws Exception {
      a.join();
      b.sync();
      c.get();
    }
  }

  private static ArchRule doesNotWaitFor(Class<?> owner) {
    List<String> methods = WAITING.getOrDefault(owner, List.of());
    return noClasses()
        .that()
        .haveNameNotMatching(
            ".*\\.(dispatch\\.(ClientThread|Turn)|transport\\.(AlarmClock|GatheringIoHandler)|tls\\.TlsBundle)")
        .should()
        .callMethodWhere(target(calls("a blocking method", owner, methods)))
        .because(
            "a blocked event loop stops all of its clients; a blocked client thread stops one");
  }

  private static final Map<Class<?>, List<String>> WAITING =
      Map.of(
          Future.class,
          List.of("get", "join", "sync", "syncUninterruptibly", "await", "awaitUninterruptibly"),
          Thread.class,
          List.of("sleep", "join", "yield", "onSpinWait"),
          Object.class,
          List.of("wait"),
          CountDownLatch.class,
          List.of("await"),
          Semaphore.class,
          List.of("acquire", "acquireUninterruptibly", "tryAcquire"),
          Lock.class,
          List.of("lock", "lockInterruptibly"),
          Condition.class,
          List.of("await", "awaitUninterruptibly", "awaitNanos", "awaitUntil"),
          LockSupport.class,
          List.of("park", "parkNanos", "parkUntil"),
          BlockingQueue.class,
          List.of("put", "take"));

  @Test
  void hostNamesAreResolvedInOnePlace() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.OffLoopResolver(\\$.*)?")
        .should()
        .callMethodWhere(
            target(
                calls(
                    "a method that queries a name server",
                    InetAddress.class,
                    List.of(
                        "getByName",
                        "getAllByName",
                        "getLocalHost",
                        "getHostName",
                        "getCanonicalHostName"))))
        .because("a slow name server must not stop an event loop")
        .check(CLASSES);
  }

  @Test
  void theCoreSetsNothingForTheWholeJvm() {
    SETTING.keySet().forEach(owner -> doesNotSet(owner).check(CLASSES));
  }

  @Test
  void theRuleForTheWholeJvmDetectsProperties() {
    JavaClasses setting = new ClassFileImporter().importClasses(Setting.class);

    assertThat(doesNotSet(System.class).evaluate(setting).getFailureReport().getDetails())
        .hasSize(1);
    assertThat(doesNotSet(Security.class).evaluate(setting).getFailureReport().getDetails())
        .hasSize(1);
  }

  private static final class Setting {
    @SuppressWarnings("unused") // analysed, never run
    static void two() {
      System.setProperty("io.netty.noUnsafe", "true");
      Security.setProperty("networkaddress.cache.ttl", "5");
    }
  }

  private static ArchRule doesNotSet(Class<?> owner) {
    List<String> methods = SETTING.getOrDefault(owner, List.of());
    return noClasses()
        .should()
        .callMethodWhere(target(calls("a method that changes the whole JVM", owner, methods)))
        .because("the core is a library: its host decides on settings of the whole JVM");
  }

  private static final Map<Class<?>, List<String>> SETTING =
      Map.of(
          System.class,
          List.of(
              "setProperty", "setProperties", "clearProperty", "getProperties", "setOut", "setErr"),
          Security.class,
          List.of("setProperty", "addProvider", "insertProviderAt", "removeProvider"),
          Runtime.class,
          List.of("addShutdownHook", "exit", "halt"),
          Thread.class,
          List.of("setDefaultUncaughtExceptionHandler"),
          Locale.class,
          List.of("setDefault"),
          TimeZone.class,
          List.of("setDefault"),
          ResourceLeakDetector.class,
          List.of("setLevel"),
          InternalLoggerFactory.class,
          List.of("setDefaultFactory"));

  @Test
  void noMethodIsSynchronized() {
    ArchRuleDefinition.noMethods()
        .should()
        .haveModifier(JavaModifier.SYNCHRONIZED)
        .because("state belongs to one loop, or is an immutable snapshot behind a volatile")
        .check(CLASSES);
  }

  @Test
  void everyPackageIsNullMarked() {
    classes()
        .that(isNotPackageInfo())
        .should()
        .resideInAnyPackage(
            CLASSES.stream()
                .map(JavaClass::getPackage)
                .filter(here -> here.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName)
                .distinct()
                .toArray(String[]::new))
        .because("each package has a package-info with @NullMarked and a description")
        .check(CLASSES);
  }

  @Test
  void classNamesHaveNoVagueSuffixes() {
    noClasses()
        .should()
        .haveSimpleNameEndingWith("Manager")
        .orShould()
        .haveSimpleNameEndingWith("Helper")
        .orShould()
        .haveSimpleNameEndingWith("Util")
        .orShould()
        .haveSimpleNameEndingWith("Utils")
        .orShould()
        .haveSimpleNameEndingWith("Impl")
        .because("such names describe nothing")
        .check(CLASSES);
  }

  private static DescribedPredicate<JavaClass> isNotPackageInfo() {
    return DescribedPredicate.describe(
        "are no package-info", type -> !type.getSimpleName().equals("package-info"));
  }

  private static DescribedPredicate<CodeUnitCallTarget> calls(
      String description, Class<?> owner, List<String> names) {
    return DescribedPredicate.describe(
        description,
        called -> names.contains(called.getName()) && called.getOwner().isAssignableTo(owner));
  }
}
