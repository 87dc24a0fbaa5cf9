package science.atlarge.graphalytics.quern;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import science.atlarge.graphalytics.domain.algorithms.Algorithm;

/** What quern-run writes, lines "id TAB value", as the benchmark compares it, lines "id value". */
final class Output {
  private Output() {}

  static void convert(Path from, Path to, Algorithm algorithm) throws IOException {
    String unreached = algorithm == Algorithm.BFS ? Long.toString(Long.MAX_VALUE) : "Infinity";
    try (BufferedReader lines = Files.newBufferedReader(from, StandardCharsets.ISO_8859_1);
        BufferedWriter output = Files.newBufferedWriter(to, StandardCharsets.ISO_8859_1)) {
      for (String line; (line = lines.readLine()) != null;) {
        int tab = line.indexOf('\t');
        String value = line.substring(tab + 1);
        output.append(line, 0, tab).append(' ').append(value.equals("inf") ? unreached : value).append('\n');
      }
    }
  }
}
