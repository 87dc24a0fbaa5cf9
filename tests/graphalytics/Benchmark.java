import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CompletableFuture;

import science.atlarge.graphalytics.domain.algorithms.Algorithm;
import science.atlarge.graphalytics.domain.algorithms.AlgorithmParameters;
import science.atlarge.graphalytics.domain.algorithms.BreadthFirstSearchParameters;
import science.atlarge.graphalytics.domain.algorithms.CommunityDetectionLPParameters;
import science.atlarge.graphalytics.domain.algorithms.PageRankParameters;
import science.atlarge.graphalytics.domain.algorithms.SingleSourceShortestPathsParameters;
import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
import science.atlarge.graphalytics.domain.graph.FormattedGraph;
import science.atlarge.graphalytics.domain.graph.LoadedGraph;
import science.atlarge.graphalytics.domain.graph.PropertyList;
import science.atlarge.graphalytics.execution.BenchmarkRunSetup;
import science.atlarge.graphalytics.execution.PlatformExecutionException;
import science.atlarge.graphalytics.execution.RunSpecification;
import science.atlarge.graphalytics.execution.RuntimeSetup;
import science.atlarge.graphalytics.quern.QuernPlatform;

/**
 * The benchmark in small: does to the driver what each line of standard input says, words between
 * tabs, and answers with a line. As in the benchmark what loads, runs and terminates are different
 * objects.
 */
public class Benchmark {
  private static LoadedGraph graph;

  public static void main(String[] none) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null;) {
      String answer;
      try {
        answer = "ok\t" + follow(line.split("\t"));
      } catch (PlatformExecutionException failure) {
        answer = "failed\t" + failure.getMessage().replace("\n", " | ");
      }
      System.out.println(answer);
    }
  }

  private static String follow(String[] words) throws Exception {
    switch (words[0]) {
      case "set":
        System.setProperty("platform.quern." + words[1], words.length > 2 ? words[2] : "");
        return "";
      case "verify":
        new QuernPlatform().verifySetup();
        return new QuernPlatform().getPlatformName();
      case "load":
        graph = null;
        graph = new QuernPlatform().loadGraph(new FormattedGraph(words[1], Long.parseLong(words[2]),
            Long.parseLong(words[3]), words[4].equals("directed"), words[5], words[6],
            new PropertyList(Integer.parseInt(words[7]))));
        return graph.getLoadedPath();
      case "run":
      case "time": // without output
        return run(specify(words));
      case "terminate":
        return terminate(specify(words));
      default: // "delete"
        new QuernPlatform().deleteGraph(graph);
        return "";
    }
  }

  /** The words: what to do, where logs and output go, the algorithm, its parameters. */
  private static RunSpecification specify(String[] words) {
    Path folder = Paths.get(words[1]);
    BenchmarkRun run = new BenchmarkRun(Algorithm.valueOf(words[2]), parameters(words), "r1-" + words[2]);
    BenchmarkRunSetup setup = new BenchmarkRunSetup(folder.resolve("log"), folder.resolve("output"), words[0].equals("run"));
    return new RunSpecification(run, setup, new RuntimeSetup(graph));
  }

  private static AlgorithmParameters parameters(String[] words) {
    switch (words[2]) {
      case "BFS":
        return new BreadthFirstSearchParameters(Long.parseLong(words[3]));
      case "CDLP":
        return new CommunityDetectionLPParameters(Integer.parseInt(words[3]));
      case "PR":
        return new PageRankParameters(Float.parseFloat(words[3]), Integer.parseInt(words[4]));
      case "SSSP":
        return new SingleSourceShortestPathsParameters("weight", Long.parseLong(words[3]));
      default:
        return null;
    }
  }

  private static String run(RunSpecification run) throws Exception {
    QuernPlatform platform = new QuernPlatform();
    platform.prepare(run);
    platform.startup(run);
    platform.run(run);
    return platform.finalize(run).getProcessingTime().getValue() + " " + platform.finalize(run).getProcessingTime().getUnit();
  }

  /** A run that has no end but by terminate. */
  private static String terminate(RunSpecification run) throws Exception {
    CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> {
      try {
        return run(run);
      } catch (Exception failure) {
        return failure.getMessage();
      }
    });
    Path number = run.getBenchmarkRunSetup().getLogDir().resolve("platform/executable.pid");
    while (!Files.exists(number) || Files.size(number) == 0) {
      Thread.sleep(10);
    }
    new QuernPlatform().terminate(run);
    String answer = said.get();
    new QuernPlatform().terminate(run); // nothing is left to be killed
    return answer;
  }
}
