Creator "Mark"
Graph
[
  node
  [
    id 1
  ]
  node [ id 2 graphics [ x 1 y [ z 2 ] ] ]
  edge
  [
    source 1
    target 2
    value 3
  ]
]
