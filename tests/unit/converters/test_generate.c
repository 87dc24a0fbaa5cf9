/* Generated graphs: the same from any range of edge numbers, with the distribution asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "converters/graph/generate.h"
#include "helpers/test.h"
#include "support/random.h"

static struct qn_generator rmat(unsigned scale, uint64_t degree) {
  return (struct qn_generator){.model = QN_MODEL_RMAT,
                               .scale = scale,
                               .degree = degree,
                               .seed = 7,
                               .a = 0.57,
                               .b = 0.19,
                               .c = 0.19};
}

static uint64_t generate(const struct qn_generator *generator, uint64_t begin, uint64_t end,
                         struct qn_generated *edges) {
  struct qn_generation *generation;
  struct qn_error error;
  assert_int_equal(qn_generation_create(generator, &generation, &error), QN_OK);
  const uint64_t count = qn_generate(generation, begin, end, edges);
  qn_generation_destroy(generation);
  return count;
}

TEST(test_any_range_gives_the_same_edges) {
  for (int model = QN_MODEL_RMAT; model <= QN_MODEL_POWER_LAW; model++) {
    struct qn_generator generator = rmat(10, 8);
    generator.model = (enum qn_model)model;
    generator.exponent = 2.2;
    generator.permute = true;
    generator.weights =
        (struct qn_random_weights){.type = QN_WEIGHT_U32, .low_whole = 1, .high_whole = 9};
    uint64_t slots = qn_generator_slots(&generator);
    assert_int_equal(slots, 8192);
    struct qn_generated *whole = calloc(slots, sizeof *whole); /* padding is compared, too */
    struct qn_generated *parts = calloc(slots, sizeof *parts);
    uint64_t count = generate(&generator, 0, slots, whole), joined = 0;
    for (uint64_t at = 0, step = 1; at < slots; at += step, step = step * 3 % 1499 + 1) {
      uint64_t end = at + step < slots ? at + step : slots;
      joined += generate(&generator, at, end, parts + joined);
    }
    assert_int_equal(joined, count);
    assert_memory_equal(parts, whole, count * sizeof *whole);
    free(whole);
    free(parts);
  }
}

/* Every bit of source and destination falls into the quadrants with their probabilities,
 * independent of the bits above. */
TEST(test_rmat_has_its_probabilities) {
  for (unsigned scale = 1; scale <= 9; scale++) {
    struct qn_generator generator = rmat(scale, (uint64_t)1 << (20 - scale));
    uint64_t slots = qn_generator_slots(&generator);
    struct qn_generated *edges = malloc(slots * sizeof *edges);
    assert_int_equal(generate(&generator, 0, slots, edges), slots);
    for (unsigned level = 0; level < scale; level++) {
      double counts[4] = {0}, both = 0;
      for (uint64_t i = 0; i < slots; i++) {
        unsigned quadrant =
            2 * (edges[i].source >> level & 1) + (edges[i].destination >> level & 1);
        unsigned above = level + 1 < scale ? 2 * (edges[i].source >> (level + 1) & 1) +
                                                 (edges[i].destination >> (level + 1) & 1)
                                           : 0;
        counts[quadrant]++;
        both += quadrant == 0 && above == 0;
        assert_true(edges[i].source < (1u << scale) && edges[i].destination < (1u << scale));
      }
      const double expected[4] = {0.57, 0.19, 0.19, 0.05};
      for (unsigned q = 0; q < 4; q++)
        assert_true(fabs(counts[q] / (double)slots - expected[q]) < 0.003);
      if (level + 1 < scale)
        assert_true(fabs(both / (double)slots - 0.57 * 0.57) < 0.003);
    }
    free(edges);
  }
}

