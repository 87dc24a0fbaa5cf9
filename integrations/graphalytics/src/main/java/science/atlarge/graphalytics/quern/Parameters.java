package science.atlarge.graphalytics.quern;

import java.util.List;

import science.atlarge.graphalytics.domain.algorithms.BreadthFirstSearchParameters;
import science.atlarge.graphalytics.domain.algorithms.CommunityDetectionLPParameters;
import science.atlarge.graphalytics.domain.algorithms.PageRankParameters;
import science.atlarge.graphalytics.domain.algorithms.SingleSourceShortestPathsParameters;
import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
import science.atlarge.graphalytics.execution.PlatformExecutionException;

/** The benchmark's algorithms and their parameters as arguments of quern-run. */
final class Parameters {
  private Parameters() {}

  static List<String> of(BenchmarkRun run) throws PlatformExecutionException {
    Object parameters = run.getAlgorithmParameters();
    switch (run.getAlgorithm()) {
      case BFS:
        return List.of("bfs", "--source=" + ((BreadthFirstSearchParameters) parameters).getSourceVertex());
      case CDLP:
        return List.of("cdlp", "--iterations=" + ((CommunityDetectionLPParameters) parameters).getMaxIterations());
      case LCC:
        return List.of("lcc");
      case PR:
        PageRankParameters pagerank = (PageRankParameters) parameters;
        return List.of("pagerank", "--damping=" + pagerank.getDampingFactor(),
            "--iterations=" + pagerank.getNumberOfIterations(), "--tolerance=0");
      case SSSP:
        return List.of("sssp", "--source=" + ((SingleSourceShortestPathsParameters) parameters).getSourceVertex());
      case WCC:
        return List.of("cc");
      default:
        throw new PlatformExecutionException("Quern does not know the algorithm " + run.getAlgorithm());
    }
  }
}
