"""Forms: what people may send, brought into the shape that the judge takes."""
