package io.penstock.server.reload;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The files and folders that a configuration was read from. What they contain is compared by
 * digests: links are followed, so that a swapped link is a change if the content differs, and times
 * do not count, which network mounts round (docs/adr/0040).
 *
 * @param files whether they exist or not; of a folder, the configuration files in it and in its
 *     folders
 * @param trees folders of which every file is a value
 */
record WatchedFiles(Set<Path> files, Set<Path> trees) {

  static final WatchedFiles NONE = new WatchedFiles(Set.of(), Set.of());

  /** Of a larger file only size and time count, in bytes. */
  private static final long MAX_SIZE = 4 << 20;

  /** A folder of configuration has few files; of a larger one the rest is not compared. */
  private static final int MAX_FILES = 1_000;

  private static final int MAX_DEPTH = 10;
  private static final int WILDCARD_DEPTH = 2;

  private static final List<String> EXTENSIONS = List.of(".yml", ".yaml", ".properties");

  WatchedFiles {
    files = Set.copyOf(files);
    trees = Set.copyOf(trees);
  }

  /** Returns these and others. */
  WatchedFiles and(Collection<Path> moreFiles, Collection<Path> moreTrees) {
    Set<Path> allFiles = new TreeSet<>(files);
    allFiles.addAll(moreFiles);
    Set<Path> allTrees = new TreeSet<>(trees);
    allTrees.addAll(moreTrees);
    return new WatchedFiles(allFiles, allTrees);
  }

  /** Returns one file alone, if it is among these. */
  WatchedFiles only(Path file) {
    return new WatchedFiles(files.contains(file) ? Set.of(file) : Set.of(), Set.of());
  }

  /** Returns the paths of both. */
  Set<Path> all() {
    return and(trees, Set.of()).files();
  }

  /** Returns a digest by path; what does not exist has one, too. Reads all files. */
  Map<Path, String> digests() {
    Map<Path, String> digests = new TreeMap<>();
    files.forEach(file -> digests.put(file, digest(file, WILDCARD_DEPTH, EXTENSIONS)));
    trees.forEach(tree -> digests.put(tree, digest(tree, MAX_DEPTH, List.of(""))));
    return digests;
  }

  private static String digest(Path path, int depth, List<String> extensions) {
    try {
      if (Files.isDirectory(path)) {
        return ofFolder(path, depth, extensions);
      }
      return Files.isRegularFile(path) ? ofFile(path) : "none";
    } catch (IOException | SecurityException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String ofFolder(Path folder, int depth, List<String> extensions)
      throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> found = Files.walk(folder, depth, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : found.filter(each -> !isHidden(folder.relativize(each))).sorted().toList()) {
        boolean wanted = extensions.stream().anyMatch(file.toString()::endsWith);
        if (wanted && Files.isRegularFile(file) && all.length() < MAX_FILES * 100) {
          all.append(file).append(' ').append(digest(file, 0, extensions)).append('\n');
        }
      }
    } catch (UncheckedIOException e) {
      throw new IOException(e);
    }
    return all.toString();
  }

  /** The folders of a volume of Kubernetes begin with two dots; its files are links into them. */
  private static boolean isHidden(Path relative) {
    for (Path element : relative) {
      if (element.toString().startsWith("..")) {
        return true;
      }
    }
    return false;
  }

  private static String ofFile(Path file) throws IOException {
    long size = Files.size(file);
    if (size > MAX_SIZE) {
      return size + " " + Files.getLastModifiedTime(file);
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
