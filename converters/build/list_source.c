#include "converters/build/list_source.h"

#include "converters/edges/spill.h"
#include "support/memory.h"

enum qn_status qn_list_source_open(struct qn_edge_list *list, struct qn_list_source *source,
                                   struct qn_error *error) {
  *source = (struct qn_list_source){.list = list, .num_blocks = list->num_blocks};
  if (!list->spill) {
    qn_build_order_blocks(list);
    return QN_OK;
  }
  const struct qn_division *division = list->spill->division;
  if (!division)
    return QN_OK;
  enum qn_status status = qn_division_flush(list->spill->division, error);
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    source->num_blocks += division->piles[p].num_blocks;
  if (!status)
    status = qn_alloc(&source->piled, source->num_blocks, sizeof *source->piled,
                      "the list of edge blocks", error);
  if (status)
    return status;
  struct qn_pile_block *to = source->piled;
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    for (uint64_t i = 0; i < division->piles[p].num_blocks; i++)
      *to++ = division->piles[p].blocks[i];
  return QN_OK;
}

void qn_list_source_close(struct qn_list_source *source) {
  qn_free(source->piled);
  *source = (struct qn_list_source){0};
}

uint64_t qn_list_source_count(const struct qn_list_source *source, uint64_t index) {
  return source->piled ? source->piled[index].count : source->list->blocks[index]->count;
}

enum qn_status qn_loaded_block_room(struct qn_block_pool *pool, void **memory,
                                    struct qn_error *error) {
  if (!*memory)
    *memory = qn_block_take(pool);
  return *memory ? QN_OK : qn_block_pool_exhausted(pool, error);
}

void qn_loaded_block_free(struct qn_block_pool *pool, struct qn_loaded_block *loaded) {
  void *blocks[] = {loaded->block, loaded->raw, loaded->weights};
  for (int i = 0; i < 3; i++)
    if (blocks[i])
      qn_block_give(pool, blocks[i]);
  *loaded = (struct qn_loaded_block){0};
}

enum qn_status qn_list_source_load(const struct qn_list_source *source, uint64_t index,
                                   struct qn_loaded_block *loaded, struct qn_edge_block **block,
                                   struct qn_error *error) {
  struct qn_edge_list *list = source->list;
  if (!source->piled) {
    *block = qn_edge_list_load(list, index, &loaded->block);
    return *block ? QN_OK : qn_edge_list_load_failed(list, error);
  }
  void *memory = loaded->block;
  enum qn_status status = qn_loaded_block_room(list->pool, &memory, error);
  loaded->block = memory;
  if (!status)
    status = qn_loaded_block_room(list->pool, &loaded->raw, error);
  *block = loaded->block;
  return status ? status
                : qn_division_load(list->spill->division, &source->piled[index], loaded->raw,
                                   loaded->block, error);
}

void qn_list_source_drop(const struct qn_list_source *source, uint64_t index) {
  if (!source->piled)
    qn_edge_list_drop(source->list, index);
}
