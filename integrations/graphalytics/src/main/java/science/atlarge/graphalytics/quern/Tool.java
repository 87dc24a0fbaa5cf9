package science.atlarge.graphalytics.quern;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import science.atlarge.graphalytics.execution.PlatformExecutionException;

/** A tool of Quern, run as a process to its end. */
final class Tool {
  private Tool() {}

  /** Runs a tool of which nothing but success is asked. */
  static void run(List<String> command) throws PlatformExecutionException {
    try {
      Path scratch = Files.createTempDirectory("quern-");
      Path report = scratch.resolve("report"), messages = scratch.resolve("messages");
      try {
        run(command, report, messages, scratch.resolve("process"));
      } finally {
        Files.deleteIfExists(report);
        Files.deleteIfExists(messages);
        Files.delete(scratch);
      }
    } catch (IOException failure) {
      throw new PlatformExecutionException("No room for temporary files: " + failure, failure);
    }
  }

  /**
   * Runs a tool whose standard output goes to the report and whose messages go to another file,
   * and are what the exception says if it fails. While it runs its number is in a third file.
   */
  static void run(List<String> command, Path report, Path messages, Path number)
      throws PlatformExecutionException {
    String name = command.get(0);
    try {
      Process process = new ProcessBuilder(command)
          .redirectOutput(report.toFile()).redirectError(messages.toFile()).start();
      try {
        Files.writeString(number, Long.toString(process.pid()));
        int code = process.waitFor();
        if (code != 0) {
          String said = new String(Files.readAllBytes(messages), StandardCharsets.UTF_8).trim();
          throw new PlatformExecutionException(
              said.isEmpty() ? name + " ended with exit code " + code : said);
        }
      } finally {
        process.destroyForcibly(); // if it still runs: nobody waits for it any longer
        Files.deleteIfExists(number);
      }
    } catch (IOException failure) {
      throw new PlatformExecutionException("Cannot run " + name + ": " + failure.getMessage(), failure);
    } catch (InterruptedException failure) {
      Thread.currentThread().interrupt();
      throw new PlatformExecutionException(name + " was interrupted", failure);
    }
  }

  /** Kills the process whose number is in a file, if one runs. */
  static void kill(Path number) throws IOException {
    try {
      Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(Files.readString(number)));
      process.ifPresent(ProcessHandle::destroyForcibly);
    } catch (NoSuchFileException ended) {
      return;
    }
  }
}
