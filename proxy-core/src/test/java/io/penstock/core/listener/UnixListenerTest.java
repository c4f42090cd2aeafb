package io.penstock.core.listener;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.penstock.core.listener.ListenAddress.Permissions;
import io.penstock.core.listener.UnusableSocketFileException.Reason;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnixSockets;
import io.penstock.testkit.network.Peer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnixListenerTest {

  @TempDir private Path folder;
  private Path path;
  private @Nullable LoopGroup group;
  private final Admission admission = new Admission(2, ProxyEvents.NONE);

  @BeforeEach
  void setPath() {
    path = folder.resolve("penstock.sock");
  }

  @AfterEach
  void close() {
    if (group != null) {
      result(group.shutdown());
    }
  }

  private LoopGroup group() {
    return group(Transport.NIO);
  }

  private LoopGroup group(Transport transport) {
    if (group == null) {
      group = new LoopGroup(transport, 1);
    }
    return group;
  }

  private Listener listener() {
    return listener(group());
  }

  private Listener listener(LoopGroup loops) {
    var sessions = ListenerTest.sessionLoop(loops);
    return new Listener(loops, _ -> sessions, admission, AcceptSettings.DEFAULTS);
  }

  private Listener bound() {
    return bound(Permissions.NONE);
  }

  private Listener bound(Permissions permissions) {
    Listener listener = listener();
    bind(listener, permissions);
    return listener;
  }

  private void bind(Listener listener, Permissions permissions) {
    result(listener.bind(new ListenAddress.Unix(path.toString(), permissions)));
  }

  private static <T> T result(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private void assertServes() {
    try (Peer client = Peer.connect(path)) {
      client.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  private void assertCannotBind(Reason reason) {
    assertThatThrownBy(() -> bind(listener(), Permissions.NONE))
        .cause()
        .isInstanceOf(CannotBindException.class)
        .hasMessageContaining(path.toString())
        .cause()
        .isInstanceOfSatisfying(
            UnusableSocketFileException.class,
            failure -> assertThat(failure.reason()).isEqualTo(reason));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void eachTransportServesAPathFromBindToClose(Transport transport) throws IOException {
    if (!works(transport)) {
      return;
    }
    Listener listener = listener(group(transport));
    bind(listener, Permissions.NONE);
    assertThat(listener.isOpen()).isTrue();
    assertThat(files()).containsExactly("penstock.sock");
    try (Peer client = Peer.connect(path)) {
      client.send("CLIENT SETNAME near\r\nCLIENT LIST\r\n").expect("+OK\r\n");
      assertThat(client.readBulk())
          .contains(" addr=" + path + ":0 laddr=" + path + ":0 ", " name=near ", " flags=U ");

      result(listener.close());

      assertThat(listener.isOpen()).isFalse();
      assertThat(files()).isEmpty();
      client.send("PING\r\n").expect("+PONG\r\n");
    }
  }

  private static boolean works(Transport transport) {
    Throwable why = transport.unavailability();
    if (why != null) {
      System.out.println("skipped: " + transport.configName() + " does not work here: " + why);
    }
    return why == null;
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOLL", "KQUEUE"})
  void aClientMayEndItsSideBeforeTheReply(Transport transport) {
    if (!works(transport)) {
      return;
    }
    Listener listener = listener(group(transport));
    bind(listener, Permissions.NONE);
    try (Peer client = Peer.connect(path)) {
      client.send("PING\r\nPING\r\n").finishSending().expect("+PONG\r\n+PONG\r\n").expectClosed();
    }
    result(listener.close());
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "KQUEUE"})
  void theProcessOfAClientIsInItsLine(Transport transport) {
    if (!works(transport)) {
      return;
    }
    Listener listener = listener(group(transport));
    bind(listener, Permissions.NONE);
    try (Peer client = Peer.connect(path)) {
      String line = client.send("CLIENT INFO\r\n").readBulk();

      assertThat(line)
          .containsPattern(
              " peer-pid=" + ProcessHandle.current().pid() + " peer-uid=\\d+ peer-gid=\\d+\\s*$");
    }
    result(listener.close());
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"})
  void anAbstractNameIsNoFile(Transport transport) throws Exception {
    if (!works(transport)) {
      return;
    }
    LoopGroup loops = group(transport);
    Listener listener = listener(loops);
    String name = "@penstock-" + ProcessHandle.current().pid();
    result(listener.bind(new ListenAddress.Unix(name)));
    assertThat(listener.isOpen()).isTrue();
    var reply = new CompletableFuture<String>();
    Channel client =
        loops
            .unixClientBootstrap(loops.loops().getFirst(), 5_000)
            .handler(
                new SimpleChannelInboundHandler<ByteBuf>() {
                  @Override
                  protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                    reply.complete(bytes.toString(UTF_8));
                  }
                })
            .connect(loops.unixAddress(name))
            .sync()
            .channel();
    client.writeAndFlush(client.alloc().buffer().writeBytes("CLIENT INFO\r\n".getBytes(UTF_8)));

    assertThat(result(reply)).contains(" addr=" + name + ":0 laddr=" + name + ":0 ");
    Listener second = listener(loops);
    assertThatThrownBy(() -> result(second.bind(new ListenAddress.Unix(name))))
        .cause()
        .isInstanceOf(CannotBindException.class)
        .hasStackTraceContaining("Address already in use");

    client.close().sync();
    result(listener.close());
    Listener third = listener(loops);
    await().untilAsserted(() -> result(third.bind(new ListenAddress.Unix(name))));
    result(third.close());
  }

  @Test
  void nioHasNoAbstractNames() {
    assertThatThrownBy(() -> result(listener().bind(new ListenAddress.Unix("@penstock"))))
        .cause()
        .isInstanceOf(CannotBindException.class)
        .hasStackTraceContaining("transport nio has no abstract names");
  }

  @Test
  void nobodyCanReachTheSocketBeforeItsModeIsSet() throws IOException {
    var address = new ListenAddress.Unix(path.toString(), new Permissions(0600, null, null));
    SocketFile file = SocketFile.create(address);
    Path own = Objects.requireNonNull(file.temporary().getParent());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
        .isEqualTo("rwx------");
    try (var bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      bound.bind(UnixDomainSocketAddress.of(file.temporary()));
      assertThat(path).doesNotExist();

      file.publish();

      assertThat(permissions()).isEqualTo("rw-------");
      assertThat(files()).containsExactly("penstock.sock");
      file.delete();
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void aFileThatAppearsMeanwhileIsKept() throws IOException {
    SocketFile file = SocketFile.create(new ListenAddress.Unix(path.toString()));
    try (var bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      bound.bind(UnixDomainSocketAddress.of(file.temporary()));
      Files.writeString(path, "mine");

      assertThatThrownBy(file::publish).isInstanceOf(UnusableSocketFileException.class);

      file.delete();
      assertThat(path).hasContent("mine");
      assertThat(files()).containsExactly("penstock.sock");
    }
  }

  @Test
  void theFileHasTheModeThatIsSet() throws IOException {
    bound(new Permissions(0660, null, null));

    assertThat(permissions()).isEqualTo("rw-rw----");
  }

  @Test
  void withoutAModeTheUmaskDecides() throws IOException {
    bound();
    Path other = folder.resolve("other.sock");
    try (var plain = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      plain.bind(UnixDomainSocketAddress.of(other));

      assertThat(permissions())
          .isEqualTo(PosixFilePermissions.toString(Files.getPosixFilePermissions(other)));
    }
  }

  private String permissions() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void theFileGetsTheOwnerAndGroupThatAreSet() throws IOException {
    boolean root = "root".equals(System.getProperty("user.name"));
    GroupPrincipal own =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS).group();
    String user = root ? "65534" : null;

    bound(new Permissions(0600, user, root ? "65533" : own.getName()));

    assertThat(permissions()).isEqualTo("rw-------");
    if (root) {
      assertThat(Files.getAttribute(path, "unix:uid")).isEqualTo(65534);
      assertThat(Files.getAttribute(path, "unix:gid")).isEqualTo(65533);
    }
  }

  @Test
  void anUnknownOwnerLeavesNothingBehind() throws IOException {
    assertThatThrownBy(() -> bound(new Permissions(null, "no-such-user", null)))
        .cause()
        .isInstanceOf(CannotBindException.class)
        .hasRootCauseInstanceOf(UserPrincipalNotFoundException.class);

    assertThat(files()).isEmpty();
  }

  /** What a process that was killed leaves. */
  private void leaveStaleFile() throws IOException {
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(path).exists();
  }

  @Test
  void aStaleFileIsReplaced() throws IOException {
    leaveStaleFile();

    bound(new Permissions(0600, null, null));

    assertServes();
    assertThat(permissions()).isEqualTo("rw-------");
    assertThat(files()).containsExactly("penstock.sock");
  }

  @Test
  void aSocketOnWhichAProcessListensIsInUse() throws IOException {
    Listener first = bound();

    assertCannotBind(Reason.IN_USE);

    assertServes();
    assertThat(first.isOpen()).isTrue();
    assertThat(files()).containsExactly("penstock.sock");
  }

  @Test
  void aFrozenProcessIsFoundWithoutWaiting() throws IOException {
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path), 1); // and accepts nobody
      try (Peer _ = Peer.connect(path);
          Peer _ = Peer.connect(path)) {
        assertCannotBind(Reason.IN_USE);
      }
    }
    assertThat(files()).containsExactly("penstock.sock");
  }

  @Test
  void otherFilesAreKept() throws IOException {
    Files.writeString(path, "mine");
    assertCannotBind(Reason.OTHER_FILE);
    assertThat(path).hasContent("mine");

    Files.delete(path);
    Files.createDirectory(path);
    assertCannotBind(Reason.OTHER_FILE);
    assertThat(path).isDirectory();

    Files.delete(path);
    Files.createSymbolicLink(path, folder.resolve("elsewhere"));
    assertCannotBind(Reason.OTHER_FILE);
    assertThat(path).isSymbolicLink();
    assertThat(files()).containsExactly("penstock.sock");
  }

  @Test
  void aFolderThatIsMissingIsReported() {
    path = folder.resolve("missing").resolve("penstock.sock");

    assertCannotBind(Reason.NO_FOLDER);
  }

  @Test
  void theLongestPathCanBeBound() {
    int room = ListenAddress.Unix.MAX_PATH_BYTES - folder.toString().length() - 1;
    path = folder.resolve("x".repeat(room));

    bound();

    assertServes();
  }

  @Test
  void aPathThatCannotBeBoundLeavesNothingBehind() throws IOException {
    int room = UnixSockets.MAX_BYTES - folder.toString().length() - 1; // none for the own folder
    path = folder.resolve("x".repeat(room));

    assertThatThrownBy(this::bound).cause().isInstanceOf(CannotBindException.class);

    assertThat(files()).isEmpty();
  }

  @Test
  void afterItsFileIsReplacedAListenerIsNotOpen() throws IOException {
    Listener first = bound();
    Files.delete(path);
    assertThat(first.isOpen()).isFalse();
    Listener second = bound();

    result(first.close());

    assertThat(second.isOpen()).isTrue();
    assertServes();
  }

  @Test
  void clientsAboveTheLimitAreRejectedAsInRedis() {
    bound();
    try (Peer first = Peer.connect(path);
        Peer second = Peer.connect(path)) {
      first.send("PING\r\n").expect("+PONG\r\n");
      second.send("PING\r\n").expect("+PONG\r\n");
      try (Peer third = Peer.connect(path)) {
        third.expect("-ERR max number of clients reached\r\n").expectClosed();
      }
    }
    assertThat(admission.rejected()).isEqualTo(1);
  }

  @Test
  void fastConnectsWait() {
    var sessions = ListenerTest.sessionLoop(group());
    var limited =
        new Listener(
            group(),
            _ -> sessions,
            new Admission(100, ProxyEvents.NONE),
            new AcceptSettings(20, AcceptSettings.DEFAULTS.keepAlive()));
    bind(limited, Permissions.NONE);
    Peer[] clients = new Peer[20];
    for (int i = 0; i < clients.length; i++) {
      clients[i] = Peer.connect(path);
    }
    for (Peer client : clients) {
      client.send("PING\r\n").expect("+PONG\r\n").close();
    }
  }

  @Test
  void namesAreChecked() {
    int most = UnixSockets.MAX_BYTES;
    assertThat(UnixSockets.fault("/run/a.sock", most)).isNull();
    assertThat(UnixSockets.fault("@a", most)).isNull();
    assertThat(UnixSockets.fault("/" + "x".repeat(most - 1), most)).isNull();
    assertThat(UnixSockets.fault("/" + "x".repeat(most), most))
        .isEqualTo("it has " + (most + 1) + " bytes, and the longest possible name has " + most);
    assertThat(UnixSockets.fault("/" + "ü".repeat(most / 2 + 1), most)).contains("bytes");
    assertThat(UnixSockets.fault("a.sock", most)).contains("neither an absolute path");
    assertThat(UnixSockets.fault("@", most)).contains("no name behind the @");
    assertThat(UnixSockets.fault("/run/", most)).contains("folder");
    assertThat(UnixSockets.fault("/a\nb", most)).contains("control character");
  }
}
