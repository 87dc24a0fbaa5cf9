/* cuSPARSE's product of the same matrix and vector as `quern-run spmv`, for comparison:
 * y = A^T x, with the in-edges as CSR.
 *
 *   cusparse-spmv GRAPH.qrn [REPETITIONS]
 *
 * Prints one JSON object: for every algorithm of cuSPARSE for CSR the median seconds. The matrix's
 * preprocessing is done before and not counted. */
#include <cusparse.h>

#include "bench/programs/single_kernels.cuh"
#include <quern/graph.h>
#include <quern/transpose.h>

namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    check(qn_fail(&error, QN_DEVICE, "cuSPARSE failed: %s", cusparseGetErrorString(status)));
}

/* cuSPARSE takes what it does not write as if it did. */
template <class T> T *upload(const std::vector<T> &host, const char *what) {
  return const_cast<T *>(upload(host.data(), host.size(), what));
}

std::vector<float> weights_of(const struct qn_csr *csr) {
  std::vector<float> values(csr->num_edges, 1.0f);
  for (uint64_t edge = 0; edge < csr->num_edges; edge++) {
    if (csr->weights.type == QN_WEIGHT_F32)
      values[edge] = csr->weights.f32[edge];
    else if (csr->weights.type == QN_WEIGHT_U32)
      values[edge] = (float)csr->weights.u32[edge];
  }
  return values;
}

/* 32-bit row offsets where they suffice: what cuSPARSE is fastest with. */
cusparseSpMatDescr_t make_matrix(const struct qn_csr *csr) {
  const bool small = csr->num_edges < INT32_MAX;
  void *offsets;
  if (small)
    offsets =
        upload(std::vector<int32_t>(csr->row_offsets, csr->row_offsets + csr->num_vertices + 1),
               "row offsets");
  else
    offsets =
        upload(std::vector<int64_t>(csr->row_offsets, csr->row_offsets + csr->num_vertices + 1),
               "row offsets");
  int32_t *columns = upload(
      std::vector<int32_t>(csr->column_indices, csr->column_indices + csr->num_edges), "columns");
  float *values = upload(weights_of(csr), "weights");
  cusparseSpMatDescr_t matrix;
  check(cusparseCreateCsr(&matrix, (int64_t)csr->num_vertices, (int64_t)csr->num_vertices,
                          (int64_t)csr->num_edges, offsets, columns, values,
                          small ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  return matrix;
}

double median_seconds(cusparseHandle_t handle, cusparseSpMatDescr_t matrix, cusparseDnVecDescr_t x,
                      cusparseDnVecDescr_t y, cusparseSpMVAlg_t algorithm) {
  const float one = 1, zero = 0;
  size_t size;
  void *buffer;
  check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y,
                                CUDA_R_32F, algorithm, &size));
  check(qn_cuda_alloc(&memory, &buffer, size, 1, "cuSPARSE's buffer", &error));
  check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y,
                                CUDA_R_32F, algorithm, buffer));
  const double seconds =
      seconds_of([] {},
                 [&] {
                   check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x,
                                      &zero, y, CUDA_R_32F, algorithm, buffer));
                 });
  qn_cuda_release(&memory, buffer);
  return seconds;
}

} /* namespace */

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: cusparse-spmv GRAPH.qrn [REPETITIONS]\n");
    return QN_USAGE;
  }
  begin_bench(argc > 2 ? argv[2] : "20");
  struct qn_graph graph;
  struct qn_graph transposed;
  const struct qn_csr *in = &graph.in;
  memset(&transposed, 0, sizeof transposed);
  check(qn_graph_map(argv[1], &graph, &error));
  if (!graph.has_transpose) {
    check(qn_graph_create_transpose(&graph.out, &transposed, &error));
    in = &transposed.out;
  }
  std::vector<float> vector(in->num_vertices);
  for (uint64_t v = 0; v < in->num_vertices; v++)
    vector[v] = 1.0f + (float)(v % 64) / 64.0f;
  cusparseHandle_t handle;
  cusparseDnVecDescr_t x, y;
  check(cusparseCreate(&handle));
  cusparseSpMatDescr_t matrix = make_matrix(in);
  check(cusparseCreateDnVec(&x, (int64_t)in->num_vertices, upload(vector, "x"), CUDA_R_32F));
  check(cusparseCreateDnVec(&y, (int64_t)in->num_vertices, upload(vector, "y"), CUDA_R_32F));
  const struct {
    const char *name;
    cusparseSpMVAlg_t algorithm;
  } algorithms[] = {{"default", CUSPARSE_SPMV_ALG_DEFAULT},
                    {"csr1", CUSPARSE_SPMV_CSR_ALG1},
                    {"csr2", CUSPARSE_SPMV_CSR_ALG2}};
  printf("{\"edges\": %llu, \"seconds\": {", (unsigned long long)in->num_edges);
  for (int i = 0; i < 3; i++)
    printf("%s\"%s\": %.6e", i ? ", " : "", algorithms[i].name,
           median_seconds(handle, matrix, x, y, algorithms[i].algorithm));
  printf("}}\n");
  cusparseDestroySpMat(matrix);
  cusparseDestroyDnVec(x);
  cusparseDestroyDnVec(y);
  cusparseDestroy(handle);
  qn_cuda_memory_destroy(&memory);
  qn_graph_unmap(&transposed);
  qn_graph_unmap(&graph);
  return 0;
}