TEST(test_extreme_probabilities) {
  struct qn_generated edges[256];
  struct qn_generator generator = rmat(8, 1);
  generator.a = 1;
  generator.b = generator.c = 0;
  generate(&generator, 0, 256, edges);
  for (int i = 0; i < 256; i++)
    assert_true(edges[i].source == 0 && edges[i].destination == 0);
  generator.a = generator.b = generator.c = 0;
  generate(&generator, 0, 256, edges);
  for (int i = 0; i < 256; i++)
    assert_true(edges[i].source == 255 && edges[i].destination == 255);
  generator.b = 1;
  generate(&generator, 0, 256, edges);
  for (int i = 0; i < 256; i++)
    assert_true(edges[i].source == 0 && edges[i].destination == 255);
}

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* A permuted grid has the same degrees; and every vertex of a grid occurs, so all numbers must. */
TEST(test_permutation_is_a_bijection) {
  for (unsigned scale = 1; scale <= 14; scale++) {
    struct qn_generator generator = {
        .model = QN_MODEL_GRID, .scale = scale, .degree = 4, .seed = scale, .permute = true};
    uint64_t slots = qn_generator_slots(&generator), vertices = (uint64_t)1 << scale;
    struct qn_generated *edges = malloc(slots * sizeof *edges);
    uint32_t *sources = malloc(slots * sizeof *sources);
    uint64_t count = generate(&generator, 0, slots, edges), distinct = 1;
    for (uint64_t i = 0; i < count; i++)
      sources[i] = edges[i].source;
    qsort(sources, count, sizeof *sources, compare_numbers);
    for (uint64_t i = 1; i < count; i++)
      distinct += sources[i] != sources[i - 1];
    assert_int_equal(distinct, vertices);
    assert_int_equal(sources[0], 0);
    assert_int_equal(sources[count - 1], vertices - 1);
    free(edges);
    free(sources);
  }
}

/* More vertices than 32 bits name: both ends have all bits, and numbering is one to one. */
TEST(test_wide_scales) {
  enum { COUNT = 4096, SCALE = 36 };
  static const enum qn_model models[] = {QN_MODEL_RMAT, QN_MODEL_UNIFORM, QN_MODEL_GRID};
  struct qn_generated *plain = malloc(COUNT * sizeof *plain);
  struct qn_generated *numbered = malloc(COUNT * sizeof *numbered);
  for (int m = 0; m < 3; m++) {
    struct qn_generator generator = rmat(SCALE, 4);
    uint64_t bits[2] = {0}, begin = (uint64_t)1 << 37;
    generator.model = models[m];
    generator.permute = false;
    const uint64_t count = generate(&generator, begin, begin + COUNT, plain);
    assert_in_range(count, COUNT / 2, COUNT); /* a grid has a border */
    generator.permute = true;
    assert_int_equal(generate(&generator, begin, begin + COUNT, numbered), count);
    for (uint64_t i = 0; i < count; i++) {
      assert_true(plain[i].source >> SCALE == 0 && plain[i].destination >> SCALE == 0);
      assert_true(numbered[i].source >> SCALE == 0 && numbered[i].destination >> SCALE == 0);
      assert_true((plain[i].source == plain[0].source) ==
                  (numbered[i].source == numbered[0].source));
      bits[0] |= numbered[i].source;
      bits[1] |= numbered[i].destination;
    }
    assert_true(bits[0] == ((uint64_t)1 << SCALE) - 1 && bits[1] == bits[0]);
  }
  free(plain);
  free(numbered);
}

TEST(test_grid) {
  struct qn_generator generator = {.model = QN_MODEL_GRID, .scale = 3, .degree = 4};
  struct qn_generated edges[32];
  /* 4 rows of 2: 4 edges across and 6 down, both ways. */
  assert_int_equal(generate(&generator, 0, 32, edges), 20);
  for (int i = 0; i < 20; i++) {
    int rows = abs((int)(edges[i].source / 2) - (int)(edges[i].destination / 2));
    int columns = abs((int)(edges[i].source % 2) - (int)(edges[i].destination % 2));
    assert_int_equal(rows + columns, 1);
  }
  generator.degree = 8;
  struct qn_generated more[64];
  assert_int_equal(generate(&generator, 0, 64, more), 32); /* and 6 diagonals */
}

