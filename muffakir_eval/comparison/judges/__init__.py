"""Judge against judge, and against people, on the same answers: figures from scores that are there already."""
