package science.atlarge.graphalytics.quern;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import science.atlarge.graphalytics.domain.graph.FormattedGraph;
import science.atlarge.graphalytics.domain.graph.LoadedGraph;
import science.atlarge.graphalytics.execution.Platform;
import science.atlarge.graphalytics.execution.PlatformExecutionException;
import science.atlarge.graphalytics.execution.RunSpecification;
import science.atlarge.graphalytics.report.result.BenchmarkMetric;
import science.atlarge.graphalytics.report.result.BenchmarkMetrics;

/**
 * Quern as a platform of LDBC Graphalytics: a graph is imported into a container once, and every
 * run is a process of quern-run on it. The benchmark finds this class by its name.
 *
 * <p>It loads and deletes graphs, and terminates runs, in one process, and runs in others, so that
 * what one method leaves for another lies in files: the container, the report and the number of
 * the process.
 */
public class QuernPlatform implements Platform {
  private static final Pattern KERNEL_SECONDS =
      Pattern.compile("\"seconds\":\\s*\\{[^}]*\"kernel\":\\s*([-+.0-9eE]+)");

  private final Settings settings = Settings.load();

  @Override
  public String getPlatformName() {
    return "quern";
  }

  @Override
  public void verifySetup() throws PlatformExecutionException {
    for (String tool : List.of("quern-import", "quern-run")) {
      Tool.run(List.of(settings.tool(tool), "--version"));
    }
  }

  @Override
  public LoadedGraph loadGraph(FormattedGraph graph) throws Exception {
    return new LoadedGraph(graph, Container.importGraph(graph, settings).toString());
  }

  @Override
  public void deleteGraph(LoadedGraph graph) throws IOException {
    if (graph != null) { // of a graph that could not be loaded
      Container.delete(Paths.get(graph.getLoadedPath()));
    }
  }

  @Override
  public void prepare(RunSpecification run) {}

  @Override
  public void startup(RunSpecification run) throws IOException {
    Files.createDirectories(logs(run));
  }

  @Override
  public void run(RunSpecification run) throws PlatformExecutionException {
    Path container = Paths.get(run.getRuntimeSetup().getLoadedGraph().getLoadedPath());
    List<String> command = new ArrayList<>(List.of(settings.tool("quern-run")));
    command.addAll(Parameters.of(run.getBenchmarkRun()));
    command.addAll(List.of(container.toString(), "--json", "--quiet"));
    command.addAll(settings.whereToRun());
    try {
      if (run.getBenchmarkRunSetup().isOutputRequired()) {
        runAndWrite(run, command);
      } else {
        runTool(run, command);
      }
    } catch (IOException failure) {
      throw new PlatformExecutionException("The output cannot be written: " + failure, failure);
    }
  }

  private static void runAndWrite(RunSpecification run, List<String> command)
      throws PlatformExecutionException, IOException {
    Path folder = Files.createDirectories(run.getBenchmarkRunSetup().getOutputDir());
    Path values = folder.resolve("values.tsv"); // the benchmark reads all files of the folder
    command.addAll(List.of("--output", values.toString(), "--force"));
    runTool(run, command);
    Output.convert(values, folder.resolve(run.getBenchmarkRun().getName()),
        run.getBenchmarkRun().getAlgorithm());
    Files.delete(values);
  }

  private static void runTool(RunSpecification run, List<String> command)
      throws PlatformExecutionException {
    Tool.run(command, report(run), logs(run).resolve("quern-run.log"), processNumber(run));
  }

  /** The processing time is that of the algorithm: the container is mapped and checked before. */
  @Override
  public BenchmarkMetrics finalize(RunSpecification run) throws Exception {
    String said = Files.readString(report(run));
    Matcher seconds = KERNEL_SECONDS.matcher(said);
    if (!seconds.find()) {
      throw new PlatformExecutionException(report(run) + " does not say seconds.kernel");
    }
    BigDecimal time = new BigDecimal(seconds.group(1)).setScale(6, RoundingMode.CEILING);
    BenchmarkMetrics metrics = new BenchmarkMetrics();
    metrics.setProcessingTime(new BenchmarkMetric(time, "s"));
    return metrics;
  }

  /** The benchmark's answer to a run that takes too long, or failed. */
  @Override
  public void terminate(RunSpecification run) throws IOException {
    Tool.kill(processNumber(run));
  }

  private static Path logs(RunSpecification run) {
    return run.getBenchmarkRunSetup().getLogDir().resolve("platform");
  }

  private static Path report(RunSpecification run) {
    return logs(run).resolve("quern-run.json");
  }

  private static Path processNumber(RunSpecification run) {
    return logs(run).resolve("executable.pid"); // the benchmark's own name for it
  }
}
