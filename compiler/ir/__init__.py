"""The intermediate representation: dimensions, types, graphs and programs over networkx."""