TEST(test_weights) {
  struct qn_random_weights weights;
  struct qn_error error;
  assert_int_equal(qn_random_weights_parse("3,5", false, &weights, &error), QN_OK);
  assert_int_equal(weights.type, QN_WEIGHT_U32);
  bool seen[8] = {false};
  for (uint64_t i = 0; i < 1000; i++) {
    uint32_t weight = qn_random_weight(&weights, qn_random_at(1, i));
    assert_in_range(weight, 3, 5);
    seen[weight] = true;
  }
  assert_true(seen[3] && seen[4] && seen[5]);
  assert_int_equal(
      qn_random_weights_parse("0,4294967295,18446744073709551615", true, &weights, &error), QN_OK);
  assert_int_equal(weights.seed, UINT64_MAX);
  assert_int_equal(qn_random_weight(&weights, UINT64_MAX), UINT32_MAX);
  assert_int_equal(qn_random_weights_parse("-1.5,2", false, &weights, &error), QN_OK);
  assert_int_equal(weights.type, QN_WEIGHT_F32);
  for (uint64_t i = 0; i < 1000; i++) {
    uint32_t bits = qn_random_weight(&weights, i < 2 ? 0 - i : qn_random_at(1, i));
    float value;
    memcpy(&value, &bits, sizeof value);
    assert_true(value >= -1.5f && value < 2);
  }
  static const char *const bad[] = {"",    "1",     "1,",     ",1",   "1,2,3",    "2,1",
                                    "x,1", "1,nan", "1,1e39", "1, 2", "0.5,0.25", "-3.4e38,3.4e38"};
  for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(qn_random_weights_parse(bad[i], false, &weights, &error), QN_USAGE);
  assert_int_equal(qn_random_weights_parse("1,2", true, &weights, &error), QN_USAGE);
  assert_int_equal(qn_random_weights_parse("1,2,x", true, &weights, &error), QN_USAGE);
}

/* Degrees of both ends of 2^20 edges, numbered by rank: the first vertex has what was asked for,
 * ranges of ranks their share of the integral, and numbering them randomly changes nothing else. */
TEST(test_power_law_has_its_degrees) {
  enum { V = 100003, E = 1 << 20, MOST = 5000 };
  struct qn_generator generator = {.model = QN_MODEL_POWER_LAW,
                                   .num_vertices = V,
                                   .num_edges = E,
                                   .seed = 11,
                                   .exponent = 2.2,
                                   .max_degree = MOST};
  struct qn_error error;
  assert_int_equal(qn_generator_check(&generator, &error), QN_OK);
  struct qn_generated *edges = malloc(E * sizeof *edges), *numbered = malloc(E * sizeof *edges);
  uint32_t *degrees = calloc(V, sizeof *degrees), *name = calloc(V, sizeof *name);
  assert_int_equal(generate(&generator, 0, E, edges), E);
  generator.permute = true;
  assert_int_equal(generate(&generator, 0, E, numbered), E);
  for (unsigned i = 0; i < E; i++) {
    const uint64_t ends[2] = {edges[i].source, edges[i].destination};
    const uint64_t names[2] = {numbered[i].source, numbered[i].destination};
    for (unsigned k = 0; k < 2; k++) {
      assert_true(ends[k] < V && names[k] < V);
      degrees[ends[k]]++;
      assert_true(name[ends[k]] == 0 || name[ends[k]] == names[k] + 1);
      name[ends[k]] = (uint32_t)names[k] + 1;
    }
  }
  assert_true(fabs(degrees[0] - 2. * MOST) < 5 * sqrt(2. * MOST));
  /* The shift that the first vertex' share asks for, from the sum over all vertices. */
  const double slope = 1 / 1.2;
  double low = 1e-6, high = 1e6, sum = 0;
  for (unsigned step = 0; step < 200; step++) {
    const double shift = sqrt(low * high), left = 1 - slope;
    const double first =
        (pow(1 + shift, left) - pow(shift, left)) / (pow(V + shift, left) - pow(shift, left));
    *(first * E > MOST ? &low : &high) = shift;
  }
  for (uint64_t begin = 0, end = 10; begin < V; begin = end, end = end * 4 < V ? end * 4 : V) {
    const double left = 1 - slope;
    const double share = (pow((double)end + low, left) - pow((double)begin + low, left)) /
                         (pow(V + low, left) - pow(low, left));
    double found = 0;
    for (uint64_t i = begin; i < end; i++)
      found += degrees[i];
    sum += found;
    assert_true(fabs(found - 2. * E * share) < 5 * sqrt(2. * E * share));
  }
  assert_true(sum == 2. * E);
  free(edges);
  free(numbered);
  free(degrees);
  free(name);
}

