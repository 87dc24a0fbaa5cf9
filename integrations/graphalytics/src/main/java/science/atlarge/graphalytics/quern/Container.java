package science.atlarge.graphalytics.quern;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import science.atlarge.graphalytics.domain.graph.FormattedGraph;
import science.atlarge.graphalytics.execution.PlatformExecutionException;

/** A graph of the benchmark as a container, alone in a folder. */
final class Container {
  private Container() {}

  /** Gives the path of the container. What it is made from must be what the benchmark says. */
  static Path importGraph(FormattedGraph graph, Settings settings)
      throws PlatformExecutionException, IOException {
    if (graph.getEdgeProperties().size() > 1) {
      throw new PlatformExecutionException(graph.getName() + " has "
          + graph.getEdgeProperties().size() + " properties of edges; at most one, the weight, can be loaded");
    }
    Path folder = Files.createTempDirectory(
        Files.createDirectories(settings.containers()), graph.getName() + "-");
    Path container = folder.resolve("graph.qrn");
    try {
      Tool.run(command(graph, describe(graph, folder), container, settings));
    } catch (PlatformExecutionException | IOException | RuntimeException failure) {
      delete(container);
      throw failure;
    }
    return container;
  }

  /** The file of properties by which quern-import finds, reads and counts the graph's two files. */
  private static Path describe(FormattedGraph graph, Path folder) throws IOException {
    Files.createSymbolicLink(folder.resolve("graph.v"), Paths.get(graph.getVertexFilePath()).toAbsolutePath());
    Files.createSymbolicLink(folder.resolve("graph.e"), Paths.get(graph.getEdgeFilePath()).toAbsolutePath());
    return Files.write(folder.resolve("graph.properties"), List.of(
        "graph.graph.vertex-file = graph.v",
        "graph.graph.edge-file = graph.e",
        "graph.graph.directed = " + graph.isDirected(),
        "graph.graph.meta.vertices = " + graph.getNumberOfVertices(),
        "graph.graph.meta.edges = " + graph.getNumberOfEdges()));
  }

  private static List<String> command(FormattedGraph graph, Path properties, Path container, Settings settings) {
    List<String> command = new ArrayList<>(List.of(settings.tool("quern-import"), properties.toString(),
        "--format=graphalytics", "--output", container.toString(), "--transpose=also", "--quiet"));
    command.addAll(graph.hasEdgeProperties() ? settings.weights() : List.of("--weights=none"));
    if (!settings.layout().equals("graph")) {
      command.add("--layout=" + settings.layout());
    }
    command.addAll(settings.threads());
    return command;
  }

  /** With its folder, which has files and links only. */
  static void delete(Path container) throws IOException {
    Path folder = container.getParent();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
