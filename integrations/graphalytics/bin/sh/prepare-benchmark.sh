# Sourced by run-benchmark.sh of the benchmark, which knows $rootdir and $config: the class path.
if [ ! -f "$config/platform.properties" ]; then
  echo "There is no $config/platform.properties; config-template has one" >&2
  exit 1
fi
LIBRARY_JAR=lib/graphalytics-platforms-quern.jar
platform_classpath=$rootdir/lib/*
