"""The levels of the grammar: spec, sizes, inputs, graph, stack, layer, mixer, budget, weights."""
