"""Where work lives: the folders that people may work in."""
