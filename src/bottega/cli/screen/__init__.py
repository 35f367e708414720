"""What a person sees: text made safe, Markdown as it streams, tools, costs and errors. Knows no studio."""
