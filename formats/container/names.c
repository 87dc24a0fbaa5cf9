/* The names of a container's codes, as messages and JSON show them. */
#include <quern/container.h>

const char *qn_layout_name(uint32_t layout) {
  switch (layout) {
#define NAME(CONSTANT, code, layout, name, command)                                                \
  case code:                                                                                       \
    return name;
    QN_GRAPH_LAYOUTS(NAME)
#undef NAME
  case QN_LAYOUT_CHECKPOINT:
    return "checkpoint";
  case QN_LAYOUT_SET:
    return "set";
  default:
    return "unknown";
  }
}

bool qn_layout_holds_graph(uint32_t layout) {
  switch (layout) {
#define CODE(CONSTANT, code, layout, name, command) case code:
    QN_GRAPH_LAYOUTS(CODE)
#undef CODE
    return true;
  default:
    return false;
  }
}

const char *qn_weight_type_name(uint32_t weight_type) {
  switch (weight_type) {
  case QN_WEIGHT_NONE:
    return "none";
  case QN_WEIGHT_U32:
    return "u32";
  case QN_WEIGHT_F32:
    return "f32";
  case QN_WEIGHT_I64:
    return "i64";
  case QN_WEIGHT_F64:
    return "f64";
  default:
    return "unknown";
  }
}

enum qn_element_type qn_weight_element(enum qn_weight_type type) {
  switch (type) {
  case QN_WEIGHT_I64:
    return QN_ELEMENT_SIGNED;
  case QN_WEIGHT_F32:
  case QN_WEIGHT_F64:
    return QN_ELEMENT_FLOAT;
  default:
    return QN_ELEMENT_UNSIGNED;
  }
}

const char *qn_element_type_name(uint32_t element_type) {
  switch (element_type) {
  case QN_ELEMENT_UNSIGNED:
    return "unsigned";
  case QN_ELEMENT_SIGNED:
    return "signed";
  case QN_ELEMENT_FLOAT:
    return "float";
  case QN_ELEMENT_TEXT:
    return "text";
  case QN_ELEMENT_OPAQUE:
    return "opaque";
  default:
    return "unknown";
  }
}