TEST(test_power_laws_that_cannot_be) {
  struct qn_error error;
  struct qn_generator law = {
      .model = QN_MODEL_POWER_LAW, .num_vertices = 1000, .degree = 16, .exponent = 2.5};
  assert_int_equal(qn_generator_check(&law, &error), QN_OK);
  law.max_degree = 16; /* the average */
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  law.max_degree = 16000;
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  law.exponent = 5; /* flat: nobody has a quarter of the edges */
  law.max_degree = 4000;
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  law = (struct qn_generator){
      .model = QN_MODEL_POWER_LAW, .num_vertices = 1000, .degree = 16, .exponent = NAN};
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  law.exponent = 1;
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  law = (struct qn_generator){.model = QN_MODEL_RMAT, .num_vertices = 1000, .degree = 16};
  assert_int_equal(qn_generator_check(&law, &error), QN_USAGE);
  for (uint64_t size = 1; size <= 3; size++) { /* small ones, of all exponents */
    static const double exponents[] = {1.01, 1.5, 2, 2.000000001, 3, 100};
    struct qn_generated edges[64];
    for (unsigned i = 0; i < sizeof exponents / sizeof *exponents; i++) {
      law = (struct qn_generator){.model = QN_MODEL_POWER_LAW,
                                  .num_vertices = size,
                                  .num_edges = 64,
                                  .exponent = exponents[i],
                                  .permute = true};
      assert_int_equal(qn_generator_check(&law, &error), QN_OK);
      assert_int_equal(generate(&law, 0, 64, edges), 64);
      for (unsigned k = 0; k < 64; k++)
        assert_true(edges[k].source < size && edges[k].destination < size);
    }
  }
}

TEST(test_limits) {
  struct qn_error error;
  struct qn_generator generator = rmat(31, 16);
  assert_int_equal(qn_generator_check(&generator, &error), QN_OK);
  generator = rmat(QN_MAX_WIDE_SCALE, 1);
  assert_int_equal(qn_generator_check(&generator, &error), QN_OK);
  generator.weights.type = QN_WEIGHT_U32;
  assert_int_equal(qn_generator_check(&generator, &error), QN_USAGE);
  generator = rmat(QN_MAX_WIDE_SCALE + 1, 0);
  assert_int_equal(qn_generator_check(&generator, &error), QN_USAGE);
  generator = rmat(31, 16);
  generator.scale = 31;
  generator.degree = UINT64_MAX;
  assert_int_equal(qn_generator_check(&generator, &error), QN_USAGE);
  generator = rmat(4, 16);
  generator.a = 0.9;
  assert_int_equal(qn_generator_check(&generator, &error), QN_USAGE);
  generator.a = NAN;
  assert_int_equal(qn_generator_check(&generator, &error), QN_USAGE);
  generator = rmat(0, 3);
  struct qn_generated edges[3];
  generator.permute = true;
  assert_int_equal(generate(&generator, 0, 3, edges), 3);
  assert_int_equal(edges[2].source, 0);
}

TEST_MAIN(NULL, NULL)
