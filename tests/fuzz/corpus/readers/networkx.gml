graph [
  directed 1
  node [
    id 0
    label "a ] [ b"
  ]
  node [
    id 1
  ]
  edge [
    source 0
    target 1
    weight 0.5
  ]
]
