#include "converters/parse/waiting_edges.h"

#include "converters/parse/names.h"

enum qn_status qn_waiting_edges_push(struct qn_waiting_edges *edges, struct qn_string_map *map,
                                     struct qn_edge_stream *stream, struct qn_error *error) {
  const struct qn_waiting_name *names = edges->names;
  uint32_t count = edges->count;
  edges->count = 0;
  enum qn_status status = qn_string_map_make_room(map, error);
  if (status)
    return status;
  enum qn_interned result = qn_string_map_intern_many(map, edges->names, 2 * count);
  if (result != QN_INTERNED)
    return qn_names_fail(result, NULL, 0, error);
  for (uint32_t i = 0; i < count; i++)
    if (edges->types[i] == QN_WEIGHT_NONE)
      qn_edge_push(stream, names[2 * i].id, names[2 * i + 1].id);
    else
      qn_edge_push_weighted(stream, names[2 * i].id, names[2 * i + 1].id, edges->types[i],
                            edges->bits[i]);
  return QN_OK;
}

void qn_waiting_edges_push_part(struct qn_waiting_edges *edges, struct qn_string_map *map,
                                struct qn_text_part *part) {
  struct qn_edge_stream *stream = &part->stream;
  enum qn_status status = qn_waiting_edges_push(edges, map, stream, &stream->error);
  stream->status = status ? status : stream->status;
  part->stop |= status != QN_OK;
}
