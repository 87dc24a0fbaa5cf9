package science.atlarge.graphalytics.quern;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.configuration.Configuration;
import science.atlarge.graphalytics.configuration.ConfigurationUtil;

/** The settings platform.quern.NAME, which config-template/platform.properties explains. */
final class Settings {
  private final Configuration configuration;

  private Settings(Configuration configuration) {
    this.configuration = configuration;
  }

  static Settings load() {
    return new Settings(ConfigurationUtil.loadConfiguration("benchmark.properties"));
  }

  /** How a tool is called: by its path in the folder of tools, or by its name if none is said. */
  String tool(String name) {
    String folder = value("tools", "");
    return folder.isEmpty() ? name : Paths.get(folder, name).toString();
  }

  /** The folder in which graphs lie while they are loaded. */
  Path containers() {
    return Paths.get(value("containers", "containers")).toAbsolutePath();
  }

  String layout() {
    return value("layout", "graph");
  }

  /** Options that say as what numbers weights are kept; f32 rounds them. */
  List<String> weights() {
    String type = value("weights", "f64");
    return type.equals("f32") ? List.of("--weights=f32", "--narrow-weights") : List.of("--weights=" + type);
  }

  /** Options that say on which processor quern-run runs, and with how many threads. */
  List<String> whereToRun() {
    List<String> options = new ArrayList<>(List.of("--device=" + value("device", "auto")));
    options.addAll(threads());
    return options;
  }

  /** All cores, if nothing is said. */
  List<String> threads() {
    String threads = value("threads", "");
    return threads.isEmpty() ? List.of() : List.of("--threads=" + threads);
  }

  /** Commas are a part of the value, although the configuration makes a list of it. */
  private String value(String name, String otherwise) {
    String said = String.join(",", configuration.getStringArray("platform.quern." + name)).trim();
    return said.isEmpty() ? otherwise : said;
  }
}
